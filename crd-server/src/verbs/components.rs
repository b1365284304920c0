//! Handles requests for `componentstatuses`. The responses describe a control plane without a scheduler and a controller manager.
//!
//! Source: `pkg/registry/core/componentstatus` and `componentStatusStorage` in `pkg/registry/core/rest/storage_core.go` of Kubernetes.

use serde_json::{Value, json};

use super::columns::TableColumns;
use super::list_options::{ListOptions, Selection};
use super::metadata::metadata_only;
use super::read;
use super::table::{IncludedObject, TableForm};
use crate::call::{Call, not_supported};
use crate::definition::print_built_in;
use crate::json::text;
use crate::request::accept::Form;
use crate::request_info::RequestInfo;
use crate::response::{ResponseResult, ServerResponse};
use crate::status::{Failure, Resource};

/// The components that are not running, and their ports.
const ABSENT: [(&str, u16); 2] = [("scheduler", 10_259), ("controller-manager", 10_257)];

/// Handles a request for all components or a single component.
pub(super) fn respond(call: &mut Call<'_>, place: &RequestInfo, verb: &str) -> ResponseResult {
    match verb {
        "get" => get(call, place),
        "list" => list(call, place),
        verb => Err(not_supported(&place.definition.resource, verb)),
    }
}

fn get(call: &Call<'_>, place: &RequestInfo) -> ResponseResult {
    let form = call.accept().form()?;
    let found =
        components().into_iter().find(|component| text(component, &["metadata", "name"]) == place.name);
    let Some(component) = found else {
        // The API server names the kind instead of the resource here.
        let resource = Resource { group: String::new(), plural: "componentstatus".to_owned() };
        return Err(Failure::not_found(&resource, &place.name));
    };
    read::in_form(call, place, 200, component, form)
}

fn list(call: &Call<'_>, place: &RequestInfo) -> ResponseResult {
    let form = call.accept().form()?;
    ListOptions::read(&call.query, false)?;
    let selection = Selection::read(&call.query, &place.definition, &place.version)?;
    let chosen: Vec<Value> =
        components().into_iter().filter(|component| selection.includes(component)).collect();
    let list = |kind: &str, api_version: &str, items: Vec<Value>| json!({"kind": kind, "apiVersion": api_version, "metadata": {}, "items": items});
    Ok(match form {
        Form::Object => {
            let fields = chosen.iter().map(
                |component| json!({"metadata": component["metadata"], "conditions": component["conditions"]}),
            );
            let list = list("ComponentStatusList", "v1", fields.collect());
            ServerResponse::Json(200, print_built_in(list))
        }
        Form::Metadata(_) => {
            let type_ = place.definition.go_name("ComponentStatusList");
            let message =
                format!("you requested PartialObjectMetadata, but the requested object is a list ({type_})");
            return Err(Failure::new(406, "NotAcceptable", message));
        }
        Form::MetadataList(version) => {
            let items = chosen.iter().map(|component| metadata_only(component, version)).collect();
            ServerResponse::ordered(200, &list("PartialObjectMetadataList", version.api_version(), items))
        }
        Form::Table(version) => {
            let included = IncludedObject::read(&call.query)?;
            let (columns, now) = (TableColumns::for_request(place), call.server.now());
            let form = TableForm { columns: &columns, version, included, now: &now, has_columns: true };
            let (mut table, mut rows) = (form.head(&json!({})), form.rows());
            let rows: Result<Vec<Value>, Failure> =
                chosen.iter().map(|component| rows.row(component)).collect();
            table["rows"] = rows?.into();
            ServerResponse::ordered(200, &table)
        }
    })
}

/// Returns all components with their conditions.
fn components() -> Vec<Value> {
    let component = |name: &str, status: &str, message: &str| {
        json!({
            "kind": "ComponentStatus", "apiVersion": "v1", "metadata": {"name": name},
            "conditions": [{"type": "Healthy", "status": status, "message": message}],
        })
    };
    let refused = |port: u16| {
        format!(
            "Get \"https://127.0.0.1:{port}/healthz\": dial tcp 127.0.0.1:{port}: connect: connection refused"
        )
    };
    let absent = ABSENT.iter().map(|(name, port)| component(name, "False", &refused(*port)));
    absent.chain([component("etcd-0", "True", "ok")]).collect()
}
