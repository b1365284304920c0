//! Values from bytes, which mostly fit a schema.

use arbitrary::{Result, Unstructured};
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

/// A whole object of a version.
pub fn object(u: &mut Unstructured<'_>, version: &Value) -> Result<Value> {
    let mut object = json!({
        "apiVersion": format!("example.com/{}", version["name"].as_str().unwrap_or_default()),
        "kind": "F",
        "metadata": {"name": *pick(u, &["f", "f", "g.h", "Bad"])?},
    });
    if chance(u, 1, 8)? {
        object["metadata"] = metadata(u)?;
    }
    let schema = &version["schema"]["openAPIV3Schema"];
    let fields = value(u, schema, true, 0)?;
    for (name, value) in fields.as_object().into_iter().flatten() {
        if !matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
            object[name] = value.clone();
        }
    }
    Ok(object)
}

/// A value that fits a schema, as far as this generator supports its keywords.
pub fn fitting(u: &mut Unstructured<'_>, schema: &Value) -> Result<Value> {
    value(u, schema, false, 0)
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

fn value(u: &mut Unstructured<'_>, schema: &Value, is_sloppy: bool, depth: usize) -> Result<Value> {
    if is_sloppy && chance(u, 1, 24)? {
        return other(u);
    }
    if schema["nullable"] == true && chance(u, 1, 6)? {
        return Ok(Value::Null);
    }
    if let Some(values) = schema["enum"].as_array().filter(|values| !values.is_empty()) {
        return Ok(pick(u, values)?.clone());
    }
    Ok(match schema["type"].as_str() {
        Some("string") => json!(text(u, schema)?),
        Some("integer") => integer(u)?,
        Some("number") => number(u)?,
        Some("boolean") => json!(u.arbitrary::<bool>()?),
        Some("array") => {
            let few = usize::from(depth < 3) + 1;
            let count = u.int_in_range(0..=few)?;
            let count = count
                .max(size(schema, "minItems").unwrap_or(0).min(1_000))
                .min(size(schema, "maxItems").unwrap_or(count));
            let items = (0..count).map(|_| value(u, &schema["items"], is_sloppy, depth + 1));
            json!(items.collect::<Result<Vec<_>>>()?)
        }
        Some("object") => fields(u, schema, is_sloppy, depth)?,
        _ if schema["x-kubernetes-int-or-string"] == true => {
            if u.arbitrary()? {
                integer(u)?
            } else {
                json!(*pick(u, &["7%", "7"])?)
            }
        }
        _ => other(u)?,
    })
}

/// Mostly a small integer, sometimes one at the end of a range, sometimes a float such as `2.0`.
fn integer(u: &mut Unstructured<'_>) -> Result<Value> {
    if !chance(u, 1, 5)? {
        return Ok(json!(u.int_in_range(-4..=10)?));
    }
    let far = [
        json!(2.0),
        json!(1e3),
        json!(-129),
        json!(256),
        json!(65_536),
        json!(2_147_483_648_i64),
        json!(4_294_967_296_i64),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
    ];
    Ok(pick(u, &far)?.clone())
}

fn number(u: &mut Unstructured<'_>) -> Result<Value> {
    if chance(u, 1, 5)? {
        return integer(u);
    }
    let numbers = [
        json!(1),
        json!(0.5),
        json!(2.0),
        json!(-0.0),
        json!(1e300),
        json!(4),
        json!(-1.5),
        json!(1.7),
        json!(0.1),
        json!(5e-324),
        json!(1e19),
        json!(9_007_199_254_740_993_i64),
    ];
    Ok(pick(u, &numbers)?.clone())
}

fn fields(u: &mut Unstructured<'_>, schema: &Value, is_sloppy: bool, depth: usize) -> Result<Value> {
    let mut fields = Map::new();
    let is_required = |name: &str| {
        schema["required"].as_array().is_some_and(|names| names.iter().any(|known| known == name))
    };
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if is_required(name) || chance(u, 2, 3)? {
            fields.insert(name.clone(), value(u, property, is_sloppy, depth + 1)?);
        }
    }
    if schema["additionalProperties"].is_object() {
        for _ in 0..u.int_in_range(0..=2)? {
            let value = value(u, &schema["additionalProperties"], is_sloppy, depth + 1)?;
            fields.insert((*pick(u, &TEXTS)?).to_owned(), value);
        }
    }
    let is_open =
        schema["x-kubernetes-preserve-unknown-fields"] == true || schema["additionalProperties"] == true;
    if (is_open || is_sloppy) && chance(u, 1, if is_open { 3 } else { 8 })? {
        fields.insert("unknown".to_owned(), other(u)?);
    }
    if schema["x-kubernetes-embedded-resource"] == true && chance(u, 7, 8)? {
        fields.insert("apiVersion".to_owned(), json!("v1"));
        fields.insert("kind".to_owned(), json!("ConfigMap"));
        fields.insert("metadata".to_owned(), if is_sloppy { metadata(u)? } else { json!({"name": "f"}) });
    }
    Ok(Value::Object(fields))
}

fn text(u: &mut Unstructured<'_>, schema: &Value) -> Result<String> {
    let mut text = (*pick(u, &TEXTS)?).to_owned();
    // Definitions that are not made here can ask for any length.
    let least = size(schema, "minLength").unwrap_or(0).min(1_000);
    while text.chars().count() < least {
        text.push('a');
    }
    Ok(text.chars().take(size(schema, "maxLength").unwrap_or(usize::MAX)).collect())
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

fn size(schema: &Value, keyword: &str) -> Option<usize> {
    schema[keyword].as_u64().and_then(|size| usize::try_from(size).ok())
}
