//! The documents at `/openapi/v2` and below `/openapi/v3`, with entity tags.
//!
//! Source: `k8s.io/kube-openapi/pkg/{handler,handler3}`.

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH, LOCATION, VARY,
};
use serde_json::Value;

use super::aggregated;
use crate::body::Body;
use crate::call::Call;
use crate::json::print_ordered;
use crate::openapi;
use crate::request::accept::OPENAPI_PROTOBUF;
use crate::response::response;

/// Returns the response to `/openapi/v2`: one document, in JSON or in protobuf. Both encodings have the same entity tag.
pub(super) fn all(call: &Call<'_>) -> http::Response<Body> {
    let mut response = match call.accept().openapi_v2() {
        None => empty(406),
        Some(is_protobuf) => {
            let document = openapi::document_v2(call.server);
            let tag = aggregated::tag(&document);
            let (media_type, bytes) = match is_protobuf {
                true => (OPENAPI_PROTOBUF, openapi::encode(&document).into()),
                false => ("application/json", print_ordered(&document)),
            };
            let mut response = match call.header(IF_NONE_MATCH) == tag {
                true => empty(304),
                false => response(200, media_type, Body::whole(bytes)),
            };
            set(&mut response, ETAG, &tag);
            response
        }
    };
    set(&mut response, VARY, "Accept");
    response
}

/// Returns the response to `/openapi/v3`: the list of documents.
pub(super) fn list(call: &Call<'_>) -> http::Response<Body> {
    let index = openapi::index(call.server);
    tagged(call, &aggregated::tag(&index), || Some(index)).unwrap_or_else(|| empty(404))
}

/// Returns the response to a request for a document, if a document with this name exists. A client that requests an outdated hash is
/// redirected to the current document.
pub(super) fn one(call: &Call<'_>, name: &str) -> Option<http::Response<Body>> {
    let hash = openapi::hash(call.server, name)?;
    let asked = call.query.text("hash");
    let is_outdated = !asked.is_empty() && asked != hash;
    let tag = format!("\"{hash}\"");
    let mut response = if is_outdated {
        let mut response = empty(301);
        set(&mut response, LOCATION, &format!("/openapi/v3/{name}?hash={hash}"));
        set(&mut response, ETAG, &tag);
        response
    } else {
        tagged(call, &tag, || openapi::document(call.server, name))?
    };
    set(&mut response, VARY, "Accept");
    if asked == hash {
        set(&mut response, CACHE_CONTROL, "public, immutable");
    }
    Some(response)
}

/// Returns a document with its entity tag, or `304 Not Modified` if the client has the current document.
fn tagged(
    call: &Call<'_>,
    tag: &str,
    document: impl FnOnce() -> Option<Value>,
) -> Option<http::Response<Body>> {
    let mut response = if call.header(IF_NONE_MATCH) == tag {
        empty(304)
    } else {
        response(200, "application/json", Body::whole(print_ordered(&document()?)))
    };
    set(&mut response, ETAG, tag);
    Some(response)
}

fn empty(code: u16) -> http::Response<Body> {
    let mut response = response(code, "", Body::whole(Bytes::new()));
    response.headers_mut().remove(CONTENT_TYPE);
    response
}

fn set(response: &mut http::Response<Body>, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}
