//! A schema -> values that are likely to meet it, and that admission checks.

use crd_core::Structural;
use crd_core::schema::{AdditionalProperties, SchemaType, ValueValidation};
use proptest::bool::ANY;
use proptest::collection::{btree_map, vec};
use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::sample::select;
use proptest::strategy::{BoxedStrategy, Union};
use serde_json::{Map, Value, json};

use super::alternatives::alternatives;
use super::{numbers, texts};

/// Whole objects of a kind.
pub(super) fn objects(schema: &Structural, api_version: &str, kind: &str) -> BoxedStrategy<Value> {
    let mut rest = schema.clone();
    let metadata = rest.properties.remove("metadata");
    // A schema may restrict the name, and nothing else of metadata.
    let name = metadata.as_ref().and_then(|metadata| metadata.properties.get("name"));
    let name = name.filter(|name| name.value_validation.is_some());
    let name = name.map_or_else(|| texts::names().prop_map(Value::from).boxed(), |name| values(name, 0));
    let type_meta = [("apiVersion", json!(api_version)), ("kind", json!(kind))];
    for (field, _) in &type_meta {
        rest.properties.remove(field);
    }
    (name, values(&rest, 0))
        .prop_map(move |(name, rest)| {
            let mut object: Map<String, Value> =
                type_meta.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            object.insert("metadata".to_owned(), json!({"name": name}));
            if let Value::Object(fields) = rest {
                object.extend(fields.into_iter().filter(|(name, _)| !IDENTITY.contains(&name.as_str())));
            }
            Value::Object(object)
        })
        .boxed()
}

/// The fields that identify an object.
pub(super) const IDENTITY: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Values of a node that stands so deep.
pub(super) fn values(schema: &Structural, depth: u32) -> BoxedStrategy<Value> {
    let alternatives = alternatives(schema);
    let made: Vec<_> = alternatives.iter().map(|schema| of_one(schema, depth)).collect();
    // An empty list of branches allows nothing, and admission refuses the values.
    if made.is_empty() { Just(Value::Null).boxed() } else { Union::new(made).boxed() }
}

fn of_one(schema: &Structural, depth: u32) -> BoxedStrategy<Value> {
    let none = ValueValidation::default();
    let validation = schema.value_validation.as_deref().unwrap_or(&none);
    if let Some(values) = validation.enum_.as_ref().filter(|values| !values.is_empty()) {
        return select(values.clone()).boxed();
    }
    let text = || texts::texts(validation).prop_map(Value::from).boxed();
    let value = match &schema.type_ {
        Some(SchemaType::String) => text(),
        Some(SchemaType::Integer) => numbers::integers(validation),
        Some(SchemaType::Number) => numbers::numbers(validation),
        Some(SchemaType::Boolean) => ANY.prop_map(Value::from).boxed(),
        Some(SchemaType::Array) => lists(schema, validation, depth),
        Some(SchemaType::Object) => maps(schema, validation, depth),
        None if schema.is_int_or_string() => prop_oneof![numbers::integers(validation), text()].boxed(),
        Some(SchemaType::Unknown(_)) | None => anything(),
    };
    if schema.is_nullable() { prop_oneof![6 => value, 1 => Just(Value::Null)].boxed() } else { value }
}

/// Values without a schema.
fn anything() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        ANY.prop_map(Value::from),
        (-100_i64..100).prop_map(Value::from),
        texts::texts(&ValueValidation::default()).prop_map(Value::from),
    ];
    let map = btree_map(texts::names(), leaf.clone(), 0..3)
        .prop_map(|map| Value::Object(map.into_iter().collect()));
    let list = vec(leaf.clone(), 0..3).prop_map(Value::from);
    prop_oneof![3 => leaf, 1 => map, 1 => list].boxed()
}

fn lists(schema: &Structural, validation: &ValueValidation, depth: u32) -> BoxedStrategy<Value> {
    let items = schema.items.as_deref().map_or_else(anything, |items| values(items, depth + 1));
    let (least, most) = sizes(validation.min_items, validation.max_items, depth);
    let keys = schema.extensions.list_map_keys.clone().unwrap_or_default();
    let item_schema = schema.items.clone();
    let is_unique = matches!(schema.extensions.list_type.as_deref(), Some("set" | "map"));
    // Items that are there twice are left out: more are made than have to be there.
    let made = if is_unique && least > 0 { least * 4..=most.max(least * 4) } else { least..=most };
    vec(items, made)
        .prop_map(move |items| {
            if !is_unique {
                return Value::from(items);
            }
            let mut kept: Vec<Value> = Vec::new();
            let identity = |item: &Value| identity(item, &keys, item_schema.as_deref());
            for item in items {
                if kept.len() < most && !kept.iter().any(|other| identity(other) == identity(&item)) {
                    kept.push(item);
                }
            }
            Value::from(kept)
        })
        .boxed()
}

/// The part of an item that is unique in its list: in a list of type map its keys, with their defaults.
fn identity(item: &Value, keys: &[String], schema: Option<&Structural>) -> Vec<Value> {
    if keys.is_empty() {
        return vec![item.clone()];
    }
    let default = |key: &String| schema?.properties.get(key)?.generic.default.as_deref().cloned();
    keys.iter().map(|key| item.get(key).cloned().or_else(|| default(key)).unwrap_or(Value::Null)).collect()
}

/// How many items or entries there are: few, and fewer the deeper they stand.
fn sizes(least: Option<i64>, most: Option<i64>, depth: u32) -> (usize, usize) {
    let limit = |limit: i64| usize::try_from(limit).unwrap_or(0);
    let least = least.map_or(0, limit);
    let more = if depth < 6 { 3 } else { 1 };
    (least, most.map_or(usize::MAX, limit).clamp(least, least.saturating_add(more)))
}

fn maps(schema: &Structural, validation: &ValueValidation, depth: u32) -> BoxedStrategy<Value> {
    let resource = schema.is_embedded_resource();
    let names: Vec<String> = schema.properties.keys().map(str::to_owned).collect();
    let is_required = |name: &str| schema.is_required(name);
    // An object with a least number of properties gets most of them.
    let chance = if validation.min_properties.is_some() { 0.9 } else { 1.0 / f64::from(2 + depth / 3) };
    let fields: Vec<BoxedStrategy<Option<Value>>> = schema
        .properties
        .iter()
        .map(|(name, property)| {
            let values = values(property, depth + 1);
            if is_required(name) {
                values.prop_map(Some).boxed()
            } else {
                proptest::option::weighted(chance, values).boxed()
            }
        })
        .collect();
    let required: Vec<String> = validation.required.clone().unwrap_or_default();
    let most = validation.max_properties.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    (fields, entries(schema, validation, depth))
        .prop_map(move |(fields, entries)| {
            let named = names.iter().zip(fields);
            let mut map: Map<String, Value> =
                named.filter_map(|(name, value)| Some((name.clone(), value?))).collect();
            for (name, value) in entries {
                if !names.contains(&name) {
                    map.insert(name, value);
                }
            }
            let mut spare: Vec<String> =
                map.keys().filter(|name| !required.contains(name)).cloned().collect();
            while map.len() > most {
                let Some(name) = spare.pop() else { break };
                map.shift_remove(&name);
            }
            if resource {
                map.insert("apiVersion".to_owned(), json!("v1"));
                map.insert("kind".to_owned(), json!("ConfigMap"));
                map.insert("metadata".to_owned(), json!({"name": "embedded"}));
            }
            Value::Object(map)
        })
        .boxed()
}

/// Entries that no property describes, and those that have to be there without a description.
fn entries(
    schema: &Structural,
    validation: &ValueValidation,
    depth: u32,
) -> BoxedStrategy<Vec<(String, Value)>> {
    let values = match &schema.additional_properties {
        Some(AdditionalProperties::Schema(schema)) => values(schema, depth + 1),
        Some(AdditionalProperties::Allowed(true)) => anything(),
        _ if schema.extensions.preserve_unknown_fields => anything(),
        _ => return Just(Vec::new()).boxed(),
    };
    let undescribed = validation.required.iter().flatten().filter(|name| !schema.properties.contains(name));
    let undescribed: Vec<BoxedStrategy<(String, Value)>> =
        undescribed.map(|name| (Just(name.clone()), values.clone()).boxed()).collect();
    let (least, most) = sizes(validation.min_properties, validation.max_properties, depth);
    let others = btree_map(texts::names(), values, least..=most);
    (undescribed, others)
        .prop_map(|(mut all, others)| {
            all.extend(others);
            all
        })
        .boxed()
}
