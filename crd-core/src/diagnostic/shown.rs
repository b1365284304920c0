//! Values as the messages of causes show them: `field.Error.ErrorBody`.
//!
//! Source: `k8s.io/apimachinery/pkg/util/validation/field/errors.go`.

use crd_go::json::{Num, marshal, write_json_string};
use crd_go::number::{Form, shortest};
use crd_go::strings::quote;
use serde_json::Value;

/// A value as the message of a cause shows it.
pub struct Shown(pub String);

impl Shown {
    /// A string of a type other than `string` in Go, a pointer for example: shown as JSON.
    pub fn json_text(text: &str) -> Self {
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
        Self(shortest(value, Form::General))
    }
}

/// Scalars as `%v` and `%q` print them, everything else as JSON.
impl From<&Value> for Shown {
    fn from(value: &Value) -> Self {
        match value {
            Value::String(text) => Self(quote(text)),
            Value::Number(number) => match Num::from(number) {
                Num::Int(number) => number.into(),
                Num::Float(number) => number.into(),
            },
            other => Self(marshal(other)),
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
