//! Advice on printer columns whose type does not fit the field's type.

use crd_core::check::advice::{ColumnMismatch, column_mismatch};
use crd_core::{CustomResourceDefinition, FieldPath};

use crate::Advice;
use crate::verdict::Places;

/// Returns advice on printer columns whose type does not fit the field's type.
pub(super) fn advice(crd: &CustomResourceDefinition, places: &Places) -> Vec<Advice> {
    let mut found = Vec::new();
    for (i, version) in crd.spec.versions.iter().enumerate() {
        let path = FieldPath::new("spec").child("versions").index(i).child("additionalPrinterColumns");
        for (k, column) in version.additional_printer_columns.iter().flatten().enumerate() {
            let Some((found_type, mismatch)) = column_mismatch(version, column) else { continue };
            let shown = match mismatch {
                ColumnMismatch::ShowsTimes => "`<invalid>` for every string that is not a time",
                _ => "nothing",
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
