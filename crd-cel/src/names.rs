//! Conversion between names of properties and their identifiers in rules.
//!
//! Source: `k8s.io/apiserver/pkg/cel/escaping.go`.

use std::borrow::Cow;

/// The identifier of a property; `None` if rules cannot refer to it.
///
/// ```
/// use crd_cel::escape_name;
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
    if RESERVED.contains(&name) {
        return Some(Cow::Owned(format!("__{name}__")));
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.chars().all(is_plain) && !name.contains("__") {
        return Some(Cow::Borrowed(name));
    }
    let mut escaped = String::with_capacity(name.len() + 16);
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        if let Some((escape, plain)) = ESCAPES.iter().find(|(_, plain)| rest.starts_with(plain)) {
            escaped.push_str(escape);
            rest = &rest[plain.len()..];
        } else if is_plain(first) {
            escaped.push(first);
            rest = &rest[1..];
        } else {
            return None;
        }
    }
    Some(Cow::Owned(escaped))
}

/// The property with this identifier; `None` if no property has it.
///
/// ```
/// use crd_cel::unescape_name;
///
/// assert_eq!(unescape_name("a__dash__b").as_deref(), Some("a-b"));
/// assert_eq!(unescape_name("__namespace__").as_deref(), Some("namespace"));
/// assert_eq!(unescape_name("__x__"), None);
/// ```
#[must_use]
pub fn unescape_name(identifier: &str) -> Option<Cow<'_, str>> {
    if !identifier.contains("__") {
        return Some(Cow::Borrowed(identifier));
    }
    let inner = identifier.strip_prefix("__").and_then(|name| name.strip_suffix("__"));
    if let Some(inner) = inner.filter(|inner| RESERVED.contains(inner)) {
        return Some(Cow::Owned(inner.to_owned()));
    }
    let mut plain = String::with_capacity(identifier.len());
    let mut rest = identifier;
    while let Some(at) = rest.find("__") {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (escape, unescaped) = ESCAPES.iter().find(|(escape, _)| rest.starts_with(escape))?;
        plain.push_str(unescaped);
        rest = &rest[escape.len()..];
    }
    plain.push_str(rest);
    Some(Cow::Owned(plain))
}

const ESCAPES: [(&str, &str); 4] =
    [("__underscores__", "__"), ("__dot__", "."), ("__dash__", "-"), ("__slash__", "/")];

/// Words that are escaped when they are names of fields.
const RESERVED: [&str; 21] = [
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_back() {
        for (name, escaped) in [
            ("a_b", "a_b"),
            ("a__b", "a__underscores__b"),
            ("a___b", "a__underscores___b"),
            ("a-b.c/d", "a__dash__b__dot__c__slash__d"),
            ("namespace", "__namespace__"),
        ] {
            assert_eq!(escape_name(name).as_deref(), Some(escaped));
            assert_eq!(unescape_name(escaped).as_deref(), Some(name));
        }
        assert_eq!(escape_name("1a"), None);
        assert_eq!(escape_name("a b"), None);
        assert_eq!(escape_name("ä"), None);
        assert_eq!(unescape_name("namespace").as_deref(), Some("namespace"));
    }
}
