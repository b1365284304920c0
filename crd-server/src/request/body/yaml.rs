//! A YAML reader like `sigs.k8s.io/yaml`, which records repeated keys.

use crd_go::strings::quote;
use crd_input::Limits;
use serde_json::Value;

use crate::depth;

/// Reads the first document of a YAML text. If a key is repeated, the last value is used. Messages about repeated keys have the same text
/// as in go-yaml.
///
/// # Errors
/// - The text is not YAML. After `yaml: line N: `, the message comes from this project's reader.
pub(crate) fn parse(bytes: &[u8]) -> Result<(Value, Vec<String>), String> {
    let text = str::from_utf8(bytes).map_err(|_| "yaml: invalid leading UTF-8 octet".to_owned())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let limits = Limits { depth: depth::most(), ..Limits::default() };
    let body = crd_input::body(text, &limits).map_err(|error| {
        if error.is_too_deep() {
            depth::exceed();
            return format!("yaml: exceeded max depth of {}", depth::MOST);
        }
        match error.line() {
            Some(line) => format!("yaml: line {line}: {}", error.message()),
            None => format!("yaml: {}", error.message()),
        }
    })?;
    let repeated = body.repeated.iter().map(|repeated| {
        let key = repeated.key.as_str().map_or_else(|| repeated.key.to_string(), quote);
        format!("line {}: key {key} already set in map", repeated.line)
    });
    Ok((body.value, repeated.collect()))
}

/// Returns the strict decoding error about repeated keys.
pub(crate) fn repeated_keys(messages: &[String]) -> String {
    format!("yaml: unmarshal errors:\n  {}", messages.join("\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_keys_have_their_lines() {
        let (value, repeated) = parse(b"a: 1\nb: {n: 1, n: 2}\na: 2\n").unwrap();
        assert_eq!(value, serde_json::json!({"a": 2, "b": {"false": 2}}));
        assert_eq!(
            repeated,
            ["line 2: key false already set in map", "line 3: key \"a\" already set in map"]
        );
        assert_eq!(
            repeated_keys(&repeated),
            "yaml: unmarshal errors:\n  line 2: key false already set in map\n  line 3: key \"a\" already set in map"
        );
    }

    #[test]
    fn only_the_first_document_counts() {
        assert_eq!(parse(b"a: b\n---\n[").unwrap().0, serde_json::json!({"a": "b"}));
        assert_eq!(parse(b"").unwrap().0, Value::Null);
        assert_eq!(parse(b"\xff").unwrap_err(), "yaml: invalid leading UTF-8 octet");
    }
}
