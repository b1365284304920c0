//! Finds objects whose fields are all dropped, and keywords that contradict the fields in the same schema.

use crd_core::crd::{Child, JsonSchemaPropsOrBool};
use crd_core::{Edit, Remedy};

use crate::finding::FoundBy;
use crate::node::{Node, short};

/// Finds objects whose fields are all dropped.
pub(crate) fn keeps_nothing(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    let keeps = schema.x_preserve_unknown_fields == Some(true)
        || schema.x_embedded_resource == Some(true)
        || schema.properties.as_ref().is_some_and(|properties| properties.iter().next().is_some())
        || matches!(
            schema.additional_properties,
            Some(JsonSchemaPropsOrBool::Schema(_) | JsonSchemaPropsOrBool::Allowed(true))
        );
    if !node.is_type("object") || keeps || node.parent.is_none() || is_kept_empty(node) {
        return;
    }
    found.add(
        node.path(),
        format!("`{}` is an object without properties: the API server drops every field in it", node.field()),
        "declare its fields in `properties`, or keep all fields with `x-kubernetes-preserve-unknown-fields: true`",
    );
}

/// Returns `true` for an intentionally empty object, whose presence has a meaning, as in `emptyDir: {}`.
fn is_kept_empty(node: &Node<'_>) -> bool {
    let is_choice = node.name().zip(node.parent).is_some_and(|(name, parent)| parent.fields.choose(name));
    is_choice
        || node.schema.max_properties == Some(0)
        || !holds_content(node) && (is_one_of_objects(node) || is_documented(node))
}

/// Suffixes in names of objects that users fill with content.
const CONTENTS: &[&str] =
    &["metadata", "labels", "annotations", "selector", "data", "parameters", "attributes"];
/// Names of objects that users fill with content.
const CONTENT: &[&str] = &[
    "config",
    "configuration",
    "template",
    "options",
    "settings",
    "values",
    "value",
    "params",
    "env",
    "headers",
    "manifest",
    "resources",
    "properties",
    "content",
];

/// Returns `true` for an object whose name suggests content, and for a list item. Map values may be empty, because the keys of the map
/// then form a set.
fn holds_content(node: &Node<'_>) -> bool {
    node.name().map_or(node.child == Some(Child::Items), |name| {
        let name = name.to_lowercase();
        CONTENTS.iter().any(|end| name.ends_with(end)) || CONTENT.contains(&name.as_str())
    })
}

/// Returns `true` for an object with a description, because its author probably wants a type without fields, such as an empty status or a
/// feature without settings.
fn is_documented(node: &Node<'_>) -> bool {
    node.schema.description.as_ref().is_some_and(|text| !text.trim().is_empty())
}

/// Returns `true` if users choose between the field and its siblings, such as `none` next to `tar` and `zip`, or if the field's name says
/// that nothing is chosen.
fn is_one_of_objects(node: &Node<'_>) -> bool {
    let (Some(name), Some(parent)) = (node.name(), node.parent) else { return false };
    let is_whole = parent.is_resource() || matches!(name, "metadata" | "spec" | "status" | "template");
    let fields = &parent.fields;
    let is_deep = parent.parent.is_some_and(|above| !above.is_resource());
    matches!(name, "none" | "null")
        || !is_whole && (fields.are_optional_objects() || is_deep && fields.are_choices())
}

/// Finds required fields that pruning drops. Every object is then rejected.
pub(crate) fn required_is_dropped(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    let is_open = schema.x_preserve_unknown_fields == Some(true) || schema.additional_properties.is_some();
    if is_open || !node.is_type("object") || node.is_resource() {
        return;
    }
    for (i, name) in schema.required.iter().flatten().enumerate() {
        if found.is_full {
            return;
        }
        if schema.properties.as_ref().is_none_or(|properties| properties.get(name).is_none()) {
            found.add(
                node.path().child("required").index(i),
                format!("`{}` is required in `{}`, which does not declare it: the API server drops the field and then reports it as missing, so no object is accepted", short(name), node.field()),
                format!("declare `{}` in `properties`, or remove it from `required`", short(name)),
            );
        }
    }
}

/// Finds required fields with a default. Tools ask users for these fields, although nobody needs to set them.
pub(crate) fn default_beside_required(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let (Some(name), Some(parent)) = (node.name(), node.parent) else { return };
    if node.schema.default.is_some() && parent.fields.require(name) {
        found.add(
            node.path().child("default"),
            format!("`{}` is required and has a default: it is never missing, although `kubectl explain` and editors show that it is required", node.field()),
            format!("remove `{}` from `required`", short(name)),
        );
    }
}

/// Finds defaults for list items or map values. Such defaults replace only `null`.
pub(crate) fn default_never_applies(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let (Some(Child::Items | Child::Values), Some(_)) = (node.child, &node.schema.default) else { return };
    let place = node.path().child("default");
    found.add(
        place.clone(),
        format!("the default of `{}` never fills in an item, because an item is never absent: it only replaces `null`", node.field()),
        Remedy::new("remove it").with(Edit::remove(place)),
    );
}

/// Finds defaults that do not replace `null`.
pub(crate) fn nullable_default(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    if schema.nullable == Some(true) && schema.default.as_deref().is_some_and(|default| !default.is_null()) {
        let place = node.path().child("nullable");
        found.add(
            place.clone(),
            format!(
                "`{}` has a default and is `nullable`: a client that writes `null` reads `null`, not the default",
                node.field()
            ),
            Remedy::new("remove `nullable` if `null` has no meaning of its own: the API server then replaces `null` with the default")
                .with(Edit::remove(place)),
        );
    }
}
