//! The shape matrix: Rust shapes, a theme a file, each with values that serde writes. What becomes of a row stands in
//! `golden/`, which the end-to-end tests show to a real API server; `UPDATE_GOLDEN=1` blesses.
//!
//! Of every row that has a schema it is proven that the schema takes what serde writes, keeps all of it and that serde
//! reads it again. What else the schema takes, of a list of values that nobody thought of for the row, is written down.

mod attributes;
mod contracts;
mod defaults;
mod enums;
mod flatten;
mod judge;
mod kubernetes;
mod lists;
mod maps;
mod numbers;
mod options;
mod recursion;
mod tagged;
mod texts;
mod time;
mod untagged;
mod values;

use std::path::Path;

use crd_core::admit::Validator;
use crd_core::check::Verdict;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::{definition_of, one_line};
use crdkit::UncheckedCrd;
use judge::Judge;

/// A shape and what becomes of it.
struct Row {
    name: &'static str,
    outcome: Outcome,
}

enum Outcome {
    /// A schema, the values that were written, and of other values what serde does not read and what it would write.
    Taken { schema: Value, writes: Vec<Value>, takes_more: Vec<Value>, takes_less: Vec<Value> },
    /// No schema, and why.
    Rejected(String),
    /// A definition that the API server refuses, which the test that the derive emits finds.
    Unsound(Vec<String>),
}

/// Makes the row of a type, with values that it writes.
#[track_caller]
fn row<T: JsonSchema + Serialize + DeserializeOwned>(
    name: &'static str,
    values: impl IntoIterator<Item = T>,
) -> Row {
    let crd = match definition_of::<T>() {
        Ok(unchecked) => unchecked.into_crd(),
        Err(error) => return Row { name, outcome: Outcome::Rejected(one_line(&error)) },
    };
    let verdict = Verdict::for_crd(&crd);
    let is_rejected =
        definition_of::<T>().and_then(UncheckedCrd::check).is_err_and(|error| error.is_rejected());
    assert_eq!(is_rejected, !verdict.accepted, "{name}: `crd()` answers with the verdict");
    if !verdict.accepted {
        let causes = verdict.errors.iter().map(ToString::to_string).collect();
        return Row { name, outcome: Outcome::Unsound(causes) };
    }
    assert_eq!(verdict.warnings, Vec::<String>::new(), "{name}: an API server warns");
    let ours = Validator::new(&crd).expect("the definition was accepted");
    let mut schema = crate::spec_of(&crd);
    let judge = Judge::from_schema(&schema);
    let mut writes = Vec::new();
    for value in values {
        let written = serde_json::to_value(&value).expect("the value can be written");
        if let Err(error) = judge.takes(&written) {
            panic!("{name}: its schema\n{schema}\nrefuses what it writes:\n{written}\n{error}");
        }
        // Our own judge prunes, sets defaults and runs rules, as the API server does.
        let object = json!({
            "apiVersion": "shapes.example.com/v1", "kind": "Shape", "metadata": {"name": "a"}, "spec": written,
        });
        match ours.create(object).result {
            Ok(stored) => {
                let stored = &stored["spec"];
                assert!(judge::is_same(stored, &written), "{name}: {written} is stored as {stored}");
            }
            Err(refusal) => panic!("{name}: the API server would refuse {written}: {refusal:?}"),
        }
        let read: T = match serde_json::from_value(written.clone()) {
            Ok(read) => read,
            Err(error) => panic!("{name}: it does not read what it writes: {error}\n{written}"),
        };
        assert_eq!(serde_json::to_value(&read).expect("it was written before"), written, "{name}");
        writes.push(written);
    }
    assert!(!writes.is_empty(), "{name}: it has a schema and writes nothing to try it with");
    let (mut takes_more, mut takes_less) = (Vec::new(), Vec::new());
    for probe in probes() {
        let read = serde_json::from_value::<T>(probe.clone());
        let written =
            read.as_ref().is_ok_and(|read| serde_json::to_value(read).is_ok_and(|value| value == probe));
        match judge.takes(&probe) {
            Ok(()) if read.is_err() => takes_more.push(probe),
            Err(_) if written => takes_less.push(probe),
            _ => {}
        }
    }
    shorten(&mut schema);
    Row { name, outcome: Outcome::Taken { schema, writes, takes_more, takes_less } }
}

/// Values that nobody thought of for one row.
fn probes() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1),
        json!(128),
        json!(256),
        json!(-40_000),
        json!(4_294_967_296_i64),
        json!(0.5),
        json!(""),
        json!("a"),
        json!("A"),
        json!("some words"),
        json!([]),
        json!([null]),
        json!([1]),
        json!([1, 1]),
        json!(["a"]),
        json!(["a", "a"]),
        json!([{}]),
        json!({}),
        json!({"a": null}),
        json!({"a": 1}),
        json!({"a": "a"}),
        json!({"a": {}}),
        json!({"A": null}),
        json!({"A": {}}),
        json!({"A": {"a": 1}}),
        json!({"type": "A"}),
        json!({"type": "A", "a": 1}),
        json!({"1": "a"}),
    ]
}

/// Long descriptions, which other people wrote, are no part of what a golden has to show.
fn shorten(schema: &mut Value) {
    match schema {
        Value::Object(node) => {
            if let Some(Value::String(text)) = node.get_mut("description")
                && text.len() > 200
            {
                *text = "(long)".to_owned();
            }
            node.values_mut().for_each(shorten);
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        _ => {}
    }
}

impl Row {
    fn to_value(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("row".to_owned(), json!(self.name));
        match &self.outcome {
            Outcome::Taken { schema, writes, takes_more, takes_less } => {
                fields.insert("schema".to_owned(), schema.clone());
                fields.insert("writes".to_owned(), json!(writes));
                for (key, values) in [("takesMore", takes_more), ("takesLess", takes_less)] {
                    if !values.is_empty() {
                        fields.insert(key.to_owned(), json!(values));
                    }
                }
            }
            Outcome::Rejected(error) => {
                fields.insert("refused".to_owned(), json!(error));
            }
            Outcome::Unsound(causes) => {
                fields.insert("unsound".to_owned(), json!(causes));
            }
        }
        Value::Object(fields)
    }
}

/// Compares the rows of a theme with their golden file, or writes it.
#[track_caller]
fn compare(theme: &str, rows: &[Row]) {
    for row in rows {
        if let Outcome::Rejected(error) = &row.outcome {
            assert!(error.contains("`: ") && error.contains("; help: "), "{}: {error}", row.name);
        }
    }
    let value = json!({"rows": rows.iter().map(Row::to_value).collect::<Vec<_>>()});
    let text = crdkit::to_yaml(&value);
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shapes/golden").join(format!("{theme}.yaml"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).expect("the golden can be written");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    // The order of a value depends on the features of serde_json.
    if serde_yaml::from_str::<Value>(&golden).ok().as_ref() != Some(&value) {
        let differs = golden.lines().zip(text.lines()).position(|(old, new)| old != new);
        let line = differs.unwrap_or_else(|| golden.lines().count().min(text.lines().count()));
        let show =
            |text: &str| text.lines().skip(line.saturating_sub(5)).take(20).collect::<Vec<_>>().join("\n");
        panic!(
            "{theme}.yaml differs from line {}:\n{}\n--- is now\n{}",
            line + 1,
            show(&golden),
            show(&text)
        );
    }
}
