//! JSON values as YAML that every reader reads as the same value, including readers of YAML 1.1 (kubectl).
//!
//! `serde_yaml` and its forks quote strings that have another meaning in YAML 1.2, and leave `yes`, `On` or `1_000`
//! unquoted, which kubectl reads as a boolean and a number. They have no option to change this, so the writer is our
//! own. JSON values need only block mappings, block sequences and three styles of scalar.

mod scalar;

use serde_json::Value;

use crate::tree::Tree;

/// Returns the YAML form of a value or of a CRD, with a line break at its end.
///
/// Strings and keys that any YAML reader could read as something else are quoted; strings of several lines are
/// literal blocks where possible.
///
/// ```
/// let yaml = crd_core::yaml::to_yaml(&serde_json::json!({"on": ["yes", 1, true], "text": "two\nlines\n"}));
/// assert_eq!(yaml, "\"on\":\n- \"yes\"\n- 1\n- true\ntext: |\n  two\n  lines\n");
/// ```
#[must_use]
#[expect(single_use_lifetimes, reason = "a lifetime in `impl Into` needs a name")]
pub fn to_yaml<'a>(value: impl Into<Tree<'a>>) -> String {
    let mut out = String::new();
    match value.into() {
        Tree::Object(fields) if !fields.is_empty() => mapping(fields, 0, false, &mut out),
        Tree::List(items) if !items.is_empty() => sequence(items, 0, &mut out),
        leaf => {
            self::leaf(&leaf, 0, &mut out);
            out.push('\n');
        }
    }
    out
}

/// Returns the value with the parts of a list or an object as trees.
fn opened(value: Tree<'_>) -> Tree<'_> {
    match value {
        Tree::Value(value) => value.into(),
        opened => opened,
    }
}

/// Writes the entries; the first follows a `- ` on the same line if `inline`.
fn mapping(fields: Vec<(&str, Tree<'_>)>, indent: usize, inline: bool, out: &mut String) {
    for (i, (key, value)) in fields.into_iter().enumerate() {
        if i > 0 || !inline {
            spaces(indent, out);
        }
        scalar::key(key, indent, out);
        match opened(value) {
            Tree::Object(fields) if !fields.is_empty() => {
                out.push_str(":\n");
                mapping(fields, indent + 2, false, out);
            }
            // kubectl's style: a sequence has the indentation of its key.
            Tree::List(items) if !items.is_empty() => {
                out.push_str(":\n");
                sequence(items, indent, out);
            }
            value => {
                out.push_str(": ");
                leaf(&value, indent + 2, out);
                out.push('\n');
            }
        }
    }
}

fn sequence(items: Vec<Tree<'_>>, indent: usize, out: &mut String) {
    for item in items {
        spaces(indent, out);
        out.push_str("- ");
        match opened(item) {
            Tree::Object(fields) if !fields.is_empty() => mapping(fields, indent + 2, true, out),
            Tree::List(items) if !items.is_empty() => {
                // A sequence in a sequence begins on a line of its own.
                out.pop();
                out.push('\n');
                sequence(items, indent + 2, out);
            }
            value => {
                leaf(&value, indent + 2, out);
                out.push('\n');
            }
        }
    }
}

/// Writes a key without its colon; its mapping is indented by `indent`.
pub fn write_key(key: &str, indent: usize, out: &mut String) {
    scalar::key(key, indent, out);
}

/// Returns `true` if a comment or single quotes can contain a character: it is printable, not a line break for any
/// reader, and does not change the direction of text.
#[must_use]
pub fn is_printable(c: char) -> bool {
    scalar::is_printable(c)
}

/// Writes a scalar or an empty collection; the lines of a block are indented by `indent`.
pub fn write_leaf(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => scalar::number(number, out),
        Value::String(text) => scalar::text(text, indent, out),
        Value::Array(_) => out.push_str("[]"),
        Value::Object(_) => out.push_str("{}"),
    }
}

fn leaf(value: &Tree<'_>, indent: usize, out: &mut String) {
    match value {
        Tree::Value(value) => write_leaf(value, indent, out),
        Tree::Leaf(value) => write_leaf(value, indent, out),
        Tree::Text(text) => scalar::text(text, indent, out),
        Tree::List(_) => out.push_str("[]"),
        Tree::Object(_) => out.push_str("{}"),
    }
}

fn spaces(count: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', count));
}

#[cfg(test)]
mod tests;
