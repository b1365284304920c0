//! Rejects requests for kinds with a Go type that no route matches.
//!
//! Source: `registerResourceHandlers` in `k8s.io/apiserver/pkg/endpoints/installer.go`, and `detectRoute` in `jsr311.go` of
//! `github.com/emicklei/go-restful`.

use http::Method;

use crate::call::Call;
use crate::definition::{Definition, scale};
use crate::patch::Patch;
use crate::request::accept::not_produced;
use crate::status::Failure;

/// Checks that a route matches a request's path, method and media types.
pub(super) fn check(call: &Call<'_>, method: &Method, definition: &Definition) -> Result<(), Failure> {
    let target = &call.target;
    let is_namespaced = !target.namespace.is_empty();
    let is_named = !target.name.is_empty();
    let row = definition.built_in();
    let methods: &[&str] = match (definition.served(&target.version), target.subresource.as_str()) {
        (None, _) => return Err(Failure::no_resource()),
        _ if target.has_more || (is_namespaced && !definition.is_namespaced()) => {
            return Err(Failure::no_resource());
        }
        (_, "") if row.is_some_and(|row| row.is_review) => {
            if is_named || is_namespaced != definition.is_namespaced() {
                return Err(Failure::no_resource());
            }
            &["POST"]
        }
        (_, "") if row.is_some_and(|row| row.is_computed) => {
            if target.is_watch {
                return Err(Failure::no_resource());
            }
            &["GET"]
        }
        (_, name) if row.is_some_and(|row| row.action(name).is_some()) => &["POST"],
        (_, name) if row.is_some_and(|row| row.has_part(name)) => &["GET", "PUT", "PATCH"],
        _ if target.is_watch => &["GET"],
        (_, "") if !is_named && definition.is_namespaced() && !is_namespaced => &["GET"],
        (_, "") if !is_named => &["GET", "POST", "DELETE"],
        (_, "") => &["GET", "PUT", "PATCH", "DELETE"],
        (Some(version), "status") if version.has_status() => &["GET", "PUT", "PATCH"],
        (Some(version), "scale") if scale(version).is_some() => &["GET", "PUT", "PATCH"],
        _ => return Err(Failure::no_resource()),
    };
    if !methods.contains(&method.as_str()) {
        let message = "the server does not allow this method on the requested resource";
        return Err(Failure::new(405, "MethodNotAllowed", message).about("", "", ""));
    }
    if method == Method::PATCH && !Patch::is_routed(call.content_type()) {
        let message = "415: Unsupported Media Type";
        return Err(Failure::new(415, "UnsupportedMediaType", message).about("", "", ""));
    }
    let streams = method == Method::GET && !is_named;
    if call.accept().has_media_type() { Ok(()) } else { Err(not_produced(streams)) }
}
