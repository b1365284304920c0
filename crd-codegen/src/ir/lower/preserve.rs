//! Unknown fields that the API server keeps below arrays: `x-kubernetes-preserve-unknown-fields` of an array, moved to its
//! items.

use std::borrow::Cow;

use crd_core::Structural;
use crd_core::schema::AdditionalProperties;

/// The same schema, in which the items of every array that preserves unknown fields preserve them too.
///
/// Pruning of a value under a preserving schema walks through arrays and keeps the unknown fields of the objects that it
/// finds, whatever the schema of the items says (`skipPrune` in `pkg/apiserver/schema/pruning/algorithm.go` of
/// `apiextensions-apiserver`). Properties and values of maps are pruned by their own schemas again.
pub(super) fn moved_to_items(schema: &Structural) -> Cow<'_, Structural> {
    if !has_preserving_array(schema) {
        return Cow::Borrowed(schema);
    }
    let mut schema = schema.clone();
    move_to_items(&mut schema);
    Cow::Owned(schema)
}

fn has_preserving_array(schema: &Structural) -> bool {
    schema.extensions.preserve_unknown_fields && schema.items.is_some()
        || schema.items.as_deref().is_some_and(has_preserving_array)
        || schema.properties.values().any(has_preserving_array)
        || matches!(&schema.additional_properties, Some(AdditionalProperties::Schema(values)) if has_preserving_array(values))
}

fn move_to_items(schema: &mut Structural) {
    if let Some(items) = &mut schema.items {
        items.extensions.preserve_unknown_fields |= schema.extensions.preserve_unknown_fields;
        move_to_items(items);
    }
    schema.properties.iter_mut().for_each(|(_, property)| move_to_items(property));
    if let Some(AdditionalProperties::Schema(values)) = &mut schema.additional_properties {
        move_to_items(values);
    }
}
