//! Assigns names to fields: the property names in `snake_case`, with serde's attributes if necessary.

use std::collections::HashSet;

use super::{Wish, assign, case, is_path_keyword};
use crate::ir::Struct;

/// The names of a struct's fields.
#[derive(Debug)]
pub(crate) struct FieldNames {
    /// `true` if the struct has `rename_all = "camelCase"`.
    pub(crate) rename_all: bool,
    /// The names of the fields, in the order of the properties.
    pub(crate) fields: Vec<FieldName>,
    /// The field that holds unknown properties.
    pub(crate) rest: String,
}

/// The name of a field.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FieldName {
    /// The name without `r#`.
    pub(crate) name: String,
    /// `true` if the field needs serde's attribute `rename`.
    pub(crate) rename: bool,
}

/// Names the fields of a struct.
pub(crate) fn fields_of(struct_: &Struct) -> FieldNames {
    let properties: Vec<&str> = struct_.fields.iter().map(|field| &*field.property).collect();
    fields(&properties)
}

/// Names the fields of a root type, except for the fields that every object has.
pub(crate) fn fields_of_root(root: &Struct) -> FieldNames {
    let properties: Vec<&str> = root.fields.iter().map(|field| &*field.property).collect();
    fields_beside(&properties, &["api_version", "kind", "metadata"])
}

/// Names the fields of a struct with these properties.
pub(crate) fn fields(properties: &[&str]) -> FieldNames {
    let mut names = fields_beside(properties, &[]);
    names.rename_all =
        names.fields.iter().zip(properties).any(|(field, text)| field.name != *text && !field.rename);
    if !names.rename_all {
        for (field, text) in names.fields.iter_mut().zip(properties) {
            field.rename = field.name != *text;
        }
    }
    names
}

/// Names the fields of a struct that has `rename_all = "camelCase"` and already has these fields.
pub(crate) fn fields_beside(properties: &[&str], taken: &[&str]) -> FieldNames {
    let wishes: Vec<_> = properties.iter().map(|text| Wish { text, name: wish(text) }).collect();
    let mut taken: HashSet<String> = taken.iter().map(|&name| name.to_owned()).collect();
    let names = assign(&wishes, &taken, "_");
    taken.extend(names.iter().cloned());
    let rest = assign(&[Wish { text: "rest", name: "rest".to_owned() }], &taken, "_").remove(0);
    let fields = names.into_iter().zip(properties);
    let fields = fields.map(|(name, text)| FieldName { rename: camel_case_of_serde(&name) != **text, name });
    FieldNames { rename_all: true, fields: fields.collect(), rest }
}

fn wish(property: &str) -> String {
    let mut name = case::snake(property);
    if name.is_empty() {
        name = case::snake(&case::spelled(property));
    }
    if name.is_empty() {
        return "empty".to_owned();
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    // A path keyword cannot be a raw identifier; serde's camelCase drops the underscore again.
    if is_path_keyword(&name) {
        name.push('_');
    }
    name
}

/// Returns the property that `rename_all = "camelCase"` derives from a field's name (`internals/case.rs` of `serde_derive`).
fn camel_case_of_serde(field: &str) -> String {
    let mut name = String::with_capacity(field.len());
    let mut capitalize = false;
    for c in field.trim_start_matches('_').chars() {
        if c == '_' {
            capitalize = true;
        } else if std::mem::take(&mut capitalize) {
            name.push(c.to_ascii_uppercase());
        } else {
            name.push(c);
        }
    }
    // Only the first letter is lowered, and ours are in lower case.
    name
}
