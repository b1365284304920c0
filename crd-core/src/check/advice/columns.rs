//! Finds printer columns that print only some of a field's values.

use crate::crd::{JsonSchemaProps, PrinterColumn, Version};

/// The effect of a printer column whose type does not match the type of its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnMismatch {
    /// The cell is always empty.
    ShowsNothing,
    /// The cell is correct for a time, and `<invalid>` for any other string.
    ShowsTimes,
}

/// Returns the type of a printer column's field, and the effect of the mismatch. `None` if the column prints all values of the field, or if
/// the column's path does not consist of names.
///
/// Source: `cellForJSONValue` of `apiextensions-apiserver/pkg/registry/customresource/tableconvertor/tableconvertor.go`.
#[must_use]
pub fn column_mismatch<'v>(
    version: &'v Version,
    column: &PrinterColumn,
) -> Option<(&'v str, ColumnMismatch)> {
    let schema = version.schema_at(&column.json_path)?;
    let type_ = value_type(schema)?;
    let is_shown = match column.type_.as_str() {
        "integer" | "number" => matches!(type_, "integer" | "number" | "int-or-string"),
        "boolean" => type_ == "boolean",
        "date" => type_ == "string",
        _ => true,
    };
    let is_time = matches!(schema.format.as_deref(), Some("date-time" | "datetime"));
    match () {
        () if !is_shown => Some((type_, ColumnMismatch::ShowsNothing)),
        () if column.type_ == "date" && !is_time => Some((type_, ColumnMismatch::ShowsTimes)),
        () => None,
    }
}

/// Returns the type of a schema's values: `int-or-string` if the schema allows an integer or a string, and otherwise its `type`.
#[must_use]
pub fn value_type(schema: &JsonSchemaProps) -> Option<&str> {
    if schema.x_int_or_string == Some(true) { Some("int-or-string") } else { schema.type_.as_deref() }
}
