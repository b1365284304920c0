//! The protobuf encoding for kinds with a Go type. Go clients use this encoding by default.
//!
//! The file `descriptors.bin` describes the messages. `tests/descriptors` generates this file from the Go types. A field's JSON name is the
//! name in Go, with a leading dot if Go serializes the message's fields into the parent. Fields are explicitly optional if Go serializes
//! their zero value.
//!
//! Source: `pkg/runtime/serializer/protobuf/protobuf.go` of apimachinery.

mod decode;
mod encode;
mod order;
mod special;
mod types;
mod unknown;

use std::borrow::Cow;
use std::sync::LazyLock;

use bytes::Bytes;
use prost_reflect::prost::Message as _;
use prost_reflect::prost::encoding::{WireType, encode_key};
use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, Value as Field,
};
use serde_json::{Value, json};

use crate::json::text;
pub(crate) use order::arrange;
pub(crate) use types::MessageType;
pub(crate) use unknown::remove as remove_unknown;

/// The media type of objects in protobuf.
pub(crate) const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// The first bytes of a message.
const PREFIX: &[u8; 4] = b"k8s\0";

const META: &str = "k8s.io.apimachinery.pkg.apis.meta.v1";
const WATCH_EVENT: &str = "k8s.io.apimachinery.pkg.apis.meta.v1.WatchEvent";
const UNKNOWN: &str = "k8s.io.apimachinery.pkg.runtime.Unknown";
const TYPE_META: &str = "k8s.io.apimachinery.pkg.runtime.TypeMeta";
const RAW_EXTENSION: &str = "k8s.io.apimachinery.pkg.runtime.RawExtension";

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(&include_bytes!("descriptors.bin")[..]).expect("a test reads the descriptors")
});

/// Returns the descriptor of the protobuf message for a kind.
fn message_of(api_version: &str, kind: &str) -> Option<MessageDescriptor> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let package = match group.split_once('.').unwrap_or((group, "")) {
        ("", _) => format!("k8s.io.api.core.{version}"),
        ("apiextensions", "k8s.io") => {
            format!("k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.{version}")
        }
        (name, "" | "k8s.io" | "apiserver.k8s.io" | "authorization.k8s.io") => {
            format!("k8s.io.api.{name}.{version}")
        }
        // The group of a CRD, which may begin with the name of a built-in group.
        _ => return POOL.get_message_by_name(&format!("{META}.{kind}")),
    };
    let named = |package: &str| POOL.get_message_by_name(&format!("{package}.{kind}"));
    // Kinds such as `Status` are in all groups.
    named(&package).or_else(|| named(META))
}

/// Converts a message to a JSON object. A message without a type gets the given type.
///
/// # Errors
///
/// The bytes are not a protobuf message. The error text is the same as in the API server where possible.
pub(crate) fn read(bytes: &[u8], api_version: &str, kind: &str) -> Result<Value, String> {
    let Some(data) = bytes.strip_prefix(PREFIX) else {
        return Err(match bytes {
            [] => "empty data".to_owned(),
            _ => "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
                .to_owned(),
        });
    };
    if data.is_empty() {
        return Err("empty body".to_owned());
    }
    let unknown = POOL.get_message_by_name(UNKNOWN).ok_or("no envelope")?;
    let unknown = DynamicMessage::decode(unknown, data).map_err(|error| format!("proto: {error}"))?;
    let type_meta = field(&unknown, "typeMeta");
    let named = |name: &str, default: &str| {
        let named = type_meta.as_message().map(|type_meta| field(type_meta, name));
        let named = named.as_ref().and_then(|named| named.as_str()).filter(|named| !named.is_empty());
        named.unwrap_or(default).to_owned()
    };
    let (api_version, kind) = (named("apiVersion", api_version), named("kind", kind));
    let Some(descriptor) = message_of(&api_version, &kind) else {
        // The type is rejected by whoever reads the object.
        return Ok(json!({"apiVersion": api_version, "kind": kind}));
    };
    let raw = field(&unknown, "raw");
    let raw = raw.as_bytes().cloned().unwrap_or_default();
    let message = DynamicMessage::decode(descriptor, raw).map_err(|error| format!("proto: {error}"))?;
    let mut object = json!({"apiVersion": api_version, "kind": kind});
    if let Value::Object(fields) = &mut object {
        fields.extend(decode::fields(&message)?);
    }
    Ok(object)
}

/// Converts a JSON object to a message. Returns `None` if the object's kind has no message, or if a field has another type in the message.
pub(crate) fn write(object: &Value) -> Option<Bytes> {
    let (api_version, kind) = (text(object, &["apiVersion"]), text(object, &["kind"]));
    let raw = encode::message(&message_of(api_version, kind)?, object)?.encode_to_vec();
    enveloped(api_version, kind, raw)
}

/// A list message whose items are added one at a time.
pub(crate) struct List {
    api_version: String,
    kind: String,
    items: FieldDescriptor,
    raw: Vec<u8>,
}

impl List {
    /// Begins a list with type and metadata.
    pub(crate) fn new(list: &Value) -> Option<Self> {
        let (api_version, kind) = (text(list, &["apiVersion"]), text(list, &["kind"]));
        let descriptor = message_of(api_version, kind)?;
        let items = descriptor.get_field_by_name("items")?;
        let raw = encode::message(&descriptor, list)?.encode_to_vec();
        Some(Self { api_version: api_version.to_owned(), kind: kind.to_owned(), items, raw })
    }

    /// Adds an item. Returns `None` if the item has no message.
    pub(crate) fn push(&mut self, item: &Value) -> Option<()> {
        let Kind::Message(descriptor) = self.items.kind() else { return None };
        let message = encode::message(&descriptor, item)?;
        encode_key(self.items.number(), WireType::LengthDelimited, &mut self.raw);
        message.encode_length_delimited(&mut self.raw).ok()
    }

    pub(crate) fn finish(self) -> Option<Bytes> {
        enveloped(&self.api_version, &self.kind, self.raw)
    }
}

fn enveloped(api_version: &str, kind: &str, raw: Vec<u8>) -> Option<Bytes> {
    let mut type_meta = new(TYPE_META)?;
    type_meta.set_field_by_name("apiVersion", Field::String(api_version.to_owned()));
    type_meta.set_field_by_name("kind", Field::String(kind.to_owned()));
    let mut unknown = new(UNKNOWN)?;
    unknown.set_field_by_name("typeMeta", Field::Message(type_meta));
    unknown.set_field_by_name("raw", Field::Bytes(raw.into()));
    let mut bytes = PREFIX.to_vec();
    unknown.encode(&mut bytes).ok()?;
    Some(bytes.into())
}

/// Writes a watch event, preceded by its length: `LengthDelimitedFramer`.
pub(crate) fn write_event(event: &Value) -> Option<Bytes> {
    let mut object = new(RAW_EXTENSION)?;
    object.set_field_by_name("raw", Field::Bytes(write(event.get("object")?)?));
    let mut message = new(WATCH_EVENT)?;
    message.set_field_by_name("type", Field::String(text(event, &["type"]).to_owned()));
    message.set_field_by_name("object", Field::Message(object));
    let mut frame = u32::try_from(message.encoded_len()).ok()?.to_be_bytes().to_vec();
    message.encode(&mut frame).ok()?;
    Some(frame.into())
}

fn new(name: &str) -> Option<DynamicMessage> {
    POOL.get_message_by_name(name).map(DynamicMessage::new)
}

/// Returns a message field that is known to exist.
fn field(message: &DynamicMessage, name: &str) -> Field {
    message.get_field_by_name(name).map_or(Field::Bool(false), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    /// Objects as JSON and as protobuf messages, both written by Go in `tests/descriptors`.
    const OBJECTS: &str = include_str!("tests/objects.json");
    const MESSAGES: &str = include_str!("tests/messages.json");

    /// Returns a value without any `null`, because messages cannot contain `null`.
    fn without_null(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let fields = fields.iter().filter(|(_, value)| !value.is_null());
                fields.map(|(name, value)| (name.clone(), without_null(value))).collect::<Map<_, _>>().into()
            }
            Value::Array(items) => items.iter().map(without_null).collect(),
            other => other.clone(),
        }
    }

    fn objects() -> Vec<Value> {
        serde_json::from_str(OBJECTS).unwrap()
    }

    #[test]
    fn messages_of_go_are_read_as_go_prints_them() {
        let messages: Vec<String> = serde_json::from_str(MESSAGES).unwrap();
        assert_eq!(messages.len(), objects().len());
        for (object, message) in objects().iter().zip(messages) {
            let message = crd_go::base64::decode_std(&message).unwrap();
            let found = read(&message, "", "").unwrap();
            assert_eq!(without_null(&found), without_null(object));
        }
    }

    #[test]
    fn objects_are_written_as_messages_that_say_the_same() {
        for object in objects() {
            let found = read(&write(&object).unwrap(), "", "").unwrap();
            assert_eq!(without_null(&found), without_null(&object));
        }
    }

    #[test]
    fn a_list_is_written_one_item_at_a_time() {
        let item = |name: &str| json!({"metadata": {"name": name}, "data": {"a": "b"}});
        let mut whole =
            json!({"apiVersion": "v1", "kind": "ConfigMapList", "metadata": {"resourceVersion": "5"}});
        let mut list = List::new(&whole).unwrap();
        ["a", "b"].iter().for_each(|name| list.push(&item(name)).unwrap());
        assert_eq!(list.push(&json!({"data": 1})), None);
        whole["items"] = json!([item("a"), item("b")]);
        assert_eq!(read(&list.finish().unwrap(), "", "").unwrap(), whole);
    }

    #[test]
    fn an_object_that_no_message_can_say_has_none() {
        for (api_version, kind, data) in [
            ("v1", "ConfigMap", json!({"a": 1})),
            ("v1", "ConfigMap", json!([])),
            ("v1", "Secret", json!({"a": "no base64!"})),
            ("e.io/v1", "Hat", json!({})),
        ] {
            let object = json!({"apiVersion": api_version, "kind": kind, "data": data});
            assert_eq!(write(&object), None, "{object}");
        }
    }

    #[test]
    fn hostile_bytes_are_errors() {
        let messages: Vec<String> = serde_json::from_str(MESSAGES).unwrap();
        for message in messages {
            let message = crd_go::base64::decode_std(&message).unwrap();
            for end in 0..message.len() {
                // Most are errors, and none panics.
                _ = read(&message[..end], "v1", "Pod");
            }
            for at in 4..message.len() {
                let mut changed = message.clone();
                changed[at] ^= 0x41;
                _ = read(&changed, "v1", "Pod");
            }
        }
        assert_eq!(read(b"", "v1", "Pod"), Err("empty data".to_owned()));
        assert_eq!(read(b"k8s\0", "v1", "Pod"), Err("empty body".to_owned()));
        assert!(read(b"{}", "v1", "Pod").unwrap_err().contains("expected prefix [107 56 115 0]"));
    }

    #[test]
    fn every_message_has_a_package_that_is_found() {
        let messages: Vec<_> = POOL.all_messages().map(|message| message.full_name().to_owned()).collect();
        assert!(messages.len() > 500, "{}", messages.len());
        for (api_version, kind) in [
            ("v1", "Pod"),
            ("v1", "DeleteOptions"),
            ("apps/v1", "Status"),
            ("rbac.authorization.k8s.io/v1", "Role"),
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
            ("autoscaling/v1", "Scale"),
        ] {
            assert!(message_of(api_version, kind).is_some(), "{api_version} {kind}");
        }
        for (api_version, kind) in [("e.io/v1", "Hat"), ("apps.e.io/v1", "Deployment")] {
            assert!(message_of(api_version, kind).is_none(), "{api_version} {kind}");
        }
    }
}
