//! Converts integers: to formats that the API server knows, or to bounds if there is no such format.

use serde_json::{Number, Value};

use super::walk::{Node, SchemaLocation};
use crate::Error;
use crate::verdict::Places;

/// schemars' format, the API's format, and the Rust type's bounds that the API's format does not express.
const INTEGERS: &[(&str, &str, Option<i64>, Option<i64>)] = &[
    ("int8", "int32", Some(i8::MIN as i64), Some(i8::MAX as i64)),
    ("int16", "int32", Some(i16::MIN as i64), Some(i16::MAX as i64)),
    ("uint8", "int32", Some(0), Some(u8::MAX as i64)),
    ("uint16", "int32", Some(0), Some(u16::MAX as i64)),
    ("uint32", "int64", Some(0), Some(u32::MAX as i64)),
    // The API has no integer beyond 64 bits with a sign: `WIDE` below.
    ("uint64", "int64", Some(0), None),
    ("uint128", "int64", Some(0), None),
    ("uint", "int64", Some(0), None),
    ("int128", "int64", None, None),
    ("int", "int64", None, None),
];

/// schemars' formats for integers with values outside the API's range.
const WIDE: &[&str] = &["uint64", "uint128", "uint", "int128"];

/// The smallest integer above the API's range.
const BEYOND: f64 = 9_223_372_036_854_775_808.0;

pub(super) fn numbers(node: &mut Node, place: &SchemaLocation, places: &mut Places) -> Result<(), Error> {
    default(node, place)?;
    bounds(node);
    let format = node.get("format").and_then(Value::as_str);
    let Some((name, format, minimum, maximum)) = INTEGERS.iter().find(|(name, ..)| format == Some(*name))
    else {
        return Ok(());
    };
    if WIDE.contains(name) {
        if number(node, "minimum").is_some_and(|minimum| minimum >= BEYOND) {
            return Err(place.error(
                "has a minimum above 2^63 - 1, which no integer of the API reaches",
                "use a smaller minimum, or a string",
            ));
        }
        places.insert_wide(place.field(), name.starts_with('i'));
    }
    node.insert("format".to_owned(), (*format).into());
    // `range(max = 300)` on a u8 still ends at 255.
    if let Some(minimum) = minimum
        && number(node, "minimum").is_none_or(|own| own < *minimum as f64)
    {
        node.insert("minimum".to_owned(), (*minimum).into());
    }
    if let Some(maximum) = maximum
        && number(node, "maximum").is_none_or(|own| own > *maximum as f64)
    {
        node.insert("maximum".to_owned(), (*maximum).into());
    }
    Ok(())
}

/// Converts bounds to the API's form.
pub(super) fn bounds(node: &mut Node) {
    for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] {
        if let Some(bound) = node.get_mut(keyword) {
            whole(bound);
        }
    }
    exclusive(node, "exclusiveMinimum", "minimum", |bound, other| bound >= other);
    exclusive(node, "exclusiveMaximum", "maximum", |bound, other| bound <= other);
}

/// Checks that the numbers in a default are within the API's range, and writes them in the form of the Rust type.
fn default(node: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    let Some(mut value) = node.remove("default") else { return Ok(()) };
    if value.as_u64().is_some_and(|number| i64::try_from(number).is_err()) {
        return Err(place.error(
            format!("has the default {value}, which is larger than any integer of the API"),
            "use a default below 2^63, or a string",
        ));
    }
    shorten(&mut value, node);
    node.insert("default".to_owned(), value);
    Ok(())
}

/// Shortens numbers of type `f32`. JSON would otherwise contain 0.10000000149011612 for an `f32` of 0.1.
fn shorten(value: &mut Value, schema: &Node) {
    match value {
        Value::Number(number) if schema.get("format").is_some_and(|format| format == "float") => {
            let short = number.as_f64().and_then(|float| (float as f32).to_string().parse().ok());
            if let Some(short) = short.and_then(Number::from_f64) {
                *number = short;
            }
        }
        Value::Array(items) => {
            if let Some(Value::Object(schema)) = schema.get("items") {
                items.iter_mut().for_each(|item| shorten(item, schema));
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                let property = schema.get("properties").and_then(|all| all.get(name));
                if let Some(Value::Object(schema)) = property.or(schema.get("additionalProperties")) {
                    shorten(value, schema);
                }
            }
        }
        _ => {}
    }
}

/// Converts an exclusive bound: JSON Schema's `exclusiveMinimum: 3` is `minimum: 3` with `exclusiveMinimum: true` in the API.
fn exclusive(node: &mut Node, exclusive: &str, inclusive: &str, is_tighter: fn(f64, f64) -> bool) {
    let Some(bound) = number(node, exclusive) else { return };
    let value = node.remove(exclusive);
    if number(node, inclusive).is_none_or(|other| is_tighter(bound, other)) {
        node.insert(inclusive.to_owned(), value.unwrap_or_default());
        node.insert(exclusive.to_owned(), true.into());
    }
}

fn number(node: &Node, keyword: &str) -> Option<f64> {
    node.get(keyword)?.as_f64()
}

/// Removes the fraction of a whole bound for readability: 255.0 becomes 255.
fn whole(bound: &mut Value) {
    // 2^53, up to which every whole float is exactly that integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Some(float) = bound.as_f64()
        && bound.is_f64()
        && float.fract() == 0.0
        && float.abs() <= EXACT
    {
        *bound = Value::Number(Number::from(float as i64));
    }
}
