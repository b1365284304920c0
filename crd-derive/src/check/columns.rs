//! Checks printer columns. Duplicate headings are errors, although the API server accepts them. Columns that are declared on fields are
//! also checked here, because the CRD is known only at run time.

use crd_go::outline::{COLUMN_FORMATS as FORMATS, COLUMN_TYPES as TYPES};

use super::paths::{Shown, shape_at, what};
use super::suggestion::choice;
use super::wrong;
use crate::attrs::text::Text;
use crate::errors::Errors;
use crate::model::shape::Shape;
use crate::model::{Resource, SchemaField};

pub(super) fn columns(resource: &Resource<'_>, errors: &mut Errors) {
    let mut names: Vec<String> = Vec::new();
    for column in &resource.attrs.columns {
        let Some(column) = Shown::from_column(column) else { continue };
        if let Some((type_, span)) = &column.type_
            && let Some(shape) = shape_at(resource, &column.path)
            && let Some(found) = mismatch(type_, shape)
        {
            wrong(errors, *span, format!("`{}` is {found}: {}", column.path, empty(type_)));
        }
        // As JSON it is the definition's own word, which the API server takes.
        let Some((name, span)) = column.name.filter(|_| !column.is_json) else { continue };
        if names.contains(&name) {
            let help = format!("two printer columns have the heading `{name}`: rename one");
            wrong(errors, span, help);
        }
        names.push(name);
    }
}

/// Describes the field's value if a column of this type cannot show it: `cellForJSONValue` of apiextensions-apiserver.
fn mismatch(type_: &str, shape: Shape<'_>) -> Option<&'static str> {
    let is_shown = match type_ {
        "integer" | "number" => matches!(shape, Shape::Int(..) | Shape::Float),
        "boolean" => matches!(shape, Shape::Bool),
        "date" => matches!(shape, Shape::Text),
        // Every value has a form as a string, and other types are rejected.
        _ => true,
    };
    if is_shown { None } else { what(shape) }
}

fn empty(type_: &str) -> String {
    format!("a column of type `{type_}` stays empty for this field; use `string`, or the type of the field")
}

/// Checks the columns that are declared on a field.
pub(super) fn field(field: &SchemaField<'_>, errors: &mut Errors) {
    let literal = |text: &Option<Text>| text.as_ref().and_then(|text| Some((text.literal()?, text.span())));
    for column in &field.attrs.columns {
        if let Some((name, span)) = literal(&column.name)
            && name.is_empty()
        {
            wrong(errors, span, "a printer column needs a name: its heading".to_owned());
        }
        if let Some((type_, span)) = literal(&column.type_)
            && !TYPES.contains(&&*type_)
        {
            let help = choice(&type_, &TYPES);
            wrong(errors, span, format!("`{type_}` is not a type of printer columns{help}"));
        } else if let Some((type_, span)) = literal(&column.type_)
            && !field.is_foreign()
            && let Some(found) = mismatch(&type_, Shape::from_type(&field.original.ty).unwrapped())
        {
            wrong(errors, span, format!("the field is {found}: {}", empty(&type_)));
        }
        if let Some((format, span)) = literal(&column.format)
            && !FORMATS.contains(&&*format)
        {
            let help = choice(&format, &FORMATS);
            wrong(errors, span, format!("`{format}` is not a format of printer columns{help}"));
        }
    }
}
