//! Builds lists with the required number of items. The items are unique if the list type requires this.

use crd_core::Structural;
use serde_json::{Value, json};

use super::{MANY_NODES, MOST_ITEMS, MOST_NODES, Maker, Style};
use crate::constraints::{Constraints, Demand};
use crate::work;

/// Maximum number of attempts to build an item that differs from the other items.
const MOST_TRIES: usize = 24;

impl Maker {
    pub(super) fn list<'s>(
        &mut self,
        schema: &'s Structural,
        constraints: &Constraints<'s>,
        name: &str,
        style: Style,
        depth: usize,
    ) -> Value {
        let size = |limit: Option<i64>| limit.map(|limit| usize::try_from(limit).unwrap_or(0));
        let least = size(constraints.min_items).unwrap_or(0).min(MOST_ITEMS);
        let most = size(constraints.max_items).unwrap_or(usize::MAX).max(least);
        let count = match style {
            Style::Minimal => least,
            Style::Full => least.max(1).min(most),
            Style::Random => {
                let more = if depth < 6 && self.nodes < MANY_NODES { self.random.below(4) } else { 0 };
                (least + more).min(most)
            }
        };
        let Some(item_schema) = schema.items.as_deref() else { return json!([]) };
        let keys = schema.extensions.list_map_keys.as_deref().unwrap_or_default();
        let is_unique = is_unique(schema);
        let mut items: Vec<Value> = Vec::new();
        while items.len() < count && self.nodes < MOST_NODES && !self.work.is_done() {
            let style = if items.is_empty() || style == Style::Random { style } else { Style::Minimal };
            let Some(item) = self.item(
                item_schema,
                constraints.item_demands(),
                name,
                style,
                depth,
                is_unique.then_some((&items, keys)),
            ) else {
                break;
            };
            items.push(item);
        }
        items.into()
    }

    /// Builds an item. If items must be unique, the item differs from `others`.
    fn item<'s>(
        &mut self,
        schema: &'s Structural,
        demands: &[Demand<'s>],
        name: &str,
        style: Style,
        depth: usize,
        others: Option<(&Vec<Value>, &[String])>,
    ) -> Option<Value> {
        let mut item = self.node(schema, demands, name, style, depth + 1);
        let Some((others, keys)) = others else { return Some(item) };
        // The keys of an item must be there, or have a default.
        for key in keys {
            if item.get(key).is_none()
                && let (Some(property), Value::Object(fields)) = (schema.properties.get(key), &mut item)
                && property.generic.default.is_none()
            {
                fields.insert(key.clone(), self.node(property, &[], key, style, depth + 2));
            }
        }
        for attempt in 0..MOST_TRIES {
            self.work.take(others.len() as u64 * (2 + work::steps_of(&item) / 16));
            if self.work.is_done() {
                return None;
            }
            if !others.iter().any(|other| identity(other, keys, schema) == identity(&item, keys, schema)) {
                return Some(item);
            }
            match keys
                .get(attempt % keys.len().max(1))
                .and_then(|key| Some((key, schema.properties.get(key)?)))
            {
                Some((key, property)) => {
                    let value = self.node(property, &[], key, Style::Random, depth + 2);
                    put_field(&mut item, key, value);
                }
                None => item = self.node(schema, demands, name, Style::Random, depth + 1),
            }
        }
        None
    }
}

/// Returns `true` if a list's items must be unique.
pub(crate) fn is_unique(schema: &Structural) -> bool {
    matches!(schema.extensions.list_type.as_deref(), Some("set" | "map"))
        || schema.value_validation.as_ref().is_some_and(|validation| validation.unique_items == Some(true))
}

/// Returns the part of an item that must be unique. For a list of type `map`, these are the values of the keys, with defaults. For other
/// lists, it is the whole item.
pub(crate) fn identity(item: &Value, keys: &[String], schema: &Structural) -> Vec<Value> {
    if keys.is_empty() {
        return vec![item.clone()];
    }
    let default = |key: &String| schema.properties.get(key)?.generic.default.as_deref().cloned();
    keys.iter().map(|key| item.get(key).cloned().or_else(|| default(key)).unwrap_or(Value::Null)).collect()
}

fn put_field(item: &mut Value, key: &str, value: Value) {
    if let Value::Object(fields) = item {
        fields.insert(key.to_owned(), value);
    }
}
