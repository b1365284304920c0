//! Comparisons in filters.
//!
//! Source: `client-go/third_party/forked/golang/template/funcs.go`.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::Failed;

/// Compares two values. Unknown operators are an error.
pub(super) fn compare(left: &Value, operator: &str, right: &Value) -> Result<bool, Failed> {
    let is_equal = || equal(left, right);
    let is_less = || less(left, right);
    match operator {
        "==" => is_equal(),
        "!=" => is_equal().map(|equal| !equal),
        "<" => is_less(),
        "<=" => Ok(is_less()? || is_equal()?),
        ">" => Ok(!(is_less()? || is_equal()?)),
        ">=" => is_less().map(|less| !less),
        _ => Err(Failed::Step),
    }
}

fn equal(left: &Value, right: &Value) -> Result<bool, Failed> {
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => Ok(left == right),
        (Value::String(left), Value::String(right)) => Ok(left == right),
        (Value::Number(left), Value::Number(right)) => Ok(order(left, right)? == Some(Ordering::Equal)),
        _ => Err(Failed::Step),
    }
}

fn less(left: &Value, right: &Value) -> Result<bool, Failed> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Ok(left < right),
        (Value::Number(left), Value::Number(right)) => Ok(order(left, right)? == Some(Ordering::Less)),
        _ => Err(Failed::Step),
    }
}

/// Compares two integers or two floats. As in Go, an integer cannot be compared with a float.
fn order(left: &Number, right: &Number) -> Result<Option<Ordering>, Failed> {
    match (left.as_i64(), right.as_i64()) {
        (Some(left), Some(right)) => Ok(Some(left.cmp(&right))),
        (None, None) => match (left.as_f64(), right.as_f64()) {
            (Some(left), Some(right)) => Ok(left.partial_cmp(&right)),
            _ => Err(Failed::Step),
        },
        _ => Err(Failed::Step),
    }
}
