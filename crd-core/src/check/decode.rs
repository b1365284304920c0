//! Decodes a CRD from JSON, with the API server's errors.

use serde_json::Value;

use crate::crd::{API_VERSION, KIND};
use crate::{CauseReason, CustomResourceDefinition, Diagnostic, FieldPath, Segment};

const GROUP: &str = "apiextensions.k8s.io";
const SCHEME: &str = "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55";
/// Maximum number of bytes from the body in a message.
const SHOWN_BYTES: usize = 30;

/// A request whose CRD cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RejectedRequest {
    /// The API server's response to the request.
    pub refusal: Box<Diagnostic>,
    /// The decoder's error, with which the message ends. `None` if the CRD is in the version `v1beta1`.
    pub error: Option<String>,
}

impl RejectedRequest {
    fn new(field: FieldPath, message: String, error: Option<String>) -> Self {
        let refusal = Box::new(Diagnostic::new(field, CauseReason::BadRequest, message));
        Self { refusal, error }
    }

    fn with_help(mut self, help: &str) -> Self {
        self.refusal.remedy = Some(help.into());
        self
    }
}

/// Reads a CRD from the body of a request. An absent `kind` or `apiVersion` is taken from the request's URL.
///
/// # Errors
///
/// The CRD is of another kind, or cannot be read. The message is the API server's.
///
/// ```
/// use crd_core::check::decode;
/// use serde_json::json;
///
/// assert!(decode(json!({"spec": {"scope": "Cluster"}})).is_ok());
/// assert!(decode(json!({"apiVersion": "v1", "kind": "Pod"})).unwrap_err().refusal.message.contains("no kind"));
/// ```
pub fn decode(value: Value) -> Result<CustomResourceDefinition, RejectedRequest> {
    type_meta(&value)?;
    CustomResourceDefinition::from_value(value).map_err(|error| {
        let rejected = undecoded(error.path().clone(), KIND, "v1", error.to_string());
        match misplaced(error.path()) {
            Some(keyword) => {
                rejected.with_help(&format!("put the keyword `{keyword}` next to `properties`, not into it"))
            }
            None => rejected,
        }
    })
}

/// Returns the name at the end of a path if it is a property name and begins with `x-kubernetes-`, as the names of schema extensions do.
fn misplaced(path: &FieldPath) -> Option<&str> {
    let Segment::Key(name) = path.last()? else { return None };
    let is_property = matches!(path.parent()?.last()?, Segment::Child(around) if &**around == "properties");
    (is_property && name.starts_with("x-kubernetes-")).then_some(&**name)
}

fn undecoded(field: FieldPath, kind: &str, version: &str, error: String) -> RejectedRequest {
    let message = format!("{kind} in version \"{version}\" cannot be handled as a {KIND}: {error}");
    RejectedRequest::new(field, message, Some(error))
}

/// Checks `apiVersion` and `kind`. If both fields are absent, the values in the request's URL are used; otherwise, the fields must match
/// these values.
fn type_meta(value: &Value) -> Result<(), RejectedRequest> {
    let unrecognized = |error: &str| {
        let message = format!(
            "the object provided is unrecognized (must be of type {KIND}): {error} ({})",
            shown(value)
        );
        Err(RejectedRequest::new(FieldPath::root(), message, Some(error.to_owned())))
    };
    let Value::Object(_) = value else {
        let found = match value {
            Value::Array(_) => "array",
            Value::Bool(_) => "bool",
            Value::Number(_) => "number",
            _ => "string",
        };
        let fields = "APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\"";
        return unrecognized(&format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go value of type struct \
             {{ {fields} }}"
        ));
    };
    let text = |key: &'static str| match value.get(key) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text.as_str()),
        Some(other) => {
            let found = match other {
                Value::Bool(_) => "bool",
                Value::Number(_) => "number",
                Value::Array(_) => "array",
                _ => "object",
            };
            Err(format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go struct field \
                 .{key} of type string"
            ))
        }
    };
    let (api_version, kind) = match (text("apiVersion"), text("kind")) {
        (Ok(api_version), Ok(kind)) => (api_version, kind),
        (Err(error), _) | (_, Err(error)) => return unrecognized(&error),
    };
    let api_version = if api_version.is_empty() || api_version == "/" { API_VERSION } else { api_version };
    let kind = if kind.is_empty() { KIND } else { kind };
    if (api_version, kind) == (API_VERSION, KIND) {
        return Ok(());
    }
    if api_version.matches('/').count() > 1 {
        return unrecognized(&format!("unexpected GroupVersion string: {api_version}"));
    }
    Err(other_type(api_version, kind))
}

fn other_type(api_version: &str, kind: &str) -> RejectedRequest {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    if (group, version, kind) == (GROUP, "v1beta1", KIND) {
        let message = format!(
            "the API version in the data ({api_version}) does not match the expected API version ({API_VERSION})"
        );
        return RejectedRequest::new(FieldPath::new("apiVersion"), message, None).with_help(
            "convert it to `apiextensions.k8s.io/v1`: `v1beta1` was removed in 1.22. Each version has its own `schema`, and \
             `validation`, `subresources` and `additionalPrinterColumns` of `spec` move to the versions",
        );
    }
    let is_served = group == GROUP && matches!(version, "v1" | "v1beta1");
    let error = match kind {
        "CustomResourceDefinitionList"
        | "ConversionReview"
        | "ListOptions"
        | "GetOptions"
        | "DeleteOptions"
        | "CreateOptions"
        | "UpdateOptions"
        | "PatchOptions"
        | "WatchEvent"
            if is_served =>
        {
            // What belongs to every group is of `meta/v1`, whichever version asks for it.
            let package = if kind.starts_with('C') && kind != "CreateOptions" { version } else { "v1" };
            format!("converting ({package}.{kind}) to (apiextensions.{KIND}): unknown conversion")
        }
        _ => {
            format!("no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \"{SCHEME}\"")
        }
    };
    let rejected = undecoded(FieldPath::root(), kind, version, error);
    if kind == KIND { rejected.with_help("write `apiVersion: apiextensions.k8s.io/v1`") } else { rejected }
}

/// Returns the beginning of a body, for messages.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    let end = (0..=text.len().min(SHOWN_BYTES)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let (start, rest) = text.split_at(end);
    let more = if rest.is_empty() { "" } else { " ..." };
    if matches!(value, Value::Object(_)) {
        return format!("{start}{more}");
    }
    let hex: String = start.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("{hex}{more}")
}
