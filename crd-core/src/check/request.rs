//! Checks the size of a request. The API server performs this check first.

use crate::crd::weight::weigh;
use crate::tree::Visit;
use crate::{CauseReason, Diagnostic, FieldPath};

/// Maximum size of the body of a request, in bytes: `MaxRequestBodyBytes` in
/// `k8s.io/apiserver/pkg/server/config.go`.
const MAX_BYTES: usize = 3 * 1024 * 1024;

/// Returns the API server's rejection if the body is too large. The size is measured on JSON without whitespace.
pub(super) fn too_large(body: &impl Visit) -> Option<Diagnostic> {
    let bytes = weigh(body);
    if bytes <= MAX_BYTES {
        return None;
    }
    let message = format!("Request entity too large: limit is {MAX_BYTES}");
    let refusal = Diagnostic::new(FieldPath::root(), CauseReason::RequestEntityTooLarge, message);
    Some(refusal.with_help(format!("shorten descriptions: the CRD has {bytes} bytes as JSON")))
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
}
