//! Printer columns: types and formats that the API has, and names.

use darling::error::Accumulator;

use super::wrong;
use crate::attrs::resource::ColumnAttr;
use crate::model::Resource;

const TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];
const FORMATS: &[&str] = &["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

pub(super) fn columns(resource: &Resource<'_>, errors: &mut Accumulator) {
    let mut names: Vec<String> = Vec::new();
    for column in &resource.attrs.columns {
        let ColumnAttr::Parts(column) = column else { continue };
        if let Some(name) = column.name.literal() {
            if name.is_empty() {
                wrong(errors, column.name.span(), "a printer column needs a name: its heading".to_owned());
            } else if names.contains(&name) {
                let help = format!("two printer columns have the heading `{name}`: rename one");
                wrong(errors, column.name.span(), help);
            }
            names.push(name);
        }
        if let Some(text) = column.type_()
            && let Some(type_) = text.literal()
            && !TYPES.contains(&&*type_)
        {
            wrong(
                errors,
                text.span(),
                format!("`{type_}` is no type of a printer column{}", choice(&type_, TYPES)),
            );
        }
        if let Some(text) = &column.format
            && let Some(format) = text.literal()
            && !format.is_empty()
            && !FORMATS.contains(&&*format)
        {
            wrong(
                errors,
                text.span(),
                format!("`{format}` is no format of a printer column{}", choice(&format, FORMATS)),
            );
        }
    }
}

/// What may stand instead, the likeliest alone if there is one.
pub(super) fn choice(found: &str, known: &[&str]) -> String {
    const SYNONYMS: &[(&str, &str)] = &[
        ("bool", "boolean"),
        ("int", "integer"),
        ("str", "string"),
        ("text", "string"),
        ("float", "number"),
    ];
    let found = found.to_lowercase();
    let synonym = SYNONYMS.iter().find(|(word, _)| *word == found).map(|(_, word)| *word);
    match known.iter().find(|known| **known == found || synonym == Some(known)) {
        Some(known) => format!(": did you mean `{known}`?"),
        None => format!(": use one of `{}`", known.join("`, `")),
    }
}
