//! Builds and encodes responses.

use std::collections::HashSet;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WARNING};
use serde_json::Value;

use crate::body::{Body, Events};
use crate::json::{indented, print_ordered};
use crate::request::accept::Encoding;
use crate::status::Failure;

/// A response without its warnings.
pub(crate) enum ServerResponse {
    /// Serialized JSON.
    Json(u16, Bytes),
    /// A list, encoded in protobuf.
    #[cfg(feature = "protobuf")]
    Protobuf(Bytes),
    Text(u16, &'static str),
    Events(Box<dyn Events>),
}

/// A response or an error.
pub(crate) type ResponseResult = Result<ServerResponse, Failure>;

impl ServerResponse {
    /// Returns a response with an object that has a Go type. Keys keep their order.
    pub(crate) fn ordered(code: u16, value: &Value) -> Self {
        Self::Json(code, print_ordered(value))
    }

    /// Returns the response for a path that does not exist.
    pub(crate) fn unknown_path() -> Self {
        Self::Text(404, "404 page not found\n")
    }

    /// Returns the HTTP response. Only JSON is converted to the encoding.
    pub(crate) fn into_response(self, encoding: Encoding, warnings: &[String]) -> http::Response<Body> {
        let (code, content_type, body) = match self {
            Self::Json(code, bytes) => {
                let (content_type, bytes) = encoded(bytes, encoding);
                (code, content_type, Body::whole(bytes))
            }
            #[cfg(feature = "protobuf")]
            Self::Protobuf(bytes) => (200, crate::protobuf::MEDIA_TYPE, Body::whole(bytes)),
            Self::Text(code, text) => {
                (code, "text/plain; charset=utf-8", Body::whole(Bytes::from_static(text.as_bytes())))
            }
            Self::Events(events) => (200, streamed(encoding), Body::events(events)),
        };
        let mut response = response(code, content_type, body);
        let headers = response.headers_mut();
        if content_type.starts_with("text/") {
            headers.insert(
                HeaderName::from_static("x-content-type-options"),
                HeaderValue::from_static("nosniff"),
            );
        }
        let warnings = shortened(warnings);
        let warnings = warnings.iter().filter_map(|text| HeaderValue::from_str(&warning(text)).ok());
        warnings.for_each(|warning| {
            headers.append(WARNING, warning);
        });
        response
    }
}

/// Returns a response that is never cached.
pub(crate) fn response(code: u16, content_type: &'static str, body: Body) -> http::Response<Body> {
    let mut response = http::Response::new(body);
    *response.status_mut() = http::StatusCode::from_u16(code).unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Converts serialized JSON to an encoding. Also returns the media type.
pub(crate) fn encoded(json: Bytes, encoding: Encoding) -> (&'static str, Bytes) {
    match encoding {
        Encoding::Json => ("application/json", json),
        Encoding::PrettyJson => ("application/json", indented(&json)),
        Encoding::Yaml => ("application/yaml", crate::json::yaml(&json)),
        #[cfg(feature = "protobuf")]
        Encoding::Protobuf => {
            let object = serde_json::from_slice::<Value>(&json);
            match object.ok().as_ref().and_then(crate::protobuf::write) {
                Some(message) => (crate::protobuf::MEDIA_TYPE, message),
                // Objects of built-in kinds are not validated, so that a field may have a type that no message has.
                None => ("application/json", json),
            }
        }
    }
}

/// Returns the media type for watch events.
fn streamed(encoding: Encoding) -> &'static str {
    match encoding {
        #[cfg(feature = "protobuf")]
        Encoding::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
        _ => "application/json",
    }
}

/// Returns the error response in JSON.
pub(crate) fn rejected(failure: &Failure, warnings: &[String]) -> http::Response<Body> {
    rejected_in(failure, Encoding::Json, warnings)
}

/// Returns the error response in an encoding.
pub(crate) fn rejected_in(
    failure: &Failure,
    encoding: Encoding,
    warnings: &[String],
) -> http::Response<Body> {
    let mut response =
        ServerResponse::ordered(failure.code, &failure.to_value()).into_response(encoding, warnings);
    if let Some(seconds) = failure.retry_after() {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Returns warnings without duplicates. If the warnings are too long, they are truncated, and the last warnings are omitted.
///
/// Source: `recorder.AddWarning` in `k8s.io/apiserver/pkg/endpoints/filters/warning.go`.
fn shortened(warnings: &[String]) -> Vec<String> {
    const MOST: usize = 4 * 1024;
    const MOST_OF_ONE: usize = 256;
    let mut seen = HashSet::new();
    let warnings: Vec<&String> = warnings.iter().filter(|text| seen.insert(text.as_str())).collect();
    let length = |text: &str| text.chars().count();
    if warnings.iter().map(|text| length(text)).sum::<usize>() <= MOST {
        return warnings.into_iter().cloned().collect();
    }
    let mut written = 0;
    let short = warnings.into_iter().map(|text| text.chars().take(MOST_OF_ONE).collect::<String>());
    short
        .take_while(|text| {
            let has_room = written < MOST;
            written += length(text);
            has_room
        })
        .collect()
}

/// Returns the value of the header `Warning`.
///
/// Source: `NewWarningHeader` in `k8s.io/apimachinery/pkg/util/net/http.go`.
fn warning(text: &str) -> String {
    let mut out = "299 - \"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_quoted() {
        assert_eq!(warning("a \"b\"\n"), "299 - \"a \\\"b\\\"\"");
    }
}
