//! The size of a request, which the API server checks first.

use serde_json::Value;

use super::advice::size::weigh;
use crate::{Diagnostic, FieldPath, Reason};

/// The largest body of a request, in bytes: `MaxRequestBodyBytes` in `k8s.io/apiserver/pkg/server/config.go`.
const MAX_BYTES: usize = 3 * 1024 * 1024;

/// The API server's refusal if the body is too large. Its size is that of JSON without blanks.
pub(super) fn too_large(value: &Value) -> Option<Diagnostic> {
    // A walk is much faster than printing, and hardly any definition comes near the limit.
    if at_most(value) <= MAX_BYTES {
        return None;
    }
    let bytes = weigh(value);
    let message = format!("Request entity too large: limit is {MAX_BYTES}");
    let refusal = Diagnostic::new(FieldPath::root(), Reason::RequestEntityTooLarge, message);
    (bytes > MAX_BYTES)
        .then(|| refusal.with_help(format!("shorten descriptions: it has {bytes} bytes as JSON")))
}

/// An upper bound for the size of the value as JSON, in bytes.
fn at_most(value: &Value) -> usize {
    // The widest number, with its sign, point and exponent.
    const NUMBER: usize = 32;
    // A control character has six bytes as JSON; then there are two quotes and a comma or a colon.
    let text = |text: &str| 6 * text.len() + 3;
    match value {
        Value::Null | Value::Bool(_) => 6,
        Value::Number(_) => NUMBER,
        Value::String(value) => text(value),
        Value::Array(items) => 3 + items.iter().map(at_most).sum::<usize>(),
        Value::Object(fields) => {
            3 + fields.iter().map(|(key, value)| text(key) + at_most(value)).sum::<usize>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_limit_is_exact() {
        let of_size = |bytes: usize| json!({"a": "x".repeat(bytes - r#"{"a":""}"#.len())});
        assert_eq!(too_large(&of_size(MAX_BYTES)), None);
        let error = too_large(&of_size(MAX_BYTES + 1));
        assert_eq!(error.unwrap().message, "Request entity too large: limit is 3145728");
    }

    #[test]
    fn the_estimate_is_never_too_low() {
        for value in [
            json!({"\u{1}": ["\u{0}\"\\", null, true, false, {}, []], "": -1.797_693_134_862_315_7e308}),
            json!([u64::MAX, i64::MIN, 5e-324]),
        ] {
            assert!(at_most(&value) >= value.to_string().len(), "{value}");
        }
    }
}
