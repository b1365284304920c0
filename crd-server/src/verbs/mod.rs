//! Handles requests about objects, with a module for each verb.

mod actions;
mod admitted;
mod columns;
mod components;
mod create;
mod definitions;
mod delete;
mod ephemeral;
mod list;
mod list_options;
mod managers;
mod metadata;
mod namespaces;
mod page;
mod patched;
mod read;
mod route;
mod scale;
mod strategy;
mod table;
mod update;
mod watch;
mod write;

use std::sync::Arc;

use crd_core::crd::Version;
use http::Method;

use crate::call::{Call, not_supported, verb};
use crate::definition::{self, Definition};
use crate::request_info::{Change, RequestInfo};
use crate::response::{ResponseResult, ServerResponse};
use crate::status::Failure;

pub(crate) use definitions::{KIND as CRD_KIND, establish, establish_later};
pub(crate) use delete::{FOREGROUND, ORPHAN};
pub(crate) use managers::{Through, set_entries};
pub(crate) use update::merge;

/// Handles a request about objects.
///
/// Source: `crdHandler.ServeHTTP` in `pkg/apiserver/customresource_handler.go`.
pub(crate) fn respond(call: &mut Call<'_>, method: &Method) -> ResponseResult {
    let resource = call.resource();
    if let Some(definition) = call.server.definition(&resource).filter(|definition| definition.has_go_type())
    {
        call.has_protobuf = cfg!(feature = "protobuf");
        route::check(call, method, &definition)?;
        #[cfg(feature = "protobuf")]
        match method {
            &Method::DELETE => call.read_protobuf("v1", "DeleteOptions")?,
            _ => call.read_protobuf(&definition.api_version(&call.target.version), definition.kind())?,
        }
    }
    let Some(verb) = verb(call, method) else {
        // Other methods have no verb.
        return Err(not_supported(&resource, ""));
    };
    let Some(definition) = call.server.definition(&resource) else {
        return if resource.group == definition::GROUP {
            Err(Failure::no_resource())
        } else {
            Ok(ServerResponse::unknown_path())
        };
    };
    let is_in_namespace = !call.target.namespace.is_empty();
    let is_across = matches!(verb, "list" | "watch");
    let has_scope = definition.is_namespaced() == is_in_namespace || (!is_in_namespace && is_across);
    let Some(version) = definition.served(&call.target.version).filter(|_| has_scope) else {
        return Ok(ServerResponse::unknown_path());
    };
    call.warnings.extend(definition.validator(&version.name).deprecation(&version.name).map(str::to_owned));
    let place = RequestInfo {
        definition: Arc::clone(&definition),
        version: version.name.clone(),
        namespace: call.target.namespace.clone(),
        name: call.target.name.clone(),
    };
    let subresource = call.target.subresource.as_str();
    match subresource {
        "" => object(call, &place, verb),
        // `approval` has the conditions of a request for a certificate, which approve or deny it.
        "status" | "approval" if has_part(&definition, version, subresource) => {
            part(call, &place, verb, Change::Status)
        }
        ephemeral::NAME if has_part(&definition, version, subresource) => {
            part(call, &place, verb, Change::EphemeralContainers)
        }
        "scale" => match definition::scale(version) {
            Some(paths) => scale::respond(call, &place, paths, verb),
            None => Err(Failure::not_found(&resource, &place.name)),
        },
        name => match definition.built_in().and_then(|row| row.action(name)) {
            Some(action) => actions::act(call, &place, action),
            None => Err(Failure::not_found(&resource, &place.name)),
        },
    }
}

/// Returns `true` if the subresource writes a part of the object.
fn has_part(definition: &Definition, version: &Version, subresource: &str) -> bool {
    match subresource {
        "status" => version.has_status(),
        name => definition.built_in().is_some_and(|row| row.has_part(name)),
    }
}

fn part(call: &mut Call<'_>, place: &RequestInfo, verb: &str, change: Change) -> ResponseResult {
    match verb {
        "get" => read::get(call, place),
        "update" => update::update(call, place, change),
        "patch" => update::patch(call, place, change),
        verb => Err(not_supported(&call.resource(), verb)),
    }
}

fn object(call: &mut Call<'_>, place: &RequestInfo, verb: &str) -> ResponseResult {
    let is_named = !place.name.is_empty();
    let row = place.definition.built_in();
    match verb {
        verb if row.is_some_and(|row| row.is_computed) => components::respond(call, place, verb),
        "get" => read::get(call, place),
        "list" => list::list(call, place),
        "watch" => watch::watch(call, place),
        "create" if row.is_some_and(|row| row.is_review) => actions::review(call, place),
        "create" => create::create(call, place),
        "update" | "patch" if !is_named => Err(Failure::bad_request("name must be provided")),
        "update" => update::update(call, place, Change::Object),
        "patch" => update::patch(call, place, Change::Object),
        "delete" => delete::delete(call, place),
        "deletecollection" => delete::collection(call, place),
        verb => Err(not_supported(&call.resource(), verb)),
    }
}
