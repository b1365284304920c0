//! Answers without their random parts: the same replacements as in `record.py`.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// Replaces UIDs, generated names, revisions and times.
pub(crate) fn normalise(answers: Value) -> Value {
    let mut names = Names::default();
    names.collect(&answers);
    names.replace(answers)
}

/// Answers without hashes of discovery, which depend on the name of the group, and in an order that does not depend on time.
pub(crate) fn comparable(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(comparable).collect(),
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| *name != "storageVersionHash");
            let mut kept: Map<String, Value> =
                kept.map(|(name, value)| (name.clone(), comparable(value))).collect();
            // Entries are in the order of their times, of which the recorded ones may be of different seconds.
            if let Some(Value::Array(entries)) = kept.get_mut("managedFields") {
                let key = |entry: &Value| {
                    ["operation", "manager", "subresource", "apiVersion"].map(|name| entry[name].to_string())
                };
                entries.sort_by_key(key);
            }
            // Causes may be in the order of a map in Go, and messages with them.
            if let Some(Value::Array(causes)) = kept.get_mut("causes") {
                causes.sort_by_key(ToString::to_string);
            }
            if let Some(Value::String(message)) = kept.get_mut("message")
                && let Some((head, list)) = message.split_once(" is invalid: [")
            {
                let mut parts: Vec<&str> = list.trim_end_matches(']').split(", ").collect();
                parts.sort_unstable();
                *message = format!("{head} is invalid: [{}]", parts.join(", "));
            }
            if let Some(Value::String(message)) = kept.get_mut("message")
                && let Some((head, list)) = message.split_once("errors:\n")
            {
                let mut lines: Vec<&str> = list.lines().collect();
                lines.sort_unstable();
                *message = format!("{head}errors:\n{}", lines.join("\n"));
            }
            Value::Object(kept)
        }
        other => other.clone(),
    }
}

#[derive(Default)]
struct Names {
    /// Texts with their replacements, in the order in which they were found.
    texts: Vec<(String, String)>,
    uids: usize,
    revisions: HashMap<String, String>,
}

impl Names {
    fn collect(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            Value::Object(fields) => {
                self.collect_metadata(fields);
                // Python's dictionaries are in the order of the answer, which is not that of this server.
                fields.values().for_each(|value| self.collect(value));
            }
            _ => {}
        }
    }

    fn collect_metadata(&mut self, fields: &Map<String, Value>) {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
        let (uid, prefix, name) = (text("uid"), text("generateName"), text("name"));
        let is_uid = uid.len() == 36 && uid.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
        if is_uid && self.texts.iter().all(|(found, _)| found != uid) {
            self.uids += 1;
            self.texts.push((uid.to_owned(), format!("<uid {}>", self.uids)));
        }
        // The server shortens a long prefix.
        let prefix = &prefix[..prefix.len().min(58)];
        if !prefix.is_empty() && name.starts_with(prefix) && self.texts.iter().all(|(found, _)| found != name)
        {
            self.texts.push((name.to_owned(), format!("{prefix}<suffix>")));
        }
        if let (Some(Value::String(revision)), true) =
            (fields.get("resourceVersion"), fields.contains_key("uid"))
        {
            let next = format!("<revision {}>", self.revisions.len() + 1);
            self.revisions.entry(revision.clone()).or_insert(next);
        }
    }

    fn replace(&self, value: Value) -> Value {
        match value {
            Value::Array(items) => items.into_iter().map(|item| self.replace(item)).collect(),
            Value::Object(fields) => {
                let is_object = fields.contains_key("uid");
                let field = |(name, value): (String, Value)| {
                    let value = match (name.as_str(), &value) {
                        ("resourceVersion", Value::String(revision)) if is_object => {
                            self.revisions[revision].clone().into()
                        }
                        ("resourceVersion", Value::String(revision)) if !revision.is_empty() => {
                            "<list>".into()
                        }
                        ("continue", Value::String(token)) if !token.is_empty() => "<continue>".into(),
                        ("cells", Value::Array(cells)) => {
                            cells.iter().map(|cell| self.replace(age(cell))).collect()
                        }
                        _ => self.replace(value),
                    };
                    (name, value)
                };
                Value::Object(fields.into_iter().map(field).collect())
            }
            Value::String(text) => {
                let named = self.texts.iter().fold(text, |text, (found, name)| text.replace(found, name));
                // Objects in texts are quoted, also twice.
                let named = ["\\\"", "\\\\\\\""].iter().fold(named, |named, quote| {
                    let before = format!("resourceVersion{quote}:{quote}");
                    numbers(&named, &before, &format!("{before}<revision>"))
                });
                let named = numbers(&named, "in the precondition (", "in the precondition (<revision>");
                let named = numbers(
                    &named,
                    "ResourceVersion in object meta: ",
                    "ResourceVersion in object meta: <revision>",
                );
                let named = numbers(&named, "in record (", "in record (<revision>");
                let named = numbers(&named, "current: ", "current: <revision>");
                let named =
                    numbers(&named, "too old resource version: ", "too old resource version: <revision>");
                let named = numbers(
                    &named,
                    "too old resource version: <revision> (",
                    "too old resource version: <revision> (<oldest>",
                );
                // The place in Go's code depends on the way in which the server was built.
                let named = named.replace(
                    "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55",
                    "pkg/runtime/scheme.go:111",
                );
                times(&named).into()
            }
            other => other,
        }
    }
}

/// Replaces a cell of a table that tells an age in seconds.
fn age(cell: &Value) -> Value {
    let seconds = cell.as_str().and_then(|text| text.strip_suffix('s'));
    let is_age =
        seconds.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    if is_age { "<age>".into() } else { cell.clone() }
}

/// Replaces a text and the digits behind it, wherever digits follow it.
fn numbers(text: &str, before: &str, replacement: &str) -> String {
    let mut parts = text.split(before);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        out += if rest.len() < part.len() { replacement } else { before };
        out += rest;
    }
    out
}

/// Returns `true` if a text has the digits and the other characters of a form.
fn matches(text: &str, form: &str) -> bool {
    text.bytes().zip(form.bytes()).all(|(found, form)| match form {
        b'0' => found.is_ascii_digit(),
        form => found == form,
    })
}

/// Replaces times of RFC 3339 in UTC, with and without fractions of a second.
fn times(text: &str) -> String {
    const FORM: &str = "0000-00-00T00:00:00Z";
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_time = rest.get(..FORM.len()).is_some_and(|part| matches(part, FORM));
        let fraction = rest.get(FORM.len() - 1..).and_then(|rest| rest.strip_prefix('.'));
        let is_exact = rest.get(..FORM.len() - 1).is_some_and(|part| matches(part, FORM));
        let after = fraction.map(|digits| digits.trim_start_matches(|c: char| c.is_ascii_digit()));
        if let (true, Some(after)) = (is_exact, after.and_then(|after| after.strip_prefix('Z'))) {
            out.push_str("<time>");
            rest = after;
        } else if is_time {
            out.push_str("<time>");
            rest = &rest[FORM.len()..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}
