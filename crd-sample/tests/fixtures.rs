//! Samples of the project's own definitions: accepted objects, objects at bounds, broken ones, commented ones.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crd_core::CustomResourceDefinition;
use crd_input::{Limits, Source, documents};
use crd_sample::{Fault, Sampler};
use serde_json::{Value, json};

/// Recorded definitions of which no object can be created: each has a rule that never holds, or has no answer.
const IMPOSSIBLE: &[&str] = &[];

fn workspace(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Returns the definitions in files of a folder, or below the key `crd` of recorded cases.
fn definitions(path: &str) -> Vec<(String, CustomResourceDefinition)> {
    let limits = Limits::default();
    let (sources, errors) = crd_input::sources(&[workspace(path)], &limits);
    assert!(errors.is_empty(), "{}", errors[0]);
    let mut found = Vec::new();
    for source in &sources {
        for document in documents(source, &limits).0 {
            let mut value = document.value;
            if value.get("crd").is_some() {
                value = value["crd"].take();
            }
            if value["kind"] == "CustomResourceDefinition" {
                let name = source.relative().to_owned();
                // `y` is a truth value for kubectl: such a fixture is for other readers.
                found.extend(CustomResourceDefinition::from_value(value).ok().map(|crd| (name, crd)));
            }
        }
    }
    assert!(!found.is_empty(), "{path} has no CRDs");
    found
}

fn everything() -> CustomResourceDefinition {
    definitions("crd-sample/tests/fixtures/everything.yaml").swap_remove(0).1
}

/// Asserts that an object is accepted, that nothing of it is lost, and that it is stored as it is.
fn assert_accepted(name: &str, sampler: &Sampler, object: &Value) {
    let stored = match sampler.validator().create(object).result {
        Ok(stored) => stored,
        Err(refusal) => panic!("{name}: {refusal}\n{object}"),
    };
    assert!(contains(&stored, object), "{name}: something is lost of\n{object}\nin\n{stored}");
}

fn contains(stored: &Value, sent: &Value) -> bool {
    match (stored, sent) {
        (Value::Object(stored), Value::Object(sent)) => {
            sent.iter().all(|(key, value)| stored.get(key).is_some_and(|stored| contains(stored, value)))
        }
        (Value::Array(stored), Value::Array(sent)) => {
            stored.len() == sent.len() && stored.iter().zip(sent).all(|(stored, sent)| contains(stored, sent))
        }
        (stored, sent) => crd_go::json::deep_equal(stored, sent),
    }
}

#[test]
fn every_definition_has_samples() {
    let mut impossible = Vec::new();
    for path in
        ["tests/tests/round_trip", "examples", "tests/conformance/object", "crd-sample/tests/fixtures"]
    {
        for (name, crd) in definitions(path) {
            let sampler = Sampler::for_stored(&crd).unwrap();
            match (sampler.minimal(), sampler.full()) {
                (Ok(minimal), Ok(full)) => {
                    assert_accepted(&name, &sampler, &minimal);
                    assert_accepted(&name, &sampler, &full);
                    for object in sampler.accepted().take(10) {
                        assert_accepted(&name, &sampler, &object);
                    }
                }
                (Err(error), _) | (_, Err(error)) => impossible.push(format!("{name}: {error}")),
            }
        }
    }
    let is_known = |text: &&String| IMPOSSIBLE.iter().any(|name| text.starts_with(name));
    let unknown: Vec<&String> = impossible.iter().filter(|text| !is_known(text)).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
    assert_eq!(impossible.len(), IMPOSSIBLE.len(), "{impossible:#?}");
}

#[test]
fn the_same_seed_gives_the_same_objects() {
    let sampler = Sampler::for_stored(&everything()).unwrap();
    let some = |seed| sampler.with_seed(seed).accepted().take(20).collect::<Vec<_>>();
    assert_eq!(some(7), some(7));
    assert_ne!(some(7), some(8));
    let different: BTreeSet<String> = some(7).iter().map(Value::to_string).collect();
    assert!(different.len() > 15, "only {} different objects", different.len());
    assert_eq!(sampler.full(), sampler.full());
    let broken = |seed| sampler.with_seed(seed).broken().take(60).collect::<Vec<_>>();
    assert_eq!(broken(1), broken(1));
}

#[test]
fn nothing_can_be_left_out_of_a_minimal_object() {
    for (name, crd) in definitions("crd-sample/tests/fixtures").into_iter().chain(definitions("examples")) {
        let sampler = Sampler::for_stored(&crd).unwrap();
        let minimal = sampler.minimal().unwrap();
        let mut places = Vec::new();
        below(&minimal["spec"], &mut vec!["spec".to_owned()], &mut places);
        for place in places {
            let mut smaller = minimal.clone();
            remove(&mut smaller, &place);
            assert!(!sampler.validator().create(&smaller).is_accepted(), "{name}: {place:?} of {minimal}");
        }
    }
}

fn below(value: &Value, at: &mut Vec<String>, out: &mut Vec<Vec<String>>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(i, value)| (i.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (step, child) in children {
        at.push(step);
        out.push(at.clone());
        below(child, at, out);
        at.pop();
    }
}

fn remove(value: &mut Value, at: &[String]) {
    match (at, value) {
        ([last], Value::Object(fields)) => drop(fields.remove(last)),
        ([last], Value::Array(items)) => drop(items.remove(last.parse().unwrap())),
        ([step, rest @ ..], Value::Object(fields)) => remove(&mut fields[step], rest),
        ([step, rest @ ..], Value::Array(items)) => remove(&mut items[step.parse::<usize>().unwrap()], rest),
        _ => {}
    }
}

#[test]
fn broken_objects_are_refused_for_one_thing() {
    let mut seen = BTreeSet::new();
    for (name, crd) in definitions("crd-sample/tests/fixtures").into_iter().chain(definitions("examples")) {
        let sampler = Sampler::for_stored(&crd).unwrap();
        for broken in sampler.broken().take(150) {
            let refusal = sampler.validator().create(&broken.object).result.unwrap_err();
            let causes = refusal.faults().count();
            let is_twice = broken.fault == Fault::Type && causes == 3;
            assert!(causes == 1 || is_twice, "{name}: {}: {refusal}", broken.fault);
            let cause = refusal.iter().find(|cause| cause.field == broken.field).unwrap();
            assert_eq!(cause.message, broken.message);
            if let Fault::Rule(rule) = &broken.fault {
                assert_eq!(refusal.failed_rules[0].rule.trim(), rule);
            }
            seen.insert(match broken.fault {
                Fault::Rule(_) => "Rule".to_owned(),
                fault => format!("{fault:?}"),
            });
        }
    }
    let all = [
        "Duplicate",
        "Enum",
        "Format",
        "MaxItems",
        "MaxLength",
        "MaxProperties",
        "Maximum",
        "MinItems",
        "MinLength",
        "MinProperties",
        "Minimum",
        "MultipleOf",
        "Pattern",
        "Required",
        "Rule",
        "Type",
    ];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), all);
}

#[test]
fn every_rule_of_the_fixture_can_be_broken() {
    let sampler = Sampler::for_stored(&everything()).unwrap();
    let mut broken = BTreeSet::new();
    for one in sampler.broken().take(400) {
        if let Fault::Rule(rule) = one.fault {
            broken.insert(rule);
        }
    }
    let mut rules = BTreeSet::new();
    let schema =
        crd_core::Structural::from_json_schema(everything().spec.versions[0].open_api_v3_schema().unwrap());
    collect(&schema.unwrap(), &mut rules);
    let missing: Vec<&String> = rules.difference(&broken).filter(|rule| !rule.contains("oldSelf")).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

fn collect(schema: &crd_core::Structural, out: &mut BTreeSet<String>) {
    out.extend(schema.validations.iter().map(|rule| rule.rule.trim().to_owned()));
    schema.children().for_each(|(_, child)| collect(child, out));
}

#[test]
fn boundaries_are_accepted() {
    let sampler = Sampler::for_stored(&everything()).unwrap();
    let mut seen = BTreeSet::new();
    for boundary in sampler.boundaries() {
        assert_accepted("everything", &sampler, &boundary.object);
        seen.insert(format!("{}: {:?}", boundary.at.join("."), boundary.keyword));
    }
    for expected in [
        "spec.size: Maximum",
        "spec.size: Minimum",
        "spec.name: MaxLength",
        "spec.name: MinLength",
        "spec.ports: MaxItems",
        "spec.labels: MinProperties",
        "spec.color: Enum",
    ] {
        assert!(seen.contains(expected), "{expected} is not among {seen:#?}");
    }
}

#[test]
fn alternatives_have_every_field_between_them() {
    let sampler = Sampler::for_stored(&everything()).unwrap();
    let all = sampler.alternatives().unwrap();
    for object in &all {
        assert_accepted("everything", &sampler, object);
    }
    for field in ["git", "image", "oci", "hourly", "daily"] {
        let has = |object: &&Value| object.to_string().contains(&format!("\"{field}\":"));
        assert!(all.iter().any(|object| has(&object)), "no object has `{field}`");
    }
}

#[test]
fn comments_can_be_taken_away() {
    for (name, crd) in definitions("crd-sample/tests/fixtures").into_iter().chain(definitions("examples")) {
        let sampler = Sampler::for_stored(&crd).unwrap();
        for object in [sampler.minimal().unwrap(), sampler.full().unwrap()] {
            let text = sampler.commented(&object);
            assert_accepted(&name, &sampler, &read(&text));
            let lines: Vec<&str> = text.lines().collect();
            let is_out =
                |line: &str| line.trim_start().strip_prefix('#').is_some_and(|rest| !rest.starts_with(' '));
            let mut at = 0;
            while at < lines.len() {
                if !is_out(lines[at]) {
                    at += 1;
                    continue;
                }
                // A field and the lines that stand deeper, or are items of its list.
                let indent = lines[at].find('#').unwrap();
                let rest = lines[at..].iter().skip(1);
                let deeper = |line: &&&str| {
                    line.find('#') == Some(indent)
                        && (line[indent + 1..].starts_with("- ")
                            || line[indent + 1..].starts_with("  ") && !line[indent + 1..].trim().is_empty())
                };
                let end = at + 1 + rest.take_while(deeper).count();
                let is_alone = !lines[..at]
                    .iter()
                    .rev()
                    .take_while(|line| line.trim_start().starts_with("# "))
                    .any(|line| line.contains("rejected together with"));
                let whole: Vec<String> =
                    lines
                        .iter()
                        .enumerate()
                        .map(|(i, line)| {
                            if (at..end).contains(&i) {
                                line.replacen('#', "", 1)
                            } else {
                                (*line).to_owned()
                            }
                        })
                        .collect();
                let object = read(&whole.join("\n"));
                if is_alone {
                    assert_accepted(&format!("{name}: {}", lines[at]), &sampler, &object);
                }
                at = end;
            }
        }
    }
}

fn read(text: &str) -> Value {
    let source = Source::from_string("sample.yaml", text);
    let (documents, errors) = documents(&source, &Limits::default());
    assert!(errors.is_empty(), "{}\n{text}", errors[0]);
    documents.into_iter().next().unwrap().value
}

fn of_spec(spec: Value) -> CustomResourceDefinition {
    of_schema(&json!({"type": "object", "required": ["spec"], "properties": {"spec": spec}}))
}

fn of_schema(schema: &Value) -> CustomResourceDefinition {
    let version = |name: &str, is_stored: bool| json!({"name": name, "served": true, "storage": is_stored, "schema": {"openAPIV3Schema": schema}});
    let spec = json!({
        "group": "example.org", "names": {"plural": "things", "kind": "Thing"}, "scope": "Cluster",
        "versions": [version("v1", true), version("v2", false)],
    });
    CustomResourceDefinition::from_value(json!({"metadata": {"name": "things.example.org"}, "spec": spec}))
        .unwrap()
}

#[test]
fn every_served_version_has_a_sampler() {
    let samplers = Sampler::for_served(&of_spec(json!({"type": "object"}))).unwrap();
    let objects: Vec<Value> = samplers.iter().map(|sampler| sampler.minimal().unwrap()).collect();
    assert_eq!(objects[0]["apiVersion"], "example.org/v1");
    assert_eq!(objects[1]["apiVersion"], "example.org/v2");
}

/// A value for which no steps were left is absent. As `null`, the object would be accepted, too: the API server drops it.
#[test]
fn what_could_not_be_made_is_left_out() {
    let crd = of_schema(&json!({"type": "object", "properties": {"spec": {"type": "object"}}}));
    let sampler = Sampler::for_stored(&crd).unwrap().with_allowance(&crd_sample::Allowance::new(0));
    assert!(sampler.minimal().is_ok_and(|object| object.get("spec").is_none()));
}

#[test]
fn rules_about_the_size_of_an_absent_map_are_solved() {
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    for rule in ["size(self.limits) != 0", "size(self.limits) > 2 && has(self.replicas)"] {
        let crd = of_spec(json!({
            "type": "object", "properties": {"replicas": {"type": "integer"}, "limits": map},
            "x-kubernetes-validations": [{"rule": rule}],
        }));
        let object = Sampler::new(&crd, "v1").unwrap().containing(&["spec".to_owned()], None, 200);
        assert!(object.is_some_and(|object| object["spec"]["limits"].is_object()), "{rule}");
    }
}
