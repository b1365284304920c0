//! Unknown fields that the API server keeps below arrays: `x-kubernetes-preserve-unknown-fields` of an array, moved to its
//! items.

use std::borrow::Cow;

use crd_core::Structural;

/// Returns the schema with unknown fields also preserved in the items of every array that preserves them.
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
    schema.any(&|schema| schema.extensions.preserve_unknown_fields && schema.items.is_some())
}

fn move_to_items(schema: &mut Structural) {
    if let Some(items) = &mut schema.items {
        items.extensions.preserve_unknown_fields |= schema.extensions.preserve_unknown_fields;
    }
    schema.children_mut().for_each(move_to_items);
}
