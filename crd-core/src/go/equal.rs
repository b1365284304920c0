//! Whether two JSON values are the same to Go: `reflect.DeepEqual` of what its decoder makes of them.

use serde_json::Value;

use super::Num;

/// Whether two values are the same to Go, in which an integer is no float.
pub(crate) fn deep_equal(a: &Value, b: &Value) -> bool {
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
    fn an_integer_is_no_float() {
        assert!(deep_equal(&json!({"a": [1, null], "b": "x"}), &json!({"b": "x", "a": [1, null]})));
        assert!(!deep_equal(&json!(1), &json!(1.0)));
        // Both are too large for an integer.
        assert!(deep_equal(&json!(18_446_744_073_709_551_615_u64), &json!(18_446_744_073_709_551_615.0)));
        assert!(!deep_equal(&json!([1]), &json!([1, 2])));
    }
}
