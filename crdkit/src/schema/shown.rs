//! Collects field attributes for parts of the CRD outside the schema: printer columns, selectable fields and the
//! scale subresource. The paths and types come from the schema.

use serde_json::{Value, json};

use super::advice;
use super::kept::Kept;
use super::walk::{Node, SchemaLocation};
use crate::Error;
use crate::definition::Column;
use crate::marks::{ColumnMark, DefinitionMark, Mark, ScalePath};
use crate::verdict::Places;

/// The keyword that holds these attributes until they are collected.
pub(super) const DEFINITION: Kept<DefinitionMark> = Kept::new("x-crdkit-shown");

/// The parts of the CRD outside the schema that come from fields.
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) columns: Vec<Column>,
    pub(crate) selectable: Vec<String>,
    /// Each path of the scale subresource, and the field to which it leads.
    pub(crate) scale: Vec<(ScalePath, String)>,
    /// The positions of all schemas in the Rust code.
    pub(crate) places: Places,
}

/// Stores a mark's attributes until the schema is complete.
pub(super) fn keep(node: &mut Node, mark: &Mark) {
    DEFINITION.add(node, &mark.definition);
}

/// Collects the attributes of a schema.
pub(super) fn collect(node: &mut Node, place: &SchemaLocation, shown: &mut Shown) -> Result<(), Error> {
    shown.places.insert(place.field(), place.type_name(), place.holder());
    shown.places.add_advice(advice::some_null(node, place));
    for statement in DEFINITION.take(node) {
        match statement {
            DefinitionMark::Column(column) => shown.columns.push(self::column(node, column, place)?),
            DefinitionMark::Selectable => shown.selectable.push(single(place, "`selectable`")?),
            DefinitionMark::Scale(path) => {
                shown.scale.push((path, single(place, "a path of the scale subresource")?));
            }
            DefinitionMark::Allow(allow) => shown.places.allow(place.field(), allow),
        }
    }
    Ok(())
}

/// Returns the field's path, unless the field is inside a list or a map.
fn single(place: &SchemaLocation, what: &str) -> Result<String, Error> {
    if place.field().contains('[') {
        return Err(place.error(
            format!("is inside a list or a map, which {what} cannot reach"),
            "put it on a field that occurs once in every object",
        ));
    }
    Ok(place.field().to_owned())
}

fn column(node: &Node, mark: ColumnMark, place: &SchemaLocation) -> Result<Column, Error> {
    if let (Some(wanted), Some(found)) = (mark.type_.as_deref(), node.get("type").and_then(Value::as_str)) {
        // `cellForJSONValue` of apiextensions-apiserver: everything has a form as a string.
        let is_shown = match wanted {
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
    let type_ = mark.type_.or_else(|| type_of(node).map(str::to_owned)).ok_or_else(|| {
        place.error(
            "is not a single value that a printer column could show",
            "give the type of the column: `printcolumn(type = \"string\")`, or put it on a field inside this one",
        )
    })?;
    let name = mark.name.unwrap_or_else(|| {
        let last = place.field().rsplit('.').next().unwrap_or_default().replace(['[', ']', '*'], "");
        let mut letters = last.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
    });
    Ok(Column {
        name,
        type_,
        json_path: place.field().replace("[]", "[*]"),
        description: mark.description,
        format: mark.format,
        priority: mark.priority,
    })
}

/// Returns the type of a printer column for values of a schema.
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
