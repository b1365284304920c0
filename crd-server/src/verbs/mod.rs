//! The verbs of requests.

mod columns;
mod create;
pub(crate) mod delete;
mod list;
mod list_options;
pub(crate) mod owners;
mod page;
pub(crate) mod read;
mod scale;
mod table;
pub(crate) mod update;
pub(crate) mod watch;
pub(crate) mod write;

use std::sync::Arc;

use bytes::Bytes;
use crd_core::admit::{FieldValidation, Validator};
use http::Method;
use serde_json::Value;

use crate::answer::{Answer, Answered};
use crate::call::{Call, not_supported, verb};
use crate::definition::{self, Definition, Origin, has_status};
use crate::json::print_sorted;
use crate::status::Failure;
use crate::store::{Key, Stored};

pub(crate) use write::Change;

/// The place of a request: a version of a definition, a namespace and a name.
pub(crate) struct Place {
    pub(crate) definition: Arc<Definition>,
    pub(crate) version: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Place {
    pub(crate) fn key(&self) -> Key {
        Key::new(&self.namespace, &self.name)
    }

    /// A stored object in the version of the request.
    pub(crate) fn read(&self, stored: &Stored) -> Result<Value, Failure> {
        write::from_storage(&stored.value(), self, stored.key.name())
    }

    /// Returns `true` if a webhook converts stored objects to the version of the request.
    pub(crate) fn is_converted(&self) -> bool {
        self.definition.has_webhook() && self.is_of_other_version()
    }

    /// Returns `true` if objects are stored in another version than that of the request.
    pub(crate) fn is_of_other_version(&self) -> bool {
        self.version != self.definition.storage()
    }

    /// The admission of objects of the request, in its version.
    pub(crate) fn validator(&self, mode: FieldValidation) -> Validator {
        self.definition.validator(&self.version).with_field_validation(mode).before_storage()
    }

    /// A stored object in the version of the request, as JSON.
    pub(crate) fn view(&self, stored: &Stored) -> Result<Bytes, Failure> {
        if self.is_converted() {
            return Ok(print_sorted(&self.read(stored)?));
        }
        let definition = &self.definition;
        stored.view(definition.epoch, &self.version, definition.storage(), || self.read(stored))
    }
}

/// Answers a request about objects.
///
/// Source: `crdHandler.ServeHTTP` in `pkg/apiserver/customresource_handler.go`.
pub(crate) fn answer(call: &mut Call<'_>, method: &Method) -> Answered {
    let Some(verb) = verb(call, method) else {
        // Other methods have no verb.
        return Err(not_supported(&call.resource(), ""));
    };
    let resource = call.resource();
    let Some(definition) = call.server.definition(&resource) else {
        return if resource.group == definition::GROUP {
            Err(Failure::no_resource())
        } else {
            Ok(Answer::unknown_path())
        };
    };
    let is_in_namespace = !call.target.namespace.is_empty();
    let is_across = matches!(verb, "list" | "watch");
    let has_scope = definition.is_namespaced() == is_in_namespace || (!is_in_namespace && is_across);
    let Some(version) = definition.served(&call.target.version).filter(|_| has_scope) else {
        return Ok(Answer::unknown_path());
    };
    call.warnings.extend(definition.validator(&version.name).deprecation(&version.name).map(str::to_owned));
    let place = Place {
        definition: Arc::clone(&definition),
        version: version.name.clone(),
        namespace: call.target.namespace.clone(),
        name: call.target.name.clone(),
    };
    if definition.origin == Origin::Definitions && !matches!(call.target.subresource.as_str(), "" | "status")
    {
        return Err(Failure::no_resource());
    }
    if definition.origin == Origin::Definitions && !matches!(verb, "get" | "list" | "watch") {
        return definition::write::answer(call, &place, verb);
    }
    match call.target.subresource.as_str() {
        "" => object(call, &place, verb),
        "status" if has_status(version) => match verb {
            "get" => read::get(call, &place),
            "update" => update::update(call, &place, Change::Status),
            "patch" => update::patch(call, &place, Change::Status),
            _ => Err(not_supported(&resource, verb)),
        },
        "scale" => match definition::scale(version) {
            Some(paths) => scale::answer(call, &place, paths, verb),
            None => Err(Failure::not_found(&resource, &place.name)),
        },
        _ => Err(Failure::not_found(&resource, &place.name)),
    }
}

fn object(call: &mut Call<'_>, place: &Place, verb: &str) -> Answered {
    let is_named = !place.name.is_empty();
    match verb {
        "get" => read::get(call, place),
        "list" => list::list(call, place),
        "watch" => watch::watch(call, place),
        "create" => create::create(call, place),
        "update" | "patch" if !is_named => Err(Failure::bad_request("name must be provided")),
        "update" => update::update(call, place, Change::Object),
        "patch" => update::patch(call, place, Change::Object),
        "delete" => delete::delete(call, place),
        "deletecollection" => delete::collection(call, place),
        verb => Err(not_supported(&call.resource(), verb)),
    }
}
