//! How much a hostile file may cost.

/// How deep, how far unfolded and how large an input may be.
///
/// ```
/// use crd_input::Limits;
///
/// let limits = Limits { depth: 100, ..Limits::default() };
/// assert_eq!(limits.alias_nodes, 400_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How deep lists and maps may stand in each other. 500 by default, at which the API server's own limits on
    /// schemas lie far below.
    pub depth: usize,
    /// How many values the aliases of one document may unfold to; 64 bytes of text count like one more value.
    /// 400,000 by default, which is where go-yaml begins to refuse.
    pub alias_nodes: usize,
    /// How many bytes a file may have. 256 MiB by default.
    pub file_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 500, alias_nodes: 400_000, file_bytes: 256 << 20 }
    }
}
