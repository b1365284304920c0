//! Copies `x-kubernetes-preserve-unknown-fields` from arrays to their items, where the API server then also preserves unknown fields.

use std::borrow::Cow;

use crd_core::Structural;

/// Returns the schema with `x-kubernetes-preserve-unknown-fields` copied from every array to the items.
///
/// If a schema preserves unknown fields, pruning descends through arrays, and preserves the unknown fields of the objects found there,
/// whatever the schema of the items is (`skipPrune` in `pkg/apiserver/schema/pruning/algorithm.go` of `apiextensions-apiserver`).
/// Properties and map values are again pruned according to their own schemas.
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
