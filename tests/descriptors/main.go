// Command descriptors prints what the API server knows of its types in protobuf: a FileDescriptorSet of the messages of all kinds that
// crd-server serves, made from the types in Go.
//
// The files generated.proto do not say enough to turn a message into JSON and back. Here, the JSON name of a field is the one in Go, and
// begins with a dot where Go prints the fields of a message in their parent. A field is explicitly optional if Go prints its zero value.
//
//	go run . > ../../crd-server/src/protobuf/descriptors.bin
//	go run . messages < ../../crd-server/src/protobuf/tests/objects.json > ../../crd-server/src/protobuf/tests/messages.json
//	go run . objects < ../../crd-server/src/protobuf/tests/objects.json > ../../crd-server/src/protobuf/tests/printed.json
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// groupVersions are those with kinds that crd-server serves.
var groupVersions = []string{
	"v1", "admissionregistration.k8s.io/v1", "apiextensions.k8s.io/v1", "apps/v1", "authentication.k8s.io/v1", "authorization.k8s.io/v1",
	"autoscaling/v1", "autoscaling/v2", "batch/v1", "certificates.k8s.io/v1", "coordination.k8s.io/v1", "discovery.k8s.io/v1",
	"events.k8s.io/v1", "flowcontrol.apiserver.k8s.io/v1", "networking.k8s.io/v1", "node.k8s.io/v1", "policy/v1",
	"rbac.authorization.k8s.io/v1", "resource.k8s.io/v1", "scheduling.k8s.io/v1", "storage.k8s.io/v1",
}

const (
	stringType  = descriptorpb.FieldDescriptorProto_TYPE_STRING
	int64Type   = descriptorpb.FieldDescriptorProto_TYPE_INT64
	int32Type   = descriptorpb.FieldDescriptorProto_TYPE_INT32
	messageType = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE
	repeated    = descriptorpb.FieldDescriptorProto_LABEL_REPEATED
)

// files are the descriptors by their packages.
var files = map[string]*descriptorpb.FileDescriptorProto{}
var seen = map[string]bool{}

func main() {
	if err := apiextensions.AddToScheme(scheme.Scheme); err != nil {
		log.Fatal(err)
	}
	if len(os.Args) > 1 {
		if err := printObjects(os.Args[1] == "messages"); err != nil {
			log.Fatal(err)
		}
		return
	}
	for gvk, type_ := range scheme.Scheme.AllKnownTypes() {
		for _, groupVersion := range groupVersions {
			if gvk.GroupVersion().String() == groupVersion {
				message(type_)
			}
		}
	}
	for _, object := range []any{
		metav1.Status{}, metav1.DeleteOptions{}, metav1.WatchEvent{}, metav1.PartialObjectMetadata{}, metav1.PartialObjectMetadataList{}, runtime.Unknown{},
	} {
		message(reflect.TypeOf(object))
	}
	if err := print(); err != nil {
		log.Fatal(err)
	}
}

// printObjects prints the objects in standard input, a JSON list, as Go does: a list of their messages in base64, or of their JSON.
func printObjects(asMessages bool) error {
	var objects []json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {
		return err
	}
	printed := []any{}
	serializer := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	for _, text := range objects {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
		if err != nil {
			return err
		}
		if !asMessages {
			printed = append(printed, object)
			continue
		}
		var message bytes.Buffer
		if err := serializer.Encode(object, &message); err != nil {
			return err
		}
		printed = append(printed, base64.StdEncoding.EncodeToString(message.Bytes()))
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(printed)
}

func print() error {
	set := &descriptorpb.FileDescriptorSet{}
	for _, file := range files {
		sort.Slice(file.MessageType, func(i, j int) bool { return file.MessageType[i].GetName() < file.MessageType[j].GetName() })
		sort.Strings(file.Dependency)
		set.File = append(set.File, file)
	}
	sort.Slice(set.File, func(i, j int) bool { return set.File[i].GetName() < set.File[j].GetName() })
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(set)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(encoded)
	return err
}

func packageOf(type_ reflect.Type) string {
	return strings.NewReplacer("/", ".", "-", "_").Replace(type_.PkgPath())
}

func fileOf(name string) *descriptorpb.FileDescriptorProto {
	if files[name] == nil {
		files[name] = &descriptorpb.FileDescriptorProto{Name: proto.String(name + ".proto"), Package: proto.String(name), Syntax: proto.String("proto3")}
	}
	return files[name]
}

// message adds a type and those of its fields. It returns the name of the message.
func message(type_ reflect.Type) string {
	package_ := packageOf(type_)
	name := package_ + "." + type_.Name()
	if seen[name] {
		return name
	}
	seen[name] = true
	file := fileOf(package_)
	descriptor := &descriptorpb.DescriptorProto{Name: proto.String(type_.Name())}
	file.MessageType = append(file.MessageType, descriptor)
	switch {
	case type_ == reflect.TypeOf(metav1.Time{}) || type_ == reflect.TypeOf(metav1.MicroTime{}):
		// Their methods encode a `Timestamp`.
		scalar(descriptor, "seconds", 1, int64Type)
		scalar(descriptor, "nanos", 2, int32Type)
	case type_ == reflect.TypeOf(resource.Quantity{}):
		scalar(descriptor, "string", 1, stringType)
	case type_.Kind() == reflect.Slice:
		// A list with a name is a message of its own, of which JSON has the items alone.
		field := scalar(descriptor, "items", 1, kindOf(type_.Elem()))
		field.JsonName = proto.String(".")
		field.Label = repeated.Enum()
	default:
		for i := range type_.NumField() {
			if tag := type_.Field(i).Tag.Get("protobuf"); tag != "" && tag != "-" {
				addField(file, descriptor, name, type_.Field(i), tag)
			}
		}
	}
	return name
}

func scalar(descriptor *descriptorpb.DescriptorProto, name string, number int32, kind descriptorpb.FieldDescriptorProto_Type) *descriptorpb.FieldDescriptorProto {
	field := &descriptorpb.FieldDescriptorProto{
		Name: proto.String(name), JsonName: proto.String(name), Number: proto.Int32(number), Type: kind.Enum(),
		Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
	}
	descriptor.Field = append(descriptor.Field, field)
	return field
}

// addField adds a field whose tag is like `bytes,1,opt,name=metadata`.
func addField(file *descriptorpb.FileDescriptorProto, parent *descriptorpb.DescriptorProto, parentName string, field reflect.StructField, tag string) {
	parts := strings.Split(tag, ",")
	number, err := strconv.Atoi(parts[1])
	if err != nil {
		log.Fatalf("%s.%s: %v", parentName, field.Name, err)
	}
	name := strings.ToLower(field.Name[:1]) + field.Name[1:]
	for _, part := range parts {
		if given, ok := strings.CutPrefix(part, "name="); ok {
			name = given
		}
	}
	jsonParts := strings.Split(field.Tag.Get("json"), ",")
	jsonName := jsonParts[0]
	isOmitted := false
	for _, option := range jsonParts[1:] {
		isOmitted = isOmitted || option == "omitempty"
		if option == "inline" {
			jsonName = "." + name
		}
	}
	if jsonName == "" && field.Anonymous && field.Type.Kind() == reflect.Struct {
		jsonName = "." + name
	}
	if jsonName == "" || jsonName == "-" {
		jsonName = name
	}
	added := scalar(parent, name, int32(number), stringType)
	added.JsonName = proto.String(jsonName)
	type_ := field.Type
	isPointer := type_.Kind() == reflect.Pointer
	if isPointer {
		type_ = type_.Elem()
	}
	switch {
	case type_.Kind() == reflect.Map:
		added.Label = repeated.Enum()
		added.Type = messageType.Enum()
		entry := &descriptorpb.DescriptorProto{
			Name: proto.String(strings.ToUpper(name[:1]) + name[1:] + "Entry"), Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)},
		}
		setType(file, scalar(entry, "key", 1, stringType), type_.Key())
		setType(file, scalar(entry, "value", 2, stringType), type_.Elem())
		parent.NestedType = append(parent.NestedType, entry)
		added.TypeName = proto.String("." + parentName + "." + entry.GetName())
		return
	case type_.Kind() == reflect.Slice && type_.Elem().Kind() != reflect.Uint8 && !isMessage(type_):
		added.Label = repeated.Enum()
		if kindOf(type_.Elem()) != stringType && kindOf(type_.Elem()) != messageType {
			added.Options = &descriptorpb.FieldOptions{Packed: proto.Bool(false)}
		}
		setType(file, added, type_.Elem())
		return
	}
	setType(file, added, type_)
	if added.GetType() != messageType && (isPointer || !isOmitted) {
		// An explicitly optional field is the only one of a choice.
		added.Proto3Optional = proto.Bool(true)
		added.OneofIndex = proto.Int32(int32(len(parent.OneofDecl)))
		parent.OneofDecl = append(parent.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String("_" + name)})
	}
}

// isMessage tells whether a list has a name and a message of its own.
func isMessage(type_ reflect.Type) bool {
	_, ok := reflect.PointerTo(type_).MethodByName("MarshalToSizedBuffer")
	return ok
}

func setType(file *descriptorpb.FileDescriptorProto, field *descriptorpb.FieldDescriptorProto, type_ reflect.Type) {
	if type_.Kind() == reflect.Pointer {
		type_ = type_.Elem()
	}
	kind := kindOf(type_)
	field.Type = kind.Enum()
	if kind != messageType {
		return
	}
	field.TypeName = proto.String("." + message(type_))
	dependency := packageOf(type_) + ".proto"
	if dependency == file.GetName() {
		return
	}
	for _, known := range file.Dependency {
		if known == dependency {
			return
		}
	}
	file.Dependency = append(file.Dependency, dependency)
}

func kindOf(type_ reflect.Type) descriptorpb.FieldDescriptorProto_Type {
	if type_.Kind() == reflect.Pointer {
		type_ = type_.Elem()
	}
	switch kind := type_.Kind(); {
	case kind == reflect.Struct || isMessage(type_):
		return messageType
	case kind == reflect.Slice && type_.Elem().Kind() == reflect.Uint8:
		return descriptorpb.FieldDescriptorProto_TYPE_BYTES
	case kind == reflect.String:
		return stringType
	case kind == reflect.Bool:
		return descriptorpb.FieldDescriptorProto_TYPE_BOOL
	case kind == reflect.Int32 || kind == reflect.Uint8:
		return int32Type
	case kind == reflect.Int64 || kind == reflect.Int:
		return int64Type
	case kind == reflect.Float64:
		return descriptorpb.FieldDescriptorProto_TYPE_DOUBLE
	}
	log.Fatal(fmt.Errorf("no type of protobuf for %s", type_))
	return 0
}
