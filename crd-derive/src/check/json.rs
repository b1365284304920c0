//! Checks JSON strings: patches, schemas and defaults.

use crd_go::json_parts::{ColumnJson, ScaleJson};
use crd_go::json_text::JsonText;

use super::wrong;
use crate::attrs::resource::{ColumnAttr, ScaleAttr};
use crate::attrs::text::{Pair, Text};
use crate::errors::Errors;
use crate::model::{Resource, Schema};

pub(super) fn resource(resource: &Resource<'_>, errors: &mut Errors) {
    let attrs = &resource.attrs;
    for column in &attrs.columns {
        if let ColumnAttr::Raw(text) = column {
            part("printcolumn", text, ColumnJson::parse, errors);
        }
    }
    if let Some(ScaleAttr::Raw(text)) = attrs.scale.as_deref() {
        part("scale", text, ScaleJson::parse, errors);
    }
    for text in &attrs.patches {
        patch("patch", text, errors);
    }
    for text in &attrs.version_patches {
        patch("version_patch", text, errors);
    }
    for (key, text) in [("spec_default", &attrs.spec_default), ("status_default", &attrs.status_default)] {
        if let Some(text) = text {
            object(key, text, errors);
        }
    }
    if let Some(text) = &attrs.status_default
        && attrs.status.is_none()
    {
        wrong(errors, text.span(), "there is no status: add `status = \"...\"`".to_owned());
    }
}

pub(super) fn schema(schema: &Schema<'_>, errors: &mut Errors) {
    given(&schema.attrs.schemas_at, &schema.attrs.schema_patches, errors);
    for field in &schema.fields {
        given(&field.attrs.schemas_at, &field.attrs.schema_patches, errors);
        if let Some(text) = &field.attrs.schema {
            object("schema", text, errors);
        }
    }
}

/// Checks a JSON string for a part of the CRD, if it is a literal.
fn part<T>(key: &str, text: &Text, read: impl Fn(&str) -> Result<T, String>, errors: &mut Errors) {
    if let Some(Err(error)) = text.literal().map(|json| read(&json)) {
        wrong(errors, text.span(), format!("`{key}`: {error}"));
    }
}

/// Checks the schemas in `schema_at`, and patches for schemas.
fn given(schemas: &[Pair], patches: &[Text], errors: &mut Errors) {
    for Pair(path, schema) in schemas {
        if path.literal().is_some_and(|path| !path.starts_with(['.', '['])) {
            let message =
                "`schema_at` needs a path that begins with a dot or a bracket: `.containers[].resources`";
            wrong(errors, path.span(), message.to_owned());
        }
        object("schema_at", schema, errors);
    }
    patches.iter().for_each(|text| patch("schema_patch", text, errors));
}

fn patch(key: &str, text: &Text, errors: &mut Errors) {
    if object(key, text, errors).is_some_and(|patch| patch.is_empty()) {
        wrong(errors, text.span(), format!("`{key}` is empty: write the change, or remove the attribute"));
    }
}

/// Parses the JSON object in a string, if the string is a literal.
fn object(key: &str, text: &Text, errors: &mut Errors) -> Option<Vec<(String, JsonText)>> {
    let json = text.literal()?;
    match JsonText::parse(&json) {
        Ok(JsonText::Object(object)) => return Some(object),
        Ok(_) => wrong(errors, text.span(), format!("`{key}` is not a JSON object: write `r#\"{{...}}\"#`")),
        Err(error) => wrong(errors, text.span(), format!("`{key}` is not valid JSON: {error}")),
    }
    None
}
