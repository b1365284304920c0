//! Random changes of definitions: every witness is an answer of admission, and no object shows a class that is not named.

use std::path::Path;

use crd_core::CustomResourceDefinition;
use crd_core::admit::{Refusal, Validator};
use crd_core::crd::Version;
use crd_diff::{Class, Finding, Options, Witness, diff};
use crd_input::Limits;
use crd_sample::{Sampler, steps_of_cause};
use serde_json::{Value, json};

use super::cases::cases;
use super::edits::{edits, of_refused_edit};
use super::server::lost;

/// A generator of random numbers, the same in every run: `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % count.max(1) as u64) as usize
    }
}

/// The paths of all schemas below the spec.
fn schemas(schema: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        schemas(property, &format!("{at}/properties/{}", name.replace('/', "~1")), out);
    }
    for below in ["items", "additionalProperties"] {
        if schema[below].is_object() {
            schemas(&schema[below], &format!("{at}/{below}"), out);
        }
    }
}

/// Changes properties, the type, an enum, a list type, the values of a map or a rule. Returns `true` if it did.
fn reshaped(schema: &mut Value, random: &mut Random) -> bool {
    let names: Vec<String> =
        schema["properties"].as_object().into_iter().flat_map(|all| all.keys().cloned()).collect();
    let name = names.get(random.below(names.len())).cloned();
    let wanted = random.below(9);
    match (wanted, schema["type"].as_str(), name) {
        (0, _, Some(name)) => {
            schema["properties"].as_object_mut().unwrap().remove(&name);
            if let Some(required) = schema["required"].as_array_mut() {
                required.retain(|other| *other != name);
            }
        }
        (1, Some("object"), Some(_)) => {
            let new = [
                json!({"type": "string", "default": "a"}),
                json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
                json!({"x-kubernetes-int-or-string": true}),
            ];
            schema["properties"]["added"] = new[random.below(3)].clone();
            if random.below(2) == 0 {
                schema["required"] = json!(["added"]);
            }
        }
        (2, _, Some(name)) => schema["required"] = json!([name]),
        (3, Some("integer"), _) => schema["type"] = json!("number"),
        (3, Some("number" | "string"), _) => schema["type"] = json!("integer"),
        (3, Some("boolean"), _) => schema["type"] = json!("string"),
        (4, _, _) if schema["enum"].is_array() => {
            schema["enum"].as_array_mut().unwrap().pop();
        }
        (5, Some("array"), _) => schema["x-kubernetes-list-type"] = json!("set"),
        (6, Some("object"), None) if schema["additionalProperties"].is_object() => {
            schema["additionalProperties"] = json!({"type": "integer"});
        }
        (7, Some("object"), Some(name)) => {
            schema["x-kubernetes-validations"] = json!([{"rule": format!("has(self.{name})")}]);
        }
        (8, Some("object"), Some(name)) => {
            schema["anyOf"] = json!([{"required": [name]}, {"minProperties": 2}]);
        }
        _ => return false,
    }
    true
}

/// The paths of all schemas of the spec and the status, in the first version that is served.
fn places(value: &Value) -> Vec<String> {
    let version =
        value["spec"]["versions"].as_array().unwrap().iter().position(|version| version["served"] == true);
    let properties =
        format!("/spec/versions/{}/schema/openAPIV3Schema/properties", version.unwrap_or_default());
    let mut all = Vec::new();
    for name in ["spec", "status"] {
        let root = format!("{properties}/{name}");
        if let Some(schema) = value.pointer(&root) {
            schemas(schema, &root, &mut all);
        }
    }
    all
}

/// The definition after one random change of a schema.
fn mutated(crd: &CustomResourceDefinition, random: &mut Random) -> CustomResourceDefinition {
    let mut value = crd.to_value();
    let all = places(&value);
    let Some(at) = all.get(random.below(all.len())) else { return crd.clone() };
    let schema = value.pointer_mut(at).unwrap();
    if random.below(3) == 0 && reshaped(schema, random) {
        return CustomResourceDefinition::from_value(value).unwrap();
    }
    let keywords: Vec<String> =
        schema.as_object().unwrap().keys().filter(|name| *name != "type").cloned().collect();
    match random.below(3) {
        0 if !keywords.is_empty() => {
            schema.as_object_mut().unwrap().remove(&keywords[random.below(keywords.len())]);
        }
        _ => {
            let (name, new) = match schema["type"].as_str() {
                Some("string") => [
                    ("maxLength", json!(random.below(6))),
                    ("minLength", json!(random.below(4))),
                    ("enum", json!(["a", "b"])),
                    ("pattern", json!("^[a-c]*$")),
                    ("default", json!("a")),
                    ("format", json!("date")),
                    ("nullable", json!(true)),
                ][random.below(7)]
                .clone(),
                Some("integer" | "number") => [
                    ("maximum", json!(random.below(20))),
                    ("minimum", json!(random.below(9))),
                    ("multipleOf", json!(1 + random.below(4))),
                    ("default", json!(1)),
                    ("x-kubernetes-validations", json!([{"rule": "self > 3"}])),
                ][random.below(5)]
                .clone(),
                Some("array") => [("maxItems", json!(random.below(4))), ("minItems", json!(random.below(3)))]
                    [random.below(2)]
                .clone(),
                Some("object") => [
                    (
                        "required",
                        json!(
                            schema["properties"]
                                .as_object()
                                .and_then(|all| all.keys().next())
                                .into_iter()
                                .collect::<Vec<_>>()
                        ),
                    ),
                    ("x-kubernetes-preserve-unknown-fields", json!(true)),
                    ("maxProperties", json!(random.below(3))),
                    ("minProperties", json!(random.below(3))),
                ][random.below(4)]
                .clone(),
                _ => ("nullable", json!(true)),
            };
            schema[name] = new;
        }
    }
    CustomResourceDefinition::from_value(value).unwrap()
}

/// A definition that answers requests.
struct Side {
    validator: Validator,
    /// The versions whose status is a subresource.
    with_status: Vec<String>,
}

impl Side {
    fn new(crd: &CustomResourceDefinition) -> Option<Self> {
        let has_status =
            |version: &&Version| version.subresources.as_ref().is_some_and(|all| all.status.is_some());
        let versions = crd.spec.versions.iter().filter(has_status);
        let with_status = versions.map(|version| version.name.clone()).collect();
        Some(Self { validator: Validator::new(crd).ok()?, with_status })
    }

    fn has_status(&self, object: &Value) -> bool {
        self.with_status.iter().any(|name| name == version_of(object))
    }

    /// Creates an object, and writes its status where that is a subresource.
    fn create(&self, object: &Value) -> Result<Value, Refusal> {
        let stored = self.validator.create(object).result?;
        match object.get("status") {
            Some(status) if self.has_status(object) && stored.get("status") != Some(status) => {
                self.validator.update_status(object, &stored).result
            }
            _ => Ok(stored),
        }
    }

    /// Replaces an object, or its status where that is a subresource and changes.
    fn update(&self, object: &Value, stored: &Value) -> Result<Value, Refusal> {
        if self.has_status(object) && object.get("status") != stored.get("status") {
            return self.validator.update_status(object, stored).result;
        }
        self.validator.update(object, stored).result
    }

    fn read(&self, stored: &Value) -> Result<Value, Refusal> {
        self.validator.read(stored, version_of(stored))
    }

    /// Changes a label of a stored object.
    fn label(&self, stored: &Value) -> Result<Value, Refusal> {
        let mut object = self.read(stored)?;
        object["metadata"]["labels"] = json!({"changed": "true"});
        self.update(&object, stored)
    }
}

fn version_of(object: &Value) -> &str {
    object["apiVersion"].as_str().unwrap().rsplit('/').next().unwrap()
}

/// Asks admission again about a witness that has a refusal.
fn confirm(old: &Side, new: &Side, witness: &Witness) -> Option<String> {
    let (first, second) = match witness.class {
        Class::Write | Class::Edit | Class::Stuck => (old, new),
        Class::Read | Class::Rollback => (new, old),
        _ => return None,
    };
    let Some(object) = &witness.new else { panic!("{witness:?}") };
    if !witness.answer.contains("invalid") {
        return None;
    }
    let answer = match &witness.old {
        None if first.create(object).is_err() => return Some(format!("not accepted: {witness:?}")),
        None => second.create(object),
        Some(stored) => second.update(object, stored),
    };
    let answer = answer.map_or_else(|refusal| refusal.to_string(), |_| "accepted".to_owned());
    (answer != witness.answer).then(|| format!("{answer:?} to {witness:?}"))
}

/// Classes, one of which is shown, with the answer.
type Shown = (Vec<Class>, String);

/// The classes that an object of one of the definitions shows.
fn shown(old: &Side, new: &Side, object: &Value) -> Vec<Shown> {
    let mut out: Vec<Shown> = Vec::new();
    let text =
        |answer: Result<Value, Refusal>| answer.map_or_else(|refusal| refusal.to_string(), |_| String::new());
    let (before, after) = (old.create(object), new.create(object));
    match (&before, &after) {
        (Ok(_), Err(_)) => out.push((vec![Class::Write], text(after.clone()))),
        (Err(_), Ok(stored)) => {
            out.push((vec![Class::Rollback], text(before.clone())));
            // Readers meet the stored object, with its defaults, and not the request.
            if let (Err(refusal), Ok(_)) = (old.create(stored), new.create(stored)) {
                out.push((vec![Class::Read], refusal.to_string()));
            }
        }
        _ => {}
    }
    // An object may lose fields on its way through another version under both definitions. The change does not cause that.
    if let Ok(stored) = &before
        && let Ok(read) = new.read(stored)
    {
        if old.read(stored).is_ok_and(|known| known != read) {
            out.push((vec![Class::Data], format!("{stored} is read as {read}")));
        }
        if let (Err(refusal), Ok(_)) = (new.label(stored), old.label(stored)) {
            out.push((vec![Class::Stuck], refusal.to_string()));
        }
    }
    if let Ok(stored) = &after
        && let Ok(read) = old.read(stored)
    {
        if new.read(stored).is_ok_and(|known| lost(&known, &read)) {
            out.push((vec![Class::Rollback], format!("{stored} is read as {read}")));
        }
        if let (Err(refusal), Ok(_)) = (old.label(stored), new.label(stored)) {
            out.push((vec![Class::Rollback], refusal.to_string()));
        }
    }
    out
}

/// The classes that refused edits show: those of an object of the old definition that only the new one refuses, and the other
/// way round.
fn shown_by_edits(
    old: &Side,
    new: &Side,
    (object, other): (&Value, &Value),
    random: &mut Random,
) -> Vec<Shown> {
    let mut out = Vec::new();
    for (before, after, is_forward) in [(old, new, true), (new, old, false)] {
        let Ok(stored) = before.create(object) else { continue };
        let Ok(read) = after.read(&stored) else { continue };
        if after.label(&stored).is_err() {
            continue;
        }
        for edited in edits(&read, other, 3, random) {
            let Ok(result) = before.update(&edited, &stored) else { continue };
            // Readers meet the stored object, with its defaults, and not the request.
            let edited = if is_forward { edited } else { result };
            let Err(refusal) = after.update(&edited, &stored) else { continue };
            // An object that loses fields on its way through another version may be refused by both.
            if before.update(&edited, &stored).is_err() {
                continue;
            }
            let places = |refusal: &Refusal, object: &Value| -> Vec<Vec<String>> {
                refusal.causes.iter().map(|cause| steps_of_cause(cause, object)).collect()
            };
            let classes = if is_forward {
                let known = after.create(&read).err().map(|refusal| places(&refusal, &read));
                of_refused_edit((&read, &edited), &places(&refusal, &edited), &known.unwrap_or_default())
            } else {
                vec![Class::Read, Class::Rollback]
            };
            out.push((classes, format!("{read} edited to {edited}: {refusal}")));
        }
    }
    out
}

/// Compares definitions with random changes of them. Returns the number of findings, and the lies.
fn play(all: &[CustomResourceDefinition], rounds: usize, samples: usize, seed: u64) -> (usize, Vec<String>) {
    let mut random = Random(seed);
    let (mut findings_of_all, mut lies) = (0, Vec::new());
    for round in 0..rounds {
        let old = &all[random.below(all.len())];
        let mut new = mutated(old, &mut random);
        for _ in 0..random.below(3) {
            new = mutated(&new, &mut random);
        }
        // A definition that the server refuses has no objects.
        if !crd_core::check(&new).is_empty() {
            continue;
        }
        let (Some(old_side), Some(new_side)) = (Side::new(old), Side::new(&new)) else { continue };
        let findings: Vec<Finding> = diff(old, &new, &Options::default());
        findings_of_all += findings.len();
        for finding in &findings {
            for witness in &finding.witnesses {
                assert!(finding.has(witness.class) && !finding.undecided.contains(&witness.class));
                let lie = confirm(&old_side, &new_side, witness);
                lies.extend(lie.map(|lie| format!("{round} {} {}: {lie}", old.metadata.name, finding.id)));
            }
        }
        let Some(version) = old.spec.versions.iter().find(|version| version.served) else { continue };
        let mut missed: Vec<Vec<Class>> = Vec::new();
        for crd in [old, &new] {
            let Ok(sampler) = Sampler::new(crd, &version.name) else { continue };
            let mut other: Option<Value> = None;
            for object in sampler.with_seed(seed + round as u64 + 1).accepted().take(samples) {
                let mut found = shown(&old_side, &new_side, &object);
                let other = other.replace(object.clone()).unwrap_or_else(|| object.clone());
                found.extend(shown_by_edits(&old_side, &new_side, (&object, &other), &mut random));
                for (classes, answer) in found {
                    let is_named =
                        findings.iter().any(|finding| classes.iter().any(|class| finding.has(*class)));
                    if !is_named && !missed.contains(&classes) {
                        let ids: Vec<_> =
                            findings.iter().map(|found| (found.id, &found.path, &found.classes)).collect();
                        let name = &old.metadata.name;
                        lies.push(format!("{round} {name}: {classes:?} of {object}: {answer}: {ids:?}"));
                        missed.push(classes);
                    }
                }
            }
        }
    }
    (findings_of_all, lies)
}

fn own() -> Vec<CustomResourceDefinition> {
    cases("schemas").into_iter().filter_map(|case| case.old).collect()
}

#[test]
fn objects_show_nothing_that_findings_leave_out() {
    let (findings, lies) = play(&own(), 40, 20, 7);
    assert!(findings > 20, "{findings}");
    assert!(lies.is_empty(), "{}", lies.join("\n"));
}

/// A count of an environment variable.
fn count(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// `CRD_DIFF_PAIRS` is the number of pairs, `CRD_DIFF_OBJECTS` that of the objects of each side, `CRD_DIFF_SEED` the seed.
/// Real definitions take part where the corpus lies beside the project.
#[test]
#[ignore = "minutes"]
fn many_objects_show_nothing_that_findings_leave_out() {
    let (pairs, objects) = (count("CRD_DIFF_PAIRS", 3000), count("CRD_DIFF_OBJECTS", 200));
    let seed = count("CRD_DIFF_SEED", 7) as u64;
    let (findings, mut lies) = play(&own(), pairs, objects, seed);
    assert!(findings > pairs / 3, "{findings}");
    // Of the largest, few pairs would be tried.
    let real = corpus(300_000);
    if !real.is_empty() {
        lies.extend(play(&real, pairs, objects, seed).1);
    }
    assert!(lies.is_empty(), "{} lies:\n{}", lies.len(), lies.join("\n"));
}

/// The definitions of the corpus that the API server accepts, up to a number of bytes; none without the corpus.
pub(crate) fn corpus(largest: usize) -> Vec<CustomResourceDefinition> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/crds");
    if !corpus.exists() {
        return Vec::new();
    }
    let limits = Limits::default();
    let (sources, _) = crd_input::sources(&[corpus], &limits);
    let read = crd_input::definitions(&sources, &limits, &|| ()).definitions;
    let small = read.into_iter().filter(|definition| definition.crd.to_value().to_string().len() < largest);
    let accepted = small.filter(|definition| crd_core::check(&definition.crd).is_empty());
    accepted.map(|definition| definition.crd).collect()
}
