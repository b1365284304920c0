//! Finds lists whose items cannot be distinguished.

use crd_core::crd::{Items, JsonSchemaProps};

use crate::core_types::is_core;
use crate::defaults::has_default;
use crate::finding::FoundBy;
use crate::node::{Node, required, short};

/// Returns a list's item schema.
pub(crate) fn items(schema: &JsonSchemaProps) -> Option<&JsonSchemaProps> {
    match &schema.items {
        Some(Items::Schema(items)) => Some(items),
        _ => None,
    }
}

/// Finds lists without a list type. `check` has a single piece of advice with the number of these lists.
pub(crate) fn without_type(node: &Node<'_>, found: &mut FoundBy<'_>) {
    if node.is_type("array") && node.schema.x_list_type.is_none() {
        found.add(
            node.path(),
            "the list has no `x-kubernetes-list-type`: server-side apply replaces it as a whole, including items that other field managers set",
            "set it to `map` with `x-kubernetes-list-map-keys`, to `set`, or to `atomic` if this is intended",
        );
    }
}

/// Finds sets whose items are objects or lists.
pub(crate) fn set_of_objects(node: &Node<'_>, found: &mut FoundBy<'_>) {
    if node.schema.x_list_type.as_deref() != Some("set") {
        return;
    }
    let Some(type_) = items(node.schema).and_then(|items| items.type_.as_deref()) else { return };
    if matches!(type_, "object" | "array") {
        found.add(
            node.path().child("x-kubernetes-list-type"),
            format!(
                "`{}` is a set of items of type `{type_}`: server-side apply and rules do not support such items",
                node.field()
            ),
            "use `map` with `x-kubernetes-list-map-keys`, or `atomic`",
        );
    }
}

/// Finds list maps whose keys all have defaults. Two items without keys then collide.
pub(crate) fn keys_with_defaults(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let (Some(keys), Some(items)) = (&node.schema.x_list_map_keys, items(node.schema)) else { return };
    let required = required(items);
    let is_filled_in = |key: &String| {
        let property = items.properties.as_ref().and_then(|properties| properties.get(key));
        property.is_some_and(has_default) && !required.contains(key.as_str())
    };
    if !keys.is_empty() && keys.iter().all(is_filled_in) {
        found.add(
            node.path().child("x-kubernetes-list-map-keys"),
            format!("all keys of `{}` have defaults: two items without these keys have equal keys, and the API server rejects them", node.field()),
            "require one of the keys, and remove its default",
        );
    }
}

/// Finds defaults in the items of atomic lists. If a field manager applies items without these fields, it always sees a
/// difference. The status is not checked, because files do not contain it. Kubernetes types are not checked either,
/// because the author of a CRD cannot change their defaults.
pub(crate) fn defaults_in_atomic_list(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let is_atomic = !matches!(node.schema.x_list_type.as_deref(), Some("map" | "set"));
    if !node.is_type("array") || !is_atomic || node.is_in_status() {
        return;
    }
    let Some(items) = items(node.schema) else { return };
    if is_core(items) {
        return;
    }
    let first =
        items.properties.iter().flat_map(|all| all.iter()).find(|(_, property)| has_default(property));
    if let Some((name, _)) = first {
        found.add(
            node.path(),
            format!("items of `{}` have a default (`{}`), and the list is replaced as a whole: tools that compare a file with the stored object show a difference", node.field(), short(name)),
            "make the list a `map` with `x-kubernetes-list-map-keys`, or remove the default",
        );
    }
}
