//! Correlation of new values with the old values that they replace.
//!
//! Ratcheting and transition rules both compare corresponding values. Two fields correspond if they have the same
//! name. Two items of a list of type `map` correspond if they have the same keys. Items of other lists have no old
//! value.
//!
//! ```
//! use crd_core::correlate::{Correlated, Known};
//! use crd_core::{Structural, crd::JsonSchemaProps};
//! use serde_json::json;
//!
//! let schema = JsonSchemaProps::from_value(json!({
//!     "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
//!     "items": {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}},
//! }))?;
//! let schema = Structural::from_json_schema(&schema)?;
//! let (old, new) = (json!([{"name": "b"}, {"name": "a", "size": 1}]), json!([{"name": "a", "size": 2}]));
//! let known = Known::default();
//! let item = Correlated::new(&old, &new, &schema, &known).index(0).expect("an old item has the same key");
//! assert_eq!(item.old, &json!({"name": "a", "size": 1}));
//! assert!(!item.is_unchanged());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: `k8s.io/apiserver/pkg/cel/common/{equality,maplist}.go`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crd_go::json::{Num, deep_equal};
use crd_go::strings::quote;
use serde_json::Value;

use crate::Structural;
use crate::schema::SchemaType;

/// A value of a new object, its schema, and the corresponding value of the old object.
#[derive(Clone, Copy)]
pub struct Correlated<'a, 'c> {
    /// The value in the old object.
    pub old: &'a Value,
    /// The value in the new object.
    pub new: &'a Value,
    /// The schema of both values.
    pub schema: &'a Structural,
    known: &'c Known<'a>,
}

/// A cache for one pair of objects: the items of lists by their keys, and the results of comparisons. Values are
/// identified by their addresses, so the objects must not move.
#[derive(Default)]
pub struct Known<'a> {
    lists: RefCell<HashMap<*const Value, Rc<Keyed<'a>>>>,
    unchanged: RefCell<HashMap<*const Value, bool>>,
}

/// The items of a list by their keys. If several items have the same key, the map contains only the first of these items.
type Keyed<'a> = HashMap<ItemKey, &'a Value>;

/// The values of an item's keys, in the form that Go compares.
#[derive(PartialEq, Eq, Hash)]
enum ItemKey {
    Bool(bool),
    Int(i64),
    Float(u64),
    Text(String),
    /// Several keys, combined into one string.
    Composite(String),
}

impl<'a, 'c> Correlated<'a, 'c> {
    /// Correlates the values of an old and a new object.
    #[must_use]
    pub fn new(old: &'a Value, new: &'a Value, schema: &'a Structural, known: &'c Known<'a>) -> Self {
        Self { old, new, schema, known }
    }

    /// Returns the value of a field that the schema declares and both objects have.
    #[must_use]
    pub fn key(self, name: &str) -> Option<Self> {
        let (old, new) = (self.old.as_object()?.get(name)?, self.new.as_object()?.get(name)?);
        let schema = self.schema.field(name)?;
        Some(Self { old, new, schema, known: self.known })
    }

    /// Returns the new list's item at `index`, together with the old list's item that has the same keys.
    #[must_use]
    pub fn index(self, index: usize) -> Option<Self> {
        let new = self.new.as_array()?.get(index)?;
        let schema = self.schema.items.as_deref()?;
        let key = composite_key(new, self.schema)?;
        let old = *self.keyed()?.get(&key)?;
        Some(Self { old, new, schema, known: self.known })
    }

    /// Returns `true` if nothing in the value has changed. An object with a field that its schema does not declare
    /// never counts as unchanged.
    #[must_use]
    pub fn is_unchanged(self) -> bool {
        let at = std::ptr::from_ref(self.new);
        if let Some(known) = self.known.unchanged.borrow().get(&at) {
            return *known;
        }
        let found = self.compare();
        self.known.unchanged.borrow_mut().insert(at, found);
        found
    }

    fn compare(self) -> bool {
        match (self.old, self.new) {
            (Value::Array(old), Value::Array(new)) => {
                if old.len() != new.len() {
                    return false;
                }
                if self.keyed().is_none() {
                    return deep_equal(self.old, self.new);
                }
                (0..new.len()).all(|index| self.index(index).is_some_and(Self::is_unchanged))
            }
            (Value::Object(old), Value::Object(new)) => {
                old.len() == new.len()
                    && new.keys().all(|name| self.key(name).is_some_and(Self::is_unchanged))
            }
            (old, new) => deep_equal(old, new),
        }
    }

    /// Returns the old items by their keys, if the value is a list of type `map`.
    fn keyed(self) -> Option<Rc<Keyed<'a>>> {
        let schema = self.schema;
        let keys = schema.extensions.list_map_keys.as_ref().is_some_and(|keys| !keys.is_empty());
        let is_map = schema.extensions.list_type.as_deref() == Some("map");
        if schema.type_ != Some(SchemaType::Array) || !is_map || !keys {
            return None;
        }
        let items = self.old.as_array()?;
        let at = std::ptr::from_ref(self.old);
        if let Some(known) = self.known.lists.borrow().get(&at) {
            return Some(Rc::clone(known));
        }
        let mut keyed = Keyed::new();
        for item in items {
            if let Some(key) = composite_key(item, schema) {
                keyed.entry(key).or_insert(item);
            }
        }
        let keyed = Rc::new(keyed);
        self.known.lists.borrow_mut().insert(at, Rc::clone(&keyed));
        Some(keyed)
    }
}

/// Returns the key of an item in a list of type `map`; `None` if a key is missing or not a scalar.
fn composite_key(item: &Value, schema: &Structural) -> Option<ItemKey> {
    let fields = item.as_object()?;
    match schema.extensions.list_map_keys.as_deref()? {
        [] => None,
        [name] => Some(match fields.get(name)? {
            Value::Bool(value) => ItemKey::Bool(*value),
            Value::String(text) => ItemKey::Text(text.clone()),
            Value::Number(number) => match Num::from(number) {
                Num::Int(number) => ItemKey::Int(number),
                // In Go, 0.0 and -0.0 are the same key.
                Num::Float(number) => ItemKey::Float((number + 0.0).to_bits()),
            },
            _ => return None,
        }),
        names => {
            let mut text = String::new();
            for name in names {
                text.push('\0');
                match fields.get(name)? {
                    Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
                    Value::String(value) => text.push_str(&quote(value)),
                    Value::Number(number) => match Num::from(number) {
                        Num::Int(number) => text.push_str(&number.to_string()),
                        // `%f` has six digits: floats that differ only in later digits are the same key.
                        Num::Float(number) => text.push_str(&format!("{number:.6}")),
                    },
                    _ => return None,
                }
            }
            Some(ItemKey::Composite(text))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::crd::JsonSchemaProps;

    fn structural(schema: Value) -> Structural {
        let schema = JsonSchemaProps::from_value(schema).expect("a schema");
        Structural::from_json_schema(&schema).expect("a structural schema")
    }

    fn is_unchanged(schema: &Value, old: &Value, new: &Value) -> bool {
        let schema = structural(schema.clone());
        let known = Known::default();
        Correlated::new(old, new, &schema, &known).is_unchanged()
    }

    #[test]
    fn items_of_maps_correspond_by_their_keys() {
        let schema = structural(json!({"type": "object", "properties": {"l": {
            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"],
            "items": {"type": "object", "properties": {
                "a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "string"}}},
        }}}));
        let old = json!({"l": [{"a": "x", "b": 1, "c": "1"}, {"a": "x", "b": 1, "c": "2"}, {"a": "y"}]});
        let new = json!({"l": [{"a": "y"}, {"a": "x", "b": 1, "c": "3"}, {"a": "x", "b": 2}]});
        let known = Known::default();
        let list = Correlated::new(&old, &new, &schema, &known).key("l").expect("both have it");
        assert!(list.index(0).is_none(), "a key is missing");
        let item = list.index(1).expect("the first with these keys");
        assert_eq!(item.key("c").expect("both have it").old, "1");
        assert!(list.index(2).is_none(), "there was none");
    }

    #[test]
    fn what_counts_as_unchanged() {
        let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
            "n": {"type": "number"},
            "s": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "m": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "properties": {"k": {"type": "string"}}}},
        }});
        for (old, new, unchanged) in [
            (json!({"n": 1, "s": ["a"]}), json!({"n": 1, "s": ["a"]}), true),
            (json!({"n": 1}), json!({"n": 1.0}), false),
            (json!({"s": ["a", "b"]}), json!({"s": ["b", "a"]}), false),
            (json!({"m": [{"k": "a"}, {"k": "b"}]}), json!({"m": [{"k": "b"}, {"k": "a"}]}), true),
            (json!({"m": []}), json!({"m": []}), true),
            (json!({"x": 1}), json!({"x": 1}), false),
            (json!({"n": null}), json!({"n": null}), true),
        ] {
            assert_eq!(is_unchanged(&schema, &old, &new), unchanged, "{old} {new}");
        }
    }
}
