//! Builds the `Status` objects in error responses.
//!
//! Source: `k8s.io/apimachinery/pkg/api/errors/errors.go`.

use std::collections::HashSet;

use crd_core::admit::{Rejection, StatusReason};
use crd_core::check::RejectedRequest;
use crd_core::{CauseReason, Diagnostic, FieldPath};
use crd_go::strings::quote;
use serde_json::{Map, Value, json};

/// A resource, identified by group and plural name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Resource {
    pub(crate) group: String,
    pub(crate) plural: String,
}

impl std::fmt::Display for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.group.as_str() {
            "" => f.write_str(&self.plural),
            group => write!(f, "{}.{group}", self.plural),
        }
    }
}

/// An error for a request, from which the `Status` in the response is built.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) code: u16,
    reason: &'static str,
    message: String,
    details: Option<Box<Map<String, Value>>>,
    /// The error for an object that cannot be decoded.
    undecoded: Option<Box<str>>,
    /// The paths to the problems in an applied object that server-side apply found before validation.
    pub(crate) places: Vec<FieldPath>,
}

/// Returns the error for a request that takes too many steps in relation to its size.
pub(crate) fn exhausted() -> Failure {
    // A gateway of the API server answers in these words when a request takes too long.
    let message = "the server was unable to return a response in the time allotted, but may still be processing the request";
    Failure::new(504, "Timeout", message).about("", "", "")
}

/// The message for a write that is based on an outdated object: `OptimisticLockErrorMsg`.
pub(crate) const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

impl Failure {
    pub(crate) fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: None, undecoded: None, places: Vec::new() }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// Returns the error for an object that cannot be decoded or that strict decoding rejects.
    pub(crate) fn undecoded(kind: &str, version: &str, error: &str) -> Self {
        let version = quote(version);
        let message = format!("{kind} in version {version} cannot be handled as a {kind}: {error}");
        Self::bad_request(message).with_decoding_error(Some(error))
    }

    /// Sets the decoding error, which is the last part of the message.
    pub(crate) fn with_decoding_error(self, error: Option<&str>) -> Self {
        Self { undecoded: error.map(Box::from), ..self }
    }

    /// Returns the error for a Go error without a `Status`: code 500 and no reason.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    /// Returns an internal error: `NewInternalError`.
    pub(crate) fn internal_error(message: &str) -> Self {
        let failure = Self::new(500, "InternalError", format!("Internal error occurred: {message}"));
        failure.with_causes([json!({"message": message})].into_iter())
    }

    pub(crate) fn not_found(resource: &Resource, name: &str) -> Self {
        let message = format!("{resource} {} not found", quote(name));
        Self::new(404, "NotFound", message).about(name, &resource.group, &resource.plural)
    }

    /// Returns the error for a nonexistent path below the path of the CRDs.
    pub(crate) fn no_resource() -> Self {
        Self::new(404, "NotFound", "the server could not find the requested resource").about("", "", "")
    }

    pub(crate) fn already_exists(resource: &Resource, name: &str) -> Self {
        let message = format!("{resource} {} already exists", quote(name));
        Self::new(409, "AlreadyExists", message).about(name, &resource.group, &resource.plural)
    }

    pub(crate) fn modified(resource: &Resource, name: &str) -> Self {
        Self::conflict(resource, name, MODIFIED)
    }

    /// Returns the error for a conflict about an object. `resource` may contain a kind instead of a plural name, as in some of the API
    /// server's responses.
    pub(crate) fn conflict(resource: &Resource, name: &str, detail: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {resource} {}: {detail}", quote(name));
        Self::new(409, "Conflict", message).about(name, &resource.group, &resource.plural)
    }

    /// Returns the error for a forbidden request: `NewForbidden`.
    pub(crate) fn forbidden(resource: &Resource, name: &str, detail: &str) -> Self {
        let message = format!("{resource} {} is forbidden: {detail}", quote(name));
        Self::new(403, "Forbidden", message).about(name, &resource.group, &resource.plural)
    }

    /// Returns the error for a request that this server does not support.
    pub(crate) fn not_implemented(feature: &str) -> Self {
        Self::new(501, "NotImplemented", format!("crd-server does not have {feature} yet"))
    }

    /// Returns the timeout error for a requested resource version that does not exist yet.
    pub(crate) fn too_large_revision(asked: u64, current: u64) -> Self {
        let message = format!("Timeout: Too large resource version: {asked}, current: {current}");
        let cause = json!({"reason": "ResourceVersionTooLarge", "message": "Too large resource version"});
        Self::new(504, "Timeout", message).with_causes(std::iter::once(cause)).with_retry_after(1)
    }

    /// Returns the error for an invalid object: `NewInvalid`.
    pub(crate) fn invalid(kind: &str, group: &str, name: &str, causes: &[Diagnostic]) -> Self {
        let mut seen = HashSet::new();
        let texts: Vec<String> =
            causes.iter().map(ToString::to_string).filter(|text| seen.insert(text.clone())).collect();
        let texts = match texts.as_slice() {
            [text] => text.clone(),
            texts => format!("[{}]", texts.join(", ")),
        };
        let qualified = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        let message = format!("{qualified} {} is invalid: {texts}", quote(name));
        Self::new(422, "Invalid", message).about(name, group, kind).with_causes(causes.iter().map(cause))
    }

    /// Returns the error for an object that validation rejects.
    pub(crate) fn from_rejection(refusal: &Rejection, resource: &Resource, name: &str, kind: &str) -> Self {
        let message = refusal.to_string();
        let (code, reason) = match refusal.reason {
            StatusReason::BadRequest => (400, "BadRequest"),
            StatusReason::Invalid => (422, "Invalid"),
            StatusReason::NotFound => (404, "NotFound"),
            StatusReason::Conflict => (409, "Conflict"),
            StatusReason::LimitExceeded => (500, "LimitExceeded"),
            _ => (500, ""),
        };
        let undecoded = refusal.undecoded.as_ref().map(|undecoded| undecoded.error.as_str().into());
        let failure = Self { undecoded, ..Self::new(code, reason, message) };
        match code {
            422 => {
                let causes = refusal.causes.iter().map(cause);
                failure.about(name, &resource.group, kind).with_causes(causes)
            }
            409 => failure.about(name, &resource.group, &resource.plural),
            _ => failure,
        }
    }

    /// Sets `details`, which identify the subject of the error. Empty strings are omitted.
    pub(crate) fn about(mut self, name: &str, group: &str, kind: &str) -> Self {
        let texts = [("name", name), ("group", group), ("kind", kind)];
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        let texts = texts.map(|(key, text)| (key.to_owned(), text.into()));
        self.details = Some(Box::new(texts.collect()));
        self
    }

    pub(crate) fn with_causes(mut self, causes: impl Iterator<Item = Value>) -> Self {
        let details = self.details.get_or_insert_default();
        let causes: Vec<Value> = causes.collect();
        if !causes.is_empty() {
            details.insert("causes".to_owned(), causes.into());
        }
        self
    }

    /// Returns the decoding error, which is the last part of the message.
    pub(crate) fn decoding_error(&self) -> Option<&str> {
        self.undecoded.as_deref()
    }

    /// Adds text before the message.
    pub(crate) fn with_prefix(mut self, prefix: &str) -> Self {
        self.message.insert_str(0, prefix);
        self
    }

    /// Sets the number of seconds after which the client may try again.
    pub(crate) fn with_retry_after(mut self, seconds: u64) -> Self {
        self.details.get_or_insert_default().insert("retryAfterSeconds".to_owned(), seconds.into());
        self
    }

    /// Returns the seconds after which a client may try again.
    pub(crate) fn retry_after(&self) -> Option<u64> {
        self.details.as_ref()?.get("retryAfterSeconds")?.as_u64()
    }

    /// Returns the `Status` in JSON.
    pub(crate) fn to_value(&self) -> Value {
        let mut status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": self.message,
        });
        if let Value::Object(fields) = &mut status {
            if !self.reason.is_empty() {
                fields.insert("reason".to_owned(), self.reason.into());
            }
            if let Some(details) = &self.details {
                fields.insert("details".to_owned(), Value::Object((**details).clone()));
            }
            fields.insert("code".to_owned(), self.code.into());
        }
        status
    }
}

impl From<RejectedRequest> for Failure {
    fn from(rejected: RejectedRequest) -> Self {
        Self::bad_request(rejected.refusal.message).with_decoding_error(rejected.error.as_deref())
    }
}

fn cause(cause: &Diagnostic) -> Value {
    let reason = match cause.reason {
        CauseReason::LimitExceeded => "",
        reason => reason.as_str(),
    };
    json!({"reason": reason, "message": cause.message, "field": cause.field.to_string()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_server() {
        let shirts = Resource { group: "e.io".to_owned(), plural: "shirts".to_owned() };
        let status = Failure::not_found(&shirts, "a").to_value();
        assert_eq!(
            status,
            json!({
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                "message": "shirts.e.io \"a\" not found", "reason": "NotFound",
                "details": {"name": "a", "group": "e.io", "kind": "shirts"}, "code": 404,
            })
        );
        let status = Failure::internal("strconv: no").to_value();
        assert_eq!(status.get("reason"), None);
    }
}
