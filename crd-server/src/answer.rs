//! Answers to requests.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WARNING};
use serde_json::Value;

use crate::body::Body;
use crate::json::{print_ordered, print_sorted};
use crate::status::Failure;
use crate::verbs::watch::Watch;

/// An answer without its warnings.
pub(crate) enum Answer {
    /// JSON that is printed already.
    Json(u16, Bytes),
    Text(u16, &'static str),
    Watch(Box<Watch>),
}

impl Answer {
    /// An object without a type in Go, whose keys are sorted.
    pub(crate) fn sorted(code: u16, value: &Value) -> Self {
        Self::Json(code, print_sorted(value))
    }

    /// An object with a type in Go, whose keys have an order of their own.
    pub(crate) fn ordered(code: u16, value: &Value) -> Self {
        Self::Json(code, print_ordered(value))
    }

    /// The answer to a path that does not exist.
    pub(crate) fn unknown_path() -> Self {
        Self::Text(404, "404 page not found\n")
    }

    /// The HTTP form.
    pub(crate) fn into_response(self, warnings: &[String]) -> http::Response<Body> {
        let (code, content_type, body) = match self {
            Self::Json(code, bytes) => (code, "application/json", Body::whole(bytes)),
            Self::Text(code, text) => {
                (code, "text/plain; charset=utf-8", Body::whole(Bytes::from_static(text.as_bytes())))
            }
            Self::Watch(watch) => (200, "application/json", Body::watch(*watch)),
        };
        let mut response = http::Response::new(body);
        *response.status_mut() = http::StatusCode::from_u16(code).unwrap_or_default();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        let warnings = warnings.iter().filter_map(|text| HeaderValue::from_str(&warning(text)).ok());
        warnings.for_each(|warning| {
            response.headers_mut().append(WARNING, warning);
        });
        response
    }
}

/// The answer to a refused request.
pub(crate) fn refused(failure: &Failure, warnings: &[String]) -> http::Response<Body> {
    let mut response = Answer::ordered(failure.code, &failure.to_value()).into_response(warnings);
    if let Some(seconds) = failure.retry_after() {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// The value of the header `Warning`.
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
