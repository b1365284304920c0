//! Converts schemas that are not structural, with warnings about omitted parts.

use crd_core::crd::{Items, JsonSchemaProps, JsonSchemaPropsOrBool};
use crd_core::{CauseReason, Diagnostic, FieldPath, Keyword, OrderedMap, Structural};

/// Returns the structural form of `schema`. Parts that a structural schema cannot contain are omitted and reported.
pub(super) fn structural(
    schema: &JsonSchemaProps,
    path: &FieldPath,
    warnings: &mut Vec<Diagnostic>,
) -> Structural {
    if let Ok(structural) = Structural::from_json_schema(schema) {
        return structural;
    }
    let mut tolerated = schema.clone();
    strip(&mut tolerated, path, warnings);
    match Structural::from_json_schema(&tolerated) {
        Ok(structural) => structural,
        Err(error) => {
            warnings.push(Diagnostic::new(path.clone(), CauseReason::Invalid, error.to_string()));
            Structural::default()
        }
    }
}

/// Removes everything that a structural schema cannot contain, in a schema and all nested schemas.
fn strip(schema: &mut JsonSchemaProps, path: &FieldPath, warnings: &mut Vec<Diagnostic>) {
    let mut left_out = |keyword: &'static str, is_there: bool| {
        if is_there {
            let message = format!("`{keyword}` is left out, because the API server does not support it");
            let mut warning = Diagnostic::new(path.child(keyword), CauseReason::Forbidden, message);
            warning.keyword = Keyword::from_name(keyword);
            warnings.push(warning);
        }
    };
    left_out("id", !std::mem::take(&mut schema.id).is_empty());
    left_out("$schema", !std::mem::take(&mut schema.schema).is_empty());
    left_out("$ref", schema.reference.take().is_some());
    left_out("patternProperties", schema.pattern_properties.take().is_some());
    left_out("dependencies", schema.dependencies.take().is_some());
    left_out("additionalItems", schema.additional_items.take().is_some());
    left_out("definitions", schema.definitions.take().is_some());
    left_out("items", schema.items.take_if(|items| !matches!(items, Items::Schema(_))).is_some());
    if schema.x_preserve_unknown_fields == Some(false) {
        schema.x_preserve_unknown_fields = None;
    }
    // Restrictions of values below these do not affect types.
    (schema.all_of, schema.any_of, schema.one_of, schema.not) = (None, None, None, None);
    for (name, property) in schema.properties.iter_mut().flat_map(OrderedMap::iter_mut) {
        strip(property, &path.child("properties").key(name), warnings);
    }
    if let Some(Items::Schema(items)) = &mut schema.items {
        strip(items, &path.child("items"), warnings);
    }
    if let Some(JsonSchemaPropsOrBool::Schema(values)) = &mut schema.additional_properties {
        strip(values, &path.child("additionalProperties"), warnings);
    }
}
