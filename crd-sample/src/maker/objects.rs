//! Builds objects with required and optional fields, and maps.

use std::collections::HashSet;

use crd_core::Structural;
use crd_core::schema::AdditionalProperties;
use serde_json::{Map, Value, json};

use super::{IDENTITY, MANY_NODES, MOST_ITEMS, MOST_NODES, Maker, Style, is_unmade};
use crate::constraints::Constraints;

impl Maker {
    pub(super) fn object<'s>(
        &mut self,
        schema: &'s Structural,
        constraints: &Constraints<'s>,
        style: Style,
        depth: usize,
        without: &[&str],
    ) -> Map<String, Value> {
        let mut fields = Map::new();
        let size = |limit: i64| usize::try_from(limit).unwrap_or(0);
        let least = constraints.min_properties.map_or(0, size).min(MOST_ITEMS);
        let most = constraints.max_properties.map_or(usize::MAX, size);
        let required: HashSet<&str> = constraints.required.iter().copied().collect();
        let is_required = |name: &str| required.contains(name);
        let absent: HashSet<&str> = constraints.absent.iter().copied().collect();
        let mut of_properties = constraints.property_demands();
        self.work.take((schema.properties.len() + 5 * of_properties.len()) as u64);
        for (name, property) in schema.properties.iter().filter(|(name, _)| !without.contains(name)) {
            let is_included = match style {
                // The API server fills in a default.
                Style::Minimal => is_required(name) && (property.generic.default.is_none() || depth == 0),
                _ if is_required(name) => true,
                _ if absent.contains(name) => false,
                Style::Full => true,
                Style::Random => {
                    self.nodes < MANY_NODES
                        && (self.random.one_in(2 + depth / 3) || least > 0 && !self.random.one_in(8))
                }
            };
            if is_included {
                let demands = of_properties.remove(name).unwrap_or_default();
                let value = self.node(property, &demands, name, style, depth + 1);
                if !is_unmade(property, &value) {
                    fields.insert(name.to_owned(), value);
                }
            }
        }
        self.fill_up(schema, constraints, style, depth, without, &mut fields, least);
        let is_spare = |name: &String| !is_required(name);
        let mut spare: Vec<String> = fields.keys().filter(|name| is_spare(name)).cloned().collect();
        while fields.len() > most {
            let Some(name) = spare.pop() else { break };
            crd_go::json::remove(&mut fields, &name);
        }
        if schema.is_embedded_resource() {
            for (name, value) in
                IDENTITY.iter().zip([json!("v1"), json!("ConfigMap"), json!({"name": "example"})])
            {
                let is_named =
                    fields.get(*name).is_some_and(|value| value.is_string() && *name != "metadata");
                if !is_named {
                    fields.insert((*name).to_owned(), value);
                }
            }
        }
        fields
    }

    /// Adds optional fields up to the minimum number, required fields that are not properties, and map entries.
    #[expect(clippy::too_many_arguments, reason = "the parts of one object")]
    fn fill_up<'s>(
        &mut self,
        schema: &'s Structural,
        constraints: &Constraints<'s>,
        style: Style,
        depth: usize,
        without: &[&str],
        fields: &mut Map<String, Value>,
        least: usize,
    ) {
        let absent: HashSet<&str> = constraints.absent.iter().copied().collect();
        let optional =
            schema.properties.iter().filter(|(name, _)| !without.contains(name) && !absent.contains(name));
        for (name, property) in optional {
            if fields.len() < least && !fields.contains_key(name) {
                let demands = constraints.field_demands(name, true);
                let value = self.node(property, &demands, name, style, depth + 1);
                if !is_unmade(property, &value) {
                    fields.insert(name.to_owned(), value);
                }
            }
        }
        let required = constraints.required.iter().filter(|name| {
            !fields.contains_key(**name) && !schema.properties.contains(name) && !without.contains(name)
        });
        let required: Vec<String> = required.map(|name| (*name).to_owned()).collect();
        for name in required {
            if let Some(value) = self.entry(schema, constraints, &name, style, depth) {
                fields.insert(name, value);
            }
        }
        let wanted = match style {
            Style::Full if schema.map_values().is_some() => fields.len() + 1,
            Style::Random if self.nodes < MANY_NODES && schema.properties.is_empty() => {
                fields.len() + self.random.below(3)
            }
            _ => 0,
        };
        let names = std::iter::once("key".to_owned()).chain((2..).map(|i| format!("key-{i}")));
        for name in names.take(MOST_ITEMS) {
            if fields.len() >= least.max(wanted) || self.nodes >= MOST_NODES {
                break;
            }
            let Some(value) = self.entry(schema, constraints, &name, style, depth) else { break };
            fields.entry(name).or_insert(value);
        }
    }

    /// Builds a field that is not a property: a map entry, or a preserved unknown field.
    fn entry<'s>(
        &mut self,
        schema: &'s Structural,
        constraints: &Constraints<'s>,
        name: &str,
        style: Style,
        depth: usize,
    ) -> Option<Value> {
        match &schema.additional_properties {
            Some(AdditionalProperties::Schema(values)) => {
                Some(self.node(values, &constraints.field_demands(name, false), name, style, depth + 1))
            }
            Some(AdditionalProperties::Allowed(true)) => Some(json!("value")),
            _ => schema.extensions.preserve_unknown_fields.then(|| json!("value")),
        }
    }
}
