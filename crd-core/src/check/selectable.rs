//! Checks of `selectableFields`.

use std::collections::HashSet;

use crate::cel::field_path::{NotResolved, resolve};
use crate::crd::{SelectableField, Validation};
use crate::outline::Owner;
use crate::schema::{SchemaType, Structural};
use crate::{Causes, Diagnostic, FieldPath};

const MOST: usize = 8;

/// Checks the selectable fields of a version, or the fields that all versions share.
pub(super) fn selectable(
    fields: &[SelectableField],
    validation: Option<&Validation>,
    owner: Owner,
    path: &FieldPath,
    out: &mut Causes,
) {
    if fields.is_empty() {
        return;
    }
    let list = path.child("selectableFields");
    let schema = validation.and_then(|validation| validation.open_api_v3_schema.as_deref());
    let is_new = out.version().is_at_least(34);
    let without_schema = match (owner, schema, validation) {
        // The texts say the contrary of what is meant.
        (Owner::Version, None, _) => Some(if is_new {
            "may only be set when `version.schema.openAPIV3Schema` is not included"
        } else {
            "selectableFields may only be set when version.schema.openAPIV3Schema is not included"
        }),
        (Owner::Spec, _, None) => Some(if is_new {
            "may only be set when validations.schema is included"
        } else {
            "selectableFields may only be set when validations.schema is included"
        }),
        _ => None,
    };
    if let Some(detail) = without_schema {
        out.push(Diagnostic::invalid(list, "", detail).with_help("add the schema of the fields"));
        return;
    }
    match schema.map(Structural::from_json_schema).transpose() {
        Ok(structural) => each(fields, Some(&structural.unwrap_or_default()), &list, out),
        Err(error) => {
            out.push(Diagnostic::invalid(path.child("schema.openAPIV3Schema"), "", &error.to_string()));
            each(fields, None, &list, out);
        }
    }
}

/// Checks the path of each selectable field. Without a schema, checks only the syntax of the paths, because the API server fails when it
/// follows a path without a schema.
fn each(fields: &[SelectableField], schema: Option<&Structural>, list: &FieldPath, out: &mut Causes) {
    let (mut seen, none) = (HashSet::new(), Structural::default());
    for (i, field) in fields.iter().enumerate() {
        let text = field.json_path.as_str();
        let path = list.index(i).child("jsonPath");
        if text.is_empty() {
            out.push(Diagnostic::required(path, "").with_help("add a path such as `.spec.color`"));
            continue;
        }
        let found = match resolve(text, schema.unwrap_or(&none), false) {
            Ok(found) => found,
            Err(NotResolved::NoSuchField) if schema.is_none() => continue,
            Err(error) => {
                out.push(Diagnostic::invalid(path, text, &format!("is an invalid path: {error}")));
                continue;
            }
        };
        let resolved = found.path.to_string();
        if is_in_metadata(&found.path) {
            out.push(Diagnostic::invalid(path.clone(), text, "must not point to fields in metadata"));
        }
        let type_ = found.schema.and_then(|schema| schema.type_.as_ref());
        if !matches!(type_, Some(SchemaType::String | SchemaType::Boolean | SchemaType::Integer)) {
            let detail = "must point to a field of type string, boolean or integer. Enum string fields and strings \
                          with formats are allowed.";
            out.push(Diagnostic::invalid(path.clone(), text, detail));
        }
        if !seen.insert(resolved) {
            out.push(Diagnostic::duplicate(path, text));
        }
    }
    if seen.len() > MOST {
        out.push(Diagnostic::too_many(list.clone(), seen.len() as i64, MOST as i64, out.version()));
    }
}

fn is_in_metadata(path: &FieldPath) -> bool {
    let mut root = path;
    while let Some(parent) = root.parent().filter(|parent| !parent.is_root()) {
        root = parent;
    }
    root.to_string() == "metadata"
}
