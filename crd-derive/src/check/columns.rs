//! Printer columns: no heading twice, which the API server lets pass; and those of fields, of which the definition is known
//! only at run time.

use crd_core::check::{COLUMN_FORMATS as FORMATS, COLUMN_TYPES as TYPES};
use darling::error::Accumulator;

use super::suggestion::choice;
use super::wrong;
use crate::attrs::resource::ColumnAttr;
use crate::attrs::text::Text;
use crate::model::{Resource, SchemaField};

pub(super) fn columns(resource: &Resource<'_>, errors: &mut Accumulator) {
    let mut names: Vec<String> = Vec::new();
    for column in &resource.attrs.columns {
        let ColumnAttr::Parts(column) = column else { continue };
        let Some(name) = column.name.literal() else { continue };
        if names.contains(&name) {
            let help = format!("two printer columns have the heading `{name}`: rename one");
            wrong(errors, column.name.span(), help);
        }
        names.push(name);
    }
}

/// Checks what a field says of the column that shows it.
pub(super) fn field(field: &SchemaField<'_>, errors: &mut Accumulator) {
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
            wrong(errors, span, format!("`{type_}` is no type of a printer column{help}"));
        }
        if let Some((format, span)) = literal(&column.format)
            && !FORMATS.contains(&&*format)
        {
            let help = choice(&format, &FORMATS);
            wrong(errors, span, format!("`{format}` is no format of a printer column{help}"));
        }
    }
}
