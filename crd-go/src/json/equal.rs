//! Equality of JSON values: `reflect.DeepEqual`.

use serde_json::Value;

use super::Num;

/// Returns `true` if two values are equal to Go, where an integer never equals a float: `reflect.DeepEqual`.
///
/// ```
/// use crd_go::json::deep_equal;
/// use serde_json::json;
///
/// assert!(deep_equal(&json!({"a": 1, "b": []}), &json!({"b": [], "a": 1})));
/// assert!(!deep_equal(&json!(1), &json!(1.0)));
/// ```
#[must_use]
pub fn deep_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => Num::from(a) == Num::from(b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| deep_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| deep_equal(a, b)))
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_integer_is_not_a_float() {
        assert!(deep_equal(&json!({"a": [1, null], "b": "x"}), &json!({"b": "x", "a": [1, null]})));
        assert!(!deep_equal(&json!(1), &json!(1.0)));
        // Both are too large for an integer.
        assert!(deep_equal(&json!(18_446_744_073_709_551_615_u64), &json!(18_446_744_073_709_551_615.0)));
        assert!(!deep_equal(&json!([1]), &json!([1, 2])));
    }
}
