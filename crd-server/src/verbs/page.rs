//! Tokens with which a list goes on.
//!
//! Source: `k8s.io/apiserver/pkg/storage/continue.go`.

use crd_go::base64;
use serde_json::{Value, json};

use crate::json::text;
use crate::status::Failure;

/// The place at which a list goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// The revision of the list.
    pub(super) revision: u64,
    /// The key after which it goes on.
    pub(super) after: String,
}

impl Page {
    pub(super) fn encode(&self) -> String {
        let token = json!({"v": "meta.k8s.io/v1", "rv": self.revision, "start": format!("{}\0", self.after)});
        encode(token.to_string().as_bytes())
    }

    pub(super) fn decode(token: &str) -> Result<Self, Failure> {
        let refuse = |error: &str| {
            let message = format!("invalid continue token: continue key is not valid: {error}");
            Err(Failure::bad_request(message))
        };
        let bytes = match base64::decode_url(&format!("{token:=<0$}", token.len().next_multiple_of(4))) {
            Ok(bytes) => bytes,
            Err(error) => return refuse(&error),
        };
        let token: Value = match serde_json::from_slice(&bytes) {
            Ok(token) => token,
            Err(error) => return refuse(&crate::request::body::syntax_error(&bytes, &error)),
        };
        if text(&token, &["v"]) != "meta.k8s.io/v1" {
            return refuse(&format!(
                "server does not recognize this encoded version {}",
                crd_go::strings::quote(text(&token, &["v"]))
            ));
        }
        let Some(revision) = token.get("rv").and_then(Value::as_u64).filter(|revision| *revision > 0) else {
            return refuse("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
        };
        let after = text(&token, &["start"]).trim_end_matches('\0').to_owned();
        if after.is_empty() {
            return refuse("empty encoded start key (version meta.k8s.io/v1)");
        }
        Ok(Self { revision, after })
    }
}

/// Base64 of addresses, without padding.
fn encode(bytes: &[u8]) -> String {
    let standard = base64::encode_std(bytes);
    let letters = standard.chars().filter(|c| *c != '=').map(|c| match c {
        '+' => '-',
        '/' => '_',
        c => c,
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back() {
        for after in ["d/a", "d/ab", "d/abc"] {
            let page = Page { revision: 7, after: after.to_owned() };
            assert_eq!(Page::decode(&page.encode()).unwrap(), page);
        }
        assert!(Page::decode("!").is_err());
    }
}
