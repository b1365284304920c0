//! Evaluation of the conformance tests of the CEL specification, except for features that rules of CRDs do not have.

use std::fs;
use std::path::Path;

use crd_cel::eval::{Data, DataType, Entries, Program, Value};
use crd_go::time::{Duration, Timestamp};
use serde_json::Value as Json;

/// Files about features that rules of CRDs do not have: messages of protobuf, containers, other extensions.
const FILES: [&str; 11] = [
    "proto2",
    "proto2_ext",
    "proto3",
    "enums",
    "dynamic",
    "wrappers",
    "block_ext",
    "math_ext",
    "encoders_ext",
    "bindings_ext",
    "network_ext",
];
const WORDS: [&str; 7] = [
    "TestAllTypes",
    "\"container\"",
    "google.protobuf.Value",
    "google.protobuf.Struct",
    "google.protobuf.Any",
    "google.protobuf.Int",
    "Value{",
];

fn concerns_rules(line: &str, case: &Json) -> bool {
    let file = case["_file"].as_str().unwrap_or_default();
    !FILES.contains(&file) && !WORDS.iter().any(|word| line.contains(word))
}

/// Why Kubernetes answers otherwise, as far as the text of the expression tells.
///
/// The API server has older versions of the libraries than the specification describes, and syntax that is off.
fn differs(expr: &str) -> Option<&'static str> {
    Some(match expr {
        _ if expr.contains('`') => "backquotes are off",
        _ if expr.contains(".reverse()") => "strings have no `reverse`",
        _ if expr.contains(".format(") => {
            "version 2 of `format` writes literals, and numbers as a locale does"
        }
        _ if expr.contains("ndexOf(") && expr.contains(", 30)") => "an index past the end finds nothing",
        _ if expr.contains("[dyn(b'')]") => "no program is made for an index that is a constant of bytes",
        "{true:1,false:2,true:3}[true]" | "{0: 1, 0u: 2}[0.0]" => "of two equal keys, the last one counts",
        "{3.3:15.15, 1.0: 5}[1.0]" => "fractions are keys",
        "x.getMilliseconds()" => "the milliseconds of a duration are all of them",
        _ if expr.ends_with(".invalid.hasValue()") || expr.ends_with(".absent.hasValue()") => {
            "optional selection from what has no fields finds nothing"
        }
        _ => return None,
    })
}

/// Returns a value as protobuf's JSON writes it.
fn read(value: &Json) -> Option<Value<'static>> {
    let (kind, value) = value.as_object()?.iter().next()?;
    let text = value.as_str().unwrap_or_default();
    Some(match kind.as_str() {
        "nullValue" => Value::Null,
        "boolValue" => Value::Bool(value.as_bool()?),
        "int64Value" => Value::Int(text.parse().ok()?),
        "uint64Value" => Value::Uint(text.parse().ok()?),
        "doubleValue" => Value::Double(match text {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => value.as_f64()?,
        }),
        "stringValue" => text.to_owned().into(),
        "bytesValue" => {
            // The evaluator's own decoding of `byte`, which takes the alphabet for addresses.
            let json = Json::String(text.replace('+', "-").replace('/', "_"));
            let of = DataType::new(crd_cel::eval::DataKind::Bytes);
            match Value::from_data(Data::new(&json, &of)).ok()? {
                Value::Bytes(bytes) => Value::Bytes(bytes.to_vec().into()),
                _ => return None,
            }
        }
        "typeValue" => Value::Type(text.to_owned().into()),
        "listValue" => {
            let values = value["values"].as_array().into_iter().flatten();
            values.map(read).collect::<Option<Vec<_>>>()?.into()
        }
        "mapValue" => {
            let mut entries = Entries::default();
            for entry in value["entries"].as_array().into_iter().flatten() {
                entries.insert(read(&entry["key"])?, read(&entry["value"])?).ok()?;
            }
            Value::Map(entries.into())
        }
        "objectValue" => {
            let text = value["value"].as_str()?;
            match value["@type"].as_str()? {
                "type.googleapis.com/google.protobuf.Duration" => Value::Duration(Duration::parse(text)?),
                "type.googleapis.com/google.protobuf.Timestamp" => Value::Timestamp(Timestamp::parse(text)?),
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// Returns `true` if the values and their types are the same. Timestamps and durations have different type names in the
/// two representations, which count as equal.
fn is_same(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (left, right) {
        (Value::Double(left), Value::Double(right)) => left == right || left.is_nan() && right.is_nan(),
        (Value::Bytes(left), Value::Bytes(right)) => **left == **right,
        (Value::List(left), Value::List(right)) => {
            let pairs = left.iter().zip(right.iter());
            left.len() == right.len() && { pairs }
                .all(|pair| matches!(pair, (Ok(a), Ok(b)) if is_same(&a, &b)))
        }
        (Value::Map(left), Value::Map(right)) => {
            let same = |key: &Value<'_>| match (left.get(key), right.get(key)) {
                (Some(Ok(left)), Some(Ok(right))) => is_same(&left, &right),
                _ => false,
            };
            left.len() == right.len() && left.keys().all(|key| same(&key))
        }
        _ => format!("{left:?}") == format!("{right:?}"),
    }
}

/// Returns the difference between the answer to a case and the expected one, if any.
fn judge(case: &Json) -> Option<String> {
    let expr = case["expr"].as_str()?;
    let bindings: Vec<(&str, Option<Value<'_>>)> = case["bindings"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, binding)| (name.as_str(), read(&binding["value"])))
        .collect();
    let names: Vec<&str> = bindings.iter().map(|(name, _)| *name).collect();
    let outcome = crd_cel::parse(expr).map_err(|issues| issues.to_string()).and_then(|ast| {
        let program = Program::unchecked(&ast, &names).map_err(|error| error.to_string())?;
        let values: Vec<_> = bindings.into_iter().map(|(_, value)| value).collect();
        let result = program.run(values, Program::CALL_LIMIT).result.map_err(|error| error.to_string());
        let expected = case.get("value").or_else(|| case["typedResult"].get("result"));
        result.map(|found| {
            let expected = expected.map_or(Some(Value::Bool(true)), read);
            let same = expected.as_ref().is_some_and(|expected| is_same(expected, &found));
            (same, format!("{found:?}"), format!("{expected:?}"))
        })
    });
    match (outcome, case.get("evalError").is_some()) {
        (Ok((true, ..)), false) | (Err(_), true) => None,
        (Ok((_, found, expected)), false) => Some(format!("{expr}: expected {expected}, found {found}")),
        (Ok((_, found, _)), true) => Some(format!("{expr}: expected an error, found {found}")),
        (Err(error), false) => Some(format!("{expr}: {error}")),
    }
}

#[test]
fn the_specification_is_followed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance/cel/cel-spec.jsonl");
    let Ok(text) = fs::read_to_string(&path) else {
        println!("skipped: the conformance tests of the specification are not here");
        return;
    };
    let (mut wrong, mut different) = (Vec::new(), Vec::new());
    let mut total = 0;
    for line in text.lines() {
        let case: Json = serde_json::from_str(line).expect("a line is JSON");
        if !concerns_rules(line, &case) || case["checkOnly"] == Json::Bool(true) {
            continue;
        }
        total += 1;
        let Some(why) = judge(&case) else { continue };
        match differs(case["expr"].as_str().unwrap_or_default()) {
            Some(reason) => different.push(format!("{reason}: {why}")),
            None => wrong.push(why),
        }
    }
    println!(
        "{} of {total} pass; Kubernetes differs in {}",
        total - wrong.len() - different.len(),
        different.len()
    );
    assert!(total > 1_400, "only {total} tests were found");
    assert!(different.len() <= 40, "{} differ:\n{}", different.len(), different.join("\n"));
    assert!(wrong.is_empty(), "{} of {total} fail:\n{}", wrong.len(), wrong.join("\n"));
}
