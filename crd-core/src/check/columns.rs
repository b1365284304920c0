//! `additionalPrinterColumns`.

use super::json_path;
use crate::crd::PrinterColumn;
use crate::{Diagnostic, FieldPath};

/// The types of a column.
pub(crate) const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
/// The formats of a column.
pub(crate) const FORMATS: [&str; 8] =
    ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/// Checks name, type, format and path of every column. `path` is that of the list.
pub(crate) fn columns(columns: &[PrinterColumn], path: &FieldPath, out: &mut Vec<Diagnostic>) {
    for (i, column) in columns.iter().enumerate() {
        let path = path.index(i);
        if column.name.is_empty() {
            out.push(Diagnostic::required(path.child("name"), "").with_help("add the heading of the column"));
        }
        let types = || format!("must be one of {}", TYPES.join(","));
        if column.type_.is_empty() {
            out.push(Diagnostic::required(path.child("type"), &types()));
        } else if !TYPES.contains(&column.type_.as_str()) {
            out.push(Diagnostic::invalid(path.child("type"), column.type_.as_str(), &types()));
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
