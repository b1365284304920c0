//! Functions for names in expressions.

/// Removes a name's leading dot. The dot has no effect in rules, because the API server compiles rules without a CEL container.
pub(crate) fn undotted(name: &str) -> &str {
    name.strip_prefix('.').unwrap_or(name)
}
