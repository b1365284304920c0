//! Lists of objects.

use std::sync::Arc;

use serde_json::{Value, json};

use super::columns::TableColumns;
use super::list_options::ListOptions;
pub(super) use super::list_options::Selection;
use super::metadata::metadata_only;
use super::page::Page;
use super::table::{IncludedObject, TableForm};
use crate::call::Call;
use crate::json::{print_ordered, print_sorted};
use crate::request::accept::Form;
use crate::request_info::RequestInfo;
use crate::response::{ResponseResult, ServerResponse};
use crate::status::Failure;
use crate::store::{Key, Stored};

pub(super) fn list(call: &mut Call<'_>, place: &RequestInfo) -> ResponseResult {
    let form = call.accept().form()?;
    let options = ListOptions::read(&call.query, false)?;
    let selection = Selection::read(&call.query, &place.definition, &place.version)?;
    let (revision, objects, after) = objects(call, place, &options)?;
    let mut chosen: Vec<Arc<Stored>> = Vec::new();
    let is_limited = options.limit > 0 && options.revision != Some(0);
    let (mut more, mut rest) = (false, 0_usize);
    let prefix = Key::prefix(&place.namespace).len();
    for stored in objects {
        let key = &stored.key.as_str()[prefix..];
        if after.as_deref().is_some_and(|after| key <= after) || !selection.matches(&stored, place)? {
            continue;
        }
        if is_limited && chosen.len() == options.limit {
            more = true;
            rest += 1;
        } else {
            chosen.push(stored);
        }
    }
    let mut metadata = json!({"continue": "", "resourceVersion": revision.to_string()});
    if let (true, Some(last)) = (more, chosen.last()) {
        metadata["continue"] =
            Page { revision: Some(revision), after: last.key.as_str()[prefix..].to_owned() }.encode().into();
        if selection.is_everything() {
            metadata["remainingItemCount"] = rest.into();
        }
    }
    if form == Form::Object && !place.definition.has_go_type() {
        return whole(place, &chosen, &metadata);
    }
    let objects = chosen.iter().map(|stored| place.read(stored)).collect::<Result<Vec<_>, _>>()?;
    in_form(call, place, &objects, &metadata, form)
}

type Listed = (u64, Vec<Arc<Stored>>, Option<String>);

/// The objects at the revision that is asked for, and the key after which a page begins.
fn objects(call: &Call<'_>, place: &RequestInfo, options: &ListOptions) -> Result<Listed, Failure> {
    let store = &call.server.store;
    let resource = &place.definition.resource;
    let prefix = Key::prefix(&place.namespace);
    let at = |revision: u64| {
        store.list_at(resource, &prefix, revision).ok_or_else(|| {
            let message = "The resourceVersion for the provided list is too old.";
            Failure::new(410, "Expired", message)
        })
    };
    let token = call.query.text("continue");
    if !token.is_empty() {
        if options.revision.is_some_and(|revision| revision > 0) {
            let message = "specifying resource version is not allowed when using continue";
            return Err(Failure::bad_request(message));
        }
        let page = Page::decode(token)?;
        let revision = page.revision.unwrap_or_else(|| store.revision());
        return Ok((revision, at(revision)?, Some(page.after)));
    }
    let asked = options.revision.unwrap_or_default();
    let current = store.revision();
    if asked > current {
        return Err(Failure::too_large_revision(asked, current));
    }
    if options.is_exact && asked > 0 {
        return Ok((asked, at(asked)?, None));
    }
    let (revision, objects) = store.list(resource, &prefix);
    Ok((revision, objects, None))
}

/// A list of objects that are printed already.
fn whole(place: &RequestInfo, objects: &[Arc<Stored>], metadata: &Value) -> ResponseResult {
    let definition = &place.definition;
    let api_version = Value::from(definition.api_version(&place.version));
    let mut text = format!("{{\"apiVersion\":{api_version},\"items\":[").into_bytes();
    for (i, stored) in objects.iter().enumerate() {
        if i > 0 {
            text.push(b',');
        }
        text.extend_from_slice(place.view(stored)?.trim_ascii_end());
    }
    let kind = Value::from(definition.list_kind());
    text.extend_from_slice(format!("],\"kind\":{kind},\"metadata\":").as_bytes());
    text.extend_from_slice(print_sorted(metadata).trim_ascii_end());
    text.extend_from_slice(b"}\n");
    Ok(ServerResponse::Json(200, text.into()))
}

/// A list of objects in a form.
pub(crate) fn in_form(
    call: &Call<'_>,
    place: &RequestInfo,
    objects: &[Value],
    metadata: &Value,
    form: Form,
) -> ResponseResult {
    let mut typed = metadata.clone();
    if let Value::Object(fields) = &mut typed
        && fields.get("continue").is_some_and(|token| token == "")
    {
        crd_go::json::remove(fields, "continue");
    }
    Ok(match form {
        Form::Object if place.definition.has_go_type() => {
            let items: Vec<Value> = objects.iter().map(without_type).collect();
            let (kind, version) =
                (place.definition.list_kind(), place.definition.api_version(&place.version));
            let list = json!({"kind": kind, "apiVersion": version, "metadata": typed, "items": items});
            ServerResponse::ordered(200, &list)
        }
        Form::Object => ServerResponse::sorted(
            200,
            &json!({
                "apiVersion": place.definition.api_version(&place.version),
                "items": objects,
                "kind": place.definition.list_kind(),
                "metadata": metadata,
            }),
        ),
        Form::Metadata(_) => {
            let message = "you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)";
            return Err(Failure::new(406, "NotAcceptable", message));
        }
        Form::MetadataList(version) => {
            let items: Vec<Value> = objects.iter().map(|object| metadata_only(object, version)).collect();
            let items = if items.is_empty() { Value::Null } else { items.into() };
            let list = json!({
                "kind": "PartialObjectMetadataList", "apiVersion": version.api_version(), "metadata": typed, "items": items,
            });
            ServerResponse::Json(200, print_ordered(&list))
        }
        Form::Table(version) => {
            let included = IncludedObject::read(&call.query)?;
            let (columns, now) = (TableColumns::for_request(place), call.server.now());
            let form = TableForm { columns: &columns, version, included, now: &now, has_columns: true };
            ServerResponse::ordered(200, &form.table(objects, &typed)?)
        }
    })
}

/// An item of a list of a kind with a type in Go. The list has its type.
fn without_type(object: &Value) -> Value {
    let mut item = object.clone();
    if let Value::Object(fields) = &mut item {
        crd_go::json::remove(fields, "apiVersion");
        crd_go::json::remove(fields, "kind");
    }
    item
}
