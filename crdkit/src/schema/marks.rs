//! What the derives say of types and fields beside schemars' words, and its translation into keywords.
//!
//! A derive leaves marks in the schema under one key, the type's before the field's, as values of JSON. They become
//! keywords when the schema has taken the shape that the keywords speak about.

use serde_json::{Map, Value, json};

use super::walk::{Node, Place};
use super::{SchemaOptions, bound_words, bounds, branches, descriptions, foreign, groups, replaced, shown};
use crate::Error;
use crate::source::Sources;

/// The key under which marks of fields stand until they are applied.
const KEY: &str = "x-crdkit";

/// What the keys start with under which marks of types stand. A key says all that its mark says: where schemars joins
/// the schemas of flattened types, it keeps of every key only the first value.
const OF_TYPE: &str = "x-crdkit of ";

/// The key under which the name of the Rust type stays when marks are applied, for the errors of later passes.
pub(super) const TYPE: &str = "x-crdkit-type";

/// Keywords that a mark sets as they are.
const KEYWORDS: &[(&str, &str)] = &[
    ("listType", "x-kubernetes-list-type"),
    ("listMapKeys", "x-kubernetes-list-map-keys"),
    ("mapType", "x-kubernetes-map-type"),
    ("embeddedResource", "x-kubernetes-embedded-resource"),
    ("preserveUnknownFields", "x-kubernetes-preserve-unknown-fields"),
];

/// Adds a mark after those that are there.
pub(crate) fn add(node: &mut Node, mut mark: Value) {
    let Some(name) = mark.get("type").and_then(Value::as_str).map(str::to_owned) else {
        if let Value::Array(marks) = node.entry(KEY).or_insert_with(|| json!([])) {
            marks.push(mark);
        }
        return;
    };
    branches::unit_variants(node);
    // Fields of the type may replace its bounds, and a flattened `Option` forgets what it requires.
    if let Some(bounds) = bounds::of(node) {
        mark["bounds"] = bounds;
    }
    let defaulted: Vec<Value> = properties(node)
        .filter(|(_, property)| property.get("default").is_some())
        .map(|(name, _)| json!(name))
        .collect();
    if let Some(required) = node.get("required")
        && (mark.get("validations").is_some() || !defaulted.is_empty())
    {
        mark["required"] = required.clone();
        mark["defaulted"] = Value::Array(defaulted);
    }
    node.insert(format!("{OF_TYPE}{name}: {mark}"), mark);
}

fn properties(node: &Node) -> impl Iterator<Item = (&String, &Value)> {
    node.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// Puts the marks of an inner schema before those of the schema that takes its place.
pub(super) fn prepend(node: &mut Node, inner: &mut Node) {
    let inner_marks = take(inner);
    let mut own = std::mem::take(node);
    let own_marks = take(&mut own);
    node.extend(own);
    let (types, fields): (Vec<_>, Vec<_>) =
        inner_marks.into_iter().chain(own_marks).partition(|(keyword, _)| keyword != KEY);
    node.extend(types);
    for (_, marks) in fields {
        for mark in marks.as_array().into_iter().flatten() {
            add(node, mark.clone());
        }
    }
}

/// Takes the marks out of a schema.
fn take(node: &mut Node) -> Map<String, Value> {
    let (marks, rest) = std::mem::take(node)
        .into_iter()
        .partition(|(keyword, _)| keyword == KEY || keyword.starts_with(OF_TYPE));
    *node = rest;
    marks
}

/// The Rust type whose schema this is, where a derive of ours made it.
pub(super) fn type_name(node: &Node) -> Option<&str> {
    let applied = node.get(TYPE);
    // The outermost name is the one that users wrote where the value stands.
    marks(node).filter_map(|mark| mark.get("type")).last().or(applied)?.as_str()
}

/// The Rust type whose schema this is, whatever made it.
pub(super) fn any_type_name(node: &Node) -> Option<&str> {
    type_name(node).or_else(|| foreign::name(node))
}

/// Removes what passes left for each other.
pub(super) fn forget(node: &mut Node) {
    take(node);
    node.remove(TYPE);
    node.remove(foreign::KEY);
}

/// The places of all types in the Rust code whose marks a schema holds, at any depth.
pub(super) fn sources(schema: &Value) -> Sources {
    let mut sources = Sources::default();
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(node) => {
                for (keyword, value) in node {
                    if keyword.starts_with(OF_TYPE) {
                        sources.insert_mark(value);
                    } else {
                        open.push(value);
                    }
                }
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    sources
}

/// The bounds of the types of a schema.
pub(super) fn bounds(node: &Node) -> Vec<Node> {
    marks(node).filter_map(|mark| mark.get("bounds")?.as_object().cloned()).collect()
}

/// Whether a derive of ours said something of a schema.
pub(super) fn is_marked(node: &Node) -> bool {
    marks(node).next().is_some()
}

/// Whether a field asks for no schema.
pub(super) fn is_schemaless(node: &Node) -> bool {
    marks(node).any(|mark| mark.get("schemaless") == Some(&Value::Bool(true)))
}

/// What a field says for the definition around the schema, as marks of their own.
pub(super) fn shown(node: &Node) -> Vec<Value> {
    marks(node).filter_map(|mark| Some(json!({"shown": mark.get("shown")?}))).collect()
}

/// Whether a type or a field asks for unknown fields to be kept.
pub(super) fn keeps_unknown_fields(node: &Node) -> bool {
    marks(node).any(|mark| mark.get("preserveUnknownFields") == Some(&Value::Bool(true)))
}

/// Turns the marks of a node into keywords.
pub(super) fn apply(node: &mut Node, place: &Place, options: SchemaOptions) -> Result<(), Error> {
    let name = type_name(node).map(str::to_owned);
    if name.is_none() || options.every_option_is_nullable {
        optional_int_or_strings(node);
    }
    if let Some(name) = name {
        node.insert(TYPE.to_owned(), name.into());
    }
    let all: Vec<Node> = marks(node).cloned().collect();
    take(node);
    for mark in &all {
        for (name, keyword) in KEYWORDS {
            if let Some(value) = mark.get(*name) {
                node.insert((*keyword).to_owned(), value.clone());
            }
        }
        if mark.get("intOrString") == Some(&Value::Bool(true)) {
            for keyword in
                ["type", "format", "anyOf", "oneOf", "minimum", "maximum", "properties", "required"]
            {
                node.remove(keyword);
            }
            node.insert("x-kubernetes-int-or-string".to_owned(), json!(true));
        }
        if mark.get("embeddedResource") == Some(&Value::Bool(true)) {
            node.insert("type".to_owned(), json!("object"));
            if !node.contains_key("properties") {
                node.insert("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true));
            }
        }
        match mark.get("format").and_then(Value::as_str) {
            None => {}
            Some("") => {
                node.remove("format");
            }
            Some(format) => {
                node.insert("format".to_owned(), format.into());
            }
        }
        replaced::keep(node, mark);
        shown::keep(node, mark);
        descriptions::keep(node, mark);
        bound_words::keep(node, mark);
        of_parts(node, mark, place)?;
        nullable(node, mark, options);
        if let Some(Value::Array(rules)) = mark.get("validations") {
            validations(node, rules, mark);
        }
        defaults(node, mark);
        groups::groups(node, mark, place)?;
        if mark.get("immutable") == Some(&Value::Bool(true)) {
            node.insert(groups::ONCE.to_owned(), json!(true));
        }
    }
    groups::once_set(node);
    list_map_keys(node, place)
}

/// Whether the type of a mark was flattened as an `Option`: what it requires is not required any more.
fn is_optional(node: &Node, mark: &Node) -> bool {
    let required = |node: &Node| node.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let ours = required(node);
    let is_object = node.get("type").is_some_and(|name| name == "object");
    is_object && required(mark).iter().any(|name| !ours.contains(name))
}

/// Adds the rules of a mark. Where a type was flattened as an `Option`, its rules count if what it requires is there.
fn validations(node: &mut Node, rules: &[Value], mark: &Node) {
    let is_optional = is_optional(node, mark);
    // Its defaults go, so that a field with one may be absent too.
    let names = ["required", "defaulted"].into_iter().filter_map(|key| mark.get(key)?.as_array()).flatten();
    let fields: Vec<String> = names.filter_map(Value::as_str).map(groups::escaped).collect();
    let absent = |of: &str| fields.iter().map(|field| format!("!has({of}.{field}) || ")).collect::<String>();
    let Value::Array(all) = node.entry("x-kubernetes-validations").or_insert_with(|| json!([])) else {
        return;
    };
    for mut rule in rules.iter().cloned() {
        if is_optional && let Some(text) = rule["rule"].as_str() {
            let old = if text.contains("oldSelf") { absent("oldSelf") } else { String::new() };
            rule["rule"] = json!(format!("{}{old}({text})", absent("self")));
        }
        all.push(rule);
    }
}

/// Where a type was flattened as an `Option`, its defaults would make a part of it where there is none.
fn defaults(node: &mut Node, mark: &Node) {
    if !is_optional(node, mark) {
        return;
    }
    for name in
        mark.get("defaulted").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        let property =
            node.get_mut("properties").and_then(|all| all.get_mut(name)).and_then(Value::as_object_mut);
        property.and_then(|property| property.remove("default"));
    }
}

/// Adds the rules of a field for the items of its list, or for the values of its map.
fn of_parts(node: &mut Node, mark: &Node, place: &Place) -> Result<(), Error> {
    let parts = [
        ("itemValidations", "items", "is no list, and has rules for its items"),
        ("valueValidations", "additionalProperties", "is no map, and has rules for its values"),
    ];
    for (name, keyword, wrong) in parts {
        let Some(Value::Array(rules)) = mark.get(name) else { continue };
        let Some(Value::Object(part)) = node.get_mut(keyword) else {
            return Err(place.error(wrong, "put the rules on the field itself: `validation = \"...\"`"));
        };
        if let Value::Array(all) = part.entry("x-kubernetes-validations").or_insert_with(|| json!([])) {
            all.extend(rules.iter().cloned());
        }
    }
    Ok(())
}

fn nullable(node: &mut Node, mark: &Node, options: SchemaOptions) {
    match mark.get("nullable") {
        Some(Value::Bool(true)) => {
            node.insert("nullable".to_owned(), json!(true));
        }
        Some(_) => {
            node.remove("nullable");
        }
        // Serde never writes this `None` as null, and an `enum` takes none in any case. A null that users write is
        // dropped by the API server, unless it is applied by the server's side.
        None if mark.contains_key("nullIsSkipped")
            && (!options.every_option_is_nullable || node.contains_key("enum")) =>
        {
            node.remove("nullable");
        }
        None if mark.contains_key("isOption")
            && (is_int_or_string(node) || node.contains_key(replaced::SCHEMA)) =>
        {
            node.insert("nullable".to_owned(), json!(true));
        }
        None => {}
    }
}

fn is_int_or_string(node: &Node) -> bool {
    node.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true))
}

/// In a type that derives schemars' trait alone, every int-or-string that may be absent may be null: schemars says of
/// `Option` nothing else here. kube-derive has it so for every type.
fn optional_int_or_strings(node: &mut Node) {
    let required: Vec<Value> = node.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for (name, property) in node.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        if let Value::Object(property) = property
            && is_int_or_string(property)
            && !property.contains_key("default")
            && !required.iter().any(|required| required == name)
        {
            property.insert("nullable".to_owned(), json!(true));
        }
    }
}

/// A list of type map needs items with its keys, which are required or have a default, and are scalars.
fn list_map_keys(node: &Node, place: &Place) -> Result<(), Error> {
    let list_type = node.get("x-kubernetes-list-type").and_then(Value::as_str);
    if list_type.is_some() && node.get("type").is_none_or(|name| name != "array") {
        return Err(place.error("has a list type and is no list", "put `list_type` on a `Vec`"));
    }
    if list_type == Some("set")
        && let Some(items) = node.get("items")
        && items.get("type").is_some_and(|name| name == "object")
        && items.get("x-kubernetes-map-type").is_none_or(|name| name != "atomic")
    {
        return Err(place.error(
            "is a set of objects, which the API server cannot compare",
            "use `list_type = \"map\"` with `list_map_keys`, or `list_type = \"atomic\"`",
        ));
    }
    let Some(Value::Array(keys)) = node.get("x-kubernetes-list-map-keys") else { return Ok(()) };
    let items = node.get("items").unwrap_or(&Value::Null);
    for key in keys.iter().filter_map(Value::as_str) {
        let Some(property) = items.get("properties").and_then(|properties| properties.get(key)) else {
            return Err(place.error(
                format!("has the list map key `{key}`, which is no field of its items"),
                "name a field of the items as serde writes it",
            ));
        };
        if property.get("type").is_some_and(|name| name == "object" || name == "array") {
            return Err(place.error(
                format!("has the list map key `{key}`, which is no scalar"),
                "name a field that is a text, a number or a truth value",
            ));
        }
        let is_required = items
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|all| all.iter().any(|name| name == key));
        if !is_required && property.get("default").is_none_or(Value::is_null) {
            return Err(place.error(
                format!("has the list map key `{key}`, which may be absent"),
                "make it no `Option`, or give it a `#[serde(default = ...)]`",
            ));
        }
        if property.get("nullable") == Some(&Value::Bool(true)) {
            return Err(place
                .error(format!("has the list map key `{key}`, which may be null"), "make it no `Option`"));
        }
    }
    Ok(())
}

/// The marks of a schema: those of its types, the innermost first, and then those of its field.
fn marks(node: &Node) -> impl Iterator<Item = &Node> {
    let types = node.iter().filter(|(keyword, _)| keyword.starts_with(OF_TYPE)).map(|(_, mark)| mark);
    types.chain(node.get(KEY).and_then(Value::as_array).into_iter().flatten()).filter_map(Value::as_object)
}
