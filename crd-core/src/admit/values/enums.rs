//! `enum`. A number is converted to the type of each value before it is compared, as Go's reflection does.

use serde_json::Value;

use super::node::Node;
use super::outcome::{Finding, Kind, Outcome, Trail};
use crate::go::{Num, deep_equal, json, show};

/// Checks that the value is one of those listed.
pub(super) fn check(node: Node<'_>, value: &Value, trail: &Trail<'_>) -> Outcome {
    let values = node.validation.and_then(|validation| validation.enum_.as_deref()).unwrap_or_default();
    if values.is_empty() || values.iter().any(|wanted| is_same(value, wanted)) {
        return Outcome::default();
    }
    if trail.is_silent() {
        return Outcome::silent();
    }
    let supported = values.iter().map(|value| match value {
        Value::String(text) => text.clone(),
        other => json(other),
    });
    let kind = Kind::NotSupported(value.into(), supported.collect());
    let shown: Vec<String> = values.iter().map(show).collect();
    let message = format!("{trail} in body should be one of [{}]", shown.join(" "));
    Outcome::failed(Finding::new(trail, message, kind))
}

fn is_same(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        // `null` is never one of them.
        (Value::Null, _) => false,
        (Value::Number(value), Value::Number(wanted)) => match (Num::from(value), Num::from(wanted)) {
            // A float is truncated to an integer, even one that is none.
            (Num::Float(value), Num::Int(wanted)) => value.trunc() as i64 == wanted,
            (value, Num::Float(wanted)) => value.as_float() == wanted,
            (Num::Int(value), Num::Int(wanted)) => value == wanted,
        },
        // An integer becomes the character of that number.
        (Value::Number(value), Value::String(wanted)) => match Num::from(value) {
            Num::Int(value) => {
                let c = u32::try_from(value).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
                wanted.chars().eq([c])
            }
            Num::Float(_) => false,
        },
        (value, wanted) => deep_equal(value, wanted),
    }
}
