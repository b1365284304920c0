//! Names of properties as identifiers in CEL rules.
//!
//! Source: `k8s.io/apiserver/pkg/cel/escaping.go`.

use std::borrow::Cow;
use std::ops::Range;

/// Returns the identifier of a property; `None` if rules cannot refer to the property.
///
/// ```
/// use crd_go::cel_names::escape_name;
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
    if is_keyword(name) {
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

/// Returns the property with this identifier; `None` if the identifier has an unknown escape. Only text that is
/// enclosed in double underscores is an escape; all other text stays unchanged.
///
/// ```
/// use crd_go::cel_names::unescape_name;
///
/// assert_eq!(unescape_name("a__dash__b").as_deref(), Some("a-b"));
/// assert_eq!(unescape_name("__namespace__").as_deref(), Some("namespace"));
/// assert_eq!(unescape_name("a__b").as_deref(), Some("a__b"));
/// assert_eq!(unescape_name("__x__"), None);
/// ```
#[must_use]
pub fn unescape_name(identifier: &str) -> Option<Cow<'_, str>> {
    let Some(mut escape) = first_escape(identifier) else { return Some(Cow::Borrowed(identifier)) };
    let mut plain = String::with_capacity(identifier.len());
    let mut rest = identifier;
    loop {
        plain.push_str(&rest[..escape.start]);
        plain.push_str(unescaped(&rest[escape.clone()], escape.len() == identifier.len())?);
        rest = &rest[escape.end..];
        match first_escape(rest) {
            Some(next) => escape = next,
            None => break,
        }
    }
    plain.push_str(rest);
    Some(Cow::Owned(plain))
}

/// Returns the byte range of the first match of the regular expression `__[^_]+__`.
fn first_escape(text: &str) -> Option<Range<usize>> {
    let mut from = 0;
    loop {
        let start = from + text[from..].find("__")?;
        let inner = start + 2;
        let end = inner + text[inner..].find('_')?;
        if end > inner && text[end..].starts_with("__") {
            return Some(start..end + 2);
        }
        from = start + 1;
    }
}

/// Returns the text of an escape; reserved words are escaped only if they are a whole identifier.
fn unescaped(escape: &str, is_whole: bool) -> Option<&str> {
    if let Some((_, plain)) = ESCAPES.iter().find(|(known, _)| *known == escape) {
        return Some(plain);
    }
    let word = &escape[2..escape.len() - 2];
    (is_whole && is_keyword(word)).then_some(word)
}

const ESCAPES: [(&str, &str); 4] =
    [("__underscores__", "__"), ("__dot__", "."), ("__dash__", "-"), ("__slash__", "/")];

/// Words that are escaped in names of fields.
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

/// Returns `true` for a word of the language. Such a word is escaped in names of fields.
#[must_use]
pub fn is_keyword(name: &str) -> bool {
    RESERVED.contains(&name)
}

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

    #[test]
    fn only_what_is_between_double_underscores_is_an_escape() {
        for (identifier, name) in [
            ("a___b", Some("a___b")),
            ("a__b", Some("a__b")),
            ("___dot__", Some("_.")),
            ("a__dot__dash__", Some("a.dash__")),
            ("a__dot____dash__", Some("a.-")),
            ("a__namespace__", None),
            ("____", Some("____")),
            ("__ü__", None),
        ] {
            assert_eq!(unescape_name(identifier).as_deref(), name, "{identifier}");
        }
    }
}
