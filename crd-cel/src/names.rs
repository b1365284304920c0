//! Functions for names in expressions.

/// Returns a name without its leading dot. The dot has no effect, because the API server compiles rules without a CEL
/// container.
pub(crate) fn undotted(name: &str) -> &str {
    name.strip_prefix('.').unwrap_or(name)
}
