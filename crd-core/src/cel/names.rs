//! Turns names of properties into the identifiers by which rules call them.

use std::borrow::Cow;

/// The identifier of a property, or `None` where a rule cannot name it.
///
/// Source: `k8s.io/apiserver/pkg/cel/escaping.go`.
///
/// ```
/// use crd_core::cel::escape_name;
///
/// assert_eq!(escape_name("replicas").as_deref(), Some("replicas"));
/// assert_eq!(escape_name("namespace").as_deref(), Some("__namespace__"));
/// assert_eq!(escape_name("a-b/c.d__e").as_deref(), Some("a__dash__b__slash__c__dot__d__underscores__e"));
/// assert_eq!(escape_name("9lives"), None);
/// ```
#[must_use]
pub fn escape_name(name: &str) -> Option<Cow<'_, str>> {
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    if KEYWORDS.contains(&name) {
        return Some(Cow::Owned(format!("__{name}__")));
    }
    if !name.contains("__") && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
        return Some(Cow::Borrowed(name));
    }
    let mut escaped = String::with_capacity(name.len() + 16);
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        match first {
            '_' if rest.starts_with('_') => {
                rest = &rest[1..];
                escaped.push_str("__underscores__");
            }
            '.' => escaped.push_str("__dot__"),
            '-' => escaped.push_str("__dash__"),
            '/' => escaped.push_str("__slash__"),
            '_' => escaped.push('_'),
            other if other.is_ascii_alphanumeric() => escaped.push(other),
            _ => return None,
        }
    }
    Some(Cow::Owned(escaped))
}

const KEYWORDS: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];
