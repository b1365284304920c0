//! Checks the size of a request. The API server performs this check first.

use serde_json::Value;

use super::weight::weigh;
use crate::crd::size::Size as _;
use crate::tree::Tree;
use crate::{CauseReason, CustomResourceDefinition, Diagnostic, FieldPath};

/// Maximum size of the body of a request, in bytes: `MaxRequestBodyBytes` in
/// `k8s.io/apiserver/pkg/server/config.go`.
const MAX_BYTES: usize = 3 * 1024 * 1024;

/// Returns the API server's rejection if the body is too large. The size is measured on JSON without whitespace.
pub(super) fn too_large(value: &Value) -> Option<Diagnostic> {
    // An estimate is much faster than printing, and hardly any definition comes near the limit.
    if value.size_at_most() <= MAX_BYTES {
        return None;
    }
    Some(weigh(value)).filter(|bytes| *bytes > MAX_BYTES).map(refusal)
}

fn refusal(bytes: usize) -> Diagnostic {
    let message = format!("Request entity too large: limit is {MAX_BYTES}");
    let refusal = Diagnostic::new(FieldPath::root(), CauseReason::RequestEntityTooLarge, message);
    refusal.with_help(format!("shorten descriptions: the CRD has {bytes} bytes as JSON"))
}

/// Returns the number of bytes of a CRD as JSON without whitespace, if it is greater than a limit.
#[must_use]
pub fn stored_bytes_beyond(crd: &CustomResourceDefinition, limit: usize) -> Option<usize> {
    if crd.size_at_most() <= limit {
        return None;
    }
    Some(weigh(&Tree::from(crd))).filter(|bytes| *bytes > limit)
}

/// Returns the API server's rejection if the request that creates this CRD is too large.
pub(super) fn too_large_definition(crd: &CustomResourceDefinition) -> Option<Diagnostic> {
    stored_bytes_beyond(crd, MAX_BYTES).map(refusal)
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
            assert!(value.size_at_most() >= value.to_string().len(), "{value}");
        }
    }

    #[test]
    fn the_estimate_of_a_definition_is_never_too_low() {
        let crd = json!({
            "metadata": {"name": "", "labels": {"\u{1}": ""}, "finalizers": ["", "\u{1}"], "other": [null, 5e-324]},
            "spec": {"group": "a\u{1}", "versions": [{"name": "v1", "served": false, "deprecationWarning": "", "schema": {
                "openAPIV3Schema": {"default": "", "minimum": -1.797_693_134_862_315_7e308, "enum": ["", {"": {}}], "items": [{}, {}]}
            }}]}
        });
        let crd = CustomResourceDefinition::from_value(crd).unwrap();
        let text = crd.to_value().to_string();
        assert!(crd.size_at_most() >= text.len(), "{text}");
    }
}
