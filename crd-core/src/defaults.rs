//! Defaulting: fills in defaults at every depth, and removes nulls that are not allowed.
//!
//! Source: `pkg/apiserver/schema/defaulting/{algorithm,prunenulls}.go`.

use std::collections::{HashMap, HashSet};

use crd_go::json::marshal;
use foldhash::fast::RandomState;
use serde_json::{Map, Value};

use crate::Structural;

/// The space that is left for an object's defaults, in bytes of JSON.
#[derive(Debug)]
pub(crate) struct Room(usize);

/// The error for defaults that exceed the size limit.
#[derive(Debug)]
pub(crate) struct NoRoom;

impl Room {
    /// etcd's limit for a request with an object: `DefaultMaxRequestBytes`. If no bytes are left, the defaults
    /// alone exceed the limit.
    pub(crate) const BYTES: usize = 3 << 19;

    /// Returns `true` if no default has been filled in.
    pub(crate) fn is_untouched(&self) -> bool {
        self.0 == Self::BYTES
    }

    fn take(&mut self, bytes: usize) -> Result<(), NoRoom> {
        self.0 = self.0.checked_sub(bytes).ok_or(NoRoom)?;
        Ok(())
    }
}

impl Default for Room {
    fn default() -> Self {
        Self(Self::BYTES)
    }
}

/// The defaults of a schema: a tree of only those nodes that have a default at or below them. Filling in defaults visits no other nodes.
#[derive(Debug, Default)]
pub(crate) struct Defaults {
    /// The value that replaces an absent value or a forbidden `null`, and the length of the replacement as JSON.
    own: Option<(Value, usize)>,
    is_nullable: bool,
    /// Properties with a default of their own, in order.
    properties: Vec<(Box<str>, Self)>,
    /// Properties that have defaults only inside their values.
    outer: HashMap<Box<str>, Self, RandomState>,
    values: Option<Box<Self>>,
    items: Option<Box<Self>>,
}

impl Defaults {
    pub(crate) fn new(schema: &Structural) -> Self {
        let below = |schema: &Structural| Some(Self::new(schema)).filter(Self::has_any).map(Box::new);
        let values = schema.map_values().and_then(below);
        let all = schema.properties.iter().map(|(name, property)| (Box::from(name), Self::new(property)));
        // Where there are values too, they are those under no other name.
        let all = all.filter(|(_, below)| values.is_some() || below.has_any());
        let (properties, outer): (Vec<_>, Vec<_>) = all.partition(|(_, below)| below.own.is_some());
        Self {
            own: default_of(schema).map(|default| (default.clone(), marshal(default).len())),
            is_nullable: schema.is_nullable(),
            properties,
            outer: outer.into_iter().collect(),
            values,
            items: schema.items.as_deref().and_then(below),
        }
    }

    /// Fills in defaults for absent properties, and for `null` that the schema does not allow.
    ///
    /// # Errors
    /// - The defaults exceed `room`.
    pub(crate) fn fill(&self, value: &mut Value, room: &mut Room) -> Result<(), NoRoom> {
        match value {
            Value::Object(fields) => self.fill_fields(fields, None, room),
            Value::Array(list) => match self.items.as_deref() {
                Some(items) => list.iter_mut().try_for_each(|item| items.fill_present(item, room)),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Fills in defaults for all fields of an object except `skipped`, which the caller replaces later. The field
    /// `skipped` stays unchanged; if it is absent and has a default, `null` is inserted.
    pub(crate) fn fill_all_but(
        &self,
        value: &mut Value,
        skipped: &str,
        room: &mut Room,
    ) -> Result<(), NoRoom> {
        let Value::Object(fields) = value else { return Ok(()) };
        self.fill_fields(fields, Some(skipped), room)
    }

    /// Fills in defaults for one field of an object.
    pub(crate) fn fill_only(&self, value: &mut Value, name: &str, room: &mut Room) -> Result<(), NoRoom> {
        let Value::Object(fields) = value else { return Ok(()) };
        if let Some((_, property)) = self.properties.iter().find(|(known, _)| **known == *name) {
            return property.fill_field(fields, name, room);
        }
        match (self.outer.get(name), fields.get_mut(name)) {
            (Some(property), Some(value)) => property.fill_present(value, room),
            _ => Ok(()),
        }
    }

    fn fill_fields(
        &self,
        fields: &mut Map<String, Value>,
        skipped: Option<&str>,
        room: &mut Room,
    ) -> Result<(), NoRoom> {
        for (name, property) in &self.properties {
            if skipped != Some(name) {
                property.fill_field(fields, name, room)?;
            } else if !fields.contains_key(&**name) {
                fields.insert(name.to_string(), Value::Null);
            }
        }
        // Either may be many, and a list of objects has the product.
        if self.outer.len() <= fields.len() {
            for (name, property) in self.outer.iter().filter(|(name, _)| skipped != Some(name)) {
                if let Some(value) = fields.get_mut(&**name) {
                    property.fill_present(value, room)?;
                }
            }
        } else {
            for (name, value) in fields.iter_mut().filter(|(name, _)| skipped != Some(name)) {
                if let Some(property) = self.outer.get(&**name) {
                    property.fill_present(value, room)?;
                }
            }
        }
        let Some(values) = &self.values else { return Ok(()) };
        let named: HashSet<&str, RandomState> = self.properties.iter().map(|(name, _)| &**name).collect();
        let is_other = |name: &str| !named.contains(name) && !self.outer.contains_key(name);
        let mut others = fields.iter_mut().filter(|(name, _)| is_other(name));
        others.try_for_each(|(_, value)| values.fill_present(value, room))
    }

    fn fill_field(&self, fields: &mut Map<String, Value>, name: &str, room: &mut Room) -> Result<(), NoRoom> {
        if let Some(value) = fields.get_mut(name) {
            self.fill_present(value, room)?;
        } else if let Some((own, bytes)) = &self.own {
            // The name with its quotes, colon and comma.
            room.take(*bytes + name.len() + 4)?;
            let mut new = own.clone();
            self.fill(&mut new, room)?;
            fields.insert(name.to_owned(), new);
        }
        Ok(())
    }

    /// Fills in defaults for a map value or a list item. The value itself is replaced only if it is a forbidden `null`.
    fn fill_present(&self, value: &mut Value, room: &mut Room) -> Result<(), NoRoom> {
        if let Some((own, bytes)) = &self.own
            && value.is_null()
            && !self.is_nullable
        {
            room.take(*bytes)?;
            *value = own.clone();
        }
        self.fill(value, room)
    }

    /// Returns the default of this node, completed with nested defaults. Returns `None` if the node itself has no
    /// default.
    ///
    /// # Errors
    /// - The default exceeds `room`.
    pub(crate) fn filled(&self, room: &mut Room) -> Result<Option<Value>, NoRoom> {
        let Some((own, bytes)) = &self.own else { return Ok(None) };
        room.take(*bytes)?;
        let mut filled = own.clone();
        self.fill(&mut filled, room)?;
        Ok(Some(filled))
    }

    /// Returns the properties with defaults at or below them: each property's name and its defaults.
    pub(crate) fn property_defaults(&self) -> impl Iterator<Item = (&str, &Self)> {
        let own = self.properties.iter().map(|(name, below)| (&**name, below));
        own.chain(self.outer.iter().map(|(name, below)| (&**name, below)))
    }

    /// Returns the defaults below the values of a map.
    pub(crate) fn values(&self) -> Option<&Self> {
        self.values.as_deref()
    }

    /// Returns the defaults below the items of a list.
    pub(crate) fn items(&self) -> Option<&Self> {
        self.items.as_deref()
    }

    /// Returns an upper bound for the size of all defaults, including nested ones, that can be filled into one value. Returns `None` if
    /// further defaults can be filled into defaults.
    pub(crate) fn most_at_a_value(&self) -> Option<usize> {
        let properties = self.properties.iter().map(|(name, below)| (name.len(), below));
        let outer = self.outer.iter().map(|(name, below)| (name.len(), below));
        let lists = [&self.values, &self.items].into_iter().flatten().map(|below| (0, &**below));
        let (mut most, mut has_below) = (0_usize, false);
        for (name, below) in properties.chain(outer).chain(lists) {
            has_below = true;
            most = most.saturating_add(name + 4).saturating_add(below.most_at_a_value()?);
        }
        let Some((own, bytes)) = &self.own else { return Some(most) };
        let is_empty = match own {
            Value::Object(fields) => fields.is_empty(),
            Value::Array(items) => items.is_empty(),
            _ => true,
        };
        (is_empty || !has_below).then(|| most.saturating_add(*bytes))
    }

    /// Returns `true` if a property has a default of its own.
    pub(crate) fn has(&self, property: &str) -> bool {
        self.properties.iter().any(|(name, _)| **name == *property)
    }

    pub(crate) fn has_any(&self) -> bool {
        self.own.is_some()
            || !self.properties.is_empty()
            || !self.outer.is_empty()
            || self.values.is_some()
            || self.items.is_some()
    }
}

/// Removes a field with the value `null` if the field's schema does not allow `null` and has no default.
pub(crate) fn prune_nulls(value: &mut Value, schema: &Structural) {
    // To look for nulls is quicker than to look for their schemas, and few objects have any.
    if has_nulls(value) {
        take_out_nulls(value, schema);
    }
}

fn take_out_nulls(value: &mut Value, schema: &Structural) {
    match value {
        Value::Object(fields) => fields.retain(|name, value| {
            // A value without a schema stays as it is.
            let Some(schema) = schema.field(name) else { return true };
            if is_forbidden_null(value, schema) && default_of(schema).is_none() {
                return false;
            }
            take_out_nulls(value, schema);
            true
        }),
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                items.iter_mut().for_each(|item| take_out_nulls(item, schema));
            }
        }
        _ => {}
    }
}

/// Returns `true` if a value contains a null at any depth.
fn has_nulls(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_nulls),
        Value::Object(fields) => fields.values().any(has_nulls),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn is_forbidden_null(value: &Value, schema: &Structural) -> bool {
    value.is_null() && !schema.is_nullable()
}

/// Returns the default of a schema. `default: null` is treated like a missing default.
pub(crate) fn default_of(schema: &Structural) -> Option<&Value> {
    schema.generic.default.as_deref().filter(|default| !default.is_null())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::crd::JsonSchemaProps;

    fn check(schema: Value, mut value: Value, expected: &Value) {
        let schema = JsonSchemaProps::from_value(schema).expect("a schema");
        let schema = Structural::from_json_schema(&schema).expect("a structural schema");
        prune_nulls(&mut value, &schema);
        Defaults::new(&schema).fill(&mut value, &mut Room::default()).expect("there is room");
        assert_eq!(value, *expected);
    }

    #[test]
    fn defaults_at_every_depth() {
        let inner = json!({"type": "object", "default": {}, "properties": {
            "b": {"type": "integer", "default": 1}}});
        let schema = json!({"type": "object", "properties": {
            "a": inner,
            "absent": {"type": "object", "properties": {"b": {"type": "integer", "default": 1}}},
            "l": {"type": "array", "items": {"type": "integer", "default": 7}},
            "m": {"type": "object", "additionalProperties": {"type": "integer", "default": 8}},
        }});
        check(schema.clone(), json!({}), &json!({"a": {"b": 1}}));
        check(
            schema,
            json!({"a": {"b": 2}, "l": [null, 1], "m": {"x": null}}),
            &json!({
                "a": {"b": 2}, "l": [7, 1], "m": {"x": 8},
            }),
        );
    }

    #[test]
    fn more_than_etcd_stores_is_not_put_in() {
        let items =
            json!({"type": "object", "properties": {"a": {"type": "string", "default": "x".repeat(990)}}});
        let schema = json!({"type": "array", "items": items});
        let schema = JsonSchemaProps::from_value(schema).expect("a schema");
        let schema = Structural::from_json_schema(&schema).expect("a structural schema");
        let fill = |items: usize| {
            let mut value = Value::Array(vec![json!({}); items]);
            Defaults::new(&schema).fill(&mut value, &mut Room::default()).is_ok()
        };
        assert_eq!((fill(1000), fill(2000)), (true, false));
    }

    /// A default of 100 KB with 100 items, each with a default of 100 KB.
    #[test]
    fn defaults_of_defaults_count() {
        let items = json!({"type": "object", "properties": {"a": {"type": "string", "default": "x".repeat(100_000)}}});
        let schema = json!({"type": "object", "properties": {"l": {
            "type": "array", "items": items, "default": vec![json!({}); 100],
        }}});
        let schema = JsonSchemaProps::from_value(schema).expect("a schema");
        let schema = Structural::from_json_schema(&schema).expect("a structural schema");
        assert!(Defaults::new(&schema).fill(&mut json!({}), &mut Room::default()).is_err());
    }

    #[test]
    fn nulls() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "string"},
            "b": {"type": "string", "nullable": true},
            "c": {"type": "string", "default": "x"},
            "d": {"type": "string", "nullable": true, "default": "x"},
            "l": {"type": "array", "items": {"type": "string"}},
            "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        }});
        check(
            schema,
            json!({"a": null, "b": null, "c": null, "d": null, "l": [null], "any": {"x": null}}),
            &json!({"b": null, "c": "x", "d": null, "l": [null], "any": {"x": null}}),
        );
    }
}
