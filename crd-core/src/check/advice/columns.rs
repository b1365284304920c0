//! Finds printer columns that do not show all values of their field.

use crate::crd::{JsonSchemaProps, PrinterColumn, Version};

/// The part of a field's values that a printer column shows if its type differs from the type of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnMismatch {
    /// The column shows no value of the field: the cell stays empty.
    ShowsNothing,
    /// The column shows only times; for any other string, it shows `<invalid>`.
    ShowsTimes,
}

/// Returns the type of the field that a column shows, and the part of the field's values that the column shows. `None` if the column
/// shows all values, or if its path does not consist of names.
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

/// Returns the type of the values of a schema: `int-or-string` if the schema allows an integer or a string, and otherwise its `type`.
#[must_use]
pub fn value_type(schema: &JsonSchemaProps) -> Option<&str> {
    if schema.x_int_or_string == Some(true) { Some("int-or-string") } else { schema.type_.as_deref() }
}
