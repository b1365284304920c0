//! Finds the constraints that can be broken in an accepted object. For each constraint, finds changes that probably break no other
//! constraint.

use crd_core::admit::Rejection;
use crd_core::crd::ValidationRule;
use crd_core::schema::{SchemaType, ValueValidation};
use crd_core::{CauseReason, Diagnostic, FieldPath, Segment, Structural};
use serde_json::Value;

use super::{Fault, wrong};
use crate::change::{Change, Steps, below, get};
use crate::maker::{IDENTITY, Maker};
use crate::rule::{self, Plan};

/// A constraint that can be broken in an object.
#[derive(Clone, Debug)]
pub(super) struct Breakable<'s> {
    /// The path to the value.
    pub(super) at: Steps,
    pub(super) fault: Fault,
    /// The index of a list item, if the fault is in the list, but the API server reports it at this item.
    item: Option<usize>,
    /// The value's schema.
    pub(super) schema: &'s Structural,
    /// The rule, if the constraint is a rule.
    pub(super) rule: Option<&'s ValidationRule>,
}

/// Identifies a keyword or a rule in a schema: the schema node's address, the fault, and the name of the missing field.
pub(super) type Key = (usize, Fault, Option<String>);

/// Returns a schema node's address, which identifies the node.
pub(super) fn address(schema: &Structural) -> usize {
    std::ptr::from_ref(schema).addr()
}

/// The path segments in [`places`] for list items and map entries.
const ITEM: &str = "0";
pub(super) const ENTRY: &str = "key";
/// Maximum number of paths in [`places`].
const MOST_PLACES: usize = 400;
/// Maximum length of a path in [`places`], in bytes.
const LONGEST_PLACE: usize = 10_000;

/// Collects the paths at which an object can have values, with their schema nodes. Parents come before their children. All items of a list
/// share one path, and so do all entries of a map.
pub(super) fn places<'s>(schema: &'s Structural, at: &[String], out: &mut Vec<(Steps, &'s Structural)>) {
    let properties = schema.properties.iter().filter(|(name, _)| !at.is_empty() || !IDENTITY.contains(name));
    let items = schema.items.as_deref().map(|items| (ITEM, items));
    let values = schema.map_values().map(|values| (ENTRY, values));
    for (step, child) in properties.chain(items).chain(values) {
        let at = below(at, step);
        if out.len() >= MOST_PLACES || at.iter().map(String::len).sum::<usize>() > LONGEST_PLACE {
            return;
        }
        out.push((at.clone(), child));
        places(child, &at, out);
    }
}

/// Converts a path in an object to a path as in [`places`], where all items of a list share one path, and so do all entries of a map.
pub(super) fn place_of_node(schema: &Structural, at: &[String]) -> Steps {
    let mut node = Some(schema);
    let step_of_node = |step: &String| {
        let Some(above) = node else { return step.clone() };
        let (next, known) = match (above.properties.get(step), above.items.as_deref(), above.map_values()) {
            (Some(property), ..) => (Some(property), step.as_str()),
            (None, Some(items), _) => (Some(items), ITEM),
            (None, None, values) => (values, ENTRY),
        };
        node = next;
        known.to_owned()
    };
    at.iter().map(step_of_node).collect()
}

/// Returns the constraints that can be broken in an object.
pub(super) fn breakable_parts<'s>(schema: &'s Structural, object: &Value) -> Vec<Breakable<'s>> {
    let mut out = Vec::new();
    let Value::Object(fields) = object else { return out };
    rules(schema, &[], &mut out);
    for (name, property) in schema.properties.iter().filter(|(name, _)| !IDENTITY.contains(name)) {
        if let Some(value) = fields.get(name) {
            node(property, value, vec![name.to_owned()], &mut out);
        }
        missing(schema, name, fields.contains_key(name), &[], &mut out);
    }
    out
}

/// Formats a path with dots only, because the API server has several notations: `spec.list[0]`, `spec.map[key]` and `spec.map.key`.
fn steps(path: &FieldPath) -> String {
    let step = |segment: &Segment| match segment {
        Segment::Child(name) | Segment::Key(name) => name.replace('[', ".").replace(']', ""),
        Segment::Index(index) => index.to_string(),
    };
    path.segments().into_iter().map(step).collect::<Vec<_>>().join(".")
}

impl Breakable<'_> {
    /// Returns plans that probably introduce only this fault, the likeliest first. A plan is a list of changes.
    pub(super) fn plans(&self, schema: &Structural, object: &Value, maker: &mut Maker) -> Vec<Plan> {
        let Some(value) =
            get(object, &self.at).or(matches!(self.fault, Fault::Required).then_some(&Value::Null))
        else {
            return Vec::new();
        };
        match (&self.fault, self.rule) {
            (Fault::Required, _) => vec![vec![Change::Remove(self.at.clone())]],
            (Fault::Rule(_), Some(rule)) => rule::against(rule, schema, object, &self.at, maker),
            (fault, _) => {
                let values = wrong::values(fault, self.schema, value, maker);
                values.into_iter().map(|value| vec![Change::Put(self.at.clone(), value)]).collect()
            }
        }
    }

    /// Returns the cause for this fault in a response. If `is_lenient` is `false`, the response must not have other causes.
    pub(super) fn cause<'r>(&self, refusal: &'r Rejection, is_lenient: bool) -> Option<&'r Diagnostic> {
        // That rules were not checked is not a fault.
        let count = refusal.faults().count();
        let causes = &refusal.causes[..count];
        if let Some(rule) = self.rule {
            let at = self.at.join(".");
            let mut broken = refusal.broken_rules();
            let broken = broken.find(|broken| broken.rule == rule.rule && steps(&broken.at) == at)?;
            return causes.get(broken.cause).filter(|_| is_lenient || count == 1);
        }
        let field = self.field();
        let is_rule = |index| refusal.broken_rules().any(|broken| broken.cause == index);
        let own = |(index, cause): &(usize, &Diagnostic)| steps(&cause.field) == field && !is_rule(*index);
        let (_, cause) = causes.iter().enumerate().find(own)?;
        let is_only = count == 1 || self.is_reported_twice(causes, &field);
        (is_lenient || is_only).then_some(cause)
    }

    /// Returns `true` if all causes are about one int-or-string field with a value of another type. The API server rejects such a value
    /// once without a field name, and again for each of the two types.
    fn is_reported_twice(&self, causes: &[Diagnostic], field: &str) -> bool {
        let is_of_type = |cause: &Diagnostic| match cause.reason {
            CauseReason::TypeInvalid => steps(&cause.field) == field,
            reason => reason == CauseReason::Invalid && cause.field.is_root(),
        };
        self.fault == Fault::Type && self.schema.is_int_or_string() && causes.iter().all(is_of_type)
    }

    /// Returns a key for the broken keyword or rule. It is the same for all values of the same schema node.
    pub(super) fn key(&self) -> Key {
        // The schema of a field that is required is that of the object around it.
        let name = self.at.last().filter(|_| self.fault == Fault::Required);
        (address(self.schema), self.fault.clone(), name.cloned())
    }

    /// Returns the path to the field at which the API server reports the fault, formatted like [`steps`].
    pub(super) fn field(&self) -> String {
        let item = self.item.map(|item| item.to_string());
        self.at.iter().cloned().chain(item).collect::<Vec<_>>().join(".")
    }
}

fn node<'s>(schema: &'s Structural, value: &Value, at: Vec<String>, out: &mut Vec<Breakable<'s>>) {
    if value.is_null() {
        return;
    }
    let mut found = |fault| out.push(Breakable { at: at.clone(), fault, item: None, schema, rule: None });
    let validation = schema.value_validation.as_deref();
    if validation.is_some_and(|validation| validation.enum_.as_ref().is_some_and(|values| !values.is_empty()))
    {
        // Whatever else is wrong is none of these either.
        found(Fault::Enum);
    } else {
        if has_other_type(schema) {
            found(Fault::Type);
        }
        validation.into_iter().flat_map(|validation| bounds(schema, validation, value)).for_each(found);
    }
    rules(schema, &at, out);
    match value {
        Value::Array(items) => list(schema, items, &at, out),
        Value::Object(fields) => {
            let is_resource = schema.is_embedded_resource();
            for (name, property) in schema.properties.iter() {
                missing(schema, name, fields.contains_key(name), &at, out);
                if let Some(value) = fields.get(name).filter(|_| !is_resource || !IDENTITY.contains(&name)) {
                    node(property, value, below(&at, name), out);
                }
            }
            if let Some(values) = schema.map_values() {
                for (name, value) in fields.iter().filter(|(name, _)| !schema.properties.contains(name)) {
                    node(values, value, below(&at, name), out);
                }
            }
        }
        _ => {}
    }
}

/// Returns the keys for a schema node's rules, except transition rules.
pub(super) fn rules_of(schema: &Structural) -> Vec<Key> {
    let mut all = Vec::new();
    rules(schema, &[], &mut all);
    all.iter().map(Breakable::key).collect()
}

fn rules<'s>(schema: &'s Structural, at: &[String], out: &mut Vec<Breakable<'s>>) {
    let rules = schema.validations.iter().filter(|rule| !rule::is_transition(rule));
    out.extend(rules.map(|rule| Breakable {
        at: at.to_vec(),
        fault: Fault::Rule(rule.rule.trim().to_owned()),
        item: None,
        schema,
        rule: Some(rule),
    }));
}

fn missing<'s>(
    schema: &'s Structural,
    name: &str,
    is_there: bool,
    at: &[String],
    out: &mut Vec<Breakable<'s>>,
) {
    // A required field that has a default comes back.
    let has_default = schema.properties.get(name).is_some_and(|property| property.generic.default.is_some());
    if is_there && schema.is_required(name) && !has_default {
        out.push(Breakable { at: below(at, name), fault: Fault::Required, item: None, schema, rule: None });
    }
}

/// Returns `true` if the schema rejects some type, so that this constraint can be broken. Embedded resources do not count, because the API
/// server rejects the whole request if one is not an object.
fn has_other_type(schema: &Structural) -> bool {
    match schema.type_ {
        Some(SchemaType::Object) => !schema.is_embedded_resource(),
        Some(SchemaType::Unknown(_)) => false,
        Some(_) => true,
        None => schema.is_int_or_string(),
    }
}

fn list<'s>(schema: &'s Structural, items: &[Value], at: &[String], out: &mut Vec<Breakable<'s>>) {
    if matches!(schema.extensions.list_type.as_deref(), Some("set" | "map")) {
        // One more may be too many.
        let most = schema.value_validation.as_deref().and_then(|validation| validation.max_items);
        if !items.is_empty() && most.is_none_or(|most| i64::try_from(items.len()).is_ok_and(|len| len < most))
        {
            let (fault, item) = (Fault::Duplicate, Some(items.len()));
            out.push(Breakable { at: at.to_vec(), fault, item, schema, rule: None });
        }
    }
    if let Some(item_schema) = schema.items.as_deref() {
        for (index, item) in items.iter().enumerate() {
            node(item_schema, item, below(at, index.to_string()), out);
        }
    }
}

/// Returns the faults for the keywords that restrict values of this type.
fn bounds(schema: &Structural, validation: &ValueValidation, value: &Value) -> Vec<Fault> {
    let is_some_text = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    let is_above_zero = |least: Option<i64>| least.is_some_and(|least| least > 0);
    let kinds: &[(bool, Fault)] = match value {
        Value::Number(_) => &[
            (validation.maximum.is_some(), Fault::Maximum),
            (validation.minimum.is_some(), Fault::Minimum),
            (validation.multiple_of.is_some(), Fault::MultipleOf),
        ],
        Value::String(_) => &[
            (validation.max_length.is_some(), Fault::MaxLength),
            (is_above_zero(validation.min_length), Fault::MinLength),
            (is_some_text(&validation.pattern), Fault::Pattern),
            // Those of numbers are told without a field.
            (is_some_text(&validation.format), Fault::Format),
        ],
        Value::Array(_) => &[
            (validation.max_items.is_some(), Fault::MaxItems),
            (is_above_zero(validation.min_items), Fault::MinItems),
        ],
        Value::Object(_) if !schema.is_embedded_resource() => &[
            (validation.max_properties.is_some(), Fault::MaxProperties),
            (is_above_zero(validation.min_properties), Fault::MinProperties),
        ],
        _ => &[],
    };
    kinds.iter().filter(|(is_there, _)| *is_there).map(|(_, fault)| fault.clone()).collect()
}
