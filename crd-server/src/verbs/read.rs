//! Handles requests that read a single object, and converts objects to the requested response form.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::columns::TableColumns;
use super::metadata::metadata_only;
use super::table::{IncludedObject, TableForm};
use super::write::WrittenObject;
use crate::call::Call;
use crate::json::print_ordered;
use crate::request::accept::Form;
use crate::request_info::RequestInfo;
use crate::response::{ResponseResult, ServerResponse};
use crate::status::Failure;

pub(super) fn get(call: &mut Call<'_>, place: &RequestInfo) -> ResponseResult {
    let form = call.accept().form()?;
    let revision = call.query.text("resourceVersion");
    if !revision.is_empty() && revision.parse::<u64>().is_err() {
        let quoted = crd_go::strings::quote(revision);
        return Err(Failure::internal(format!(
            "resourceVersion: Invalid value: {quoted}: strconv.ParseUint: parsing {quoted}: invalid syntax"
        )));
    }
    let current = call.server.store.revision();
    if let Ok(asked) = revision.parse::<u64>()
        && asked > current
    {
        return Err(Failure::too_large_revision(asked, current));
    }
    let definition = &place.definition;
    let stored = call.server.store.get(&definition.resource, &place.key());
    let stored = stored.ok_or_else(|| Failure::not_found(&definition.resource, &place.name))?;
    if form == Form::Object {
        return Ok(ServerResponse::Json(200, place.view(&stored)?));
    }
    in_form(call, place, 200, place.read(&stored)?, form)
}

/// Returns the response with a written object.
pub(super) fn written(
    call: &Call<'_>,
    place: &RequestInfo,
    code: u16,
    written: WrittenObject,
    form: Form,
) -> ResponseResult {
    match written.stored {
        Some(stored) if form == Form::Object && place.version == place.definition.storage() => {
            Ok(ServerResponse::Json(code, place.view(&stored)?))
        }
        _ => in_form(call, place, code, written.value, form),
    }
}

/// Returns the response with an object in the requested form, such as a table.
pub(crate) fn in_form(
    call: &Call<'_>,
    place: &RequestInfo,
    code: u16,
    object: Value,
    form: Form,
) -> ResponseResult {
    match form {
        Form::Object => Ok(ServerResponse::Json(code, place.definition.print(Cow::Owned(object)))),
        Form::MetadataList(_) if place.definition.has_go_type() => {
            let type_ = place.definition.go_name(place.definition.kind());
            let message = format!(
                "you requested PartialObjectMetadataList, but the requested object is not a list ({type_})"
            );
            Err(Failure::new(406, "NotAcceptable", message))
        }
        form => transformed(call, &TableColumns::for_request(place), code, object, form),
    }
}

/// Returns the response with an object in the requested form. `columns` are used for a table.
pub(super) fn transformed(
    call: &Call<'_>,
    columns: &TableColumns,
    code: u16,
    object: Value,
    form: Form,
) -> ResponseResult {
    Ok(match form {
        Form::Object => ServerResponse::ordered(code, &object),
        Form::Metadata(version) => {
            ServerResponse::Json(code, print_ordered(&metadata_only(&object, version)))
        }
        Form::MetadataList(_) => return Err(Failure::internal("content is not a list")),
        Form::Table(version) => {
            let included = IncludedObject::read(&call.query)?;
            let now = call.server.now();
            let form = TableForm { columns, version, included, now: &now, has_columns: true };
            let list = match object.pointer("/metadata/resourceVersion") {
                Some(revision) => json!({"resourceVersion": revision}),
                None => json!({}),
            };
            ServerResponse::ordered(code, &form.table(&object, &list)?)
        }
    })
}
