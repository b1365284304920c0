//! The requests that `tests/conformance/changes/record` sends to a real API server.

use std::collections::BTreeMap;

use crd_core::CustomResourceDefinition;
use crd_diff::{Class, Finding};
use crd_sample::Sampler;
use serde_json::{Value, json};

use super::cases::{Case, FILES, RELEASES, cases, for_release};
use super::edits::edits;
use super::mutations::Random;

/// The objects of one case.
const MOST_OBJECTS: usize = 8;
/// The edits of one case, for each definition.
const MOST_EDITS: usize = 4;

/// Writes the requests.
#[test]
#[ignore = "the first step of recording"]
fn write_plan() {
    let path = std::env::var_os("CRD_DIFF_PLAN").unwrap();
    let plans: BTreeMap<&str, Vec<Value>> =
        FILES.into_iter().map(|file| (file, cases(file).iter().map(plan).collect())).collect();
    std::fs::write(path, json!(plans).to_string()).unwrap();
}

/// Returns the objects with which a case is recorded: those that show its findings, and samples of both definitions.
fn plan(case: &Case) -> Value {
    let findings = case.findings(&for_release(RELEASES[0]));
    let mut objects: Vec<Value> = case.objects.clone();
    for finding in &findings {
        for witness in &finding.witnesses {
            objects.extend([&witness.old, &witness.new].into_iter().flatten().cloned());
            // A request that leaves out what a definition fills in.
            if let (Some(old), Some(new)) = (&witness.old, &witness.new)
                && !witness.answer.contains(" is invalid: ")
            {
                objects.push(request(old, new));
            }
        }
    }
    let samples: Vec<Value> = case.definitions().flat_map(|crd| samples(crd, 3)).collect();
    objects.extend(samples);
    let mut unique: Vec<Value> = Vec::new();
    for object in objects.into_iter().map(named) {
        if !unique.contains(&object) {
            unique.push(object);
        }
    }
    unique.truncate(MOST_OBJECTS);
    let mut all = edits_of("old", case.old.as_ref(), &findings, &[Class::Edit]);
    all.extend(edits_of("new", case.new.as_ref(), &findings, &[Class::Read, Class::Rollback]));
    json!({
        "name": case.name, "old": case.old.as_ref().map(CustomResourceDefinition::to_value),
        "new": case.new.as_ref().map(CustomResourceDefinition::to_value),
        "objects": unique, "edits": all, "apply": applied(case, &findings),
    })
}

/// Returns the smallest object of each served version, and some random ones.
fn samples(crd: &CustomResourceDefinition, count: usize) -> Vec<Value> {
    let mut out = Vec::new();
    for version in crd.spec.versions.iter().filter(|version| version.served) {
        let Ok(sampler) = Sampler::new(crd, &version.name) else { continue };
        out.extend(sampler.minimal().into_iter().chain(sampler.accepted().take(count)));
    }
    out
}

/// Returns an object whose only metadata is its names.
pub(crate) fn named(mut object: Value) -> Value {
    let is_name = |name: &str| ["name", "generateName"].contains(&name);
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.retain(|name, _| is_name(name));
    }
    object
}

/// Returns the edits of objects of one definition: those that show a finding, and random ones.
fn edits_of(
    side: &str,
    crd: Option<&CustomResourceDefinition>,
    findings: &[Finding],
    classes: &[Class],
) -> Vec<Value> {
    let Some(crd) = crd else { return Vec::new() };
    let mut out: Vec<(Value, Value)> = Vec::new();
    for witness in findings.iter().flat_map(|finding| &finding.witnesses) {
        if let (true, Some(old), Some(new)) = (classes.contains(&witness.class), &witness.old, &witness.new)
            && witness.answer.contains("invalid")
        {
            out.push((old.clone(), new.clone()));
        }
    }
    let mut random = Random(7);
    let samples = samples(crd, 3);
    for (index, object) in samples.iter().enumerate() {
        let others = samples.iter().cycle().skip(index + 1);
        let other = others.take(samples.len()).find(|other| other["apiVersion"] == object["apiVersion"]);
        let edited = edits(object, other.unwrap_or(object), 2, &mut random);
        out.extend(edited.into_iter().map(|edited| (object.clone(), edited)));
    }
    let mut unique: Vec<Value> = Vec::new();
    for (object, edited) in out {
        let edit = edit_of(&object, &edited, side);
        if !unique.contains(&edit) {
            unique.push(edit);
        }
    }
    unique.truncate(MOST_EDITS);
    unique
}

/// Returns an edit of an object that one of the definitions created.
pub(crate) fn edit_of(object: &Value, edited: &Value, side: &str) -> Value {
    json!({"of": named(object.clone()), "to": named(edited.clone()), "side": side})
}

/// Returns the first object without the values that differ in the second.
fn request(old: &Value, new: &Value) -> Value {
    if let (Value::Array(items), Value::Array(others)) = (old, new) {
        return items.iter().zip(others).map(|(item, other)| request(item, other)).collect();
    }
    let (Value::Object(fields), Value::Object(others)) = (old, new) else { return old.clone() };
    let is_container = |value: &Value| value.is_object() || value.is_array();
    let is_kept = |name: &str, value: &Value| {
        name == "metadata"
            || others
                .get(name)
                .is_some_and(|other| value == other || is_container(value) && is_container(other))
    };
    let kept = fields.iter().filter(|(name, value)| is_kept(name, value));
    kept.map(|(name, value)| (name.clone(), request(value, &others[name]))).collect()
}

/// Returns the objects that two managers apply: those of the case; or twice one that loses values, or a full one.
fn applied(case: &Case, findings: &[Finding]) -> Vec<Value> {
    let Some(old) = &case.old else { return Vec::new() };
    // The first version that changes, or the first one.
    let served: Vec<_> = old.spec.versions.iter().filter(|version| version.served).collect();
    let named = |name: &String| served.iter().find(|version| version.name == *name);
    let changed = findings.iter().find_map(|finding| finding.version.as_ref().and_then(named));
    let Some(version) = changed.or(served.first()) else { return Vec::new() };
    let object = |spec: &Value| {
        let api_version = format!("{}/{}", old.spec.group, version.name);
        json!({"apiVersion": api_version, "kind": old.spec.names.kind, "metadata": {"name": "app"}, "spec": spec})
    };
    if !case.apply.is_empty() {
        return case.apply.iter().map(object).collect();
    }
    let mut witnesses = findings.iter().flat_map(|finding| &finding.witnesses);
    let is_of_version =
        |object: &&Value| object["apiVersion"] == format!("{}/{}", old.spec.group, version.name);
    let losing =
        witnesses.find(|witness| witness.class == Class::Data).and_then(|witness| witness.old.as_ref());
    let full = || Sampler::new(old, &version.name).ok()?.full().ok();
    let Some(mut one) = losing.filter(is_of_version).cloned().or_else(full) else { return Vec::new() };
    one["metadata"] = json!({"name": "app"});
    vec![one.clone(), one]
}
