//! Answers of real API servers next to the findings: both name the same classes.

use std::collections::BTreeSet;

use crd_core::FieldPath;
use crd_diff::{Class, Finding};
use crd_sample::steps_of;
use serde_json::Value;

use super::cases::{FILES, RELEASES, cases, for_release};
use super::confirm::{Confirmation, confirmations};
use super::edits::for_rejected_edit;
use super::records::{Answer, plain, records};

/// Something that a server did: the classes, one of which it shows, with the answer.
type Shown = (Vec<Class>, String);

/// Everything that the record of a case shows.
fn shown(record: &Value) -> Vec<Shown> {
    let mut out = Vec::new();
    let update = &record["update"];
    if update[0].as_u64().is_some_and(|code| code >= 300) {
        out.push((vec![Class::Server], format!("update: {update}")));
    }
    if record["rollback"][0].as_u64().is_some_and(|code| code >= 300) {
        out.push((vec![Class::Rollback], format!("rollback: {}", record["rollback"])));
    }
    let is_gone = record["gone"] == true;
    for object in list(&record["objects"]) {
        let sent = &object["object"];
        let with_object = |(classes, answer): Shown| (classes, format!("{sent} {answer}"));
        out.extend(of_old_object(object, is_gone).into_iter().map(with_object));
        out.extend(of_new_object(object).into_iter().map(with_object));
    }
    out.extend(list(&record["edits"]).filter_map(of_edit));
    out.extend(of_surface(&record["surface"]));
    out.extend(of_owners(&record["apply"]));
    out
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns the classes of an object that was created under the old CRD.
fn of_old_object(record: &Value, is_gone: bool) -> Vec<Shown> {
    let sent = &record["object"];
    let answer = |step: &str| Answer::from_record(record, step, sent);
    let Some(created) = answer("created") else { return Vec::new() };
    let mut out: Vec<Shown> = Vec::new();
    let mut push = |class: Class, step: &str, answer: Answer<'_>| {
        out.push((vec![class], format!("{step}: {}", answer.text())));
    };
    if !created.is_ok() {
        // The version is new: its objects may lose fields on the way through the storage version.
        if let Some(new) = answer("new_created").filter(|new| created.is_gone() && new.is_ok())
            && lost(&plain(sent), &new.object())
        {
            push(Class::Data, "new_created", new);
        }
        return out;
    }
    if let Some(read) = answer("read") {
        match read.code() {
            404 if is_gone => push(Class::Data, "read", read),
            404 => push(Class::Write, "read", read),
            code if code >= 300 => push(Class::Read, "read", read),
            _ if read.object() != created.object() => push(Class::Data, "read", read),
            _ => {}
        }
    }
    for step in ["labelled", "finished"] {
        if let Some(labelled) = answer(step).filter(|labelled| !labelled.is_ok()) {
            // An address that is gone says nothing about the object.
            push(if labelled.is_gone() { Class::Write } else { Class::Stuck }, step, labelled);
        }
    }
    if let Some(again) = answer("created_after") {
        if !again.is_ok() {
            push(Class::Write, "created_after", again);
        } else if is_otherwise(&created.object(), &again.object(), &plain(sent)) {
            push(Class::Data, "created_after", again);
        }
    }
    out
}

/// Returns the classes of an object that was created under the new definition.
fn of_new_object(record: &Value) -> Vec<Shown> {
    let sent = &record["object"];
    let answer = |step: &str| Answer::from_record(record, step, sent);
    let Some(new) = answer("new_created").filter(|created| created.is_ok()) else { return Vec::new() };
    let mut out: Vec<Shown> = Vec::new();
    let mut push = |class: Class, step: &str, answer: Answer<'_>| {
        out.push((vec![class], format!("{step}: {}", answer.text())));
    };
    if let Some(old) = answer("old_created") {
        // Readers meet the stored object, with its defaults, and not the request.
        let is_stored_so = new.object() == plain(sent);
        let is_other = || lost(&old.object(), &new.object()) || has_new_null(&old.object(), &new.object());
        if is_stored_so && !old.is_gone() && (!old.is_ok() || is_other()) {
            push(Class::Read, "old_created", old);
        }
        if !old.is_ok() {
            push(Class::Rollback, "old_created", old);
        }
    }
    // The objects pass through the other versions under the conversion `None`.
    if let Some(through) = answer("through").filter(|through| through.is_ok())
        && lost(&new.object(), &through.object())
    {
        push(Class::Data, "through", through);
    }
    if let Some(labelled) = answer("old_labelled").filter(|labelled| !labelled.is_ok()) {
        push(Class::Rollback, "old_labelled", labelled);
    }
    if let Some(read) = answer("old_read")
        && read.is_ok()
        && lost(&common(&plain(sent), &new.object()), &read.object())
    {
        push(Class::Rollback, "old_read", read);
    }
    out
}

/// Returns `true` if the new definition drops a part of a request, as it does with fields that the storage version lacks.
fn drops_values(record: &Value) -> bool {
    list(&record["objects"]).any(|object| {
        let sent = &object["object"];
        let created = Answer::from_record(object, "new_created", sent).filter(|created| created.is_ok());
        created.is_some_and(|created| lost(&plain(sent), &created.object()))
    })
}

/// Returns the values of a request that were stored.
fn common(sent: &Value, stored: &Value) -> Value {
    match (sent, stored) {
        (Value::Object(sent), Value::Object(stored)) => {
            let both = sent.iter().filter_map(|(name, value)| Some((name, value, stored.get(name)?)));
            both.map(|(name, sent, stored)| (name.clone(), common(sent, stored))).collect()
        }
        (_, stored) => stored.clone(),
    }
}

/// Returns the classes of an edit that the definition which created the object allows, and the other one refuses.
fn of_edit(record: &Value) -> Option<Shown> {
    let (of, to) = (&record["of"], &record["to"]);
    let [before, after] = ["before", "after"].map(|step| Answer::from_record(record, step, to));
    let (before, after) = (before?, after?);
    let is_labelled = record["label"][0].as_u64().is_some_and(|code| code < 300);
    if !before.is_ok() || after.is_ok() || !is_labelled {
        return None;
    }
    let text = format!("{of} edited to {to}: {}", after.text());
    if record["side"] == "new" {
        return Some((vec![Class::Read, Class::Rollback], text));
    }
    let place = |field: &str| steps_of(&FieldPath::new(field), to);
    let places: Vec<Vec<String>> = after.fields().map(place).collect();
    let known: Vec<Vec<String>> = Answer::from_record(record, "create", of)?.fields().map(place).collect();
    Some((for_rejected_edit((of, to), &places, &known), text))
}

/// Returns `true` if a request is stored otherwise than before. A value that was dropped and is kept now does not count: that
/// is what new fields are for.
fn is_otherwise(before: &Value, after: &Value, sent: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let is_lost = before.keys().any(|name| !after.contains_key(name));
            is_lost
                || after.iter().any(|(name, value)| match (before.get(name), sent.get(name)) {
                    (Some(before), sent) => is_otherwise(before, value, sent.unwrap_or(&Value::Null)),
                    (None, sent) => sent != Some(value),
                })
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            let pairs = before.iter().zip(after).enumerate();
            pairs.into_iter().any(|(index, (before, after))| {
                is_otherwise(before, after, sent.get(index).unwrap_or(&Value::Null))
            })
        }
        (before, after) => before != after,
    }
}

/// Returns `true` if a value of the first object is missing in the second, or is another one.
pub(crate) fn lost(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.iter().any(|(name, value)| after.get(name).is_none_or(|other| lost(value, other)))
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            before.iter().zip(after).any(|(before, after)| lost(before, after))
        }
        (before, after) => before != after,
    }
}

/// Returns `true` if the second object has a `null` that the first one lacks.
fn has_new_null(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => after.iter().any(|(name, value)| {
            before.get(name).map_or(value.is_null(), |before| has_new_null(before, value))
        }),
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            before.iter().zip(after).any(|(before, after)| has_new_null(before, after))
        }
        _ => false,
    }
}

/// Returns the classes of what clients see of the definition itself: discovery, columns, selectors and subresources.
fn of_surface(surface: &Value) -> Vec<Shown> {
    let (before, after) = (&surface[0], &surface[1]);
    let mut out = Vec::new();
    for (version, old) in before.as_object().into_iter().flatten() {
        let mut push = |class: Class, name: &str, old: &Value, new: &Value| {
            if old != new {
                out.push((vec![class], format!("{version} {name}: {old} becomes {new}")));
            }
        };
        let Some(new) = after.get(version) else {
            push(Class::Write, "served", &true.into(), &false.into());
            continue;
        };
        for (name, resource) in old["resources"].as_object().into_iter().flatten() {
            match new["resources"].get(name) {
                None => push(Class::Write, name, resource, &Value::Null),
                Some(other) => {
                    let kept = |key: &str| {
                        let kept =
                            list(&resource[key]).filter(|one| list(&other[key]).any(|other| other == *one));
                        Value::from(kept.cloned().collect::<Vec<_>>())
                    };
                    for key in ["shortNames", "categories"].into_iter().filter(|key| resource[key].is_array())
                    {
                        push(Class::Read, key, &resource[key], &kept(key));
                    }
                    push(Class::Read, "singularName", &resource["singularName"], &other["singularName"]);
                }
            }
        }
        push(Class::Read, "list", &old["list"], &new["list"]);
        let remain = list(&old["columns"]).all(|column| list(&new["columns"]).any(|other| other == column));
        if !remain || old["columns"] == new["columns"] {
            push(Class::Read, "columns", &old["columns"], &new["columns"]);
            push(Class::Read, "cells", &old["cells"], &new["cells"]);
        }
        for (field, code) in
            old["selectors"].as_object().into_iter().flatten().filter(|(_, code)| **code == 200)
        {
            push(Class::Read, field, code, &new["selectors"][field]);
        }
        for (name, scale) in old["scale"].as_object().into_iter().flatten() {
            push(Class::Write, "scale", scale, &new["scale"][name]);
        }
        if old["keeps status"] == true {
            push(Class::Write, "keeps status", &old["keeps status"], &new["keeps status"]);
        }
        // Requests to the object ignore the status from then on.
        let status = |side: &Value| {
            let mut names = side["resources"].as_object().into_iter().flatten().map(|(name, _)| name);
            Value::from(names.any(|name| name.ends_with("/status")))
        };
        push(Class::Write, "status subresource", &status(old), &status(new));
    }
    out
}

/// Returns the class `apply`, if a manager cannot apply again what it applied before, or if values that stay have other owners.
fn of_owners(apply: &Value) -> Vec<Shown> {
    let mut out = Vec::new();
    for again in list(&apply["again"]) {
        let text = format!("applied again: {}", again["answer"]);
        match again["answer"][0].as_u64() {
            // Where values were lost, applying them again is a change.
            Some(409) => out.push((vec![Class::Apply, Class::Data], text)),
            Some(code) if code >= 300 => out.push((vec![Class::Apply, Class::Write], text)),
            Some(_) if again["after"] != "same" && owners(&apply["before"]) != owners(&again["after"]) => {
                let text = format!("owners {} become {}", apply["before"], again["after"]);
                out.push((vec![Class::Apply], text));
            }
            _ => {}
        }
    }
    out
}

/// Returns the values that each manager owns, without the objects around them.
fn owners(managers: &Value) -> BTreeSet<(&str, &str)> {
    let mut out = BTreeSet::new();
    for (manager, paths) in managers.as_object().into_iter().flatten() {
        let paths: Vec<&str> = list(paths).filter_map(Value::as_str).collect();
        let is_above = |path: &str| paths.iter().any(|other| other.starts_with(&format!("{path}/")));
        out.extend(paths.iter().filter(|path| !is_above(path)).map(|path| (manager.as_str(), *path)));
    }
    out
}

/// Returns the classes that findings name; the second set has only those that are decided.
fn named(findings: &[Finding]) -> (BTreeSet<Class>, BTreeSet<Class>) {
    let all = findings.iter().flat_map(|finding| &finding.classes).copied().collect();
    let decided = |finding: &Finding| {
        let is_decided = |class: &Class| !finding.undecided.contains(class);
        finding.classes.iter().copied().filter(is_decided).collect::<Vec<_>>()
    };
    (all, findings.iter().flat_map(decided).collect())
}

#[test]
fn findings_name_what_the_servers_did_and_nothing_else() {
    let mut wrong = Vec::new();
    let (mut count, mut cases_of_all) = (0, 0);
    for release in RELEASES {
        for file in FILES {
            let records = records(file, release);
            for case in cases(file) {
                cases_of_all += 1;
                let Some(record) = records.get(&case.name) else {
                    wrong.push(format!("{release} {}: not recorded", case.name));
                    continue;
                };
                let (all, decided) = named(&case.findings(&for_release(release)));
                let shown = shown(record);
                count += shown.len();
                for (classes, answer) in &shown {
                    if !classes.iter().any(|class| all.contains(class)) {
                        wrong.push(format!("{release} {}: not named: {classes:?}: {answer}", case.name));
                    }
                }
                // A server that refuses the update shows nothing else; generated code is not the server's business.
                if record["update"][0].as_u64().is_some_and(|code| code >= 300) && record["gone"] != true {
                    continue;
                }
                let mut of_shown: BTreeSet<Class> =
                    shown.iter().flat_map(|(classes, _)| classes).copied().collect();
                of_shown.extend(drops_values(record).then_some(Class::Data));
                for class in
                    decided.iter().filter(|class| **class != Class::Rust && !of_shown.contains(class))
                {
                    wrong.push(format!("{release} {}: named, but not shown: {class}", case.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cases_of_all > 800 && count > 2000, "{cases_of_all} cases, {count} answers");
}

#[test]
fn servers_confirm_the_witnesses() {
    let (mut confirmed, mut missing, mut wrong) = (0, 0, Vec::new());
    for release in RELEASES {
        for file in FILES {
            let records = records(file, release);
            for case in cases(file) {
                let findings = case.findings(&for_release(release));
                for confirmation in confirmations(&findings, &records[&case.name]) {
                    match confirmation {
                        Confirmation::Confirmed => confirmed += 1,
                        Confirmation::NotRecorded => missing += 1,
                        Confirmation::Refuted(text) => wrong.push(format!("{release} {}: {text}", case.name)),
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The number of objects of a case is limited.
    assert!(confirmed > 900 && missing < confirmed / 20, "{confirmed} confirmed, {missing} not recorded");
}
