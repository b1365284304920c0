//! An accepted object -> its possible faults, one at a time.

use crd_core::admit::Refusal;
use crd_core::crd::ValidationRule;
use crd_core::schema::{SchemaType, ValueValidation};
use crd_core::{Diagnostic, FieldPath, Reason, Segment, Structural};
use serde_json::Value;

use super::edits::Edit;
use super::samples::Samples;
use super::values::IDENTITY;
use super::{against_rules, wrong};

/// One thing that can be broken.
#[derive(Clone, Debug)]
pub(super) struct Fault<'s> {
    /// The steps to the value that has it.
    at: Vec<String>,
    pub(super) kind: FaultKind,
    /// The step from there to the value that the cause names, if it is another one.
    item: Option<usize>,
    /// The schema of that value.
    schema: &'s Structural,
    /// The rule, if the fault breaks one.
    rule: Option<&'s ValidationRule>,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FaultKind {
    OtherType,
    NoneOfEnum,
    AboveMaximum,
    BelowMinimum,
    NoMultiple,
    TooLong,
    TooShort,
    AgainstPattern,
    NotOfFormat,
    TooManyItems,
    TooFewItems,
    Repeated,
    TooManyProperties,
    TooFewProperties,
    Absent,
    AgainstRule,
}

impl FaultKind {
    fn words(self) -> &'static str {
        match self {
            Self::OtherType => "of another type",
            Self::NoneOfEnum => "none of the enum",
            Self::AboveMaximum => "above the maximum",
            Self::BelowMinimum => "below the minimum",
            Self::NoMultiple => "no multiple",
            Self::TooLong => "too long",
            Self::TooShort => "too short",
            Self::AgainstPattern => "no match of the pattern",
            Self::NotOfFormat => "not of the format",
            Self::TooManyItems => "a list of too many",
            Self::TooFewItems => "a list of too few",
            Self::Repeated => "there twice",
            Self::TooManyProperties => "a map of too many",
            Self::TooFewProperties => "a map of too few",
            Self::Absent => "required, and absent",
            Self::AgainstRule => "against the rule",
        }
    }
}

/// All that can be broken in an object.
pub(super) fn of<'s>(schema: &'s Structural, object: &Value) -> Vec<Fault<'s>> {
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

/// The steps of a path, however the API server prints them: `spec.list[0]`, `spec.map[key]` and `spec.map.key`.
fn steps(path: &FieldPath) -> String {
    let step = |segment: &Segment| match segment {
        Segment::Child(name) | Segment::Key(name) => name.replace('[', ".").replace(']', ""),
        Segment::Index(index) => index.to_string(),
    };
    path.segments().into_iter().map(step).collect::<Vec<_>>().join(".")
}

impl Fault<'_> {
    /// Changes of the object that are likely to make the fault and no other.
    pub(super) fn edits(&self, object: &Value, samples: &Samples) -> Vec<Edit> {
        let Some(value) = self.at.iter().try_fold(object, |value, step| match value {
            Value::Array(items) => items.get(step.parse::<usize>().ok()?),
            value => value.get(step),
        }) else {
            return Vec::new();
        };
        let edit = |value| Edit::put(self.at.clone(), value);
        match (self.kind, self.rule) {
            (FaultKind::Absent, _) => vec![Edit::remove(self.at.clone())],
            (FaultKind::AgainstRule, Some(rule)) => {
                against_rules::edits(rule, self.schema, value, &self.at, samples)
            }
            (kind, _) => wrong::values(kind, self.schema, value, samples).into_iter().map(edit).collect(),
        }
    }

    /// The cause for this fault. `is_lenient` allows others beside it.
    pub(super) fn cause<'r>(&self, refusal: &'r Refusal, is_lenient: bool) -> Option<&'r Diagnostic> {
        // A cause that rules were not run is not a fault.
        let count = refusal.causes.len() - usize::from(refusal.has_unchecked_rules);
        let causes = &refusal.causes[..count];
        if let Some(rule) = self.rule {
            let at = self.at.join(".");
            let mut broken = refusal.broken_rules.iter();
            let broken = broken.find(|broken| broken.rule == rule.rule && steps(&broken.at) == at)?;
            return causes.get(broken.cause).filter(|_| is_lenient || count == 1);
        }
        let field = self.field();
        let is_rule = |index| refusal.broken_rules.iter().any(|broken| broken.cause == index);
        let own = |(index, cause): &(usize, &Diagnostic)| steps(&cause.field) == field && !is_rule(*index);
        let (_, cause) = causes.iter().enumerate().find(own)?;
        let is_only = count == 1 || self.is_said_twice(causes, &field);
        (is_lenient || is_only).then_some(cause)
    }

    /// An integer-or-string of another type is refused once by what it is, and again by the schemas of its two types, of
    /// which the one as a whole names no field.
    fn is_said_twice(&self, causes: &[Diagnostic], field: &str) -> bool {
        let is_of_type = |cause: &Diagnostic| match cause.reason {
            Reason::TypeInvalid => steps(&cause.field) == field,
            reason => reason == Reason::Invalid && cause.field.is_root(),
        };
        self.kind == FaultKind::OtherType && self.schema.is_int_or_string() && causes.iter().all(is_of_type)
    }

    /// The field that is wrong then, in the form of [`steps`].
    pub(super) fn field(&self) -> String {
        let item = self.item.map(|item| item.to_string());
        self.at.iter().cloned().chain(item).collect::<Vec<_>>().join(".")
    }

    /// The fault in words.
    pub(super) fn words(&self) -> String {
        match self.rule {
            Some(rule) => format!("{} `{}`", self.kind.words(), rule.rule.trim()),
            None => self.kind.words().to_owned(),
        }
    }
}

fn node<'s>(schema: &'s Structural, value: &Value, at: Vec<String>, out: &mut Vec<Fault<'s>>) {
    if value.is_null() {
        return;
    }
    let mut found = |kind| out.push(Fault { at: at.clone(), kind, item: None, schema, rule: None });
    let validation = schema.value_validation.as_deref();
    if validation.is_some_and(|validation| validation.enum_.as_ref().is_some_and(|values| !values.is_empty()))
    {
        // Whatever else is wrong is none of these either.
        found(FaultKind::NoneOfEnum);
    } else {
        if has_other_type(schema) {
            found(FaultKind::OtherType);
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

pub(super) fn below(at: &[String], step: &str) -> Vec<String> {
    at.iter().cloned().chain([step.to_owned()]).collect()
}

fn rules<'s>(schema: &'s Structural, at: &[String], out: &mut Vec<Fault<'s>>) {
    let kind = FaultKind::AgainstRule;
    out.extend(schema.validations.iter().map(|rule| Fault {
        at: at.to_vec(),
        kind,
        item: None,
        schema,
        rule: Some(rule),
    }));
}

fn missing<'s>(schema: &'s Structural, name: &str, is_there: bool, at: &[String], out: &mut Vec<Fault<'s>>) {
    // A required field that has a default comes back.
    let has_default = schema.properties.get(name).is_some_and(|property| property.generic.default.is_some());
    if is_there && schema.is_required(name) && !has_default {
        out.push(Fault { at: below(at, name), kind: FaultKind::Absent, item: None, schema, rule: None });
    }
}

/// Returns `true` if there is another type than that of a value. If a resource cannot be read, the whole request is refused.
fn has_other_type(schema: &Structural) -> bool {
    match schema.type_ {
        Some(SchemaType::Object) => !schema.is_embedded_resource(),
        Some(SchemaType::Unknown(_)) => false,
        Some(_) => true,
        None => schema.is_int_or_string(),
    }
}

fn list<'s>(schema: &'s Structural, items: &[Value], at: &[String], out: &mut Vec<Fault<'s>>) {
    if is_unique(schema) {
        // One more may be too many.
        let most = schema.value_validation.as_deref().and_then(|validation| validation.max_items);
        if !items.is_empty() && most.is_none_or(|most| i64::try_from(items.len()).is_ok_and(|len| len < most))
        {
            let (kind, item) = (FaultKind::Repeated, Some(items.len()));
            out.push(Fault { at: at.to_vec(), kind, item, schema, rule: None });
        }
    }
    if let Some(item_schema) = schema.items.as_deref() {
        for (index, item) in items.iter().enumerate() {
            node(item_schema, item, below(at, &index.to_string()), out);
        }
    }
}

/// Returns `true` if the items of a list have to differ.
pub(super) fn is_unique(schema: &Structural) -> bool {
    matches!(schema.extensions.list_type.as_deref(), Some("set" | "map"))
}

/// The keywords beside the type that apply to such a value.
fn bounds(schema: &Structural, validation: &ValueValidation, value: &Value) -> Vec<FaultKind> {
    let is_some_text = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    let is_above_zero = |least: Option<i64>| least.is_some_and(|least| least > 0);
    let kinds: &[(bool, FaultKind)] = match value {
        Value::Number(_) => &[
            (validation.maximum.is_some(), FaultKind::AboveMaximum),
            (validation.minimum.is_some(), FaultKind::BelowMinimum),
            (validation.multiple_of.is_some(), FaultKind::NoMultiple),
        ],
        Value::String(_) => &[
            (validation.max_length.is_some(), FaultKind::TooLong),
            (is_above_zero(validation.min_length), FaultKind::TooShort),
            (is_some_text(&validation.pattern), FaultKind::AgainstPattern),
            // Those of numbers are told without a field.
            (is_some_text(&validation.format), FaultKind::NotOfFormat),
        ],
        Value::Array(_) => &[
            (validation.max_items.is_some(), FaultKind::TooManyItems),
            (is_above_zero(validation.min_items), FaultKind::TooFewItems),
        ],
        Value::Object(_) if !schema.is_embedded_resource() => &[
            (validation.max_properties.is_some(), FaultKind::TooManyProperties),
            (is_above_zero(validation.min_properties), FaultKind::TooFewProperties),
        ],
        _ => &[],
    };
    kinds.iter().filter(|(is_there, _)| *is_there).map(|(_, kind)| *kind).collect()
}
