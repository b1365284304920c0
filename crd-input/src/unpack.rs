//! Unpacks the items of a `List` as kubectl does.

use serde_json::Value;

/// Calls `found` for every object that is not a list, in order, with the object's path, such as `items[1].`.
pub(super) fn unpack(value: Value, place: &str, found: &mut impl FnMut(Value, &str)) {
    let is_list =
        value["kind"].as_str().is_some_and(|kind| kind.ends_with("List")) && value["items"].is_array();
    let mut list = match value {
        Value::Object(list) if is_list => list,
        other => return found(other, place),
    };
    let Some(Value::Array(items)) = list.get_mut("items").map(Value::take) else { return };
    for (i, mut item) in items.into_iter().enumerate() {
        inherit(&list, &mut item);
        unpack(item, &format!("{place}items[{i}]."), found);
    }
}

/// Adds the version and kind that items of a typed list inherit. The API server omits these fields in typed lists.
pub(super) fn inherit(list: &serde_json::Map<String, Value>, item: &mut Value) {
    let Some(kind) = list["kind"].as_str().and_then(|kind| kind.strip_suffix("List")) else { return };
    let Value::Object(item) = item else { return };
    if !kind.is_empty() && !item.contains_key("kind") {
        item.insert("kind".to_owned(), kind.into());
        if let (Some(version), false) = (list.get("apiVersion"), item.contains_key("apiVersion")) {
            item.insert("apiVersion".to_owned(), version.clone());
        }
    }
}
