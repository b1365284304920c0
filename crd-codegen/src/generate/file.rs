//! The generated files.

/// A file of the output: Rust, or the names that the next run keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GeneratedFile {
    /// The path of the file below the output directory, with `/` between directories. The path consists only of checked names.
    pub path: String,
    /// The text of the file.
    pub contents: String,
}

impl GeneratedFile {
    /// Returns a file for [`Changes::plan`](crate::Changes::plan).
    #[must_use]
    pub fn new(path: impl Into<String>, contents: impl Into<String>) -> Self {
        Self { path: path.into(), contents: contents.into() }
    }
}
