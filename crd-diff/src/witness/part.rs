//! Reduces both CRDs to the fields that matter for some changes. Optional fields are removed, unless a schema on the path to a change reads
//! them.
//!
//! If an object lacks a field, the field's schema does not matter, unless the field is required, has a default, or is read by a rule or a
//! keyword. A search with reduced CRDs therefore finds the same failures in fewer CPU steps.

use std::collections::{HashMap, HashSet};

use crd_core::crd::{Validation, ValidationRule, Version};
use crd_core::schema::{AdditionalProperties, NestedAdditionalProperties, NestedValidation, SchemaType};
use crd_core::{CustomResourceDefinition, Structural};
use serde_json::Value;

use super::certain::has_large_automaton;
use super::side::{RULE_ELSEWHERE, sees_fields};
use crate::change::{Change, Probe};
use crate::schema_path::{SchemaPath, Step};
use crate::schemas::Schemas;
use crate::work::bytes;

/// CRDs with fewer schemas than this are not reduced.
const SMALL: usize = 150;
/// CRDs with more bytes of defaults than this are not reduced.
const LARGE_DEFAULTS: u64 = 64 << 10;
/// The minimum number of steps for reducing both CRDs.
const LEAST: u64 = 2000;
/// The number of steps for each schema in the whole CRDs.
const OF_SCHEMA: u64 = 8;
/// If there are at most this many schemas at and below the path of a change, all of them are kept.
const MOST_BELOW: usize = 60;
/// The maximum number of neighboring fields that are kept for edits.
const MOST_BESIDE: usize = 4;

/// The schemas of two large CRDs.
pub(crate) struct Whole<'c> {
    definitions: [&'c CustomResourceDefinition; 2],
    schemas: [Vec<&'c Structural>; 2],
    size: usize,
    /// For each schema, `true` if the schema has rules.
    have_rules: Vec<bool>,
}

impl<'c> Whole<'c> {
    /// Returns the schemas of both CRDs. Returns `None` if reducing the CRDs would save no steps, or if a schema is not structural.
    pub(crate) fn new([old, new]: &'c [Schemas<'c>; 2]) -> Option<Self> {
        let schemas = [old.complete()?, new.complete()?];
        let size: usize = schemas.iter().flatten().map(|schema| size(schema)).sum();
        // Each part keeps all defaults, and makes all automata.
        let is_heavy = |schemas: &Vec<&Structural>| {
            schemas.iter().map(|schema| defaults(schema)).sum::<u64>() > LARGE_DEFAULTS
                || schemas.iter().any(|schema| schema.any(&has_large_automaton))
        };
        let is_searched_in_parts = size >= SMALL && !schemas.iter().any(is_heavy);
        let have_rules = schemas.iter().flatten().map(|schema| schema.has_rules()).collect();
        let definitions = [old.crd, new.crd];
        is_searched_in_parts.then_some(Self { definitions, schemas, size, have_rules })
    }

    /// Returns the number of steps for reducing both CRDs.
    pub(crate) fn steps(&self) -> u64 {
        LEAST.max(OF_SCHEMA * self.size as u64)
    }

    /// Returns the paths that matter for the changes, without duplicates. Changes with the same paths can share the reduced CRDs.
    pub(crate) fn places(changes: &[&Change]) -> Vec<SchemaPath> {
        let mut known = HashSet::new();
        changes.iter().flat_map(|change| places(change)).filter(|place| known.insert(place.clone())).collect()
    }

    /// Returns CRDs that are reduced to the fields that matter for the changes. Returns `None` if a change concerns whole objects.
    pub(crate) fn part(&self, changes: &[&Change]) -> Option<[CustomResourceDefinition; 2]> {
        let places = Self::places(changes);
        if places.is_empty() || places.iter().any(SchemaPath::is_root) {
            return None;
        }
        let mut seen = Seen::default();
        let versions = || self.definitions.iter().flat_map(|crd| &crd.spec.versions);
        for scale in versions().filter_map(|version| version.subresources.as_ref()?.scale.as_ref()) {
            let paths = [&scale.spec_replicas_path, &scale.status_replicas_path].into_iter();
            paths.chain(&scale.label_selector_path).for_each(|path| seen.words(path));
        }
        let below: Vec<&[Step]> = places.iter().map(SchemaPath::walk).collect();
        // Objects meet the version of a change, those in which either definition stores them, and those that the change names.
        let stores = |name: &str| versions().any(|version| version.storage && version.name == name);
        let is_met = |version: &Version| {
            stores(&version.name)
                || changes.iter().any(|change| {
                    change.version.as_ref() == Some(&version.name)
                        || [&change.old, &change.new].into_iter().any(|value| *value == version.name)
                })
        };
        let all: Vec<Option<&Structural>> = self
            .schemas
            .iter()
            .flatten()
            .zip(versions())
            .map(|(schema, of)| is_met(of).then_some(*schema))
            .collect();
        let around = Around { seen: &seen, is_judged: false, is_root: true };
        let mut parts = reduced(&all, &below, &around);
        for (part, has_rules) in parts.iter_mut().zip(&self.have_rules) {
            if let Some(part) = part.as_mut().filter(|part| *has_rules && !part.has_rules()) {
                let mut rule = ValidationRule::default();
                RULE_ELSEWHERE.clone_into(&mut rule.rule);
                part.validations.push(rule);
            }
        }
        let mut parts = parts.into_iter();
        Some(self.definitions.map(|crd| with_schemas(crd, &mut parts)))
    }
}

/// Returns the path of a change, and the paths of its probes.
fn places(change: &Change) -> impl Iterator<Item = SchemaPath> {
    let probed = |probe: &Probe| match probe {
        Probe::Value(at, _)
        | Probe::Present(at)
        | Probe::Absent(at)
        | Probe::Twins(at, _)
        | Probe::Differing(at)
        | Probe::DifferingFrom(at, _)
        | Probe::Against(at, _) => at.clone(),
        Probe::Any => change.place.clone(),
    };
    let probed: Vec<SchemaPath> = change.probes.iter().map(probed).collect();
    std::iter::once(change.place.clone()).chain(probed)
}

/// Returns a copy of the CRD with these schemas, and without anything that does not concern objects.
fn with_schemas(
    crd: &CustomResourceDefinition,
    schemas: &mut impl Iterator<Item = Option<Structural>>,
) -> CustomResourceDefinition {
    let version = |(version, schema): (&Version, Option<Structural>)| {
        let mut part = Version::default();
        part.name.clone_from(&version.name);
        (part.served, part.storage) = (version.served, version.storage);
        part.subresources.clone_from(&version.subresources);
        let mut validation = Validation::default();
        let schema = schema.unwrap_or_else(|| {
            let mut empty = Structural::default();
            empty.type_ = Some(SchemaType::Object);
            empty
        });
        validation.open_api_v3_schema = Some(Box::new(schema.to_json_schema()));
        part.schema = Some(validation);
        part
    };
    let mut part = CustomResourceDefinition::default();
    part.metadata.name.clone_from(&crd.metadata.name);
    part.status.clone_from(&crd.status);
    part.spec.group.clone_from(&crd.spec.group);
    part.spec.names.clone_from(&crd.spec.names);
    part.spec.scope.clone_from(&crd.spec.scope);
    part.spec.conversion.clone_from(&crd.spec.conversion);
    part.spec.preserve_unknown_fields = crd.spec.preserve_unknown_fields;
    part.spec.versions = crd.spec.versions.iter().zip(schemas).map(version).collect();
    part
}

/// Data about the enclosing schemas.
struct Around<'a> {
    seen: &'a Seen<'a>,
    /// `true` inside the value that is validated again because of a change. Unknown fields, and strings that rules decode, must then be
    /// kept.
    is_judged: bool,
    is_root: bool,
}

/// Returns the schemas at one path in all versions, without the fields that nothing reads. `below` contains the remaining paths that must
/// be kept.
fn reduced(
    schemas: &[Option<&Structural>],
    below: &[&[Step]],
    around: &Around<'_>,
) -> Vec<Option<Structural>> {
    let found = || schemas.iter().flatten().copied();
    if found().next().is_none() {
        return vec![None; schemas.len()];
    }
    let is_end = below.iter().any(|steps| steps.is_empty());
    let is_kept = is_end && found().map(size).sum::<usize>() <= MOST_BELOW * schemas.len();
    if is_kept {
        return schemas.iter().map(|schema| schema.cloned()).collect();
    }
    let mut here = Seen { above: Some(around.seen), ..Seen::default() };
    found().for_each(|schema| here.schema(schema));
    // Each level with names costs a look at each property below it.
    let seen = if here.words.is_empty() && here.texts.is_empty() { around.seen } else { &here };
    let is_judged = around.is_judged || below.iter().any(|steps| steps.len() <= 1);
    let inner = Around { seen, is_judged, is_root: false };
    let mut ways: HashMap<&Step, Vec<&[Step]>> = HashMap::new();
    for (step, rest) in below.iter().filter_map(|steps| steps.split_first()) {
        ways.entry(step).or_default().push(rest);
    }
    let child = |step: &Step, of: &dyn Fn(&Structural) -> Option<&Structural>| {
        let schemas: Vec<_> = schemas.iter().map(|schema| schema.and_then(of)).collect();
        reduced(&schemas, ways.get(step).map_or(&[], Vec::as_slice), &inner)
    };
    let mut out: Vec<Option<Structural>> = schemas.iter().map(|schema| schema.map(bare)).collect();
    let names = kept(schemas, (&ways, is_judged), around, seen);
    for name in names {
        let step = Step::Property(name.into());
        // The metadata of an object has restrictions of its own.
        let fields = if around.is_root && name == "metadata" {
            schemas
                .iter()
                .map(|schema| schema.and_then(|schema| schema.properties.get(name)).cloned())
                .collect()
        } else {
            child(&step, &|schema| schema.properties.get(name))
        };
        for (out, field) in out.iter_mut().zip(fields) {
            if let (Some(out), Some(field)) = (out, field) {
                out.properties.insert(name, field);
            }
        }
    }
    let items = child(&Step::Items, &|schema| schema.items.as_deref());
    let values = child(&Step::Values, &Structural::map_values);
    for ((out, items), values) in out.iter_mut().zip(items).zip(values) {
        let Some(out) = out else { continue };
        out.items = items.map(Box::new);
        if let Some(values) = values {
            out.additional_properties = Some(AdditionalProperties::Schema(Box::new(values)));
        }
    }
    out
}

/// Returns the names of the properties that are kept, in order.
fn kept<'s>(
    schemas: &[Option<&'s Structural>],
    (ways, is_judged): (&HashMap<&Step, Vec<&[Step]>>, bool),
    around: &Around<'_>,
    seen: &Seen<'_>,
) -> Vec<&'s str> {
    let found = || schemas.iter().flatten().copied();
    let is_open = found().any(|schema| {
        let is_counted = schema
            .value_validation
            .as_deref()
            .is_some_and(|all| all.min_properties.is_some() || all.max_properties.is_some());
        schema.extensions.preserve_unknown_fields
            || schema.additional_properties.is_some()
            || schema.is_embedded_resource()
            || is_counted
    });
    let mut beside = if ways.is_empty() { 0 } else { MOST_BESIDE };
    let (mut known, mut names) = (HashSet::new(), Vec::new());
    for name in found().flat_map(|schema| schema.properties.keys()).filter(|name| known.insert(*name)) {
        let fields = || found().filter_map(|schema| schema.properties.get(name));
        let is_on_way = ways.contains_key(&Step::Property(name.into()));
        let is_identity = around.is_root && ["apiVersion", "kind", "metadata"].contains(&name);
        let mut is_kept = is_open
            || is_on_way
            || is_identity
            || seen.sees(name)
            || found().any(|schema| schema.is_required(name))
            || fields().any(|field| field.generic.default.is_some())
            || is_judged && fields().any(|field| field.any(&is_judged_anew));
        if !is_kept && beside > 0 && fields().all(is_scalar) {
            (is_kept, beside) = (true, beside - 1);
        }
        if is_kept {
            names.push(name);
        }
    }
    names
}

/// Returns `true` for schemas whose values are validated again although they have not changed, and for strings that rules may fail to
/// decode.
fn is_judged_anew(schema: &Structural) -> bool {
    let format = schema.value_validation.as_deref().and_then(|all| all.format.as_deref());
    schema.extensions.preserve_unknown_fields
        || format
            .is_some_and(|format| ["byte", "date", "date-time", "datetime", "duration"].contains(&format))
}

fn is_scalar(schema: &Structural) -> bool {
    let scalars = [SchemaType::String, SchemaType::Integer, SchemaType::Number, SchemaType::Boolean];
    schema.type_.as_ref().is_some_and(|name| scalars.contains(name)) && schema.validations.is_empty()
}

/// Returns a schema without its child schemas.
fn bare(schema: &Structural) -> Structural {
    let mut bare = Structural::default();
    bare.type_.clone_from(&schema.type_);
    bare.generic.default.clone_from(&schema.generic.default);
    bare.generic.nullable = schema.generic.nullable;
    bare.extensions.clone_from(&schema.extensions);
    bare.validations.clone_from(&schema.validations);
    bare.value_validation.clone_from(&schema.value_validation);
    if let Some(AdditionalProperties::Allowed(allowed)) = &schema.additional_properties {
        bare.additional_properties = Some(AdditionalProperties::Allowed(*allowed));
    }
    bare
}

/// Returns the size of all defaults in bytes.
fn defaults(schema: &Structural) -> u64 {
    let mut size = 0;
    schema.each(&mut |schema| size += schema.generic.default.as_deref().map_or(0, bytes));
    size
}

fn size(schema: &Structural) -> usize {
    let mut size = 0;
    schema.each(&mut |_| size += 1);
    size
}

/// The field names that occur in rules and keywords of enclosing schemas.
#[derive(Default)]
struct Seen<'a> {
    words: HashSet<String>,
    /// Expressions, which may contain names that are not identifiers in string literals.
    texts: Vec<String>,
    above: Option<&'a Seen<'a>>,
}

impl Seen<'_> {
    fn sees(&self, name: &str) -> bool {
        let escaped = crd_core::escape_name(name);
        let is_plain = name.bytes().all(is_word_byte);
        std::iter::successors(Some(self), |seen| seen.above).any(|seen| {
            let is_word = |name: &str| seen.words.contains(name);
            is_word(name)
                || escaped.as_deref().is_some_and(is_word)
                || !is_plain && seen.texts.iter().any(|text| text.contains(name))
        })
    }

    fn words(&mut self, text: &str) {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        self.words.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
    }

    fn schema(&mut self, schema: &Structural) {
        for ValidationRule { rule, message_expression, field_path, .. } in &schema.validations {
            for text in [rule, message_expression, field_path] {
                self.words(text);
                self.texts.push(text.clone());
            }
        }
        self.words.extend(schema.extensions.list_map_keys.iter().flatten().cloned());
        schema.generic.default.iter().for_each(|value| self.names(value));
        let listed = schema.value_validation.as_deref().and_then(|keywords| keywords.enum_.as_ref());
        listed.into_iter().flatten().for_each(|value| self.names(value));
        let keywords = schema.value_validation.as_deref().filter(|keywords| sees_fields(keywords));
        keywords.into_iter().for_each(|keywords| self.keywords(keywords));
    }

    /// Adds the field names in a default or an enum value, because these fields must keep their schemas.
    fn names(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                self.words.insert(name.clone());
                self.names(value);
            }),
            Value::Array(items) => items.iter().for_each(|item| self.names(item)),
            _ => {}
        }
    }

    fn keywords(&mut self, keywords: &crd_core::schema::ValueValidation) {
        self.words.extend(keywords.required.iter().flatten().cloned());
        let parts = [&keywords.all_of, &keywords.any_of, &keywords.one_of];
        let parts = parts.into_iter().flatten().flatten().chain(keywords.not.as_deref());
        parts.for_each(|part| self.part(part));
    }

    fn part(&mut self, part: &NestedValidation) {
        self.keywords(&part.value_validation);
        for (name, field) in part.properties.iter() {
            self.words.insert(name.to_owned());
            self.part(field);
        }
        if let Some(NestedAdditionalProperties::Schema(values)) = &part.additional_properties {
            self.part(values);
        }
        part.items.iter().for_each(|items| self.part(items));
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
