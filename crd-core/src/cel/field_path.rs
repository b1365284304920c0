//! Paths to fields in a schema, as in the `fieldPath` of rules and in selectable fields: `.spec.color`, `['a.b'].c`.
//!
//! Source: `pkg/apiserver/schema/cel/validation.go`, `ValidFieldPath`.

use std::fmt;

use crate::FieldPath;
use crate::schema::Structural;

/// The error in a path. `Display` prints the API server's message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotResolved {
    /// The schema does not have the field.
    NoSuchField,
    /// The path is malformed, for this reason.
    Malformed(String),
}

impl fmt::Display for NotResolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchField => "does not refer to a valid field",
            Self::Malformed(reason) => reason,
        })
    }
}

impl std::error::Error for NotResolved {}

/// The field to which a path leads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Resolved<'a> {
    /// The path in canonical form.
    pub path: FieldPath,
    /// The schema of the field; `None` under `additionalProperties: true`.
    pub schema: Option<&'a Structural>,
}

/// Follows a path from a schema. `brackets` allows steps such as `['name']`.
///
/// # Errors
/// - The path is malformed, or the schema does not have the field. The error is the API server's
///   message.
///
/// ```
/// use crd_core::cel::field_path::resolve;
/// use crd_core::{Structural, crd::JsonSchemaProps};
///
/// let schema = JsonSchemaProps::from_value(serde_json::json!({
///     "type": "object",
///     "properties": {"a.b": {"type": "string"}},
/// }))?;
/// let schema = Structural::from_json_schema(&schema)?;
/// assert!(resolve("['a.b']", &schema, true).is_ok());
/// assert_eq!(resolve(".c", &schema, true).unwrap_err().to_string(), "does not refer to a valid field");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn resolve<'a>(text: &str, schema: &'a Structural, brackets: bool) -> Result<Resolved<'a>, NotResolved> {
    let mut tokens = Tokens { rest: text };
    let mut at = Resolved { path: FieldPath::root(), schema: Some(schema) };
    let end = || NotResolved::Malformed("unexpected end of JSON path".to_owned());
    while let Some(token) = tokens.next() {
        match token {
            "[" if !brackets => {
                return Err(NotResolved::Malformed("array notation is not allowed".to_owned()));
            }
            "[" => {
                let quoted = tokens.next().ok_or_else(end)?;
                let name =
                    quoted.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).ok_or_else(|| {
                        NotResolved::Malformed(format!("expected single quoted string but got {quoted}"))
                    })?;
                let name = unescape(name)
                    .map_err(|error| NotResolved::Malformed(format!("invalid string literal: {error}")))?;
                at = step(&at, &name)?;
                match tokens.next().ok_or_else(end)? {
                    "]" => {}
                    other => return Err(NotResolved::Malformed(format!("expected ] but got {other}"))),
                }
            }
            "." => at = step(&at, tokens.next().ok_or_else(end)?)?,
            other => {
                return Err(NotResolved::Malformed(format!("expected [ or . but got: {other}")));
            }
        }
    }
    Ok(at)
}

fn step<'a>(from: &Resolved<'a>, name: &str) -> Result<Resolved<'a>, NotResolved> {
    let no_such_field = || Err(NotResolved::NoSuchField);
    let Some(schema) = from.schema else { return no_such_field() };
    if !schema.properties.is_empty() {
        return match schema.properties.get(name) {
            Some(property) => Ok(Resolved { path: from.path.child(name), schema: Some(property) }),
            None => no_such_field(),
        };
    }
    match &schema.additional_properties {
        Some(_) => Ok(Resolved { path: from.path.key(name), schema: schema.map_values() }),
        None => no_such_field(),
    }
}

/// The tokens of a path: delimiters, strings in single quotes, and the text between delimiters.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.rest.as_bytes();
        let is_delimiter = |byte: u8| matches!(byte, b'.' | b'[' | b']');
        let length = match bytes.first()? {
            b'\'' => (1..bytes.len())
                .find(|&i| bytes[i] == b'\'' && bytes[i - 1] != b'\\')
                .map_or(bytes.len(), |i| i + 1),
            &byte if is_delimiter(byte) => 1,
            _ => bytes.iter().position(|&byte| is_delimiter(byte)).unwrap_or(bytes.len()),
        };
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(token)
    }
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next() {
            Some('a') => '\u{7}',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('v') => '\u{b}',
            Some(c @ ('\'' | '\\')) => c,
            Some(c) => return Err(format!("invalid escape char \\{c}")),
            None => '\\',
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crd::JsonSchemaProps;

    #[test]
    fn paths() {
        let schema = serde_json::json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {
                "a.b": {"type": "string"},
                "m": {"type": "object", "additionalProperties": {"type": "integer"}},
                "any": {"type": "object", "additionalProperties": true},
                "s": {"type": "string"},
            }},
        }});
        let schema = JsonSchemaProps::from_value(schema).unwrap();
        let schema = Structural::from_json_schema(&schema).unwrap();
        for (text, result) in [
            (".spec.s", Ok("spec.s")),
            ("['spec']['a.b']", Ok("spec.a.b")),
            (".spec.m.x", Ok("spec.m[x]")),
            (".spec.any.x", Ok("spec.any[x]")),
            ("", Ok("<nil>")),
            (".spec.any.x.y", Err("does not refer to a valid field")),
            (".spec.s.x", Err("does not refer to a valid field")),
            (".nope", Err("does not refer to a valid field")),
            ("spec", Err("expected [ or . but got: spec")),
            (".", Err("unexpected end of JSON path")),
            ("[", Err("unexpected end of JSON path")),
            ("['spec'", Err("unexpected end of JSON path")),
            ("['spec'.", Err("expected ] but got .")),
            ("[0]", Err("expected single quoted string but got 0")),
            ("['\\q']", Err("invalid string literal: invalid escape char \\q")),
        ] {
            let found = resolve(text, &schema, true).map(|found| found.path.to_string());
            let found = found.map_err(|error| error.to_string());
            assert_eq!(found.as_deref().map_err(String::as_str), result, "{text}");
        }
        assert_eq!(
            resolve("['spec']", &schema, false).err().map(|error| error.to_string()).as_deref(),
            Some("array notation is not allowed")
        );
    }
}
