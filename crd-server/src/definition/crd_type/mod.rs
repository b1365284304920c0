//! Normalizes CRDs like their Go type: sorts fields in the order of the type, and removes unknown fields and the empty fields that Go
//! omits.
//!
//! Source: `types.go` and `types_jsonschema.go` in `pkg/apis/apiextensions/v1` of apiextensions-apiserver, and `ObjectMeta` of
//! apimachinery.

mod converted;
mod empty;

use std::collections::HashSet;

use serde_json::{Map, Number, Value, json};

use crate::request::body::strict::StrictReader;
pub(crate) use converted::{convert, has_managed_fields};
pub(crate) use empty::versions_with_empty;

/// A type in Go.
#[derive(Clone, Copy)]
enum GoType {
    Text,
    /// A string type with this name.
    Named(&'static str),
    Flag,
    /// A number whose type is `int64`.
    Numeric,
    /// A number whose type is `int32`.
    Small,
    /// A number whose type is `float64`.
    Float,
    Time,
    /// A string in base64.
    Bytes,
    /// A value of any type, or a value that this server does not inspect.
    Any,
    Struct(&'static [Field]),
    List(&'static GoType),
    /// A list of structs that server-side apply merges by the field with this name.
    Keyed(&'static [Field], &'static str),
    Map(&'static GoType),
    /// `JSONSchemaPropsOrArray`, `JSONSchemaPropsOrBool` and `JSONSchemaPropsOrStringArray`.
    SchemaOr,
}

/// A field of a struct, and how it is serialized.
#[derive(Clone, Copy)]
struct Field(&'static str, GoType, Presence);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    /// The field is always present.
    Always,
    /// The field is absent if it is empty: `omitempty`.
    Full,
    /// The field is absent only if it is `null`, like a pointer with `omitempty`.
    Set,
}

use GoType::{Any, Bytes, Flag, Float, Keyed, List, Named, Numeric, SchemaOr, Small, Struct, Text, Time};
use Presence::{Always, Full, Set};

static TEXTS: GoType = List(&Text);
static SCHEMAS: GoType = List(&Struct(&SCHEMA));
static SCHEMAS_BY_NAME: GoType = GoType::Map(&Struct(&SCHEMA));

static CRD: [Field; 5] = [
    Field("kind", Text, Full),
    Field("apiVersion", Text, Full),
    Field("metadata", Struct(&METADATA), Always),
    Field("spec", Struct(&SPEC), Always),
    Field("status", Struct(&STATUS), Always),
];
static METADATA: [Field; 15] = [
    Field("name", Text, Full),
    Field("generateName", Text, Full),
    Field("namespace", Text, Full),
    Field("selfLink", Text, Full),
    Field("uid", Named("types.UID"), Full),
    Field("resourceVersion", Text, Full),
    Field("generation", Numeric, Full),
    Field("creationTimestamp", Time, Set),
    Field("deletionTimestamp", Time, Set),
    Field("deletionGracePeriodSeconds", Numeric, Set),
    Field("labels", GoType::Map(&Text), Full),
    Field("annotations", GoType::Map(&Text), Full),
    Field("ownerReferences", List(&Struct(&OWNER)), Full),
    Field("finalizers", TEXTS, Full),
    Field("managedFields", List(&Struct(&MANAGER)), Full),
];
static OWNER: [Field; 6] = [
    Field("apiVersion", Text, Always),
    Field("kind", Text, Always),
    Field("name", Text, Always),
    Field("uid", Named("types.UID"), Always),
    Field("controller", Flag, Set),
    Field("blockOwnerDeletion", Flag, Set),
];
static MANAGER: [Field; 7] = [
    Field("manager", Text, Full),
    Field("operation", Named("v1.ManagedFieldsOperationType"), Full),
    Field("apiVersion", Text, Full),
    Field("time", Time, Set),
    Field("fieldsType", Text, Full),
    Field("fieldsV1", Any, Set),
    Field("subresource", Text, Full),
];
static VERSIONS: GoType = List(&Struct(&VERSION));
static SPEC: [Field; 6] = [
    Field("group", Text, Always),
    Field("names", Struct(&NAMES), Always),
    Field("scope", Named("v1.ResourceScope"), Always),
    Field("versions", VERSIONS, Always),
    Field("conversion", Struct(&CONVERSION), Set),
    Field("preserveUnknownFields", Flag, Full),
];
static NAMES: [Field; 6] = [
    Field("plural", Text, Always),
    Field("singular", Text, Full),
    Field("shortNames", TEXTS, Full),
    Field("kind", Text, Always),
    Field("listKind", Text, Full),
    Field("categories", TEXTS, Full),
];
static VERSION: [Field; 9] = [
    Field("name", Text, Always),
    Field("served", Flag, Always),
    Field("storage", Flag, Always),
    Field("deprecated", Flag, Full),
    Field("deprecationWarning", Text, Set),
    Field("schema", Struct(&[Field("openAPIV3Schema", Struct(&SCHEMA), Set)]), Set),
    Field("subresources", Struct(&SUBRESOURCES), Set),
    Field("additionalPrinterColumns", List(&Struct(&COLUMN)), Full),
    Field("selectableFields", List(&Struct(&[Field("jsonPath", Text, Always)])), Full),
];
static SUBRESOURCES: [Field; 2] = [Field("status", Struct(&[]), Set), Field("scale", Struct(&SCALE), Set)];
static SCALE: [Field; 3] = [
    Field("specReplicasPath", Text, Always),
    Field("statusReplicasPath", Text, Always),
    Field("labelSelectorPath", Text, Set),
];
static COLUMN: [Field; 6] = [
    Field("name", Text, Always),
    Field("type", Text, Always),
    Field("format", Text, Full),
    Field("description", Text, Full),
    Field("priority", Small, Full),
    Field("jsonPath", Text, Always),
];
static CONVERSION: [Field; 2] =
    [Field("strategy", Named("v1.ConversionStrategyType"), Always), Field("webhook", Struct(&WEBHOOK), Set)];
static WEBHOOK: [Field; 2] =
    [Field("clientConfig", Struct(&CLIENT), Set), Field("conversionReviewVersions", TEXTS, Always)];
static CLIENT: [Field; 3] =
    [Field("url", Text, Set), Field("service", Struct(&SERVICE), Set), Field("caBundle", Bytes, Full)];
static SERVICE: [Field; 4] = [
    Field("namespace", Text, Always),
    Field("name", Text, Always),
    Field("path", Text, Set),
    Field("port", Small, Set),
];
static STATUS: [Field; 4] = [
    Field("conditions", Keyed(&CONDITION, "type"), Always),
    Field("acceptedNames", Struct(&NAMES), Always),
    Field("storedVersions", TEXTS, Always),
    Field("observedGeneration", Numeric, Full),
];
static CONDITION: [Field; 6] = [
    Field("type", Named("v1.CustomResourceDefinitionConditionType"), Always),
    Field("status", Named("v1.ConditionStatus"), Always),
    Field("lastTransitionTime", Time, Always),
    Field("reason", Text, Full),
    Field("message", Text, Full),
    Field("observedGeneration", Numeric, Full),
];
static RULE: [Field; 6] = [
    Field("rule", Text, Always),
    Field("message", Text, Full),
    Field("messageExpression", Text, Full),
    Field("reason", Named("v1.FieldValueErrorReason"), Set),
    Field("fieldPath", Text, Full),
    Field("optionalOldSelf", Flag, Set),
];
static DOCUMENTATION: [Field; 2] = [Field("description", Text, Full), Field("url", Text, Full)];
static SCHEMA: [Field; 44] = [
    Field("id", Text, Full),
    Field("$schema", Named("v1.JSONSchemaURL"), Full),
    Field("$ref", Text, Set),
    Field("description", Text, Full),
    Field("type", Text, Full),
    Field("format", Text, Full),
    Field("title", Text, Full),
    Field("default", Any, Set),
    Field("maximum", Float, Set),
    Field("exclusiveMaximum", Flag, Full),
    Field("minimum", Float, Set),
    Field("exclusiveMinimum", Flag, Full),
    Field("maxLength", Numeric, Set),
    Field("minLength", Numeric, Set),
    Field("pattern", Text, Full),
    Field("maxItems", Numeric, Set),
    Field("minItems", Numeric, Set),
    Field("uniqueItems", Flag, Full),
    Field("multipleOf", Float, Set),
    Field("enum", List(&Any), Full),
    Field("maxProperties", Numeric, Set),
    Field("minProperties", Numeric, Set),
    Field("required", TEXTS, Full),
    Field("items", SchemaOr, Set),
    Field("allOf", SCHEMAS, Full),
    Field("oneOf", SCHEMAS, Full),
    Field("anyOf", SCHEMAS, Full),
    Field("not", Struct(&SCHEMA), Set),
    Field("properties", SCHEMAS_BY_NAME, Full),
    Field("additionalProperties", SchemaOr, Set),
    Field("patternProperties", SCHEMAS_BY_NAME, Full),
    Field("dependencies", GoType::Map(&SchemaOr), Full),
    Field("additionalItems", SchemaOr, Set),
    Field("definitions", SCHEMAS_BY_NAME, Full),
    Field("externalDocs", Struct(&DOCUMENTATION), Set),
    Field("example", Any, Set),
    Field("nullable", Flag, Full),
    Field("x-kubernetes-preserve-unknown-fields", Flag, Set),
    Field("x-kubernetes-embedded-resource", Flag, Full),
    Field("x-kubernetes-int-or-string", Flag, Full),
    Field("x-kubernetes-list-map-keys", TEXTS, Full),
    Field("x-kubernetes-list-type", Text, Set),
    Field("x-kubernetes-map-type", Text, Set),
    Field("x-kubernetes-validations", Keyed(&RULE, "rule"), Full),
];

/// Returns the normalized CRD, and the messages about unknown and repeated fields in the order of the text. The types must match:
/// `crd_core` has already decoded the CRD.
pub(crate) fn read(crd: Value, repeated: HashSet<String>) -> (Value, Vec<String>) {
    let mut reader = StrictReader::new(repeated);
    let mut value = reader.read(&Struct(&CRD), crd);
    // The internal version of the API has no struct for it: `pkg/apis/apiextensions/v1/conversion.go`.
    if let Some(Value::Object(conversion)) = value.pointer_mut("/spec/conversion")
        && conversion
            .get("webhook")
            .is_some_and(|webhook| *webhook == json!({"conversionReviewVersions": null}))
    {
        crd_go::json::remove(conversion, "webhook");
    }
    (value, reader.problems)
}

/// Returns a CRD with fields in the order of the Go type.
pub(crate) fn arranged(crd: Value) -> Value {
    read(crd, HashSet::new()).0
}

/// Returns `true` if `metadata` has a field with this name.
pub(crate) fn is_in_metadata(name: &str) -> bool {
    METADATA.iter().any(|Field(field, ..)| *field == name)
}

/// Returns the messages about unknown fields in an object's metadata.
pub(crate) fn unknown_metadata(metadata: Value) -> Vec<String> {
    let mut reader = StrictReader::new(HashSet::new());
    reader.field("metadata", |reader| reader.read(&Struct(&METADATA), metadata));
    reader.problems
}

/// The title that marks where [`schema`] refers to [`schema_of_schemas`], because a structural schema cannot contain references.
pub(crate) const SCHEMA_OF_SCHEMAS: &str = "JSONSchemaProps";

/// Returns the schema for CRDs, reduced to the parts that affect field managers.
pub(crate) fn schema() -> Value {
    schema_of_struct(&CRD[3..])
}

/// Returns the schema for the schemas inside a CRD.
pub(crate) fn schema_of_schemas() -> Value {
    schema_of_struct(&SCHEMA)
}

fn schema_of_struct(fields: &[Field]) -> Value {
    let properties = fields.iter().map(|Field(name, go_type, _)| ((*name).to_owned(), schema_of(go_type)));
    json!({"type": "object", "properties": properties.collect::<Map<_, _>>()})
}

fn schema_of(go_type: &GoType) -> Value {
    match go_type {
        Text | Named(_) | Bytes => json!({"type": "string"}),
        Time => json!({"type": "string", "format": "date-time"}),
        Flag => json!({"type": "boolean"}),
        Numeric | Small | Float => json!({"type": "number"}),
        Any | SchemaOr => json!({"x-kubernetes-preserve-unknown-fields": true}),
        Struct([]) => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        Struct(fields) if std::ptr::eq(fields.as_ptr(), SCHEMA.as_ptr()) => {
            json!({"title": SCHEMA_OF_SCHEMAS})
        }
        Struct(fields) => schema_of_struct(fields),
        List(item) => json!({"type": "array", "items": schema_of(item)}),
        GoType::Map(of) => json!({"type": "object", "additionalProperties": schema_of(of)}),
        Keyed(fields, key) => {
            let mut items = schema_of_struct(fields);
            items["properties"][key]["default"] = "".into();
            json!({
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key], "items": items,
            })
        }
    }
}

/// Returns an object's metadata with fields in the order of the Go type. Unknown fields are left out.
pub(crate) fn metadata_in_order(metadata: &Value) -> Value {
    in_order(&Struct(&METADATA), metadata)
}

fn in_order(go_type: &GoType, value: &Value) -> Value {
    match (go_type, value) {
        (Struct(fields), Value::Object(values)) => {
            let field = |Field(name, go_type, _): &Field| {
                Some(((*name).to_owned(), in_order(go_type, values.get(*name)?)))
            };
            Value::Object(fields.iter().filter_map(field).collect())
        }
        (List(item), Value::Array(items)) => items.iter().map(|value| in_order(item, value)).collect(),
        (_, value) => {
            let mut value = value.clone();
            value.sort_all_objects();
            value
        }
    }
}

/// Returns a CRD's names as serialized by Go.
pub(crate) fn printed_names(names: Value) -> Value {
    StrictReader::new(HashSet::new()).read(&Struct(&NAMES), names)
}

impl StrictReader {
    fn read(&mut self, go_type: &GoType, value: Value) -> Value {
        match (go_type, value) {
            (Struct(fields), Value::Object(values)) => self.read_struct(fields, values),
            (Struct(fields), Value::Null) => self.read_struct(fields, Map::new()),
            (List(item), Value::Array(items)) => self.read_list(item, items),
            (Keyed(fields, _), Value::Array(items)) => self.read_list(&Struct(fields), items),
            (GoType::Map(of), Value::Object(values)) => {
                let mut entries: Vec<_> = values.into_iter().collect();
                for (name, value) in &mut entries {
                    *value = self.field(name, |reader| reader.read(of, value.take()));
                }
                // Go prints maps in the order of their keys.
                entries.sort_by(|(a, _), (b, _)| a.cmp(b));
                Value::Object(entries.into_iter().collect())
            }
            (SchemaOr, value @ Value::Object(_)) => {
                self.without_problems(|reader| reader.read(&Struct(&SCHEMA), value))
            }
            (SchemaOr, Value::Array(items)) if items.iter().any(Value::is_object) => {
                self.without_problems(|reader| reader.read(&SCHEMAS, items.into()))
            }
            (Numeric | Small | Float, Value::Number(number)) => whole(number),
            (Any, mut value) => {
                value.sort_all_objects();
                value
            }
            (Text | Named(_) | Bytes, Value::Null) => "".into(),
            (Flag, Value::Null) => false.into(),
            (Numeric | Small | Float, Value::Null) => 0.into(),
            (_, value) => value,
        }
    }

    /// Decodes a value whose type has its own non-strict decoder: `UnmarshalJSON` in `marshal.go`.
    fn without_problems<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.problems.len();
        let result = read(self);
        self.problems.truncate(before);
        result
    }

    fn read_list(&mut self, item: &GoType, items: Vec<Value>) -> Value {
        let mut index = 0;
        let read = |value| {
            let place = format!("[{index}]");
            index += 1;
            self.below(&place, |reader| reader.read(item, value))
        };
        items.into_iter().map(read).collect()
    }

    fn read_struct(&mut self, fields: &[Field], values: Map<String, Value>) -> Value {
        let mut found: Vec<Option<Value>> = vec![None; fields.len()];
        for (name, value) in values {
            let Some(index) = fields.iter().position(|field| field.0 == name) else {
                self.below(&format!(".{name}"), |reader| reader.report("unknown"));
                continue;
            };
            let Field(_, go_type, presence) = &fields[index];
            let is_null = value.is_null();
            let value = self.field(&name, |reader| reader.read(go_type, value));
            let is_printed = match presence {
                Always => true,
                Full => !is_empty(&value),
                Set => !is_null,
            };
            found[index] = is_printed.then_some(value);
        }
        let mut printed = Map::new();
        for (Field(name, go_type, presence), value) in fields.iter().zip(found) {
            let value = value.or_else(|| (*presence == Always).then(|| self.read(go_type, Value::Null)));
            printed.extend(value.map(|value| ((*name).to_owned(), value)));
        }
        printed.into()
    }
}

/// Returns a number in Go's notation: integers have no fraction.
fn whole(number: Number) -> Value {
    const MOST_EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() <= MOST_EXACT)
    {
        #[expect(clippy::cast_possible_truncation, reason = "the number is whole and small")]
        Some(float) => (float as i64).into(),
        None => number.into(),
    }
}

/// Returns `true` for the empty value of a Go type.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_values_are_dropped_as_in_go() {
        let schema = json!({
            "type": "object", "description": "", "nullable": false, "required": [], "default": {}, "maxLength": 0,
            "x-kubernetes-preserve-unknown-fields": false, "$ref": "", "not": {"enum": []}, "properties": {"b": {}, "a": null},
            "additionalProperties": false, "items": [{"title": ""}], "dependencies": {"x": ["y"]},
        });
        let version =
            json!({"schema": {"openAPIV3Schema": schema}, "deprecationWarning": "", "subresources": null});
        let crd = json!({"odd": 1, "spec": {"versions": [version], "conversion": null}, "metadata": {"labels": {}}});
        let (crd, _) = read(crd, HashSet::new());
        let schema = json!({
            "type": "object", "default": {}, "maxLength": 0, "x-kubernetes-preserve-unknown-fields": false, "$ref": "",
            "not": {}, "properties": {"a": {}, "b": {}}, "additionalProperties": false, "items": [{}],
            "dependencies": {"x": ["y"]},
        });
        let names = json!({"plural": "", "kind": ""});
        let version = json!({
            "name": "", "served": false, "storage": false, "deprecationWarning": "", "schema": {"openAPIV3Schema": schema},
        });
        assert_eq!(
            crd,
            json!({
                "metadata": {}, "spec": {"group": "", "names": names, "scope": "", "versions": [version]},
                "status": {"conditions": null, "acceptedNames": names, "storedVersions": null},
            })
        );
    }

    #[test]
    fn problems_are_in_the_order_of_the_text() {
        let crd = json!({"spec": {"versions": [{"schema": {"openAPIV3Schema": {"x": 1}}}], "scope": "", "y": 1}, "z": 1});
        let repeated = ["spec.scope", "spec.y"].map(str::to_owned).into_iter().collect();
        let (_, problems) = read(crd, repeated);
        assert_eq!(
            problems,
            [
                "unknown field \"spec.versions[0].schema.openAPIV3Schema.x\"",
                "duplicate field \"spec.scope\"",
                "unknown field \"spec.y\"",
                "unknown field \"z\"",
            ]
        );
    }
}
