//! Printer columns that show nothing of their field: `cellForJSONValue` of apiextensions-apiserver.

use crd_core::crd::{JsonSchemaProps, Version};
use crd_core::{CustomResourceDefinition, FieldPath};

use crate::Advice;
use crate::verdict::Places;

/// The advice on columns whose type is not that of their field.
pub(super) fn advice(crd: &CustomResourceDefinition, places: &Places) -> Vec<Advice> {
    let mut found = Vec::new();
    for (i, version) in crd.spec.versions.iter().enumerate() {
        let path = FieldPath::new("spec").child("versions").index(i).child("additionalPrinterColumns");
        for (k, column) in version.additional_printer_columns.iter().flatten().enumerate() {
            let Some(schema) = schema_at(version, &column.json_path) else { continue };
            let Some(found_type) = schema.type_.as_deref() else { continue };
            let is_time = matches!(schema.format.as_deref(), Some("date" | "date-time"));
            let shown = match column.type_.as_str() {
                "integer" | "number" if !matches!(found_type, "integer" | "number") => "nothing",
                "boolean" if found_type != "boolean" => "nothing",
                "date" if found_type != "string" => "nothing",
                "date" if !is_time => "`<invalid>` for every string that is not a time",
                _ => continue,
            };
            found.push(places.advice(
                "column-with-wrong-type",
                &path.index(k).child("type"),
                format!(
                    "the column `{}` is of type `{}` and its field `{}` of type `{found_type}`: it shows {shown}",
                    column.name, column.type_, column.json_path
                ),
                "use `string`, or a field of the column's type, such as `Time` for a date".to_owned(),
            ));
        }
    }
    found
}

/// The schema of a field, to which a path of names leads.
fn schema_at<'v>(version: &'v Version, path: &str) -> Option<&'v JsonSchemaProps> {
    let mut schema = version.open_api_v3_schema()?;
    for name in path.strip_prefix('.')?.split('.') {
        schema = schema.properties.as_ref()?.get(name)?;
    }
    Some(schema)
}
