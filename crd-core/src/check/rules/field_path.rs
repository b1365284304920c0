//! Resolves `fieldPath` of a rule: `.spec.names['a.b']`.
//!
//! Source: `ValidFieldPath` in `schema/cel/validation.go`.

use std::borrow::Cow;

use crate::Structural;
use crate::schema::{AdditionalProperties, NestedAdditionalProperties, NestedValidation};

/// A schema, as far as field paths see it.
pub(super) trait Fields {
    fn property(&self, name: &str) -> Option<&Self>;
    fn has_properties(&self) -> bool;
    /// The schema of the values of a map; inside, `None` where there is a map but no schema.
    fn values(&self) -> Option<Option<&Self>>;
}

impl Fields for Structural {
    fn property(&self, name: &str) -> Option<&Self> {
        self.properties.get(name)
    }

    fn has_properties(&self) -> bool {
        !self.properties.is_empty()
    }

    fn values(&self) -> Option<Option<&Self>> {
        self.additional_properties.as_ref().map(|values| match values {
            AdditionalProperties::Schema(values) => Some(&**values),
            AdditionalProperties::Allowed(_) => None,
        })
    }
}

impl Fields for NestedValidation {
    fn property(&self, name: &str) -> Option<&Self> {
        self.properties.get(name)
    }

    fn has_properties(&self) -> bool {
        !self.properties.is_empty()
    }

    fn values(&self) -> Option<Option<&Self>> {
        self.additional_properties.as_ref().map(|values| match values {
            NestedAdditionalProperties::Schema(values) => Some(&**values),
            NestedAdditionalProperties::Allowed(_) => None,
        })
    }
}

/// What is no path to a field.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoSuchField;

/// Finds the field of `schema` that a path leads to.
pub(super) fn resolve<S: Fields>(path: &str, schema: &S) -> Result<(), NoSuchField> {
    let mut tokens = tokens(path).into_iter();
    let mut at = Some(schema);
    while let Some(token) = tokens.next() {
        let name = match token {
            "." => Cow::Borrowed(tokens.next().ok_or(NoSuchField)?),
            "[" => {
                let quoted = tokens.next().filter(|token| token.len() >= 2).ok_or(NoSuchField)?;
                let inner = quoted.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
                unescape(inner.ok_or(NoSuchField)?).ok_or(NoSuchField)?
            }
            _ => return Err(NoSuchField),
        };
        let schema = at.ok_or(NoSuchField)?;
        at = if schema.has_properties() {
            Some(schema.property(&name).ok_or(NoSuchField)?)
        } else {
            schema.values().ok_or(NoSuchField)?
        };
        if token == "[" && tokens.next() != Some("]") {
            return Err(NoSuchField);
        }
    }
    Ok(())
}

/// Cuts a path into `.`, `[`, `]`, quoted names with their quotes, and what is between.
fn tokens(path: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = path;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '.' | '[' | ']' => 1,
            '\'' => quoted_length(rest),
            _ => rest.find(['.', '[', ']']).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// The length up to the next quote that is not escaped, or all of it.
fn quoted_length(text: &str) -> usize {
    let mut escaped = false;
    for (i, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'\'' => return i + 1,
            _ => {}
        }
    }
    text.len()
}

fn unescape(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut unescaped = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(next) = chars.next() {
        unescaped.push(match next {
            '\\' => match chars.next()? {
                'a' => '\x07',
                'b' => '\x08',
                'f' => '\x0c',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\x0b',
                same @ ('\'' | '\\') => same,
                _ => return None,
            },
            other => other,
        });
    }
    Some(Cow::Owned(unescaped))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::crd::JsonSchemaProps;

    #[test]
    fn paths_lead_to_fields() {
        let schema = JsonSchemaProps::from_value(json!({"type": "object", "properties": {
            "box": {"type": "object", "properties": {"width": {"type": "integer"}, "it's": {"type": "string"}}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "tags": {"type": "array", "items": {"type": "string"}},
        }}))
        .expect("a schema");
        let schema = Structural::from_json_schema(&schema).expect("a structural schema");
        for (path, leads) in [
            ("", true),
            (".box.width", true),
            ("['box'].width", true),
            (".box['width']", true),
            (".box['it\\'s']", true),
            (".labels.anything", true),
            (".labels['a.b/c']", true),
            ("box", false),
            (".box.", false),
            (".box.height", false),
            (".box['width'", false),
            (".box[width]", false),
            ("['box']width", false),
            (".tags[0]", false),
            (".labels['a\\q']", false),
            (".labels.a.b", false),
        ] {
            assert_eq!(resolve(path, &schema).is_ok(), leads, "{path}");
        }
    }
}
