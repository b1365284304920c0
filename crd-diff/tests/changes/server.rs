//! The recorded answers of a real API server to the objects of each case.

use std::collections::BTreeMap;

use crd_diff::{Class, diff};
use crd_sample::Sampler;
use serde_json::{Value, json};

use super::cases::{Case, FILES, cases, compared, folder, recorded};

/// The objects with which a case is recorded: those that show its findings, and samples of both definitions.
fn plan(case: &Case) -> Value {
    let mut objects: Vec<Value> = Vec::new();
    for finding in diff(&case.old, &case.new, &recorded()) {
        objects
            .extend(finding.witnesses.into_iter().flat_map(|witness| [witness.old, witness.new]).flatten());
    }
    for crd in [&case.old, &case.new] {
        for version in crd.spec.versions.iter().filter(|version| version.served) {
            let Ok(sampler) = Sampler::new(crd, &version.name) else { continue };
            objects.extend(sampler.minimal().into_iter().chain(sampler.accepted().take(3)));
        }
    }
    for object in &mut objects {
        object["metadata"] = json!({"name": object["metadata"]["name"]});
    }
    let mut unique: Vec<Value> = Vec::new();
    for object in objects {
        if !unique.contains(&object) {
            unique.push(object);
        }
    }
    unique.truncate(12);
    json!({"name": case.name, "old": case.old.to_value(), "new": case.new.to_value(), "objects": unique})
}

/// Writes the requests that `tests/conformance/changes/record` sends.
#[test]
#[ignore = "the first step of recording"]
fn write_plan() {
    let path = std::env::var_os("CRD_DIFF_PLAN").unwrap();
    let plans: BTreeMap<&str, Vec<Value>> =
        FILES.into_iter().map(|file| (file, cases(file).iter().map(plan).collect())).collect();
    std::fs::write(path, json!(plans).to_string()).unwrap();
}

/// The classes that the recorded answers to one object show.
fn classes(record: &Value) -> Vec<(Class, String)> {
    let ok = |step: &str| record[step]["code"].as_i64().is_some_and(|code| code < 300);
    let failed = |step: &str| record[step]["code"].as_i64().is_some_and(|code| code >= 300);
    let is_gone = |step: &str| record[step]["code"] == 404;
    let text = |step: &str| format!("{step}: {}", record[step]);
    let mut out = Vec::new();
    if ok("created") {
        if failed("created_after") {
            out.push((Class::Write, text("created_after")));
        }
        if failed("labelled") {
            // An address that is gone says nothing about the object.
            let class = if is_gone("labelled") { Class::Write } else { Class::Stuck };
            out.push((class, text("labelled")));
        }
        if ok("read") && record["read"]["body"] != record["created"]["body"] {
            out.push((Class::Data, text("read")));
        }
    }
    if ok("new_created") {
        if failed("old_created") {
            if !is_gone("old_created") {
                out.push((Class::Read, text("old_created")));
            }
            out.push((Class::Rollback, text("old_created")));
        }
        if failed("old_labelled") {
            out.push((Class::Rollback, text("old_labelled")));
        }
        let (new, old) = (&record["new_created"]["body"], &record["old_read"]["body"]);
        if ok("old_read") && lost(new, old) {
            out.push((Class::Rollback, text("old_read")));
        }
    }
    out
}

/// Returns `true` if a value of the first object is missing in the second, or is another one.
pub(crate) fn lost(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.iter().any(|(name, value)| after.get(name).is_none_or(|other| lost(value, other)))
        }
        (before, after) => before != after,
    }
}

#[test]
fn findings_name_what_the_server_did() {
    let mut missed = Vec::new();
    let mut shown = 0;
    for file in FILES {
        let text = std::fs::read_to_string(folder().join(format!("{file}.server.json"))).unwrap();
        let records: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap();
        for (case, findings) in compared().iter().filter(|(case, _)| case.file == file) {
            let Some(record) = records.get(&case.name) else {
                missed.push(format!("{}: not recorded", case.name));
                continue;
            };
            let named = |class: Class| findings.iter().any(|finding| finding.has(class));
            let update = &record["update"];
            if update["code"].as_i64().unwrap() >= 300 && !named(Class::Server) {
                missed.push(format!("{}: server: {update}", case.name));
            }
            for object in record["objects"].as_array().unwrap() {
                for (class, answer) in classes(object) {
                    shown += 1;
                    if !named(class) {
                        missed.push(format!("{}: {class}: {} {answer}", case.name, object["object"]));
                    }
                }
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(shown > 100, "{shown}");
}
