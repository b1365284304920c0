//! The program that asks each type for its CRD, and reads and writes objects with it.

use std::fmt::Write as _;

/// Returns the program for these modules.
pub(crate) fn program(modules: &[usize]) -> String {
    let (mut declared, mut rows) = (String::new(), String::new());
    for at in modules {
        let _ = writeln!(declared, "mod t{at};");
        let _ = writeln!(rows, "    ({at}, crd::<t{at}::Foo>, again::<t{at}::Foo>),");
    }
    format!(
        "{HEAD}{declared}\n{FUNCTIONS}\ntype Row = (usize, fn() -> Value, fn(&Value) -> Result<Value, String>);\n\nconst ROWS: &[Row] = &[\n{rows}];\n"
    )
}

const HEAD: &str = "#![allow(dead_code, deprecated, unused_imports)]\n#![recursion_limit = \"256\"]\n\n";

/// `crds` prints the CRD and the advice of each type; `objects FILE` reads each object with its type, and prints what it writes.
const FUNCTIONS: &str = r#"
use crdkit::CustomResource;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

fn word() -> String { "word".to_owned() }
fn yes() -> bool { true }
fn five() -> i32 { 5 }
fn many() -> u64 { 7 }
fn some_word() -> Option<String> { Some("word".to_owned()) }
fn some_five() -> Option<i32> { Some(5) }
fn words() -> Vec<String> { vec!["a".to_owned(), "b".to_owned()] }
fn half() -> f64 { 0.5 }

fn crd<R: CustomResource>() -> Value {
    let advice = match R::advice() {
        Ok(advice) => advice.iter().map(|advice| advice.name.to_string()).collect(),
        Err(error) => vec![error.to_string()],
    };
    match R::unchecked() {
        Ok(crd) => json!({"crd": crd.into_crd().to_value(), "advice": advice}),
        Err(error) => json!({"error": error.to_string()}),
    }
}

fn again<R: Serialize + DeserializeOwned>(object: &Value) -> Result<Value, String> {
    let read: R = serde_json::from_value(object.clone()).map_err(|error| error.to_string())?;
    serde_json::to_value(&read).map_err(|error| format!("cannot be written: {error}"))
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments[1] == "crds" {
        for (at, crd, _) in ROWS {
            println!("{}", json!({"type": at, "of": crd()}));
        }
        return;
    }
    let text = std::fs::read_to_string(&arguments[2]).unwrap();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let (_, _, again) = ROWS.iter().find(|row| line["type"] == row.0).unwrap();
        let answer = match again(&line["object"]) {
            Ok(written) => json!({"written": written}),
            Err(error) => json!({"error": error}),
        };
        println!("{answer}");
    }
}
"#;
