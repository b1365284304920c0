//! Reading of one object, and the forms in which objects are answered.

use serde_json::{Value, json};

use super::table::{IncludedObject, table};
use super::{Place, write};
use crate::answer::Answer;
use crate::json::print_ordered;
use crate::request::accept::{self, Form};
use crate::server::{Answered, Call};
use crate::status::Failure;

/// The fields of metadata in the order in which Go prints them.
const METADATA: [&str; 15] = [
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

pub(super) fn get(call: &mut Call<'_>, place: &Place) -> Answered {
    let form = accept::form(call.accept())?;
    let revision = call.query.text("resourceVersion");
    if !revision.is_empty() && revision.parse::<u64>().is_err() {
        let quoted = crd_go::strings::quote(revision);
        return Err(Failure::internal(format!(
            "resourceVersion: Invalid value: {quoted}: strconv.ParseUint: parsing {quoted}: invalid syntax"
        )));
    }
    let current = call.server.inner.store.revision();
    if let Ok(asked) = revision.parse::<u64>()
        && asked > current
    {
        return Err(Failure::too_large_revision(asked, current));
    }
    let definition = &place.definition;
    let stored = call.server.inner.store.get(&definition.resource, &place.key());
    let stored = stored.ok_or_else(|| Failure::not_found(&definition.resource, &place.name))?;
    let read = || write::from_storage(&stored.value, place, &place.name);
    if form == Form::Object {
        return Ok(Answer::Json(200, stored.view(definition.epoch, &place.version, read)?));
    }
    in_form(call, place, 200, read()?, form)
}

/// The answer with an object in a form.
pub(crate) fn in_form(call: &Call<'_>, place: &Place, code: u16, object: Value, form: Form) -> Answered {
    Ok(match form {
        Form::Object => Answer::sorted(code, &object),
        Form::Metadata => Answer::Json(code, print_ordered(&metadata_only(&object))),
        Form::MetadataList => return Err(Failure::internal("content is not a list")),
        Form::Table => {
            let included = IncludedObject::read(&call.query)?;
            let revision = object.pointer("/metadata/resourceVersion").cloned().unwrap_or_default();
            let list = json!({"resourceVersion": revision});
            let table = table(place, &[object], &list, included, &call.server.now(), true);
            Answer::Json(code, print_ordered(&table))
        }
    })
}

/// The `PartialObjectMetadata` of an object.
pub(super) fn metadata_only(object: &Value) -> Value {
    let metadata = METADATA.iter().filter_map(|name| {
        let value = object.get("metadata")?.get(*name)?;
        Some(((*name).to_owned(), value.clone()))
    });
    let metadata: serde_json::Map<_, _> = metadata.collect();
    json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata})
}
