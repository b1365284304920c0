//! Handles requests for paths that do not lead to objects, such as discovery, the version and health checks.

mod aggregated;
mod groups;
mod schemas;

use crd_core::KubeVersion;
use http::Method;
use serde_json::{Value, json};

use crate::body::Body;
use crate::call::Call;
use crate::definition;
use crate::request::accept::{Encoding, not_acceptable, not_produced};
use crate::request::route::Route;
use crate::response::ServerResponse;
use crate::status::Failure;

/// Handles a request for a path that does not lead to objects.
pub(crate) fn respond(call: &Call<'_>, route: &Route, method: &Method) -> http::Response<Body> {
    let server = call.server;
    if is_fixed(route) {
        if method != Method::GET {
            let message = "the server does not allow this method on the requested resource";
            return call.rejected(&Failure::new(405, "MethodNotAllowed", message).about("", "", ""));
        }
        if !call.accept().has_media_type() {
            return call.rejected(&not_produced(false));
        }
    }
    let found = match route {
        Route::Version => return json(&version(server.config.kube_version), Encoding::PrettyJson),
        Route::Health => return ServerResponse::Text(200, "ok").into_response(Encoding::Json, &[]),
        Route::SchemasV2 => return schemas::all(call),
        Route::Schemas => return schemas::list(call),
        Route::Schema(name) => match schemas::one(call, name) {
            Some(answer) => return answer,
            None => None,
        },
        Route::CoreVersions | Route::Groups => {
            let is_core = *route == Route::CoreVersions;
            if let Some(answer) = aggregated::respond(call, is_core) {
                return answer;
            }
            Some(if is_core { groups::core() } else { groups::all(server) })
        }
        Route::Group(name) => groups::one(server, name),
        Route::Resources(group, version) => groups::resources(server, group, version),
        Route::Objects(_) | Route::Unknown => None,
    };
    match (found, call.accept().plain()) {
        (Some(value), Some(encoding)) => json(&value, encoding),
        (Some(_), None) => call.rejected(&not_acceptable()),
        (None, _) if matches!(route, Route::Resources(group, _) if group == definition::GROUP) => {
            call.rejected(&Failure::no_resource())
        }
        (None, _) => ServerResponse::unknown_path().into_response(Encoding::Json, &[]),
    }
}

fn json(value: &Value, encoding: Encoding) -> http::Response<Body> {
    ServerResponse::ordered(200, value).into_response(encoding, &[])
}

/// Returns `true` for fixed paths, which only support `GET`. Other paths support any method.
fn is_fixed(route: &Route) -> bool {
    match route {
        Route::Version | Route::CoreVersions | Route::Groups => true,
        Route::Group(group) | Route::Resources(group, _) => group.is_empty() || group == definition::GROUP,
        _ => false,
    }
}

/// Returns the response to `/version`. Fields about the build are empty.
fn version(release: KubeVersion) -> Value {
    let minor = release.minor();
    json!({
        "major": "1", "minor": minor.to_string(), "emulationMajor": "1", "emulationMinor": minor.to_string(),
        "minCompatibilityMajor": "1", "minCompatibilityMinor": minor.saturating_sub(1).to_string(),
        "gitVersion": format!("v{release}.0"), "gitCommit": "", "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z", "goVersion": "", "compiler": "", "platform": "",
    })
}
