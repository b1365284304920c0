//! Determines the values of YAML scalars as kubectl does, with `resolve.go` of go-yaml v2 and then the conversion to JSON of
//! `sigs.k8s.io/yaml`.

use std::borrow::Cow;

use crd_go::base64::decode_std;
use serde_json::{Number, Value};

use super::yaml::Tag;

/// A scalar before it becomes a value or a key.
#[derive(Debug, PartialEq)]
enum Scalar<'t> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Text(Cow<'t, str>),
}

/// Returns the value of a scalar.
pub(crate) fn value(text: Cow<'_, str>, plain: bool, tag: Tag) -> Result<Value, String> {
    Ok(match resolve(text, plain, tag)? {
        Scalar::Null => Value::Null,
        Scalar::Bool(bool) => Value::Bool(bool),
        Scalar::Int(int) => Value::from(int),
        Scalar::Uint(int) => Value::from(int),
        Scalar::Float(float) => {
            number(float).ok_or_else(|| format!("`{float}` cannot be represented in JSON"))?
        }
        Scalar::Text(text) => Value::String(text.into_owned()),
    })
}

/// Returns the key that a scalar becomes in a map.
pub(crate) fn key(text: Cow<'_, str>, plain: bool, tag: Tag) -> Result<Cow<'_, str>, String> {
    Ok(match resolve(text, plain, tag)? {
        Scalar::Null => return Err("`null` cannot be a key".to_owned()),
        Scalar::Bool(bool) => bool.to_string().into(),
        Scalar::Int(int) => int.to_string().into(),
        // Go decodes the value, but has no string for it as a key: convertToJSONableObject.
        Scalar::Uint(int) => return Err(format!("`{int}` is too large for a key")),
        Scalar::Float(float) => float_key(float).into(),
        Scalar::Text(text) => text,
    })
}

/// Returns `true` if a scalar is empty or its value is `null`.
pub(crate) fn is_empty(text: &str, plain: bool, tag: Tag) -> bool {
    match resolve(Cow::Borrowed(text), plain, tag) {
        Ok(Scalar::Float(float)) => !float.is_finite(),
        resolved => matches!(resolved, Ok(Scalar::Null) | Err(_)),
    }
}

/// Returns `true` for the key `<<`, which merges the map that follows.
pub(crate) fn is_merge(text: &str, plain: bool, tag: Tag) -> bool {
    text == "<<" && ((plain && tag == Tag::None) || tag == Tag::Merge)
}

/// Returns a float after a round trip through JSON text, in which whole numbers become integers if they fit.
fn number(float: f64) -> Option<Value> {
    // encoding/json writes larger numbers with an exponent.
    if float.fract() == 0.0 && float.abs() < 1e21 {
        let digits = float.to_string();
        if let Ok(int) = digits.parse::<i64>() {
            return Some(int.into());
        }
        if let Ok(int) = digits.parse::<u64>() {
            return Some(int.into());
        }
    }
    Number::from_f64(float).map(Value::Number)
}

/// Returns a float as a key: `strconv.FormatFloat(f, 'g', -1, 32)`.
#[expect(clippy::cast_possible_truncation, reason = "keys go through 32 bits upstream")]
fn float_key(float: f64) -> String {
    let float = float as f32;
    if float.is_nan() {
        return ".nan".to_owned();
    }
    if float.is_infinite() {
        return if float > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let scientific = format!("{float:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // strconv/ftoa.go: the shortest form takes an exponent below -4 and from 6 on.
    if (-4..6).contains(&exponent) {
        return float.to_string();
    }
    format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn resolve(text: Cow<'_, str>, plain: bool, tag: Tag) -> Result<Scalar<'_>, String> {
    let resolved = match tag {
        Tag::None if !plain => return Ok(Scalar::Text(text)),
        Tag::Str | Tag::Other | Tag::Merge => return Ok(Scalar::Text(text)),
        // The decoded bytes become a string, in which JSON has no bytes that are not UTF-8.
        Tag::Binary => {
            let bytes = decode_std(&text).map_err(|_| "`!!binary` is not base64".to_owned())?;
            return Ok(Scalar::Text(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())));
        }
        _ => resolve_plain(text),
    };
    let fits = match (tag, &resolved) {
        (Tag::Bool, Scalar::Bool(_))
        | (Tag::Int, Scalar::Int(_) | Scalar::Uint(_))
        | (Tag::Float, Scalar::Float(_))
        | (Tag::Null, Scalar::Null)
        | (Tag::None, _) => true,
        (Tag::Timestamp, Scalar::Text(text)) => looks_like_timestamp(text),
        (Tag::Float, Scalar::Int(_)) => return Ok(int_as_float(resolved)),
        _ => false,
    };
    if fits { Ok(resolved) } else { Err("the value does not fit its tag".to_owned()) }
}

/// Returns `true` for a timestamp, whose value is the scalar's text. Every format begins with the year (`parseTimestamp`).
fn looks_like_timestamp(text: &str) -> bool {
    text.as_bytes().get(..5).is_some_and(|head| head[..4].iter().all(u8::is_ascii_digit) && head[4] == b'-')
}

#[expect(clippy::cast_precision_loss, reason = "that is what `!!float` asks for")]
fn int_as_float(scalar: Scalar<'_>) -> Scalar<'_> {
    match scalar {
        Scalar::Int(int) => Scalar::Float(int as f64),
        other => other,
    }
}

/// Resolves a scalar without quotes. The first byte distinguishes most scalars.
fn resolve_plain(text: Cow<'_, str>) -> Scalar<'_> {
    match text.as_bytes().first() {
        None => Scalar::Null,
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => word(text),
        Some(b'.') => match special_float(&text).or_else(|| go_float(&text)) {
            Some(float) => Scalar::Float(float),
            None => Scalar::Text(text),
        },
        Some(b'+' | b'-' | b'0'..=b'9') => {
            let scalar =
                special_float(&text).map_or_else(|| numeric(&text), |float| Some(Scalar::Float(float)));
            scalar.unwrap_or(Scalar::Text(text))
        }
        Some(_) => Scalar::Text(text),
    }
}

fn word(text: Cow<'_, str>) -> Scalar<'_> {
    match text.as_ref() {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        _ => Scalar::Text(text),
    }
}

fn special_float(text: &str) -> Option<f64> {
    match text {
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn numeric(text: &str) -> Option<Scalar<'static>> {
    let plain: Cow<'_, str> = if text.contains('_') { text.replace('_', "").into() } else { text.into() };
    let (negative, digits) = match plain.as_bytes().first()? {
        b'-' => (true, &plain[1..]),
        b'+' => (false, &plain[1..]),
        _ => (false, plain.as_ref()),
    };
    // ParseUint accepts no sign, so numbers beyond i64 have none.
    let signed = digits.len() != plain.len();
    if let Some(magnitude) = magnitude(digits) {
        if let Some(int) = signed_int(negative, magnitude) {
            return Some(Scalar::Int(int));
        }
        if !signed {
            return Some(Scalar::Uint(magnitude));
        }
    }
    yaml_float(&plain).map(Scalar::Float)
}

fn signed_int(negative: bool, magnitude: u64) -> Option<i64> {
    if negative { 0_i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}

/// Reads digits that may have a base prefix, as `strconv.ParseUint(s, 0, 64)` does.
fn magnitude(digits: &str) -> Option<u64> {
    let (base, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    // from_str_radix would accept another sign.
    if digits.starts_with(['+', '-']) { None } else { u64::from_str_radix(digits, base).ok() }
}

/// Reads a finite number that matches `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`.
fn yaml_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_float = unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && unsigned.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    // Without words such as `inf`, Rust's grammar is the same. Numbers out of range are strings upstream.
    if is_float { text.parse().ok().filter(|float: &f64| float.is_finite()) } else { None }
}

/// Reads a number that begins with a dot, as `strconv.ParseFloat` does: a `_` between two digits is ignored.
fn go_float(text: &str) -> Option<f64> {
    let digit_at = |index: usize| text.as_bytes().get(index).is_some_and(u8::is_ascii_digit);
    let separates = |(index, _): (usize, &str)| index > 0 && digit_at(index - 1) && digit_at(index + 1);
    if text.match_indices('_').all(separates) { yaml_float(&text.replace('_', "")) } else { None }
}
