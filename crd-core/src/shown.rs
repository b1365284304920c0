//! Formats JSON values for the messages of causes.

use crd_go::json::{Num, go_syntax, marshal};
use serde_json::Value;

use crate::{KubeVersion, Shown};

/// Formats a value for a message; scalars as `%v` and `%q` do in Go.
pub(crate) fn shown(value: &Value, version: KubeVersion) -> Shown {
    match value {
        Value::String(text) => text.as_str().into(),
        Value::Number(number) => match Num::from(number) {
            Num::Int(number) => number.into(),
            Num::Float(number) => number.into(),
        },
        Value::Bool(value) => (*value).into(),
        Value::Null => Shown::null(version),
        other if version.is_at_least(34) => Shown(marshal(other)),
        other => Shown(go_syntax(other)),
    }
}
