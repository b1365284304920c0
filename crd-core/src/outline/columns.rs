//! `additionalPrinterColumns`.

use super::json_path;
use crate::causes::Causes;
use crate::crd::PrinterColumn;
use crate::{Diagnostic, FieldPath, Remedy};

/// The types of a printer column.
pub const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
/// The formats of a printer column.
pub const FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/// Checks name, type, format and path of every column. `path` is that of the list.
pub(crate) fn columns(columns: &[PrinterColumn], path: &FieldPath, out: &mut Causes) {
    for (i, column) in columns.iter().enumerate() {
        let path = path.index(i);
        if column.name.is_empty() {
            out.push(Diagnostic::required(path.child("name"), "").with_help("add the heading of the column"));
        }
        let types = || format!("must be one of {}", TYPES.join(","));
        if column.type_.is_empty() {
            out.push(Diagnostic::required(path.child("type"), &types()));
        } else if !TYPES.contains(&column.type_.as_str()) {
            let mut diagnostic = Diagnostic::invalid(path.child("type"), column.type_.as_str(), &types());
            diagnostic.remedy = meant(&column.type_).map(|type_| Remedy::meant(type_, path.child("type")));
            out.push(diagnostic);
        }
        if !column.format.is_empty() && !FORMATS.contains(&column.format.as_str()) {
            let detail = format!("must be one of {}", FORMATS.join(","));
            out.push(Diagnostic::invalid(path.child("format"), column.format.as_str(), &detail));
        }
        // The API server prints the name of the field in Go.
        let json_path = path.child("JSONPath");
        if column.json_path.is_empty() {
            out.push(
                Diagnostic::required(json_path, "").with_help("add `jsonPath`, such as `.spec.replicas`"),
            );
        } else {
            out.extend(json_path::simple(&column.json_path, &json_path));
        }
    }
}

/// The JSON type for a name of a type in other languages.
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
