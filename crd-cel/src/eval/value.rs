//! Values of expressions. Where possible, they borrow from the data and the program.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use crd_go::number::{Form, shortest};
use crd_go::time::{Duration, Timestamp};

use super::Error;
use super::data::Data;
use super::list::List;
use super::map::Map;
use super::opaque::Opaque;

/// A value of CEL.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value<'v> {
    /// `null`
    Null,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `uint`
    Uint(u64),
    /// `double`
    Double(f64),
    /// `string`
    String(CelString<'v>),
    /// `bytes`
    Bytes(Blob<'v>),
    /// `google.protobuf.Timestamp`
    Timestamp(Timestamp),
    /// `google.protobuf.Duration`
    Duration(Duration),
    /// `list`
    List(List<'v>),
    /// `map`, or an object of a schema
    Map(Map<'v>),
    /// `type`, by its name
    Type(CelString<'v>),
    /// `optional_type`
    Optional(Option<Arc<Value<'v>>>),
    /// A value of a type that Kubernetes' CEL libraries add.
    Opaque(Arc<Opaque>),
    /// Data without a type, under `x-kubernetes-preserve-unknown-fields`. Rules can only compare such data.
    Preserved(Data<'v>),
}

impl<'v> Value<'v> {
    /// Converts JSON data with a type to a CEL value.
    ///
    /// # Errors
    /// - The JSON value does not have the schema's type: `invalid data, expected int, got float64`.
    pub fn from_data(data: Data<'v>) -> Result<Self, Error> {
        Ok(match data.value()? {
            Self::List(list) => Self::List(list.into_variable()),
            other => other,
        })
    }

    /// Returns an optional with a value.
    #[must_use]
    pub fn some(self) -> Self {
        Self::Optional(Some(Arc::new(self)))
    }

    /// Returns the name of the type: `int`, `google.protobuf.Timestamp`, `kubernetes.Quantity`.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Type(_) => "type",
            Self::Optional(_) => "optional_type",
            Self::Opaque(opaque) => opaque.type_name(),
            Self::Preserved(_) => "dyn",
        }
    }

    /// Returns Go's name for the type.
    pub(crate) fn go_type(&self) -> &'static str {
        match self {
            Self::Null => "types.Null",
            Self::Bool(_) => "types.Bool",
            Self::Int(_) => "types.Int",
            Self::Uint(_) => "types.Uint",
            Self::Double(_) => "types.Double",
            Self::String(_) => "types.String",
            Self::Bytes(_) => "types.Bytes",
            Self::Timestamp(_) => "types.Timestamp",
            Self::Duration(_) => "types.Duration",
            Self::List(list) if list.data().is_some() => "*common.unstructuredList",
            Self::List(list) if list.is_sum() => "*types.concatList",
            Self::List(_) => "*types.baseList",
            Self::Map(map) if map.data().is_some() => "*common.unstructuredMap",
            Self::Map(_) => "*types.baseMap",
            Self::Type(_) => "*types.Type",
            Self::Optional(_) => "*types.Optional",
            Self::Opaque(opaque) => opaque.go_type(),
            Self::Preserved(_) => "*common.unknownPreserved",
        }
    }

    /// Returns the value, or its error if the value is [`Opaque::Unconverted`].
    pub(crate) fn converted(self) -> Result<Self, Error> {
        self.unconverted().map_or(Ok(self), Err)
    }

    /// Returns the error if the value is [`Opaque::Unconverted`].
    pub(crate) fn unconverted(&self) -> Option<Error> {
        let Self::Opaque(opaque) = self else { return None };
        match &**opaque {
            Opaque::Unconverted(error) => Some(Error::text(&**error)),
            _ => None,
        }
    }

    /// Returns the Go type of a value that cannot be an index. Returns `None` if the value can be an index.
    pub(crate) fn no_qualifier(&self) -> Option<&'static str> {
        crate::faults::no_qualifier(self.type_name())
    }

    /// Returns the size for computing costs: the number of code points, bytes, elements or entries.
    pub(crate) fn size(&self) -> Option<u64> {
        Some(match self {
            Self::String(text) => code_points(text),
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::List(list) => list.len() as u64,
            Self::Map(map) => map.len() as u64,
            Self::Opaque(opaque) => return opaque.size(),
            _ => return None,
        })
    }

    /// Returns a copy that borrows strings and bytes from this value.
    pub(crate) fn borrowed(&'v self) -> Self {
        match self {
            Self::String(text) => Self::String(CelString::Borrowed(text)),
            Self::Bytes(bytes) => Self::Bytes(Blob::Borrowed(bytes)),
            other => other.clone(),
        }
    }
}

/// Returns the number of code points in a string.
pub(crate) fn code_points(text: &str) -> u64 {
    if text.is_ascii() { text.len() as u64 } else { text.chars().count() as u64 }
}

/// Returns a key's text for error messages.
pub(crate) fn printed_key(key: &Value<'_>) -> String {
    match key {
        Value::String(text) => text.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => shortest(*value, Form::General),
        Value::Bool(value) => value.to_string(),
        Value::Null => "null".to_owned(),
        other => other.type_name().to_owned(),
    }
}

/// A string, either borrowed or shared.
#[derive(Clone)]
pub enum CelString<'v> {
    /// Borrowed from the data or the program.
    Borrowed(&'v str),
    /// Created by an evaluation.
    Shared(Arc<str>),
}

impl Deref for CelString<'_> {
    type Target = str;
    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl CelString<'_> {
    /// Returns `true` if the string is borrowed from the data or the program.
    pub(crate) fn is_borrowed(&self) -> bool {
        matches!(self, Self::Borrowed(_))
    }

    /// Returns a substring, which is borrowed if the string is borrowed.
    pub(crate) fn slice(&self, range: std::ops::Range<usize>) -> Self {
        match self {
            Self::Borrowed(text) => Self::Borrowed(text.get(range).unwrap_or_default()),
            Self::Shared(text) => Self::Shared(text.get(range).unwrap_or_default().into()),
        }
    }
}

impl<'v> From<&'v str> for CelString<'v> {
    fn from(text: &'v str) -> Self {
        Self::Borrowed(text)
    }
}

impl From<String> for CelString<'_> {
    fn from(text: String) -> Self {
        Self::Shared(text.into())
    }
}

impl<'v> From<Cow<'v, str>> for CelString<'v> {
    fn from(text: Cow<'v, str>) -> Self {
        match text {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => text.into(),
        }
    }
}

impl fmt::Debug for CelString<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl PartialEq for CelString<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for CelString<'_> {}

impl Hash for CelString<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

/// Bytes, either borrowed or shared.
#[derive(Clone, Debug)]
pub enum Blob<'v> {
    /// Borrowed from the data or the program.
    Borrowed(&'v [u8]),
    /// Created by an evaluation.
    Shared(Arc<[u8]>),
}

impl Deref for Blob<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }
}

impl Blob<'_> {
    /// Returns `true` if the bytes are borrowed from the data or the program.
    pub(crate) fn is_borrowed(&self) -> bool {
        matches!(self, Self::Borrowed(_))
    }
}

impl From<Vec<u8>> for Blob<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Shared(bytes.into())
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Self::Double(value)
    }
}

impl<'v> From<&'v str> for Value<'v> {
    fn from(value: &'v str) -> Self {
        Self::String(value.into())
    }
}

impl From<String> for Value<'_> {
    fn from(value: String) -> Self {
        Self::String(value.into())
    }
}

impl<'v> From<CelString<'v>> for Value<'v> {
    fn from(value: CelString<'v>) -> Self {
        Self::String(value)
    }
}

impl<'v> From<Vec<Value<'v>>> for Value<'v> {
    fn from(values: Vec<Value<'v>>) -> Self {
        Self::List(List::from(values))
    }
}
