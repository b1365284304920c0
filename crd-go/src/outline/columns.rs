//! `additionalPrinterColumns`.

use super::json_path;
use crate::field::{Causes, Diagnostic, FieldPath, Remedy};

/// The valid types of printer columns.
pub const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
/// The valid formats of printer columns.
pub const COLUMN_FORMATS: [&str; 8] =
    ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/// One of `additionalPrinterColumns`. Empty strings count as absent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Column<'a> {
    /// The heading.
    pub name: &'a str,
    /// The type.
    pub type_: &'a str,
    /// The format.
    pub format: &'a str,
    /// The path of the value.
    pub json_path: &'a str,
}

/// Checks name, type, format and path of a column.
pub fn column(column: &Column<'_>, path: &FieldPath, out: &mut Causes) {
    if column.name.is_empty() {
        out.push(Diagnostic::required(path.child("name"), "").with_help("add the heading of the column"));
    }
    let types = || format!("must be one of {}", COLUMN_TYPES.join(","));
    if column.type_.is_empty() {
        out.push(Diagnostic::required(path.child("type"), &types()));
    } else if !COLUMN_TYPES.contains(&column.type_) {
        let mut diagnostic = Diagnostic::invalid(path.child("type"), column.type_, &types());
        diagnostic.remedy = meant(column.type_).map(|type_| Remedy::meant(type_, path.child("type")));
        out.push(diagnostic);
    }
    if !column.format.is_empty() && !COLUMN_FORMATS.contains(&column.format) {
        let detail = format!("must be one of {}", COLUMN_FORMATS.join(","));
        out.push(Diagnostic::invalid(path.child("format"), column.format, &detail));
    }
    // The API server prints the name of the field in Go.
    let json_path = path.child("JSONPath");
    if column.json_path.is_empty() {
        out.push(Diagnostic::required(json_path, "").with_help("add `jsonPath`, such as `.spec.replicas`"));
    } else {
        out.extend(json_path::simple(column.json_path, &json_path));
    }
}

/// Returns the JSON type for a type name from other languages.
fn meant(found: &str) -> Option<&'static str> {
    Some(match found.to_ascii_lowercase().as_str() {
        "bool" | "boolean" => "boolean",
        "date" | "time" | "timestamp" | "date-time" => "date",
        "i32" | "i64" | "int" | "int32" | "int64" | "integer" | "long" => "integer",
        "double" | "f32" | "f64" | "float" | "number" => "number",
        "str" | "string" | "text" => "string",
        _ => return None,
    })
}
