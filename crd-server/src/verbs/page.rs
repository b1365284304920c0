//! Reads and writes continue tokens, for lists that are returned in several responses.
//!
//! Source: `k8s.io/apiserver/pkg/storage/continue.go`.

use crd_go::base64;
use serde_json::{Value, json};

use crate::json::{json_type, text};
use crate::request::body::duplicates::NotJson;
use crate::status::Failure;

/// The position where a list continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// The list's revision; `None` for the current revision.
    pub(super) revision: Option<u64>,
    /// The key after which the list continues, without the list's namespace.
    pub(super) after: String,
}

impl Page {
    pub(super) fn encode(&self) -> String {
        let revision = self.revision.map_or(Value::from(-1), Value::from);
        let token = json!({"v": "meta.k8s.io/v1", "rv": revision, "start": format!("{}\0", self.after)});
        base64::encode_raw_url(token.to_string().as_bytes())
    }

    pub(super) fn decode(token: &str) -> Result<Self, Failure> {
        let refuse = |error: &str| {
            let message = format!("invalid continue token: continue key is not valid: {error}");
            Err(Failure::bad_request(message))
        };
        let bytes = match base64::decode_raw_url(token) {
            Ok(bytes) => bytes,
            Err(error) => return refuse(&error),
        };
        let token: Value = match serde_json::from_slice(&bytes) {
            Ok(token) => token,
            Err(error) => {
                return refuse(&crate::request::body::syntax_error(&bytes, &NotJson::Syntax(error)));
            }
        };
        if !token.is_object() {
            let found = json_type(&token);
            return refuse(&format!(
                "json: cannot unmarshal {found} into Go value of type storage.continueToken"
            ));
        }
        if text(&token, &["v"]) != "meta.k8s.io/v1" {
            let version = text(&token, &["v"]);
            return refuse(&format!("server does not recognize this encoded version {version}"));
        }
        let revision = match token.get("rv").and_then(Value::as_i64).unwrap_or_default() {
            0 => return refuse("incorrect encoded start resourceVersion (version meta.k8s.io/v1)"),
            revision => u64::try_from(revision).ok(),
        };
        let after = text(&token, &["start"]).trim_end_matches('\0').to_owned();
        if after.is_empty() {
            return refuse("encoded start key empty (version meta.k8s.io/v1)");
        }
        Ok(Self { revision, after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back() {
        for after in ["d/a", "d/ab", "d/abc"] {
            let page = Page { revision: Some(7), after: after.to_owned() };
            assert_eq!(Page::decode(&page.encode()).unwrap(), page);
        }
        assert!(Page::decode("!").is_err());
    }
}
