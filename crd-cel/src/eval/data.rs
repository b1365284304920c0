//! Borrowed JSON values with the types of a schema: objects as rules see them.

use std::borrow::Cow;

use crd_go::base64;
use crd_go::formats::{schema_date_time, schema_duration};
use crd_go::time::{self, Layout};
use serde_json::{Map as JsonMap, Value as Json};

use super::Error;
use super::hint::{Hint, Index};
use super::list::List;
use super::map::Map;
use super::value::{Blob, Value};
use crd_go::cel_names::{escape_name, unescape_name};

/// The type of JSON data. It is built once per schema, and shared by all objects.
///
/// ```
/// use crd_cel::eval::{Data, DataKind, DataType, Value};
///
/// let replicas = DataType::new(DataKind::Int);
/// let spec = DataType::new(DataKind::object([("replicas", replicas)]));
/// let json = serde_json::json!({"replicas": 3});
/// let value = Value::from_data(Data::new(&json, &spec)).unwrap();
/// assert_eq!(value.type_name(), "map");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DataType {
    /// The kind of the type.
    pub kind: DataKind,
    /// `true` if null is a value of the type. A null field of an object still counts as absent.
    pub nullable: bool,
}

/// The kind of a data type.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DataKind {
    /// `x-kubernetes-int-or-string`
    IntOrString,
    /// An object with its declared properties, sorted by name. Rules cannot select undeclared properties, but these still count toward the
    /// object's size.
    Object(Vec<(Box<str>, DataType)>),
    /// An object with `additionalProperties`.
    Map(Box<DataType>),
    /// An array.
    List(Box<DataType>, ListType),
    /// A string without a format, or with a format that has no variant below.
    String,
    /// A string of format `byte`.
    Bytes,
    /// A string of format `date`.
    Date,
    /// A string of format `date-time`.
    DateTime,
    /// A string of format `duration`.
    Duration,
    /// A boolean.
    Bool,
    /// An integer.
    Int,
    /// A number; whole numbers are doubles too.
    Double,
    /// `x-kubernetes-preserve-unknown-fields` without a type. Rules can only compare such a value.
    Preserved,
    /// Data without a schema: each value has the type of its JSON value.
    Json,
}

/// A schema's list type, which decides how lists are compared and concatenated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListType {
    /// Items are compared by position.
    #[default]
    Atomic,
    /// `x-kubernetes-list-type: set`
    Set,
    /// `x-kubernetes-list-type: map`, with its keys.
    Map(Vec<Box<str>>),
}

impl DataKind {
    /// Returns `true` if values of this type are decoded from JSON strings.
    #[inline]
    fn is_decoded(&self) -> bool {
        matches!(self, Self::Bytes | Self::Date | Self::DateTime | Self::Duration)
    }

    /// Returns an object with these properties.
    #[must_use]
    pub fn object<N: Into<Box<str>>>(fields: impl IntoIterator<Item = (N, DataType)>) -> Self {
        let mut fields: Vec<_> = fields.into_iter().map(|(name, of)| (name.into(), of)).collect();
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        Self::Object(fields)
    }
}

impl DataType {
    /// Returns a type that is not nullable.
    #[must_use]
    pub fn new(kind: DataKind) -> Self {
        Self { kind, nullable: false }
    }

    /// The type of data without a schema.
    pub const JSON: &'static Self = &Self { kind: DataKind::Json, nullable: true };
}

/// A JSON value with its type.
#[derive(Clone, Copy, Debug)]
pub struct Data<'v> {
    json: &'v Json,
    of: &'v DataType,
}

impl<'v> Data<'v> {
    /// Creates a value from JSON and its type.
    #[must_use]
    pub fn new(json: &'v Json, of: &'v DataType) -> Self {
        Self { json, of }
    }

    pub(crate) fn json(self) -> &'v Json {
        self.json
    }

    /// Returns the length of a string that is decoded each time a rule reads it, such as a date. Returns 0 for all other values.
    #[inline]
    pub(crate) fn decoded_bytes(self) -> usize {
        match self.json {
            Json::String(text) if self.of.kind.is_decoded() => text.len(),
            _ => 0,
        }
    }

    /// Returns `true` if the elements of this list are decoded each time a rule reads them.
    pub(crate) fn has_decoded_elements(self) -> bool {
        matches!(&self.of.kind, DataKind::List(items, _) if items.kind.is_decoded())
    }

    /// Returns `true` if members of this object or map are decoded each time a rule reads them.
    pub(crate) fn has_decoded_members(self) -> bool {
        match &self.of.kind {
            DataKind::Object(fields) => fields.iter().any(|(_, of)| of.kind.is_decoded()),
            DataKind::Map(values) => values.kind.is_decoded(),
            _ => false,
        }
    }

    pub(crate) fn is_untyped(self) -> bool {
        self.of.kind == DataKind::Json
    }

    pub(crate) fn is_object(self) -> bool {
        matches!(self.of.kind, DataKind::Object(_))
    }

    /// Returns the CEL value that rules see.
    pub(crate) fn value(self) -> Result<Value<'v>, Error> {
        let expected = |what: &str| {
            Err(Error::text(format!("invalid data, expected {what}, got {}", go_type(self.json))))
        };
        if self.json.is_null() {
            return if self.of.nullable {
                Ok(Value::Null)
            } else {
                Err(Error::new("invalid data, got null for schema with nullable=false"))
            };
        }
        match (&self.of.kind, self.json) {
            (DataKind::IntOrString | DataKind::String, Json::String(text)) => Ok(text.as_str().into()),
            (DataKind::IntOrString, Json::Number(number)) if number.is_i64() => {
                Ok(Value::Int(number.as_i64().unwrap_or_default()))
            }
            (DataKind::IntOrString, _) => {
                Err(Error::new("invalid data, expected XIntOrString value to be either a string or integer"))
            }
            (DataKind::Object(_) | DataKind::Map(_), Json::Object(_)) => Ok(Value::Map(Map::over(self))),
            (DataKind::Object(_) | DataKind::Map(_), _) => {
                Err(Error::new("invalid data, expected a map for the provided schema with type=object"))
            }
            (DataKind::List(..), Json::Array(_)) => Ok(Value::List(List::over(self))),
            (DataKind::List(..), _) => {
                Err(Error::new("invalid data, expected an array for the provided schema with type=array"))
            }
            (DataKind::Duration, Json::String(text)) => schema_duration(text)
                .map(Value::Duration)
                .map_err(|error| Error::text(format!("Invalid duration {text}: {error}"))),
            (DataKind::Date, Json::String(text)) => time::parse(text, Layout::Date)
                .map(Value::Timestamp)
                .map_err(|error| Error::text(format!("Invalid date formatted string {text}: {error}"))),
            (DataKind::DateTime, Json::String(text)) => schema_date_time(text)
                .map(Value::Timestamp)
                .map_err(|error| Error::text(format!("Invalid date-time formatted string {text}: {error}"))),
            // The API server decodes with the alphabet for URLs, though the format is checked with the other one.
            (DataKind::Bytes, Json::String(text)) => base64::decode_url(text)
                .map(|bytes| Value::Bytes(Blob::from(bytes)))
                .map_err(|error| Error::text(format!("Invalid byte formatted string {text}: {error}"))),
            (
                DataKind::String | DataKind::Bytes | DataKind::Date | DataKind::DateTime | DataKind::Duration,
                _,
            ) => expected("string"),
            (DataKind::Bool, Json::Bool(value)) => Ok(Value::Bool(*value)),
            (DataKind::Bool, _) => expected("bool"),
            (DataKind::Int, Json::Number(number)) => {
                number.as_i64().map(Value::Int).map_or_else(|| expected("int"), Ok)
            }
            (DataKind::Int, _) => expected("int"),
            (DataKind::Double, Json::Number(number)) => Ok(Value::Double(double(number))),
            (DataKind::Double, _) => expected("float"),
            (DataKind::Preserved, _) => Ok(Value::Preserved(self)),
            (DataKind::Json, json) => Ok(self.by_shape(json)),
        }
    }

    /// Returns a value of type `bool`, `int` or `string`. Returns `None` for other types, and if the value does not have the schema's type.
    #[inline]
    pub(super) fn scalar(self) -> Option<Scalar<'v>> {
        match (&self.of.kind, self.json) {
            (DataKind::String | DataKind::IntOrString, Json::String(text)) => Some(Scalar::Text(text)),
            (DataKind::Int | DataKind::IntOrString, Json::Number(number)) => number.as_i64().map(Scalar::Int),
            (DataKind::Bool, Json::Bool(value)) => Some(Scalar::Bool(*value)),
            _ => None,
        }
    }

    fn by_shape(self, json: &'v Json) -> Value<'v> {
        match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => number.as_i64().map_or_else(|| Value::Double(double(number)), Value::Int),
            Json::String(text) => text.as_str().into(),
            Json::Array(_) => Value::List(List::over(self)),
            Json::Object(_) => Value::Map(Map::over(self)),
        }
    }

    /// Returns the same data without its types.
    pub(crate) fn untyped(self) -> Self {
        Self { json: self.json, of: DataType::JSON }
    }

    pub(crate) fn elements(self) -> &'v [Json] {
        self.json.as_array().map_or(&[], Vec::as_slice)
    }

    pub(crate) fn element(self, index: usize) -> Option<Self> {
        let of = match &self.of.kind {
            DataKind::List(items, _) => items,
            _ => DataType::JSON,
        };
        Some(Self { json: self.elements().get(index)?, of })
    }

    /// Returns the list type and the elements' type, or `None` for data without types.
    pub(crate) fn list_schema(self) -> Option<(&'v ListType, &'v DataType)> {
        match &self.of.kind {
            DataKind::List(items, list_type) => Some((list_type, items)),
            _ => None,
        }
    }

    pub(crate) fn list_type(self) -> Option<&'v ListType> {
        match &self.of.kind {
            DataKind::List(_, list_type) if *list_type != ListType::Atomic => Some(list_type),
            _ => None,
        }
    }

    pub(crate) fn members(self) -> Option<&'v JsonMap<String, Json>> {
        self.json.as_object()
    }

    /// Returns a member by its name in a rule. A null field of an object is absent.
    pub(crate) fn member(self, name: &str) -> Option<Self> {
        if self.is_object() {
            return self.member_unescaped(name, &unescape_name(name)?);
        }
        self.member_unescaped(name, name)
    }

    pub(crate) fn member_unescaped(self, name: &str, unescaped: &str) -> Option<Self> {
        match &self.of.kind {
            DataKind::Object(fields) => {
                let json = self.members()?.get(unescaped).filter(|json| !json.is_null())?;
                let field = fields.binary_search_by(|(field, _)| (**field).cmp(unescaped)).ok()?;
                Some(Self { json, of: &fields[field].1 })
            }
            DataKind::Map(values) => Some(Self { json: self.members()?.get(name)?, of: values }),
            _ => Some(Self { json: self.members()?.get(name)?, of: DataType::JSON }),
        }
    }

    /// Returns an object's field or a map's entry, with its type from the schema. Returns `None` if the member is absent, or if the
    /// schema's type is neither an object nor a map.
    pub(super) fn field(self, name: &str, unescaped: &str, hint: &Hint) -> Option<Self> {
        match (&self.of.kind, self.json) {
            (DataKind::Object(fields), Json::Object(members)) => {
                let json = member(members, unescaped, &hint.of_member).filter(|json| !json.is_null())?;
                let hinted = fields.get(hint.of_type.get()).filter(|(field, _)| **field == *unescaped);
                let (_, of) = match hinted {
                    Some(field) => field,
                    None => {
                        let index = fields.binary_search_by(|(field, _)| (**field).cmp(unescaped)).ok()?;
                        hint.of_type.set(index);
                        &fields[index]
                    }
                };
                Some(Self { json, of })
            }
            (DataKind::Map(values), Json::Object(members)) => {
                Some(Self { json: member(members, name, &hint.of_member)?, of: values })
            }
            _ => None,
        }
    }

    /// Returns `true` if the value is a JSON object and the schema's type is an object or a map.
    pub(super) fn has_fields(self) -> bool {
        self.json.is_object() && matches!(self.of.kind, DataKind::Object(_) | DataKind::Map(_))
    }

    /// Returns a map's entry, with its type from the schema.
    pub(super) fn entry(self, key: &str) -> Option<Self> {
        match (&self.of.kind, self.json) {
            (DataKind::Map(values), Json::Object(members)) => {
                Some(Self { json: member(members, key, &Index::default())?, of: values })
            }
            _ => None,
        }
    }

    /// Returns the names of the members, escaped as in rules. Properties that the schema does not declare are left out.
    pub(crate) fn visible_keys(self) -> Vec<Value<'v>> {
        let Some(members) = self.members() else { return Vec::new() };
        match &self.of.kind {
            DataKind::Object(fields) => members
                .keys()
                .filter(|name| fields.binary_search_by(|(field, _)| (**field).cmp(name)).is_ok())
                .map(|name| Value::String(escape_name(name).unwrap_or(Cow::Borrowed(name)).into()))
                .collect(),
            _ => members.keys().map(|name| name.as_str().into()).collect(),
        }
    }

    /// Returns a member's type, if the schema declares the member.
    pub(crate) fn type_of(self, name: &str) -> Option<&'v DataType> {
        match &self.of.kind {
            DataKind::Object(fields) => {
                let field = fields.binary_search_by(|(field, _)| (**field).cmp(name)).ok()?;
                Some(&fields[field].1)
            }
            DataKind::Map(values) => Some(values),
            _ => Some(DataType::JSON),
        }
    }
}

/// Returns a member by its name. The index of the last hit is tried first. The names in a small object are then compared one by one,
/// because this is faster than hashing.
fn member<'v>(members: &'v JsonMap<String, Json>, name: &str, hint: &Index) -> Option<&'v Json> {
    if let Some((known, json)) = members.iter().nth(hint.get())
        && known == name
    {
        return Some(json);
    }
    if members.len() > FEW {
        return members.get(name);
    }
    let index = members.keys().position(|known| known == name)?;
    hint.set(index);
    members.values().nth(index)
}

const FEW: usize = 24;

fn double(number: &serde_json::Number) -> f64 {
    // `as_f64` returns `None` only for numbers of arbitrary precision, which are not enabled.
    number.as_f64().unwrap_or_default()
}

/// Returns Go's name for the type of a decoded JSON value.
fn go_type(json: &Json) -> &'static str {
    match json {
        Json::Null => "<nil>",
        Json::Bool(_) => "bool",
        Json::Number(number) if number.is_i64() => "int64",
        Json::Number(_) => "float64",
        Json::String(_) => "string",
        Json::Array(_) => "[]interface {}",
        Json::Object(_) => "map[string]interface {}",
    }
}

/// A scalar value, which can be compared without a function call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar<'v> {
    Bool(bool),
    Int(i64),
    Text(&'v str),
}
