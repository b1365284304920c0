//! The Go types of values in applied objects of built-in kinds. Only builds with the feature `protobuf` contain these types.

use serde_json::Value;

use super::shape::{Node, Scalar};
#[cfg(feature = "protobuf")]
use crate::json::text;
#[cfg(feature = "protobuf")]
use crate::protobuf::MessageType;

/// The type of a value in an object of a built-in kind.
#[derive(Debug)]
pub(super) struct Declared(
    #[cfg(feature = "protobuf")] MessageType,
    #[cfg(not(feature = "protobuf"))] std::convert::Infallible,
);

/// The kind of JSON value that a type expects.
#[cfg_attr(not(feature = "protobuf"), expect(dead_code, reason = "no value has such a type"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeclaredJson {
    Map,
    List,
    Scalar(Scalar),
    Any,
}

#[cfg(feature = "protobuf")]
impl Declared {
    /// Returns the type of an object, if it has a built-in kind.
    pub(super) fn of(object: &Value, node: Node<'_>) -> Option<Self> {
        let of_kind = || MessageType::of(text(object, &["apiVersion"]), text(object, &["kind"]));
        if node.is_go_type() { of_kind().map(Self) } else { None }
    }

    /// Returns the type of a field, if there is such a field.
    pub(super) fn field(&self, name: &str) -> Option<Self> {
        self.0.field(name).map(Self)
    }

    /// Returns the type of a list's items.
    pub(super) fn items(&self) -> Self {
        Self(self.0.items())
    }

    /// Returns the kind of JSON value that the type expects.
    pub(super) fn json(&self) -> DeclaredJson {
        match &self.0 {
            MessageType::Struct { .. } | MessageType::Map(_) => DeclaredJson::Map,
            MessageType::List(_) => DeclaredJson::List,
            MessageType::Any => DeclaredJson::Any,
            MessageType::Scalar => DeclaredJson::Scalar(Scalar::Any),
            MessageType::Text => DeclaredJson::Scalar(Scalar::Text),
            MessageType::Number => DeclaredJson::Scalar(Scalar::Number),
            MessageType::Flag => DeclaredJson::Scalar(Scalar::Bool),
        }
    }
}

#[cfg(not(feature = "protobuf"))]
impl Declared {
    pub(super) fn of(_: &Value, _: Node<'_>) -> Option<Self> {
        None
    }

    pub(super) fn field(&self, _: &str) -> Option<Self> {
        match self.0 {}
    }

    pub(super) fn items(&self) -> Self {
        match self.0 {}
    }

    pub(super) fn json(&self) -> DeclaredJson {
        match self.0 {}
    }
}
