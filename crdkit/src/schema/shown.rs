//! What fields say of themselves for the definition around the schema: columns of `kubectl get`, selectable fields and the
//! paths of the scale subresource. Path and type are the schema's.

use serde_json::{Value, json};

use super::walk::{Node, Place};
use crate::Error;
use crate::definition::Column;
use crate::verdict::Places;

/// What a field says of itself, until it is collected.
pub(super) const KEY: &str = "x-crdkit-shown";

/// What the fields of a schema say of themselves.
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) columns: Vec<Column>,
    pub(crate) selectable: Vec<String>,
    /// The path and which of the scale subresource's paths it is.
    pub(crate) scale: Vec<(String, String)>,
    /// The places of all schemas in the Rust code.
    pub(crate) places: Places,
}

/// Keeps what a mark says until the schema has its final form.
pub(super) fn keep(node: &mut Node, mark: &Node) {
    if let Some(Value::Array(shown)) = mark.get("shown")
        && let Value::Array(all) = node.entry(KEY).or_insert_with(|| json!([]))
    {
        all.extend(shown.iter().cloned());
    }
}

/// Collects what a node says.
pub(super) fn collect(node: &mut Node, place: &Place, shown: &mut Shown) -> Result<(), Error> {
    shown.places.insert(place.field(), place.type_name(), place.holder());
    let Some(Value::Array(all)) = node.remove(KEY) else { return Ok(()) };
    for what in &all {
        if let Some(column) = what.get("column") {
            shown.columns.push(self::column(node, column, place)?);
        } else if what.get("selectable").is_some() {
            shown.selectable.push(single(place, "`selectable`")?);
        } else if let Some(path) = what.get("scale").and_then(Value::as_str) {
            shown.scale.push((path.to_owned(), single(place, "a path of the scale subresource")?));
        }
    }
    Ok(())
}

/// The path of a field that is not within a list or a map.
fn single(place: &Place, what: &str) -> Result<String, Error> {
    if place.field().contains('[') {
        return Err(place.error(
            format!("is within a list or a map, where {what} cannot lead"),
            "put it on a field that every object has once",
        ));
    }
    Ok(place.field().to_owned())
}

fn column(node: &Node, said: &Value, place: &Place) -> Result<Column, Error> {
    let text = |key: &str| said.get(key).and_then(Value::as_str).map(str::to_owned);
    if let (Some(wanted), Some(found)) = (text("type"), node.get("type").and_then(Value::as_str)) {
        // `cellForJSONValue` of apiextensions-apiserver: everything has a form as a text.
        let is_shown = match wanted.as_str() {
            "integer" | "number" => matches!(found, "integer" | "number"),
            "boolean" => found == "boolean",
            "date" => found == "string",
            _ => true,
        };
        if !is_shown {
            return Err(place.error(
                format!(
                    "has a printer column of type `{wanted}`, which stays empty for a value of type `{found}`"
                ),
                "use `string`, or leave the type out",
            ));
        }
    }
    let type_ = text("type").or_else(|| type_of(node).map(str::to_owned)).ok_or_else(|| {
        place.error(
            "is no single value that a printer column could show",
            "say what it shows: `printcolumn(type = \"string\")`, or put it on a field of it",
        )
    })?;
    let name = text("name").unwrap_or_else(|| {
        let last = place.field().rsplit('.').next().unwrap_or_default().replace(['[', ']', '*'], "");
        let mut letters = last.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
    });
    Ok(Column {
        name,
        type_,
        json_path: place.field().replace("[]", "[*]"),
        description: text("description"),
        format: text("format"),
        priority: said.get("priority").and_then(Value::as_i64).and_then(|number| i32::try_from(number).ok()),
    })
}

/// The type of a column that shows values of a schema.
fn type_of(node: &Node) -> Option<&'static str> {
    if node.get("x-kubernetes-int-or-string") == Some(&json!(true)) {
        return Some("string");
    }
    let format = node.get("format").and_then(Value::as_str).unwrap_or_default();
    match (node.get("type")?.as_str()?, format) {
        ("string", "date" | "date-time") => Some("date"),
        ("string", _) => Some("string"),
        ("integer", _) => Some("integer"),
        ("number", _) => Some("number"),
        ("boolean", _) => Some("boolean"),
        _ => None,
    }
}
