//! JSON values as YAML that every reader reads as the same value, including readers of YAML 1.1 (kubectl).
//!
//! `serde_yaml` and its forks quote strings that have another meaning in YAML 1.2, but not `yes`, `On` or `1_000`,
//! which kubectl reads as booleans and a number. These crates have no option to change this, so `crd-core` has its own writer. JSON values
//! need only block mappings, block sequences and three styles of scalar.

mod scalar;

use serde_json::Value;

use crate::tree::Tree;
use crate::{FieldPath, Segment};

/// Returns a value or a CRD as YAML that ends with a line break.
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
    with_comments(value.into(), &[])
}

/// Returns YAML like [`to_yaml`], with comments above the fields at these paths. The comment for the empty path is at the start of the
/// YAML. Paths of list items and paths that lead nowhere have no comments.
///
/// ```
/// use crd_core::FieldPath;
/// use crd_core::yaml::to_yaml_with_comments;
///
/// let value = serde_json::json!({"spec": {"sizes": [1]}});
/// let comments = [(FieldPath::new("spec").child("sizes"), "of shirts".to_owned())];
/// assert_eq!(to_yaml_with_comments(&value, &comments), "spec:\n  # of shirts\n  sizes:\n  - 1\n");
/// ```
#[must_use]
#[expect(single_use_lifetimes, reason = "a lifetime in `impl Into` needs a name")]
pub fn to_yaml_with_comments<'a>(value: impl Into<Tree<'a>>, comments: &[(FieldPath, String)]) -> String {
    let mut below = Vec::new();
    for (path, text) in comments {
        below.push((path.segments(), text.as_str()));
    }
    with_comments(value.into(), &below)
}

fn with_comments(value: Tree<'_>, comments: &[Comment<'_>]) -> String {
    let mut out = String::new();
    write_comments(comments, 0, &mut out);
    match value {
        Tree::Object(fields) if !fields.is_empty() => mapping(fields, 0, false, comments, &mut out),
        Tree::List(items) if !items.is_empty() => sequence(items, 0, comments, &mut out),
        leaf => {
            self::leaf(&leaf, 0, &mut out);
            out.push('\n');
        }
    }
    out
}

/// A comment: the path relative to the current value, and the text.
type Comment<'c> = (Vec<&'c Segment>, &'c str);

/// Returns the comments whose paths begin with this field or list index. This first step is removed from the paths.
fn below<'c>(comments: &[Comment<'c>], field: Option<&str>, index: usize) -> Vec<Comment<'c>> {
    // A loop: iterators add functions to each program that writes CRDs.
    let mut below = Vec::new();
    for (path, text) in comments {
        let is_first = match path.first() {
            Some(Segment::Child(name) | Segment::Key(name)) => field == Some(name),
            Some(Segment::Index(i)) => field.is_none() && *i == index,
            None => false,
        };
        if is_first {
            below.push((path[1..].to_vec(), *text));
        }
    }
    below
}

/// Writes the comments whose paths end at the current value.
fn write_comments(comments: &[Comment<'_>], indent: usize, out: &mut String) {
    for (path, text) in comments {
        if path.is_empty() {
            spaces(indent, out);
            out.push_str("# ");
            for c in text.chars() {
                out.push(if is_printable(c) { c } else { ' ' });
            }
            out.push('\n');
        }
    }
}

/// Returns a list or an object with its parts as trees; other values are unchanged.
fn opened(value: Tree<'_>) -> Tree<'_> {
    match value {
        Tree::Value(value) => value.into(),
        opened => opened,
    }
}

/// Writes the entries of an object. If `inline` is `true`, the first entry follows a `- ` on the same line.
fn mapping(
    fields: Vec<(&str, Tree<'_>)>,
    indent: usize,
    inline: bool,
    comments: &[Comment<'_>],
    out: &mut String,
) {
    for (i, (key, value)) in fields.into_iter().enumerate() {
        let comments = below(comments, Some(key), 0);
        if i > 0 || !inline {
            write_comments(&comments, indent, out);
            spaces(indent, out);
        }
        scalar::key(key, indent, out);
        match opened(value) {
            Tree::Object(fields) if !fields.is_empty() => {
                out.push_str(":\n");
                mapping(fields, indent + 2, false, &comments, out);
            }
            // kubectl's style: a sequence has the indentation of its key.
            Tree::List(items) if !items.is_empty() => {
                out.push_str(":\n");
                sequence(items, indent, &comments, out);
            }
            value => {
                out.push_str(": ");
                leaf(&value, indent + 2, out);
                out.push('\n');
            }
        }
    }
}

fn sequence(items: Vec<Tree<'_>>, indent: usize, comments: &[Comment<'_>], out: &mut String) {
    for (i, item) in items.into_iter().enumerate() {
        let comments = below(comments, None, i);
        spaces(indent, out);
        out.push_str("- ");
        match opened(item) {
            Tree::Object(fields) if !fields.is_empty() => mapping(fields, indent + 2, true, &comments, out),
            Tree::List(items) if !items.is_empty() => {
                // A sequence in a sequence begins on a line of its own.
                out.pop();
                out.push('\n');
                sequence(items, indent + 2, &comments, out);
            }
            value => {
                leaf(&value, indent + 2, out);
                out.push('\n');
            }
        }
    }
}

/// Writes a key without its colon. The mapping that contains the key is indented by `indent`.
pub fn write_key(key: &str, indent: usize, out: &mut String) {
    scalar::key(key, indent, out);
}

/// Returns `true` if a character is allowed in comments and single quotes: a printable character that no reader treats as a line break, and
/// that does not change the direction of text.
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
