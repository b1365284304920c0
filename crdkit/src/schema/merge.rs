//! Joins two schemas into one schema that accepts the values of both schemas. The code calls this schema their shape,
//! or spine. Each original schema is then reduced to its restrictions beyond the shape.

use serde_json::{Value, json};

use super::descriptions::DESCRIPTIONS;
use super::objects::CLOSED;
use super::replaced::{PATCHES, SCHEMA, SCHEMAS_AT};
use super::shown::DEFINITION;
use super::some_null::{SOME_NULL, inside};
use super::walk::{Node, SchemaLocation};
use super::{bounds, marks, other_types};
use crate::Error;
use crate::source::by_name;

/// Keywords that are not allowed under `oneOf`, `anyOf` and `allOf`.
const SPINE_ONLY: &[&str] =
    &["type", "description", "title", "default", "nullable", "example", "externalDocs"];

/// Keywords that cannot apply to one variant only.
const INDIVISIBLE: &[&str] = &[
    "x-kubernetes-validations",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-embedded-resource",
    PATCHES.keyword(),
    SCHEMA.keyword(),
];

/// Returns a schema that accepts the values of both schemas. Only restrictions that both schemas have are kept.
pub(super) fn unify(a: &Node, b: &Node, place: &SchemaLocation) -> Result<Node, Error> {
    if same_but_description(a, b) {
        return Ok(if a.contains_key("description") { a.clone() } else { b.clone() });
    }
    if is_untyped(a) || is_untyped(b) {
        return unify_untyped(a, b, place);
    }
    let mut shape = Node::new();
    for keyword in INDIVISIBLE {
        if a.get(*keyword) != b.get(*keyword) {
            return Err(place.error(
                format!(
                    "has `{keyword}` in one variant of an enum, but lacks it or has another value in another variant"
                ),
                "use the same attributes in all variants, or rename the field in one of them",
            ));
        }
    }
    for (keyword, value) in a {
        if b.get(keyword) == Some(value) {
            shape.insert(keyword.clone(), value.clone());
        }
    }
    unify_types(a, b, &mut shape, place)?;
    for keyword in ["x-kubernetes-preserve-unknown-fields", "nullable", SOME_NULL] {
        if a.get(keyword).or(b.get(keyword)) == Some(&json!(true)) {
            shape.insert(keyword.to_owned(), json!(true));
        }
    }
    unify_kept(a, b, &mut shape);
    // A description that only one variant gives is better than none.
    if let (Some(text), None) | (None, Some(text)) = (a.get("description"), b.get("description")) {
        shape.insert("description".to_owned(), text.clone());
    }
    unify_properties(a, b, &mut shape, place)?;
    unify_parts(a, b, &mut shape, place)?;
    if let (Some(Value::Array(a)), Some(Value::Array(b))) = (a.get("enum"), b.get("enum")) {
        let more = b.iter().filter(|value| !a.contains(value));
        shape.insert("enum".to_owned(), a.iter().chain(more).cloned().collect());
    }
    if shape.contains_key("additionalProperties")
        && shape.get("properties").and_then(Value::as_object).is_some_and(|map| !map.is_empty())
    {
        return Err(place.error(
            "is a map in one variant of an enum and has fields in another",
            "put the map into a separate field, or use `#[crd(schemaless)]`",
        ));
    }
    Ok(shape)
}

/// Does the same as [`unify`] for two schemas, at least one of which has no type. If one schema accepts everything, the result
/// does too.
fn unify_untyped(a: &Node, b: &Node, place: &SchemaLocation) -> Result<Node, Error> {
    let mut shape = Node::new();
    let description = a.get("description").or(b.get("description"));
    shape.extend(description.map(|text| ("description".to_owned(), text.clone())));
    // One that lists values leaves the other its fields.
    let is_open = |node: &Node| {
        is_untyped(node) && !["enum", "properties"].iter().any(|keyword| node.contains_key(*keyword))
    };
    if !is_open(a) && !is_open(b) {
        unify_properties(a, b, &mut shape, place)?;
        shape.insert("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true));
    }
    Ok(shape)
}

/// Joins the values that passes store for later. An attribute for a part of the CRD outside the schema applies in every variant.
fn unify_kept(a: &Node, b: &Node, shape: &mut Node) {
    for (keyword, is_list) in
        [(DEFINITION.keyword(), true), (DESCRIPTIONS.keyword(), false), (SCHEMAS_AT.keyword(), true)]
    {
        let of = |node: &Node| node.get(keyword).cloned();
        let both = match (of(a), of(b)) {
            (Some(Value::Array(mut own)), Some(Value::Array(theirs))) if is_list => {
                let more: Vec<Value> = theirs.into_iter().filter(|value| !own.contains(value)).collect();
                own.extend(more);
                Some(Value::Array(own))
            }
            (own, theirs) => own.or(theirs),
        };
        shape.extend(both.map(|value| (keyword.to_owned(), value)));
    }
}

/// Joins the schemas for list items, and the schemas for map values.
fn unify_parts(a: &Node, b: &Node, shape: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    for (keyword, place) in [("items", place.items()), ("additionalProperties", place.values())] {
        match (a.get(keyword), b.get(keyword)) {
            (Some(Value::Object(a)), Some(Value::Object(b))) => {
                shape.insert(keyword.to_owned(), Value::Object(unify(a, b, &place)?));
            }
            (Some(only), None) | (None, Some(only)) => {
                shape.insert(keyword.to_owned(), only.clone());
            }
            _ => {}
        }
    }
    Ok(())
}

fn unify_properties(a: &Node, b: &Node, shape: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    let properties =
        |node: &Node| node.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let (mut all, theirs) = (properties(a), properties(b));
    if all.is_empty() && theirs.is_empty() {
        return Ok(());
    }
    // The default of a field that only one variant has would be written into objects of the others.
    let alone = |name: &String, others: &Node, property: &mut Value| {
        if !others.contains_key(name) {
            property.as_object_mut().and_then(|property| property.remove("default"));
        }
    };
    all.iter_mut().for_each(|(name, property)| alone(name, &theirs, property));
    let ours = properties(a);
    for (name, mut theirs) in theirs {
        alone(&name, &ours, &mut theirs);
        let merged = match (all.get(&name).and_then(Value::as_object), theirs.as_object()) {
            (Some(own), Some(theirs)) => Value::Object(unify(own, theirs, &place.property(&name))?),
            _ => theirs,
        };
        all.insert(name, merged);
    }
    shape.insert("properties".to_owned(), Value::Object(all));
    Ok(())
}

fn unify_types(a: &Node, b: &Node, shape: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    let name = |node: &Node| node.get("type").and_then(Value::as_str).map(str::to_owned);
    let is_either = |node: &Node| node.get("x-kubernetes-int-or-string") == Some(&json!(true));
    let kinds = [name(a).unwrap_or_default(), name(b).unwrap_or_default()];
    let either = is_either(a) || is_either(b);
    if kinds[0] == kinds[1] {
        return Ok(());
    }
    if [a, b].iter().any(|node| node.contains_key(marks::SCHEMALESS)) {
        ["items", "additionalProperties"].iter().for_each(|keyword| drop(shape.remove(*keyword)));
        return Ok(());
    }
    let is_one_of = |names: &[&str]| kinds.iter().all(|kind| names.contains(&kind.as_str()));
    if is_one_of(&["integer", "string"]) || (either && is_one_of(&["integer", "string", ""])) {
        shape.insert("x-kubernetes-int-or-string".to_owned(), json!(true));
    } else if is_one_of(&["integer", "number"]) {
        shape.insert("type".to_owned(), json!("number"));
    } else {
        return Err(conflict(place, &json!(kinds[0]), &json!(kinds[1])));
    }
    Ok(())
}

/// Returns the error for a value that has different types in two variants.
pub(super) fn conflict(place: &SchemaLocation, a: &Value, b: &Value) -> Error {
    let name = |value: &Value| match value.as_str() {
        Some("string") => "a string".to_owned(),
        Some("null") => "null".to_owned(),
        Some("") | None => "an integer or a string".to_owned(),
        Some(name) => format!("{} {name}", if name.starts_with(['a', 'i', 'o']) { "an" } else { "a" }),
    };
    let (a, b) = (name(a), name(b));
    place.error(
        format!("is {a} in one variant of an enum and {b} in another: in a CRD, a value has a single type"),
        "give unit variants braces (`A {}`), rename the field in one variant, or use `#[crd(schemaless)]`",
    )
}

/// Returns the restrictions that `schema` has beyond `spine`, in a form that is allowed under `oneOf`, `anyOf` and `allOf`. Values of
/// other types do not satisfy them.
pub(super) fn rest(schema: &Node, spine: &Node) -> Node {
    let mut left = restrictions(schema, spine);
    other_types::exclude(schema, spine, &mut left);
    left
}

/// Returns the restrictions that `schema` has beyond `spine` for values of its own type.
pub(super) fn restrictions(schema: &Node, spine: &Node) -> Node {
    let mut left = Node::new();
    for (keyword, value) in schema {
        if SPINE_ONLY.contains(&keyword.as_str()) || keyword.starts_with("x-") {
            continue;
        }
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let spine = spine.get("properties").and_then(Value::as_object);
                let mut nested = Node::new();
                for (name, property) in properties {
                    let Some(property) = property.as_object() else { continue };
                    let around = spine.and_then(|spine| spine.get(name)).and_then(Value::as_object);
                    let property = rest(property, around.unwrap_or(&Node::new()));
                    if !property.is_empty() {
                        nested.insert(name.clone(), Value::Object(property));
                    }
                }
                if !nested.is_empty() {
                    left.insert(keyword.clone(), Value::Object(nested));
                }
            }
            ("items", Value::Object(items)) => {
                let around = spine.get("items").and_then(Value::as_object);
                let items = rest(items, around.unwrap_or(&Node::new()));
                if !items.is_empty() {
                    left.insert(keyword.clone(), Value::Object(items));
                }
            }
            // Values of a map cannot be restricted in one variant only: "must be undefined to be structural", schema/validation.go.
            ("additionalProperties", _) => {}
            ("required", Value::Array(names)) => {
                let known = spine.get("required").and_then(Value::as_array);
                let names = names.iter().filter(|name| known.is_none_or(|known| !known.contains(name)));
                let names: Vec<Value> = names.cloned().collect();
                if !names.is_empty() {
                    left.insert(keyword.clone(), Value::Array(names));
                }
            }
            (_, value) if spine.get(keyword) == Some(value) => {}
            // The API server knows formats of numbers only next to the type, which is in the schema around.
            ("format", Value::String(name)) if is_of_numbers(name) => {
                if name == "int32" {
                    bounds::tighten(&mut left, &mut bounds::of_int32());
                }
            }
            ("minimum" | "maximum", value) if left.contains_key(keyword) => {
                let mut bound = Node::new();
                bound.insert(keyword.clone(), value.clone());
                bounds::tighten(&mut left, &mut bound);
            }
            (_, value) => {
                left.insert(keyword.clone(), value.clone());
            }
        }
    }
    exclude_others(schema, spine, &mut left);
    left
}

/// Returns the names of the properties of `all` that are not properties of `own`, in alphabetical order.
pub(super) fn missing(all: &Node, own: &Node) -> Vec<String> {
    let Some(Value::Object(all)) = all.get("properties") else { return Vec::new() };
    let own = own.get("properties");
    by_name(&mut all.keys().filter(|name| own.is_none_or(|own| own.get(name.as_str()).is_none())))
}

/// Excludes the properties that only other variants have at this path, if serde does not read `schema` with other fields. An example is an
/// externally tagged enum. The API server does not prune these properties.
fn exclude_others(schema: &Node, spine: &Node, left: &mut Node) {
    if !schema.contains_key(CLOSED) {
        return;
    }
    let others = missing(spine, schema);
    if !others.is_empty() {
        let mut excluded: Vec<Value> = left.remove("not").into_iter().collect();
        excluded.push(marks::absent(&others)["not"].take());
        left.insert("not".to_owned(), marks::any_of(excluded));
    }
}

/// Checks that no variant alone restricts the values of a map: under `oneOf` and `anyOf`, `additionalProperties` "must be undefined to be
/// structural" (schema/validation.go). Of untagged variants, one without restrictions is enough, because serde tries each of them.
pub(super) fn check_maps(
    shape: &Node,
    variants: &[&Node],
    is_tagged: bool,
    place: &SchemaLocation,
) -> Result<(), Error> {
    if let Some(Value::Object(items)) = shape.get("items") {
        check_maps(items, &inside(variants, &["items"]), is_tagged, &place.items())?;
    }
    if let Some(Value::Object(properties)) = shape.get("properties") {
        for (name, property) in properties {
            let Value::Object(property) = property else { continue };
            let parts = inside(variants, &["properties", name]);
            check_maps(property, &parts, is_tagged, &place.property(name))?;
        }
    }
    let Some(Value::Object(values)) = shape.get("additionalProperties") else { return Ok(()) };
    let parts = inside(variants, &["additionalProperties"]);
    let mut restricted = 0;
    for part in &parts {
        restricted += usize::from(!rest(part, values).is_empty());
    }
    if restricted > 0 && (is_tagged || restricted == parts.len()) {
        return Err(place.values().error(
            "has another type or other attributes in another variant of an enum: a CRD cannot check the values of a map for one variant only",
            "use the same type and attributes in all variants, rename the field in one of them, or use `#[crd(schemaless)]`",
        ));
    }
    check_maps(values, &parts, is_tagged, &place.values())
}

/// Returns `true` for formats of numbers. Of these formats, only `int32` excludes numbers that JSON can contain.
fn is_of_numbers(format: &str) -> bool {
    ["int32", "int64", "float", "double"].contains(&format)
}

/// Returns the values that every schema lists under `keyword`.
pub(super) fn common(schemas: &[Node], keyword: &str) -> Vec<Value> {
    let list = |schema: &Node| schema.get(keyword).and_then(Value::as_array).cloned().unwrap_or_default();
    let Some((first, others)) = schemas.split_first() else { return Vec::new() };
    list(first).into_iter().filter(|value| others.iter().all(|other| list(other).contains(value))).collect()
}

/// Returns `true` if a schema accepts values of every type.
fn is_untyped(node: &Node) -> bool {
    !node.contains_key("type") && node.get("x-kubernetes-int-or-string") != Some(&json!(true))
}

fn same_but_description(a: &Node, b: &Node) -> bool {
    let without = |node: &Node| {
        let mut node = node.clone();
        node.remove("description");
        marks::forget(&mut node);
        node
    };
    without(a) == without(b)
}
