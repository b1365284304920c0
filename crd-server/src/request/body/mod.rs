//! Reads request bodies.

pub(crate) mod duplicates;
pub(crate) mod strict;
pub(crate) mod yaml;

use crd_core::FieldPath;
use crd_core::admit::Submitted;
use crd_go::strings::quote;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::json::json_type;
use crate::status::Failure;
use duplicates::NotJson;

/// Maximum number of bytes in a body: `MaxRequestBodyBytes` in `k8s.io/apiserver/pkg/server/config.go`.
pub(crate) const MOST_BYTES: usize = 3 * 1024 * 1024;

const JSON: &str = "application/json";
const YAML: &str = "application/yaml";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// The media types of bodies from which this server reads custom resources.
const READABLE: &str = "application/json, application/yaml";
/// The media types of bodies from which the API server reads objects.
const OBJECTS: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// The Go type into which the API server first reads an object.
pub(crate) const TYPE_META: &str = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }";

/// An object, with the fields that occur twice in its text.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) value: Value,
    pub(crate) duplicates: Vec<FieldPath>,
    /// The messages about repeated keys, if the text is YAML.
    pub(crate) repeated: Vec<String>,
    pub(crate) source: Source,
}

/// Specifies where an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The body of a request, or the result of a patch.
    Text,
    /// The result of server-side apply.
    Merged,
    /// The stored object, which server-side apply did not change.
    Unchanged,
}

impl Object {
    /// Returns an object that was not read from a request body.
    pub(crate) fn from_value(value: Value, source: Source) -> Self {
        Self { value, duplicates: Vec::new(), repeated: Vec::new(), source }
    }

    /// Prepares the object for validation.
    pub(crate) fn submitted(self) -> Submitted {
        let submitted = Submitted::from(self.value).with_duplicate_fields(self.duplicates);
        match self.source {
            Source::Text => submitted,
            Source::Merged => submitted.merged(),
            Source::Unchanged => submitted.unchanged(),
        }
    }
}

/// Returns the error for a body that is too large for the API server.
pub(crate) fn too_large() -> Failure {
    let message = format!("Request entity too large: limit is {MOST_BYTES}");
    Failure::new(413, "RequestEntityTooLarge", message)
}

/// Returns the error for a body whose media type is not in `accepted`.
pub(crate) fn unsupported(accepted: &str) -> Failure {
    let message = format!(
        "the body of the request was in an unknown format - accepted media types include: {accepted}"
    );
    Failure::new(415, "UnsupportedMediaType", message)
}

/// Returns the media type in a `Content-Type` header, without parameters.
pub(crate) fn media_type(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

/// Checks the media type of a body that contains an object.
pub(crate) fn is_readable(content_type: &str) -> Result<(), Failure> {
    // `mime.ParseMediaType` of Go rejects parameters without a value.
    let mut parameters = content_type.split(';').skip(1).map(str::trim);
    let is_well_formed = parameters.all(|parameter| parameter.is_empty() || parameter.contains('='));
    match media_type(content_type).to_ascii_lowercase().as_str() {
        "" | JSON | YAML if is_well_formed => Ok(()),
        // The API server reads built-in kinds from it, and panics at custom resources.
        PROTOBUF => Err(unsupported(READABLE)),
        _ => Err(unsupported(OBJECTS)),
    }
}

/// Returns `true` if a body is in YAML.
pub(crate) fn is_yaml(content_type: &str) -> bool {
    media_type(content_type).eq_ignore_ascii_case(YAML)
}

/// Specifies what happens to an object without `apiVersion` or `kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingType {
    Rejected,
    /// The object gets its type from the request path, as in the decoders of kinds with a Go type.
    OfPath,
}

/// Reads an object of a kind.
pub(crate) fn object(
    bytes: &[u8],
    content_type: &str,
    kind: &str,
    missing: MissingType,
) -> Result<Object, Failure> {
    let refuse = |error: String| unrecognized(bytes, kind, &error);
    let no_object = |error: String| refuse(format!("couldn't get version/kind; json parse error: {error}"));
    let (value, duplicates, repeated) = if is_yaml(content_type) {
        let (value, repeated) = yaml::parse(bytes).map_err(refuse)?;
        (value, Vec::new(), repeated)
    } else {
        let parsed = duplicates::parse(bytes);
        let (value, duplicates) = parsed.map_err(|error| no_object(syntax_error(bytes, &error)))?;
        (value, duplicates, Vec::new())
    };
    if missing == MissingType::OfPath {
        let value = if value.is_null() { Value::Object(Map::new()) } else { value };
        if let Value::Object(fields) = &value {
            check_type_meta(fields).map_err(|error| match error {
                TypeError::Mistyped(error) => no_object(error),
                TypeError::Version(error) => refuse(error),
            })?;
        }
        return match &value {
            Value::Object(_) => Ok(Object { value, duplicates, repeated, source: Source::Text }),
            other => Err(no_object(format!(
                "json: cannot unmarshal {} into Go value of type {TYPE_META}",
                json_type(other)
            ))),
        };
    }
    let no_kind = |text: &str| Err(refuse(format!("Object 'Kind' is missing in '{text}'")));
    let found = match &value {
        Value::Object(fields)
            if fields.get("kind").and_then(Value::as_str).unwrap_or_default().is_empty() =>
        {
            return no_kind(&String::from_utf8_lossy(bytes));
        }
        Value::Object(_) => return Ok(Object { value, duplicates, repeated, source: Source::Text }),
        Value::Null => return no_kind(&String::from_utf8_lossy(bytes)),
        other => json_type(other),
    };
    Err(no_object(format!("json: cannot unmarshal {found} into Go value of type {TYPE_META}")))
}

/// Returns the error for a body that is not an object of the kind.
pub(crate) fn unrecognized(bytes: &[u8], kind: &str, error: &str) -> Failure {
    let shown = if bytes.is_empty() { "<empty>".to_owned() } else { beginning(bytes) };
    Failure::bad_request(format!(
        "the object provided is unrecognized (must be of type {kind}): {error} ({shown})"
    ))
}

enum TypeError {
    Mistyped(String),
    Version(String),
}

/// Checks that an object's `apiVersion` and `kind` are readable.
fn check_type_meta(fields: &Map<String, Value>) -> Result<(), TypeError> {
    match type_meta(fields).map_err(TypeError::Mistyped)? {
        (version, _) if version.matches('/').count() > 1 => {
            Err(TypeError::Version(format!("unexpected GroupVersion string: {version}")))
        }
        _ => Ok(()),
    }
}

/// Returns an object's `apiVersion` and `kind`. Each is empty if it is absent. The field names may be in upper or lower case, as in
/// `encoding/json`.
///
/// # Errors
/// - `apiVersion` or `kind` is not a string. The message is the same as in `encoding/json`.
pub(crate) fn type_meta(fields: &Map<String, Value>) -> Result<(&str, &str), String> {
    let (mut version, mut kind) = ("", "");
    for (name, value) in fields {
        let (slot, name) = match name {
            name if name.eq_ignore_ascii_case("apiVersion") => (&mut version, "apiVersion"),
            name if name.eq_ignore_ascii_case("kind") => (&mut kind, "kind"),
            _ => continue,
        };
        match value {
            Value::String(text) => *slot = text,
            Value::Null => {}
            other => {
                let found = json_type(other);
                return Err(format!(
                    "json: cannot unmarshal {found} into Go struct field .{name} of type string"
                ));
            }
        }
    }
    Ok((version, kind))
}

/// The internal API version, to which the API server converts all versions of a kind.
pub(crate) const INTERNAL: &str = "__internal";

/// Returns the decoder's error about a kind that an API version does not contain.
///
/// Source: `notRegisteredErr` in `pkg/runtime/error.go` of `k8s.io/apimachinery`.
pub(crate) fn unregistered(kind: &str, group: &str, version: &str) -> String {
    let version = match (group, version) {
        (group, INTERNAL) => format!("the internal version of group {}", quote(group)),
        ("", version) => format!("version {}", quote(version)),
        (group, version) => format!("version {}", quote(&format!("{group}/{version}"))),
    };
    format!("no kind {} is registered for {version} in scheme \"pkg/runtime/scheme.go:111\"", quote(kind))
}

/// Returns the message from `encoding/json` for a body that is not JSON.
pub(crate) fn syntax_error(bytes: &[u8], error: &NotJson) -> String {
    let error = match error {
        NotJson::Syntax(error) => error,
        NotJson::TooDeep(bracket) => return format!("invalid character '{bracket}' exceeded max depth"),
    };
    if error.is_eof() || bytes.is_empty() {
        return "unexpected end of JSON input".to_owned();
    }
    let first = bytes.iter().find(|byte| !b" \t\r\n".contains(byte)).copied().unwrap_or_default();
    if !matches!(first, b'{' | b'[' | b'"' | b'-' | b't' | b'f' | b'n') && !first.is_ascii_digit() {
        return format!("invalid character '{}' looking for beginning of value", shown(first));
    }
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    if let Some(Ok(_)) = values.next()
        && let Some(next) = bytes[values.byte_offset()..].trim_ascii_start().first()
    {
        return format!("invalid character '{}' after top-level value", shown(*next));
    }
    format!("invalid JSON: {error}")
}

/// Returns the notation for a byte in Go errors: the character with that number.
fn shown(byte: u8) -> String {
    match char::from(byte) {
        '\'' => "\\'".to_owned(),
        '"' => "\"".to_owned(),
        other => quote(&other.to_string()).trim_matches('"').to_owned(),
    }
}

/// Returns the first bytes of a body for errors.
fn beginning(bytes: &[u8]) -> String {
    const SHOWN: usize = 30;
    let more = if bytes.len() > SHOWN { " ..." } else { "" };
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    let bytes = &bytes[..bytes.len().min(SHOWN)];
    if is_object {
        return format!("{}{more}", String::from_utf8_lossy(bytes));
    }
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{hex}{more}")
}
