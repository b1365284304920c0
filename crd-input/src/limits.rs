//! Limits for inputs, because an input may be hostile.

/// Limits for the depth, the aliases and the size of an input.
///
/// ```
/// use crd_input::Limits;
///
/// let limits = Limits { depth: 100, ..Limits::default() };
/// assert_eq!(limits.alias_nodes, 400_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum depth of nested lists and maps. 500 by default, far more than the API server allows in a schema.
    pub depth: usize,
    /// Maximum number of values from the expanded aliases of one document. Every 64 bytes of text count as another
    /// value. 400,000 by default; go-yaml rejects documents with more.
    pub alias_nodes: usize,
    /// Maximum size of a file in bytes. 256 MiB by default.
    pub file_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 500, alias_nodes: 400_000, file_bytes: 256 << 20 }
    }
}
