//! The types of values in objects of built-in kinds, for server-side apply.
//!
//! Source: `pkg/schemaconv` of `k8s.io/kube-openapi`, which reads the schemas of these kinds.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use super::message_of;
use super::special::Special;
use super::unknown::{is_kind, named};

/// The type of a value.
#[derive(Clone, Debug)]
pub(crate) enum MessageType {
    /// A struct. If it is a kind, it also has `apiVersion` and `kind`.
    Struct {
        descriptor: MessageDescriptor,
        is_kind: bool,
    },
    Map(Kind),
    List(Kind),
    Any,
    /// A string, a number or a boolean.
    Scalar,
    Text,
    Number,
    Flag,
}

impl MessageType {
    /// Returns the type of a kind's objects.
    pub(crate) fn of(api_version: &str, kind: &str) -> Option<Self> {
        message_of(api_version, kind).map(|descriptor| Self::Struct { descriptor, is_kind: true })
    }

    /// Returns the type of a field or a map entry. Returns `None` if a struct does not have the field.
    pub(crate) fn field(&self, name: &str) -> Option<Self> {
        match self {
            Self::Struct { is_kind: true, .. } if matches!(name, "apiVersion" | "kind") => Some(Self::Text),
            Self::Struct { descriptor, .. } => named(descriptor, name).map(|field| Self::of_field(&field)),
            Self::Map(values) => Some(Self::single(values)),
            _ => Some(Self::Any),
        }
    }

    /// Returns the type of a list's items.
    pub(crate) fn items(&self) -> Self {
        match self {
            Self::List(items) => Self::single(items),
            _ => Self::Any,
        }
    }

    fn of_field(field: &FieldDescriptor) -> Self {
        match field.kind() {
            Kind::Message(entry) if field.is_map() => Self::Map(entry.map_entry_value_field().kind()),
            kind if field.is_list() => Self::List(kind),
            kind => Self::single(&kind),
        }
    }

    fn single(kind: &Kind) -> Self {
        let descriptor = match kind {
            Kind::Message(descriptor) => descriptor,
            Kind::String | Kind::Bytes => return Self::Text,
            Kind::Bool => return Self::Flag,
            _ => return Self::Number,
        };
        match Special::of(descriptor) {
            None => Self::Struct { is_kind: is_kind(descriptor), descriptor: descriptor.clone() },
            Some(Special::Time | Special::MicroTime | Special::Quantity) => Self::Scalar,
            Some(Special::Items) => {
                let items = descriptor.fields().next();
                items.map_or(Self::Any, |items| Self::List(items.kind()))
            }
            // A number or a string has no single type in the schema, and a `RawExtension` has no fields there.
            Some(_) => Self::Any,
        }
    }
}
