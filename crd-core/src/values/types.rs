//! Checks `type`, and `format` if it replaces the type.

use crd_go::KubeVersion;
use crd_go::json::Num;
use crd_go::strings::quote;
use serde_json::Value;

use super::node::Node;
use super::outcome::{FindingKind, Trail, ValidationResult, ValueError};
use crate::Keyword;

/// Checks that the schema allows the value `null`.
pub(super) fn null(node: Node<'_>, trail: &Trail<'_>) -> ValidationResult {
    if node.types[0].is_some() && !node.is("null") && !node.is_nullable {
        return mistyped(node, trail, "null");
    }
    ValidationResult::matched()
}

/// Checks the type of a value that is not `null`.
pub(super) fn check(node: Node<'_>, value: &Value, trail: &Trail<'_>) -> ValidationResult {
    let (kind, kind_format) = kind(value);
    let is_whole = match value {
        Value::Number(number) => match Num::from(number) {
            Num::Int(_) => false,
            Num::Float(number) => is_json_integer(number, node.version) && node.is("integer"),
        },
        _ => false,
    };
    let fits = node.is(kind) || is_whole || kind == "integer" && node.is("number");
    let is_text_or_list = kind == "string" || kind == "array";
    if let Some(format) = node.format {
        if !is_text_or_list && !fits && kind_format != format {
            return failed(trail, Keyword::Format, format, kind_format);
        }
        if is_text_or_list && !node.is("number") && !node.is("integer") {
            return ValidationResult::matched();
        }
    }
    if fits { ValidationResult::matched() } else { mistyped(node, trail, kind) }
}

fn mistyped(node: Node<'_>, trail: &Trail<'_>, found: &str) -> ValidationResult {
    // The names of the types are joined only for a message.
    if trail.is_silent() {
        ValidationResult::silent(true)
    } else {
        failed(trail, Keyword::Type, &node.type_names(), found)
    }
}

/// Returns the finding for a value whose type is not `expected`; `found` is the value's type, or the text itself.
pub(super) fn failed(trail: &Trail<'_>, keyword: Keyword, expected: &str, found: &str) -> ValidationResult {
    if trail.is_silent() {
        return ValidationResult::silent(true);
    }
    let message = format!("{trail} in body must be of type {expected}: {}", quote(found));
    ValidationResult::failed(ValueError::new(trail, keyword, message, FindingKind::Type(found.into())))
}

fn kind(value: &Value) -> (&'static str, &'static str) {
    match value {
        Value::Null => ("null", ""),
        Value::Bool(_) => ("boolean", ""),
        Value::String(_) => ("string", ""),
        Value::Array(_) => ("array", ""),
        Value::Object(_) => ("object", ""),
        Value::Number(number) => match Num::from(number) {
            Num::Int(_) => ("integer", "int64"),
            Num::Float(_) => ("number", "float64"),
        },
    }
}

/// Returns `true` if a float counts as an integer: it is a whole number, or almost one.
///
/// Up to 1.36, only numbers slightly above a whole number count. The float is compared with its truncation, so
/// neither 1998.9999999999998 nor a negative number close to a whole number is whole: `IsFloat64AJSONInteger` of
/// `github.com/go-openapi/swag` 0.23. 1.37 uses
/// 0.27, which compares with the rounded float.
pub(super) fn is_json_integer(number: f64, version: KubeVersion) -> bool {
    const MOST: f64 = 9_007_199_254_740_991.0;
    const EPSILON: f64 = 1e-9;
    if !(-MOST..=MOST).contains(&number) {
        return false;
    }
    if version.is_at_least(37) {
        let whole = number.round();
        return number == whole || whole != 0.0 && (number - whole).abs() < EPSILON * whole.abs();
    }
    let whole = number.trunc();
    number == whole || whole > 0.0 && (number - whole) / (number + whole) < EPSILON
}
