//! The generated files.

/// An output file: Rust code, or the type names for the next run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GeneratedFile {
    /// The path in the output directory, with `/` as the separator. The path consists of checked names only.
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
