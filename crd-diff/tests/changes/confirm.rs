//! Witnesses, confirmed by the recorded answers of a real API server.

use crd_diff::{Class, Finding, Witness};
use serde_json::Value;

use super::records::{Answer, plain, without};

/// The result for one witness.
pub(crate) enum Confirmation {
    Confirmed,
    /// Its object is not among those that were recorded.
    NotRecorded,
    /// The server did something else.
    Refuted(String),
}

/// Looks for the answers to each witness of a comparison.
pub(crate) fn confirmations(findings: &[Finding], record: &Value) -> Vec<Confirmation> {
    // A server that refuses the update answers nothing about objects of the new definition.
    if record["update"][0].as_u64().is_none_or(|code| code >= 300) || record["gone"] == true {
        return Vec::new();
    }
    let witnesses = findings.iter().flat_map(|finding| &finding.witnesses);
    witnesses.map(|witness| confirmation(witness, record)).collect()
}

fn confirmation(witness: &Witness, record: &Value) -> Confirmation {
    let is_rejection = witness.answer.contains(" is invalid: ");
    let (old, new) = (witness.old.as_ref().map(content), witness.new.as_ref().map(content));
    match (&old, &new) {
        (Some(old), Some(new)) if is_rejection && matches!(witness.class, Class::Edit | Class::Read) => {
            of_edit(witness, (old, new), record)
        }
        (Some(old), Some(new)) if !is_rejection => of_difference(witness, (old, new), record),
        _ => of_refusal(witness, old.as_ref().or(new.as_ref()), record),
    }
}

/// Returns a refusal of a request with an object, or of a change of its label.
fn of_refusal(witness: &Witness, object: Option<&Value>, record: &Value) -> Confirmation {
    let step = match witness.class {
        Class::Write => "created_after",
        Class::Stuck => "labelled",
        Class::Rollback if witness.old.is_some() => "old_labelled",
        Class::Read | Class::Rollback => "old_created",
        _ => return Confirmation::NotRecorded,
    };
    let records = record["objects"].as_array().into_iter().flatten();
    let found = records.into_iter().find(|record| Some(&content(&record["object"])) == object);
    let Some(answer) = found.and_then(|record| Answer::from_record(record, step, &record["object"])) else {
        return Confirmation::NotRecorded;
    };
    let is_gone = answer.is_gone() && witness.class == Class::Write;
    if is_gone || !answer.is_ok() && answer.has_causes_of(&witness.answer) {
        return Confirmation::Confirmed;
    }
    Confirmation::Refuted(format!("{witness:?}: {}", answer.text()))
}

/// Returns an object that comes back otherwise, or a request that is stored otherwise.
fn of_difference(witness: &Witness, (old, new): (&Value, &Value), record: &Value) -> Confirmation {
    let (first, then): (&str, &[&str]) = match witness.class {
        Class::Read => ("old_created", &["new_created"]),
        Class::Rollback => ("new_created", &["old_read"]),
        _ => ("created", &["read", "created_after", "new_created"]),
    };
    let (old, new) = (plain(old), plain(new));
    let mut answers = Vec::new();
    for record in record["objects"].as_array().into_iter().flatten() {
        let answer =
            |step: &str| Answer::from_record(record, step, &record["object"]).filter(|answer| answer.is_ok());
        // An object of a version that is new is the request itself.
        let request = || (first == "created").then(|| plain(&record["object"]));
        let before = answer(first).map(Answer::object).or_else(request);
        if before.as_ref() == Some(&old) {
            answers.extend(then.iter().filter_map(|step| answer(step)).map(Answer::object));
        }
    }
    if answers.contains(&new) {
        return Confirmation::Confirmed;
    }
    if answers.is_empty() {
        return Confirmation::NotRecorded;
    }
    Confirmation::Refuted(format!("{witness:?}: {answers:?}"))
}

fn of_edit(witness: &Witness, (old, new): (&Value, &Value), record: &Value) -> Confirmation {
    let records = record["edits"].as_array().into_iter().flatten();
    let is_this = |record: &&Value| content(&record["of"]) == *old && content(&record["to"]) == *new;
    let Some(record) = records.into_iter().find(is_this) else { return Confirmation::NotRecorded };
    let Some(answer) = Answer::from_record(record, "after", &record["to"]) else {
        return Confirmation::NotRecorded;
    };
    if !answer.is_ok() && answer.has_causes_of(&witness.answer) {
        return Confirmation::Confirmed;
    }
    Confirmation::Refuted(format!("{witness:?}: {}", answer.text()))
}

/// Returns the object without metadata.
fn content(object: &Value) -> Value {
    without(object, &["metadata"])
}
