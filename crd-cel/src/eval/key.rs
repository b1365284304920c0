//! Keys in Go maps: raw values, without CEL types.

use serde_json::Value as Json;

use super::Error;

/// A key in the Go map that represents a set. The map holds raw values, so typed values and other kinds of numbers are not found there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RawKey {
    Bool(bool),
    Int(i64),
    Double(u64),
    String(Box<str>),
    /// A time or bytes: raw values that only rules create.
    Typed,
    Other(String),
}

impl RawKey {
    /// Returns the length of the key's text in bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::String(text) => text.len(),
            Self::Other(text) => text.len(),
            _ => 0,
        }
    }

    pub(super) fn from_json(json: &Json) -> Self {
        match json {
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => match number.as_i64() {
                Some(value) => Self::Int(value),
                None => Self::Double(number.as_f64().unwrap_or_default().to_bits()),
            },
            Json::String(value) => Self::String(value.as_str().into()),
            other => Self::Other(other.to_string()),
        }
    }

    /// Returns the key for a set's element.
    ///
    /// # Errors
    /// - The element is a list or an object, which Go cannot hash. The server panics, and catches the panic.
    pub(super) fn from_element(json: &Json) -> Result<Self, Error> {
        match json {
            Json::Array(_) => Err(Error::UNHASHABLE_LIST),
            Json::Object(_) => Err(Error::UNHASHABLE_MAP),
            scalar => Ok(Self::from_json(scalar)),
        }
    }
}
