//! A schema -> values that are likely to meet it.
//!
//! Admission has the last word: the maker may be wrong, and what it makes is judged before it is handed out.

use crd_core::Structural;
use crd_core::schema::{AdditionalProperties, SchemaType};
use crd_core::values::{Meter, Mode, Patterns, With, validate};
use crd_core::{Causes, FieldPath};
use serde_json::{Map, Value, json};

use crate::constraints::{Constraints, Demand};
use crate::random::Random;
use crate::strings::Strings;
use crate::{numbers, typical};

/// The size of an object, and how its values are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// No more than what is required, with typical values.
    Minimal,
    /// Every field, with typical values.
    Full,
    /// Any fields, any values.
    Random,
}

/// Fields of a resource that its schema does not describe in full.
pub(crate) const IDENTITY: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The most items that are made to differ from others.
const MOST_TRIES: usize = 24;
/// The most items and entries of a list or map that asks for many.
const MOST_ITEMS: usize = 2000;
/// The nodes of a random object after which no optional field follows.
const MANY_NODES: usize = 200;

/// Makes values.
#[derive(Debug)]
pub(crate) struct Maker {
    pub(crate) random: Random,
    pub(crate) strings: Strings,
    patterns: Patterns,
    /// Whether branches are chosen by chance; otherwise the first one is.
    pub(crate) is_varied: bool,
    /// The nodes of the object so far.
    nodes: usize,
}

impl Maker {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            strings: Strings::default(),
            patterns: Patterns::default(),
            is_varied: false,
            nodes: 0,
        }
    }

    /// Makes a value for a field of that name.
    pub(crate) fn value(&mut self, schema: &Structural, name: &str, style: Style) -> Value {
        self.nodes = 0;
        self.node(schema, &[], name, style, 0)
    }

    /// Makes the fields of an object but for some.
    pub(crate) fn fields(
        &mut self,
        schema: &Structural,
        style: Style,
        without: &[&str],
    ) -> Map<String, Value> {
        self.nodes = 0;
        let constraints = self.constraints(schema, &[], style);
        self.object(schema, &constraints, style, 0, without)
    }

    /// Makes a string for a node that matches more patterns, and does not match others. A rule reads a string of the format
    /// `byte` decoded, and so do the patterns.
    pub(crate) fn text<'s>(
        &mut self,
        schema: &'s Structural,
        wanted: impl IntoIterator<Item = &'s str>,
        refused: impl IntoIterator<Item = &'s str>,
    ) -> Option<String> {
        let mut constraints = Constraints::new(schema, &[], &mut |_| 0);
        let is_encoded = constraints.formats.contains(&"byte");
        if is_encoded {
            constraints = Constraints::default();
        }
        constraints.patterns.extend(wanted);
        constraints.refused_patterns.extend(refused);
        let text = self.strings.make(&constraints, "", None)?;
        Some(if is_encoded { crd_go::base64::encode_std(text.as_bytes()) } else { text })
    }

    /// Makes a string of exactly that many characters for a node.
    pub(crate) fn text_of_length(&mut self, schema: &Structural, length: usize) -> Option<String> {
        let constraints = Constraints::new(schema, &[], &mut |_| 0);
        self.strings.of_length(&constraints, length)
    }

    /// Makes a string for a node that has everything but its pattern.
    pub(crate) fn text_against(&mut self, schema: &Structural, pattern: &str) -> Option<String> {
        let mut constraints = Constraints::new(schema, &[], &mut |_| 0);
        constraints.patterns.retain(|other| *other != pattern);
        constraints.refused_patterns.push(pattern);
        self.strings.make(&constraints, "", None)
    }

    /// Makes a string for a node that has everything but its length.
    pub(crate) fn text_too_long(&mut self, schema: &Structural, length: usize) -> Option<String> {
        let mut constraints = Constraints::new(schema, &[], &mut |_| 0);
        constraints.max_length = None;
        self.strings.of_length(&constraints, length)
    }

    fn constraints<'s>(
        &mut self,
        schema: &'s Structural,
        demands: &[Demand<'s>],
        style: Style,
    ) -> Constraints<'s> {
        let is_varied = self.is_varied || style == Style::Random;
        let random = &mut self.random;
        Constraints::new(schema, demands, &mut |count| if is_varied { random.below(count) } else { 0 })
    }

    fn node<'s>(
        &mut self,
        schema: &'s Structural,
        demands: &[Demand<'s>],
        name: &str,
        style: Style,
        depth: usize,
    ) -> Value {
        self.nodes += 1;
        if style == Style::Random && schema.is_nullable() && self.random.one_in(8) {
            return Value::Null;
        }
        let constraints = self.constraints(schema, demands, style);
        if let Some(known) = self.known(schema, &constraints, style) {
            return known;
        }
        match &constraints.type_ {
            Some(SchemaType::Boolean) => {
                let chosen = if style == Style::Random { self.random.one_in(2) } else { true };
                json!(chosen != constraints.refused_values.contains(&&json!(chosen)))
            }
            Some(SchemaType::Integer) => {
                let random = (style == Style::Random).then_some(&mut self.random);
                numbers::integer(&constraints, typical::integer(name), random)
            }
            Some(SchemaType::Number) => {
                let random = (style == Style::Random).then_some(&mut self.random);
                numbers::number(&constraints, random)
            }
            Some(SchemaType::String) => {
                let random = (style == Style::Random).then_some(&mut self.random);
                self.strings.make(&constraints, name, random).unwrap_or_default().into()
            }
            Some(SchemaType::Array) => self.list(schema, &constraints, name, style, depth),
            Some(SchemaType::Object) => self.object(schema, &constraints, style, depth, &[]).into(),
            Some(SchemaType::Unknown(_)) => Value::Null,
            None if style == Style::Random => self.anything(),
            None if !schema.properties.iter().next().is_none() || schema.is_embedded_resource() => {
                self.object(schema, &constraints, style, depth, &[]).into()
            }
            None => typical::anything(),
        }
    }

    /// A value that the schema itself names: of the enum, the example, the default.
    fn known(&mut self, schema: &Structural, constraints: &Constraints<'_>, style: Style) -> Option<Value> {
        let is_random = style == Style::Random;
        let examples = [&schema.generic.example, &schema.generic.default].into_iter().flatten();
        let named = examples.map(|value| &**value).find(|value| {
            !value.is_null()
                && (!value.is_object() || schema.properties.is_empty() && schema.map_values().is_none())
                && !value
                    .as_array()
                    .is_some_and(|items| items.is_empty() || items.iter().any(Value::is_object))
                && !constraints.refused_values.contains(value)
                && constraints.values.as_ref().is_none_or(|values| values.contains(value))
                && self.is_valid(schema, value)
        });
        if let Some(named) =
            named.filter(|_| !is_random && !self.is_varied || is_random && self.random.one_in(8))
        {
            return Some(named.clone());
        }
        let values = constraints.values.as_ref()?;
        let fine = |value: &&Value| !constraints.refused_values.contains(value);
        // An enum names `null` and the empty string beside values that say more.
        let rank = |value: &Value| (value.is_null(), value.as_str().is_some_and(str::is_empty));
        let mut values: Vec<&Value> = values.iter().copied().filter(fine).collect();
        values.sort_by_key(|value| rank(value));
        if is_random || self.is_varied {
            return self.random.item(&values).map(|value| (*value).clone());
        }
        values.first().map(|value| (*value).clone())
    }

    /// Returns `true` if a value meets a node, rules aside.
    pub(crate) fn is_valid(&self, schema: &Structural, value: &Value) -> bool {
        let (meter, mut causes) = (Meter::default(), Causes::default());
        let with = With { patterns: &self.patterns, meter: &meter };
        validate(schema, value, &FieldPath::root(), Mode::Object, with, &mut causes);
        causes.into_vec().is_empty()
    }

    fn list<'s>(
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
        while items.len() < count {
            let style = if items.is_empty() || style == Style::Random { style } else { Style::Minimal };
            let Some(item) = self.item(
                item_schema,
                constraints.of_items(),
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

    /// Makes an item that differs from others, where it has to.
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
        // The keys of an item have to be there, or to have a default.
        for key in keys {
            if item.get(key).is_none()
                && let (Some(property), Value::Object(fields)) = (schema.properties.get(key), &mut item)
                && property.generic.default.is_none()
            {
                fields.insert(key.clone(), self.node(property, &[], key, style, depth + 2));
            }
        }
        for attempt in 0..MOST_TRIES {
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

    fn object<'s>(
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
        let is_required = |name: &str| constraints.required.contains(&name);
        for (name, property) in schema.properties.iter().filter(|(name, _)| !without.contains(name)) {
            let is_included = match style {
                // The API server fills in a default.
                Style::Minimal => is_required(name) && (property.generic.default.is_none() || depth == 0),
                _ if is_required(name) => true,
                _ if constraints.absent.contains(&name) => false,
                Style::Full => true,
                Style::Random => {
                    self.nodes < MANY_NODES
                        && (self.random.one_in(2 + depth / 3) || least > 0 && !self.random.one_in(8))
                }
            };
            if is_included {
                let demands = constraints.of_field(name, true);
                fields.insert(name.to_owned(), self.node(property, &demands, name, style, depth + 1));
            }
        }
        self.fill_up(schema, constraints, style, depth, without, &mut fields, least);
        let is_spare = |name: &String| !is_required(name);
        let mut spare: Vec<String> = fields.keys().filter(|name| is_spare(name)).cloned().collect();
        while fields.len() > most {
            let Some(name) = spare.pop() else { break };
            fields.shift_remove(&name);
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

    /// Adds fields that have to be there without a property, entries of maps, and optional fields up to the least number.
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
        let optional = schema
            .properties
            .iter()
            .filter(|(name, _)| !without.contains(name) && !constraints.absent.contains(name));
        for (name, property) in optional {
            if fields.len() < least && !fields.contains_key(name) {
                let demands = constraints.of_field(name, true);
                fields.insert(name.to_owned(), self.node(property, &demands, name, style, depth + 1));
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
            if fields.len() >= least.max(wanted) {
                break;
            }
            let Some(value) = self.entry(schema, constraints, &name, style, depth) else { break };
            fields.entry(name).or_insert(value);
        }
    }

    /// Makes a field that no property describes.
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
                Some(self.node(values, &constraints.of_field(name, false), name, style, depth + 1))
            }
            Some(AdditionalProperties::Allowed(true)) => Some(json!("value")),
            _ => schema.extensions.preserve_unknown_fields.then(|| json!("value")),
        }
    }

    fn anything(&mut self) -> Value {
        match self.random.below(6) {
            0 => json!(true),
            1 => json!(self.random.between(-5, 100)),
            2 => json!("text"),
            3 => json!([1, "two"]),
            4 => json!({"key": "value"}),
            _ => json!({}),
        }
    }
}

/// Returns `true` if the items of a list have to differ.
pub(crate) fn is_unique(schema: &Structural) -> bool {
    matches!(schema.extensions.list_type.as_deref(), Some("set" | "map"))
        || schema.value_validation.as_ref().is_some_and(|validation| validation.unique_items == Some(true))
}

/// The part of an item that differs from the others: in a list map its keys, with their defaults.
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
