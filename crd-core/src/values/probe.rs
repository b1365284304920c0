//! Checks of one value against its schema node, without nested values and without messages.

use crd_go::KubeVersion;
use serde_json::{Map, Number, Value};

use super::node::Node;
use super::outcome::Trail;
use super::range::Range;
use super::{Mode, NODE_STEPS, ValueWalk, With, enums, types};
use crate::FieldPath;
use crate::formats::Format;
use crate::schema::{Structural, ValueValidation};

/// The types that a node allows, and the kinds of restrictions that it has. These flags are computed once for each node of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeChecks {
    types: u8,
    restrictions: u8,
}

/// Flags for the types of values in [`NodeChecks`].
const BOOL: u8 = 1;
const STRING: u8 = 1 << 1;
const ARRAY: u8 = 1 << 2;
const OBJECT: u8 = 1 << 3;
const INTEGER: u8 = 1 << 4;
/// Flag: any float is allowed. It is not set for a node that allows only some floats.
const FLOAT: u8 = 1 << 5;

/// Flags for the restrictions in [`NodeChecks`].
const JUNCTORS: u8 = 1;
const ENUM: u8 = 1 << 1;
/// Restrictions of strings: lengths and a pattern.
const TEXT: u8 = 1 << 2;
const RANGE: u8 = 1 << 3;
/// Flag: item or property counts are limited.
const SIZE: u8 = 1 << 4;
/// A format, which restricts strings or numbers.
const FORMAT: u8 = 1 << 5;

impl NodeChecks {
    pub(crate) fn new(schema: &Structural, version: KubeVersion) -> Self {
        let node = Node::spine(schema, Mode::Object, version);
        // For all values but floats, the type alone decides.
        let types = if node.has_type_or_format() { types_of(node) } else { u8::MAX };
        let restrictions = node.validation.map_or(0, restrictions);
        let has_format = node.format.is_some();
        Self { types, restrictions: restrictions | if has_format { FORMAT | RANGE } else { 0 } }
    }

    /// Returns `true` if every object is valid, whatever it contains.
    pub(crate) fn allows_every_object(self) -> bool {
        self.types & OBJECT != 0 && self.restrictions == 0
    }

    /// Returns `true` if every string is valid.
    pub(crate) fn allows_every_string(self) -> bool {
        self.types & STRING != 0 && self.restrictions == 0
    }
}

fn types_of(node: Node<'_>) -> u8 {
    let examples = [
        (BOOL, Value::Bool(true)),
        (STRING, Value::String(String::new())),
        (ARRAY, Value::Array(Vec::new())),
        (OBJECT, Value::Object(Map::new())),
        (INTEGER, Value::from(1)),
        (FLOAT, Value::from(0.5)),
    ];
    let allowed = examples.iter().filter(|(_, example)| has_allowed_type(node, example));
    allowed.fold(0, |types, (type_, _)| types | type_)
}

fn has_allowed_type(node: Node<'_>, value: &Value) -> bool {
    !node.has_type_or_format() || types::check(node, value, &Trail::Silent).is_valid()
}

fn restrictions(validation: &ValueValidation) -> u8 {
    let some_branches = [&validation.all_of, &validation.any_of, &validation.one_of];
    let has_junctors =
        some_branches.iter().any(|branches| branches.as_ref().is_some_and(|list| !list.is_empty()))
            || validation.not.is_some();
    let has_text =
        validation.min_length.is_some() || validation.max_length.is_some() || validation.pattern.is_some();
    let has_range =
        validation.minimum.is_some() || validation.maximum.is_some() || validation.multiple_of.is_some();
    let sizes =
        [validation.min_items, validation.max_items, validation.min_properties, validation.max_properties];
    let kinds = [
        (JUNCTORS, has_junctors),
        (ENUM, validation.enum_.as_ref().is_some_and(|values| !values.is_empty())),
        (TEXT, has_text),
        (RANGE, has_range),
        (SIZE, sizes.iter().any(Option::is_some)),
    ];
    kinds.into_iter().filter(|(_, has)| *has).fold(0, |all, (kind, _)| all | kind)
}

/// Validates single values, without descending into their children.
pub(crate) struct Probe<'r, 'a> {
    walk: ValueWalk<'r, 'a>,
}

/// Calls `run` with a probe for that version of the API server.
pub(crate) fn probe<'a, R>(version: KubeVersion, with: With<'_>, run: impl FnOnce(&Probe<'_, 'a>) -> R) -> R {
    let (base, enums) = (FieldPath::root(), enums::LongEnums::default());
    let With { patterns, meter } = with;
    let mode = Mode::Object;
    let walk =
        ValueWalk { patterns, meter, mode, version, base: &base, enums: &enums, needs_messages: false };
    run(&Probe { walk })
}

impl<'a> Probe<'_, 'a> {
    /// Subtracts the steps that the complete validation takes for a value, plus `more` steps. Returns `false` if fewer
    /// steps are left.
    #[inline]
    pub(crate) fn work(&self, more: usize) -> bool {
        self.walk.meter.work(NODE_STEPS + more, FieldPath::root)
    }

    /// Returns `true` if a value that is not null is valid at this node. `checks` are the flags of the node.
    #[inline]
    pub(crate) fn is_valid(&self, checks: NodeChecks, schema: &'a Structural, value: &Value) -> bool {
        let (type_, kinds) = match value {
            Value::Null => return self.is_valid_null(schema),
            Value::Bool(_) => (BOOL, JUNCTORS | ENUM),
            Value::String(_) => (STRING, JUNCTORS | ENUM | TEXT | FORMAT),
            Value::Array(_) => (ARRAY, JUNCTORS | ENUM | SIZE),
            Value::Object(_) => (OBJECT, JUNCTORS | ENUM | SIZE),
            Value::Number(number) if number.is_i64() => (INTEGER, JUNCTORS | ENUM | RANGE),
            Value::Number(number) => return self.is_valid_float(schema, value, number),
        };
        let kinds = checks.restrictions & kinds;
        checks.types & type_ != 0 && (kinds == 0 || self.holds(kinds, schema, value))
    }

    /// Returns `true` if null is valid.
    pub(crate) fn is_valid_null(&self, schema: &'a Structural) -> bool {
        let node = self.node(schema);
        types::null(node, &Trail::Silent).is_valid() && self.is_listed(node, &Value::Null)
    }

    #[cold]
    fn is_valid_float(&self, schema: &'a Structural, value: &Value, number: &Number) -> bool {
        let node = self.node(schema);
        has_allowed_type(node, value)
            && Range::for_node(node).check(node, number, &Trail::Silent).is_valid()
            && self.holds(JUNCTORS | ENUM, schema, value)
    }

    /// Checks the restrictions whose flags are in `kinds`.
    #[inline(never)]
    fn holds(&self, kinds: u8, schema: &'a Structural, value: &Value) -> bool {
        let (walk, trail) = (&self.walk, &Trail::Silent);
        if let Value::String(text) = value
            && kinds & (JUNCTORS | FORMAT) == 0
        {
            return self.text_holds(kinds, schema, text, value);
        }
        let node = self.node(schema);
        let own = match value {
            Value::String(text) if kinds & (TEXT | FORMAT) != 0 => {
                let format = node.format.and_then(Format::from_name);
                walk.text(node.validation, text, trail).is_valid()
                    && format.is_none_or(|format| !format.is_checked(node.version) || format.matches(text))
            }
            Value::Number(number) if kinds & RANGE != 0 => {
                Range::for_node(node).check(node, number, trail).is_valid()
            }
            Value::Array(items) if kinds & SIZE != 0 => {
                let limits = node.validation.map(|limits| (limits.min_items, limits.max_items));
                is_within(items.len(), limits)
            }
            Value::Object(fields) if kinds & SIZE != 0 => {
                let limits = node.validation.map(|limits| (limits.min_properties, limits.max_properties));
                is_within(fields.len(), limits)
            }
            _ => true,
        };
        own && (kinds & JUNCTORS == 0 || walk.junctors(node, value, trail).is_valid())
            && (kinds & ENUM == 0 || self.is_listed(node, value))
    }

    /// Checks a string's length, pattern and enum, which do not depend on the type.
    fn text_holds(&self, kinds: u8, schema: &'a Structural, text: &str, value: &Value) -> bool {
        let validation = schema.value_validation.as_deref();
        let values = validation.and_then(|validation| validation.enum_.as_deref()).unwrap_or_default();
        (kinds & TEXT == 0 || self.walk.text(validation, text, &Trail::Silent).is_valid())
            && (kinds & ENUM == 0 || enums::has(self.walk.enums, self.walk.meter, values, value))
    }

    fn is_listed(&self, node: Node<'a>, value: &Value) -> bool {
        enums::check(self.walk.enums, self.walk.meter, node, value, &Trail::Silent).is_valid()
    }

    fn node(&self, schema: &'a Structural) -> Node<'a> {
        Node::spine(schema, self.walk.mode, self.walk.version)
    }
}

fn is_within(count: usize, limits: Option<(Option<i64>, Option<i64>)>) -> bool {
    let Some((least, most)) = limits else { return true };
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    least.is_none_or(|least| count >= least) && most.is_none_or(|most| count <= most)
}
