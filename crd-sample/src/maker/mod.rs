//! Builds values that are likely to match a schema.
//!
//! The values can be wrong, so all objects are validated later.

mod lists;
mod objects;

use std::sync::Arc;

use crd_core::Structural;
use crd_core::schema::SchemaType;
use crd_core::values::{Meter, Mode, Patterns, With, validate};
use crd_core::{Causes, FieldPath};
use serde_json::{Map, Value, json};

use crate::constraints::{Constraints, Demand};
use crate::random::Random;
use crate::strings::Strings;
use crate::work::{self, Work};
use crate::{numbers, typical};

pub(crate) use lists::{identity, is_unique};

/// The choice of fields and values for an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Only required fields, with typical values.
    Minimal,
    /// Every field, with typical values.
    Full,
    /// Random fields and random values.
    Random,
}

/// Fields that every resource has, although the schema does not fully describe them.
pub(crate) const IDENTITY: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Maximum number of items in a list, or of entries in a map, even if more are required.
const MOST_ITEMS: usize = 2000;
/// Once a value has this many nodes, no more list items and map entries are added, because a CRD can require more of them than fit into
/// memory.
const MOST_NODES: usize = 50_000;
/// Maximum number of attempts at building a scalar that satisfies the schema node's rules.
const MOST_VALUES: usize = 12;

/// Returns `true` if the value is `null`, although the schema does not allow `null`. Such a value could not be built, because no steps are
/// left or the type is unknown. The API server drops the field.
pub(crate) fn is_unmade(schema: &Structural, value: &Value) -> bool {
    value.is_null() && !schema.is_nullable()
}
/// Once a random object has this many nodes, no more optional fields are added.
const MANY_NODES: usize = 200;

/// Builds values for schema nodes, in a given style.
#[derive(Debug)]
pub(crate) struct Maker {
    pub(crate) random: Random,
    pub(crate) strings: Strings,
    patterns: Arc<Patterns>,
    /// `true` to choose branches of `anyOf` and `oneOf` at random, or `false` to choose the first branches.
    pub(crate) is_varied: bool,
    /// The number of nodes in the value so far.
    nodes: usize,
    /// The remaining steps for building values. When no steps are left, values are `null`.
    pub(crate) work: Work,
}

impl Maker {
    /// Creates a maker. `patterns` are the CRD's compiled patterns, which all makers share.
    pub(crate) fn new(seed: u64, patterns: &Arc<Patterns>, work: Work) -> Self {
        Self {
            random: Random::new(seed),
            strings: Strings::new(patterns, work.left()),
            patterns: Arc::clone(patterns),
            work,
            is_varied: false,
            nodes: 0,
        }
    }

    /// Restarts the random numbers with another seed. Compiled patterns are kept.
    pub(crate) fn restart(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    /// Runs a function with `pool` as the remaining steps.
    pub(crate) fn with_work<T>(&mut self, pool: &mut Work, run: impl FnOnce(&mut Self) -> T) -> T {
        std::mem::swap(&mut self.work, pool);
        let result = run(self);
        std::mem::swap(&mut self.work, pool);
        result
    }

    /// Builds a value for a field with this name.
    pub(crate) fn value(&mut self, schema: &Structural, name: &str, style: Style) -> Value {
        self.nodes = 0;
        self.node(schema, &[], name, style, 0)
    }

    /// Builds an object's fields, except for those in `without`.
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

    /// Builds a string for a schema node. The string matches the patterns in `wanted`, but not those in `refused`. If the format is `byte`,
    /// the decoded bytes must match, because rules read these.
    pub(crate) fn text<'s>(
        &mut self,
        schema: &'s Structural,
        wanted: impl IntoIterator<Item = &'s str>,
        refused: impl IntoIterator<Item = &'s str>,
        style: Style,
    ) -> Option<String> {
        let mut constraints = Constraints::new(schema, &[], &mut |_| 0);
        let is_encoded = constraints.formats.contains(&"byte");
        if is_encoded {
            constraints = Constraints::default();
        }
        constraints.patterns.extend(wanted);
        constraints.rejected_patterns.extend(refused);
        let random = (style == Style::Random).then_some(&mut self.random);
        let text = self.strings.make(&constraints, "", random)?;
        Some(if is_encoded { crd_go::base64::encode_std(text.as_bytes()) } else { text })
    }

    /// Builds a string for a schema node, if rules compare the string with patterns.
    fn ruled(&mut self, schema: &Structural, style: Style) -> Option<String> {
        if schema.validations.is_empty() {
            return None;
        }
        let pool = crate::rule::pool(schema);
        let (wanted, refused) = (pool.wanted.iter(), pool.refused.iter());
        let is_ruled = !pool.is_empty();
        is_ruled.then(|| self.text(schema, wanted.map(String::as_str), refused.map(String::as_str), style))?
    }

    /// Builds a string for a schema node, with exactly this many characters.
    pub(crate) fn text_of_length(&mut self, schema: &Structural, length: usize) -> Option<String> {
        let pool = crate::rule::pool(schema);
        let mut constraints = Constraints::new(schema, &[], &mut |_| 0);
        constraints.patterns.extend(pool.wanted.iter().map(String::as_str));
        constraints.rejected_patterns.extend(pool.refused.iter().map(String::as_str));
        self.strings.make_of_length(&constraints, length)
    }

    /// Builds a string that satisfies all of a schema node's keywords except the pattern.
    pub(crate) fn text_against(&mut self, schema: &Structural, pattern: &str) -> Option<String> {
        let mut constraints = Constraints::new(schema, &[], &mut |_| 0);
        constraints.patterns.retain(|other| *other != pattern);
        constraints.rejected_patterns.push(pattern);
        self.strings.make(&constraints, "", None)
    }

    /// Builds a string that satisfies all of a schema node's keywords except the maximum length.
    pub(crate) fn text_too_long(&mut self, schema: &Structural, length: usize) -> Option<String> {
        let pool = crate::rule::pool(schema);
        let mut constraints = Constraints::new(schema, &[], &mut |_| 0);
        constraints.patterns.extend(pool.wanted.iter().map(String::as_str));
        constraints.rejected_patterns.extend(pool.refused.iter().map(String::as_str));
        constraints.max_length = None;
        self.strings.make_of_length(&constraints, length)
    }

    fn constraints<'s>(
        &mut self,
        schema: &'s Structural,
        demands: &[Demand<'s>],
        style: Style,
    ) -> Constraints<'s> {
        let is_varied = self.is_varied || style == Style::Random;
        let random = &mut self.random;
        let choose = &mut |count| if is_varied { random.below(count) } else { 0 };
        let constraints = Constraints::new(schema, demands, choose);
        let texts = self.strings.steps_of_texts();
        self.work.take(10 + texts + (constraints.comparisons() + constraints.required.len()) as u64);
        constraints
    }

    /// Builds a value for a schema node. If a scalar violates one of the node's rules, another scalar is built.
    fn node<'s>(
        &mut self,
        schema: &'s Structural,
        demands: &[Demand<'s>],
        name: &str,
        style: Style,
        depth: usize,
    ) -> Value {
        let first = self.any_node(schema, demands, name, style, depth);
        let is_bound = !schema.validations.is_empty() && (self.is_varied || style == Style::Random);
        if !is_bound || first.is_null() || first.is_object() || first.is_array() {
            return first;
        }
        let bytes: usize = schema.validations.iter().map(|rule| rule.rule.len()).sum();
        self.work.take(bytes as u64);
        let rules = crate::rule::OwnRules::from_schema(schema);
        if rules.may_hold(&first) {
            return first;
        }
        let mut others = (0..MOST_VALUES).map(|_| self.any_node(schema, demands, name, Style::Random, depth));
        others.find(|other| !other.is_null() && rules.may_hold(other)).unwrap_or(first)
    }

    fn any_node<'s>(
        &mut self,
        schema: &'s Structural,
        demands: &[Demand<'s>],
        name: &str,
        style: Style,
        depth: usize,
    ) -> Value {
        self.nodes += 1;
        if self.work.is_done() {
            return Value::Null;
        }
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
                json!(chosen != constraints.rejected_values.contains(&&json!(chosen)))
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
                if let Some(text) = self.ruled(schema, style).filter(|_| demands.is_empty()) {
                    return text.into();
                }
                let random = (style == Style::Random).then_some(&mut self.random);
                self.strings.make(&constraints, name, random).unwrap_or_default().into()
            }
            Some(SchemaType::Array) => self.list(schema, &constraints, name, style, depth),
            Some(SchemaType::Object) => self.object(schema, &constraints, style, depth, &[]).into(),
            Some(SchemaType::Unknown(_)) => Value::Null,
            None if style == Style::Random => self.anything(),
            None if !schema.properties.is_empty() || schema.is_embedded_resource() => {
                self.object(schema, &constraints, style, depth, &[]).into()
            }
            None => typical::anything(),
        }
    }

    /// Returns a value from the schema's enum, example or default.
    fn known(&mut self, schema: &Structural, constraints: &Constraints<'_>, style: Style) -> Option<Value> {
        let is_random = style == Style::Random;
        let examples = [&schema.generic.example, &schema.generic.default].into_iter().flatten();
        self.work.take(examples.clone().map(|value| work::steps_of(value)).sum());
        let named = examples.map(|value| &**value).find(|value| {
            !value.is_null()
                && (!value.is_object() || schema.properties.is_empty() && schema.map_values().is_none())
                && !value
                    .as_array()
                    .is_some_and(|items| items.is_empty() || items.iter().any(Value::is_object))
                && !constraints.rejected_values.contains(value)
                && constraints.values.as_ref().is_none_or(|values| values.contains(value))
                && self.is_valid(schema, value)
        });
        if let Some(named) =
            named.filter(|_| !is_random && !self.is_varied || is_random && self.random.one_in(8))
        {
            return Some(named.clone());
        }
        let values = constraints.values.as_ref()?;
        let refused = &constraints.rejected_values;
        self.work.take((values.len() * (1 + refused.len())) as u64);
        let fine = |value: &&Value| !refused.contains(value);
        // An enum names `null` and the empty string next to values that say more.
        let rank = |value: &Value| (value.is_null(), value.as_str().is_some_and(str::is_empty));
        let mut values: Vec<&Value> = values.iter().copied().filter(fine).collect();
        values.sort_by_key(|value| rank(value));
        if is_random || self.is_varied {
            return self.random.item(&values).map(|value| (*value).clone());
        }
        values.first().map(|value| (*value).clone())
    }

    /// Returns `true` if a value satisfies a schema. Rules are not checked.
    pub(crate) fn is_valid(&self, schema: &Structural, value: &Value) -> bool {
        let (meter, mut causes) = (Meter::default(), Causes::default());
        let with = With { patterns: &self.patterns, meter: &meter };
        validate(schema, value, &FieldPath::root(), Mode::Object, with, &mut causes);
        causes.into_vec().is_empty()
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
