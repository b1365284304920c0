//! Handles requests that list objects.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};

use super::columns::TableColumns;
use super::list_options::ListOptions;
pub(super) use super::list_options::Selection;
use super::metadata::metadata_only;
use super::page::Page;
use super::table::{IncludedObject, TableForm};
use crate::call::Call;
use crate::definition::Origin;
use crate::json::{print_ordered, print_sorted};
#[cfg(feature = "protobuf")]
use crate::request::accept::Encoding;
use crate::request::accept::Form;
use crate::request_info::RequestInfo;
use crate::response::{ResponseResult, ServerResponse};
use crate::status::Failure;
use crate::store::{Key, Listed, Part, Stored};

pub(super) fn list(call: &mut Call<'_>, place: &RequestInfo) -> ResponseResult {
    let form = call.accept().form()?;
    let options = ListOptions::read(&call.query, false)?;
    let selection = Selection::read(&call.query, &place.definition, &place.version)?;
    let most = if options.limit > 0 && options.revision != Some(0) { options.limit } else { usize::MAX };
    // Without conditions, only the objects of the page are looked at.
    let reach = if selection.is_everything() { most } else { usize::MAX };
    let Listed { revision, objects, mut rest } = listed(call, place, &options, &selection, reach)?;
    let prefix = Key::prefix(&place.namespace).len();
    let mut chosen: Vec<Arc<Stored>> = Vec::new();
    for stored in objects {
        if !selection.matches(&stored, place)? {
            continue;
        }
        if chosen.len() == most {
            rest += 1;
            break;
        }
        chosen.push(stored);
    }
    let mut metadata = json!({"resourceVersion": revision.to_string(), "continue": ""});
    if let (true, Some(last)) = (rest > 0, chosen.last()) {
        metadata["continue"] =
            Page { revision: Some(revision), after: last.key.as_str()[prefix..].to_owned() }.encode().into();
        if selection.is_everything() {
            metadata["remainingItemCount"] = rest.into();
        }
    }
    in_form(call, place, &chosen, &metadata, form)
}

/// Returns the objects to select from, at the requested revision and up to the limit.
fn listed(
    call: &Call<'_>,
    place: &RequestInfo,
    options: &ListOptions,
    selection: &Selection,
    most: usize,
) -> Result<Listed, Failure> {
    let store = &call.server.store;
    let resource = &place.definition.resource;
    let prefix = Key::prefix(&place.namespace);
    let part = |after, revision| {
        let listed = store.part(resource, &Part { prefix: &prefix, after, most }, revision);
        listed.ok_or_else(|| {
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
        return part(Some(&page.after), page.revision);
    }
    let asked = options.revision.unwrap_or_default();
    let current = store.revision();
    if asked > current {
        return Err(Failure::too_large_revision(asked, current));
    }
    if options.is_exact && asked > 0 {
        return part(None, Some(asked));
    }
    match selection.key(place) {
        Some(key) => Ok(Listed {
            revision: current,
            objects: store.get(resource, &key).into_iter().collect(),
            rest: 0,
        }),
        None => part(None, None),
    }
}

/// Returns a list of serialized objects.
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

/// Returns a list of objects in the requested response form. Each object is only read when it is serialized.
pub(crate) fn in_form(
    call: &Call<'_>,
    place: &RequestInfo,
    objects: &[Arc<Stored>],
    metadata: &Value,
    form: Form,
) -> ResponseResult {
    let mut typed = metadata.clone();
    if let Value::Object(fields) = &mut typed
        && fields.get("continue").is_some_and(|token| token == "")
    {
        crd_go::json::remove(fields, "continue");
    }
    let list =
        |kind: &str, api_version: &str| json!({"kind": kind, "apiVersion": api_version, "metadata": typed});
    let (definition, read) = (&place.definition, |stored: &Arc<Stored>| place.read(stored));
    match form {
        Form::Object if !definition.has_go_type() => whole(place, objects, metadata),
        Form::Object => typed_list(
            call,
            place,
            objects,
            &list(&definition.list_kind(), &definition.api_version(&place.version)),
        ),
        Form::Metadata(_) => {
            let type_ = match definition.has_go_type() {
                true => definition.go_name(&definition.list_kind()),
                false => "*unstructured.UnstructuredList".to_owned(),
            };
            let message =
                format!("you requested PartialObjectMetadata, but the requested object is a list ({type_})");
            Err(Failure::new(406, "NotAcceptable", message))
        }
        Form::MetadataList(version) => {
            let list = list("PartialObjectMetadataList", version.api_version());
            let item = |stored: &Arc<Stored>| read(stored).map(|object| metadata_only(&object, version));
            in_protobuf(call, &list, objects, item).unwrap_or_else(|| {
                printed(&list, "items", "null", objects, |stored| Ok(print_ordered(&item(stored)?)))
            })
        }
        Form::Table(version) => {
            let included = IncludedObject::read(&call.query)?;
            let (columns, now) = (TableColumns::for_request(place), call.server.now());
            let form = TableForm { columns: &columns, version, included, now: &now, has_columns: true };
            let mut rows = form.rows();
            // The default table convertor of apiserver, which CRDs have, leaves out the rows of an empty list.
            let empty = if definition.origin == Origin::Definitions { "null" } else { "[]" };
            printed(&form.head(&typed), "rows", empty, objects, |stored| {
                rows.row(&read(stored)?).map(|row| print_ordered(&row))
            })
        }
    }
}

/// Returns a list of objects with a Go type. The items in such a list have no `apiVersion` and no `kind`.
fn typed_list(call: &Call<'_>, place: &RequestInfo, objects: &[Arc<Stored>], list: &Value) -> ResponseResult {
    let item = |stored: &Arc<Stored>| place.read(stored).map(without_type);
    in_protobuf(call, list, objects, item).unwrap_or_else(|| {
        let definition = &place.definition;
        let head = type_in_json(definition.kind(), &definition.api_version(&place.version));
        printed(list, "items", "[]", objects, |stored| {
            let json = place.view(stored)?;
            // The type of an object comes first.
            match json.strip_prefix(head.as_bytes()) {
                Some(fields) => Ok([b"{", fields].concat().into()),
                None => Ok(print_ordered(&item(stored)?)),
            }
        })
    })
}

/// Encodes a list in protobuf if the client requests protobuf and all objects have messages.
#[cfg(feature = "protobuf")]
fn in_protobuf(
    call: &Call<'_>,
    list: &Value,
    objects: &[Arc<Stored>],
    item: impl Fn(&Arc<Stored>) -> Result<Value, Failure>,
) -> Option<ResponseResult> {
    if call.accept().for_objects() != Some(Encoding::Protobuf) {
        return None;
    }
    let mut list = crate::protobuf::List::new(list)?;
    for stored in objects {
        match item(stored) {
            Ok(item) => list.push(&item)?,
            Err(failure) => return Some(Err(failure)),
        }
    }
    list.finish().map(|bytes| Ok(ServerResponse::Protobuf(bytes)))
}

#[cfg(not(feature = "protobuf"))]
fn in_protobuf<T>(_: &Call<'_>, _: &Value, _: &[Arc<Stored>], _: T) -> Option<ResponseResult> {
    None
}

/// Serializes a list. The items are added as the last field. `empty` is written if there are no items.
fn printed(
    list: &Value,
    field: &str,
    empty: &str,
    objects: &[Arc<Stored>],
    mut item: impl FnMut(&Arc<Stored>) -> Result<Bytes, Failure>,
) -> ResponseResult {
    let mut text = print_ordered(list).trim_ascii_end().to_vec();
    text.pop();
    text.extend_from_slice(format!(",\"{field}\":").as_bytes());
    if objects.is_empty() {
        text.extend_from_slice(empty.as_bytes());
    } else {
        for (i, stored) in objects.iter().enumerate() {
            text.push(if i == 0 { b'[' } else { b',' });
            text.extend_from_slice(item(stored)?.trim_ascii_end());
        }
        text.push(b']');
    }
    text.extend_from_slice(b"}\n");
    Ok(ServerResponse::Json(200, text.into()))
}

/// Returns the first bytes in the JSON of an object with a Go type.
fn type_in_json(kind: &str, api_version: &str) -> String {
    let [kind, api_version] = [kind, api_version].map(Value::from);
    format!("{{\"kind\":{kind},\"apiVersion\":{api_version},")
}

/// Returns a list item without `apiVersion` and `kind`. In lists of kinds with a Go type, only the list itself has these fields.
fn without_type(mut item: Value) -> Value {
    if let Value::Object(fields) = &mut item {
        crd_go::json::remove(fields, "apiVersion");
        crd_go::json::remove(fields, "kind");
    }
    item
}
