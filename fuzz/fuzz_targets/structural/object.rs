//! Values from bytes, which mostly fit a schema: `crd-sample` makes them, and bytes change some places to values that people
//! seldom write.

use arbitrary::{Result, Unstructured};
use crd_core::Structural;
use crd_core::crd::JsonSchemaProps;
use crd_sample::{Allowance, Sampler, put_at, remove_at, value_at, values_of};
use serde_json::{Map, Value, json};

use super::schema::{chance, pick};

const TEXTS: [&str; 24] = [
    "",
    "a",
    "bb",
    "abc",
    "é\u{301}",
    "x y",
    "10.0.0.1",
    "::1",
    "10.0.0.0/8",
    "2024-02-29",
    "2024-02-29T23:59:60Z",
    "1h30m",
    "aGk=",
    "a@example.com",
    "https://example.com/a?b#c",
    "00:11:22:33:44:55",
    "#fff",
    "rgb(1,2,3)",
    "50%",
    "7",
    "123e4567-e89b-42d3-a456-426614174000",
    "978-4-87311-368-5",
    "123-45-6789",
    "4220855426222389",
];

/// The work for one object: hardly any takes a tenth of it.
const STEPS: u64 = 1_000_000;
/// The most places of an object that are changed.
const MOST_CHANGES: u32 = 3;

/// Returns a whole object of a version: one that is accepted, one with a fault, or one that only mostly fits.
pub fn object(u: &mut Unstructured<'_>, sampler: &Sampler) -> Result<Value> {
    let seed = u.arbitrary()?;
    let mut objects = sampler.clone().with_allowance(&Allowance::new(STEPS)).seeded();
    let judged = match u.int_in_range(0..=3)? {
        0 => objects.accepted(seed).ok(),
        1 => objects.broken(seed).ok().flatten().map(|broken| broken.object),
        _ => None,
    };
    let mut object = judged.unwrap_or_else(|| objects.unjudged(seed));
    object["metadata"]["name"] = json!(*pick(u, &["f", "f", "g.h", "Bad"])?);
    if chance(u, 1, 8)? {
        object["metadata"] = metadata(u)?;
    }
    let Some(fields) = object.as_object().cloned() else { return Ok(object) };
    let mut own: Value =
        fields.into_iter().filter(|(name, _)| !is_identity(name)).collect::<Map<_, _>>().into();
    for _ in 0..changes(u)? {
        change(u, &mut own, 1)?;
    }
    for name in ["metadata", "kind", "apiVersion"] {
        own[name] = object[name].take();
    }
    Ok(own)
}

/// Returns a value that mostly fits the schema of a node.
pub fn fitting(u: &mut Unstructured<'_>, schema: &Value) -> Result<Value> {
    let read = JsonSchemaProps::from_value(schema.clone()).ok();
    let Some(schema) = read.and_then(|read| Structural::from_json_schema(&read).ok()) else {
        return other(u);
    };
    let Some(mut value) = values_of(&schema, u.arbitrary()?).next() else { return other(u) };
    if chance(u, 1, 6)? {
        change(u, &mut value, 0)?;
    }
    Ok(value)
}

fn is_identity(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

/// How many places are changed: most often none.
fn changes(u: &mut Unstructured<'_>) -> Result<u32> {
    if chance(u, 1, 2)? { u.int_in_range(1..=MOST_CHANGES) } else { Ok(0) }
}

/// Changes one place of a value, which is at least so many steps deep.
fn change(u: &mut Unstructured<'_>, value: &mut Value, least: usize) -> Result<()> {
    let mut places = Vec::new();
    all_places(value, &mut Vec::new(), &mut places);
    places.retain(|at| at.len() >= least);
    if places.is_empty() {
        return Ok(());
    }
    let at = pick(u, &places)?.clone();
    let Some(own) = value_at(value, &at).cloned() else { return Ok(()) };
    let new = match own {
        _ if chance(u, 1, 4)? => other(u)?,
        Value::String(_) => json!(*pick(u, &TEXTS)?),
        Value::Number(_) => number(u)?,
        Value::Bool(truth) => json!(!truth),
        Value::Array(mut items) => {
            // The first item once more, which some lists refuse.
            items.extend(items.first().cloned());
            items.into()
        }
        Value::Object(mut fields) => {
            fields.insert((*pick(u, &TEXTS)?).to_owned(), other(u)?);
            fields.into()
        }
        Value::Null => {
            remove_at(value, &at);
            return Ok(());
        }
    };
    put_at(value, &at, new);
    Ok(())
}

fn all_places(value: &Value, at: &mut Vec<String>, out: &mut Vec<Vec<String>>) {
    out.push(at.clone());
    let below: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect(),
        _ => Vec::new(),
    };
    for (step, value) in below {
        at.push(step);
        all_places(value, at, out);
        at.pop();
    }
}

/// Numbers at the ends of ranges, and whole ones that are written as floats.
fn number(u: &mut Unstructured<'_>) -> Result<Value> {
    let numbers = [
        json!(0),
        json!(1),
        json!(-1),
        json!(2.0),
        json!(0.5),
        json!(-0.0),
        json!(1e3),
        json!(-129),
        json!(256),
        json!(65_536),
        json!(2_147_483_648_i64),
        json!(4_294_967_296_i64),
        json!(9_007_199_254_740_993_i64),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1e19),
        json!(1e300),
        json!(5e-324),
        json!(0.1),
    ];
    Ok(pick(u, &numbers)?.clone())
}

fn metadata(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut metadata = json!({});
    for field in [
        "name",
        "generateName",
        "namespace",
        "labels",
        "annotations",
        "finalizers",
        "ownerReferences",
        "generation",
    ] {
        if chance(u, 1, 3)? {
            metadata[field] = match field {
                "labels" | "annotations" => json!({*pick(u, &TEXTS)?: *pick(u, &TEXTS)?}),
                "finalizers" => json!([*pick(u, &["example.com/f", "orphan", "bad one"])?]),
                "ownerReferences" => {
                    json!([{"apiVersion": "v1", "kind": "Pod", "name": *pick(u, &TEXTS)?, "uid": "1"}])
                }
                "generation" => json!(u.int_in_range(-1..=3)?),
                _ => json!(*pick(u, &["f", "g-", "", "default", "Bad"])?),
            };
        }
    }
    Ok(metadata)
}

/// Any value.
fn other(u: &mut Unstructured<'_>) -> Result<Value> {
    let all = [
        json!(null),
        json!("text"),
        json!(true),
        json!(7),
        json!(0.25),
        json!({}),
        json!([]),
        json!({"a": {"b": [null, 1]}}),
        json!([{"k": "a"}, {"k": "a"}]),
        json!(18_446_744_073_709_551_615_u64),
        json!(-1),
        json!({"a": null}),
    ];
    Ok(pick(u, &all)?.clone())
}
