//! Values -> text, as the API server's language prints them: `%q`, `%v` and `json.Marshal` of Go.

mod equal;
mod json;
mod number;
mod show;

pub(crate) use equal::deep_equal;
pub(crate) use json::{json, write_json, write_json_string};
pub(crate) use number::{Num, float};
#[cfg(feature = "check")]
pub(crate) use show::show;
#[cfg(feature = "admit")]
pub(crate) use show::type_of;

pub(crate) use crd_cel::go::{is_print, quote, to_lower, url};

use serde_json::Value;

/// A value as it stands in the message of a cause.
pub(crate) struct Shown(pub(crate) String);

impl Shown {
    /// A text that is no `string` in Go but a pointer to one, or of a type of its own: shown as JSON.
    pub(crate) fn json_text(text: &str) -> Self {
        let mut out = String::new();
        write_json_string(&mut out, text);
        Self(out)
    }
}

impl From<&str> for Shown {
    fn from(text: &str) -> Self {
        Self(quote(text))
    }
}

impl From<bool> for Shown {
    fn from(value: bool) -> Self {
        Self(value.to_string())
    }
}

impl From<i64> for Shown {
    fn from(value: i64) -> Self {
        Self(value.to_string())
    }
}

impl From<f64> for Shown {
    fn from(value: f64) -> Self {
        Self(float(value))
    }
}

/// Scalars as `%v` and `%q` print them, everything else as JSON: `field.Error.ErrorBody`.
impl From<&Value> for Shown {
    fn from(value: &Value) -> Self {
        match value {
            Value::String(text) => Self(quote(text)),
            Value::Number(number) => match Num::from(number) {
                Num::Int(number) => number.into(),
                Num::Float(number) => number.into(),
            },
            other => Self(json(other)),
        }
    }
}

impl From<&[String]> for Shown {
    fn from(texts: &[String]) -> Self {
        let mut out = String::from("[");
        for (i, text) in texts.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            write_json_string(&mut out, text);
        }
        out.push(']');
        Self(out)
    }
}
