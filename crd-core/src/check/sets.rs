//! Warnings about lists of type `set` whose items are objects or lists.
//!
//! Source: `getNonScalarListTypeSetWarnings` in `registry/customresourcedefinition/strategy.go`, since
//! 1.37.

use crd_go::strings::quote;

use crate::crd::{Items, JsonSchemaProps};
use crate::outline::Effective;

/// Returns one warning for sets of objects and one for sets of lists, each with the items' type. The warnings are sorted by their texts.
pub(super) fn warnings(effective: &Effective<'_>) -> impl Iterator<Item = (String, &'static str)> {
    let (mut arrays, mut objects) = (false, false);
    if effective.kube_version.is_at_least(37) {
        let mut note = |schema: &JsonSchemaProps| match item_type(schema) {
            Some("array") => arrays = true,
            Some("object") => objects = true,
            _ => {}
        };
        let schemas = effective.spec.versions.iter().filter_map(|version| version.open_api_v3_schema());
        schemas.for_each(|schema| schema.each(&mut note));
    }
    let types = [arrays.then_some("array"), objects.then_some("object")];
    types.into_iter().flatten().map(|type_| {
        let text = format!(
            "x-kubernetes-list-type: set for items of type {} is not supported by server-side apply or CEL \
             validation rules",
            quote(type_)
        );
        (text, type_)
    })
}

/// Returns the type of a set's items.
pub(super) fn item_type(schema: &JsonSchemaProps) -> Option<&str> {
    match &schema.items {
        Some(Items::Schema(items)) if schema.x_list_type.as_deref() == Some("set") => items.type_.as_deref(),
        _ => None,
    }
}
