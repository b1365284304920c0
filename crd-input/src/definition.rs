//! Definitions with their origin, and findings about objects of an input.

use crd_core::{CustomResourceDefinition, Diagnostic};

/// A definition, and where it was read.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The definition.
    pub crd: CustomResourceDefinition,
    /// Where it was read.
    pub origin: Origin,
}

/// The file and the number of an object: the header of generated files names them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The file, relative and with `/` between folders, or `<stdin>`.
    pub file: String,
    /// The number of the document in the file, from 0; an item of a `List` counts as a document.
    pub document: usize,
}

/// An error or a warning about an object of an input.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The object.
    pub origin: Origin,
    /// The field and the message.
    pub diagnostic: Diagnostic,
    /// Error or warning.
    pub severity: Severity,
}

/// How bad a [`Finding`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The object is refused, or nothing was generated for it.
    Error,
    /// The object is taken, but not all of it has the effect that its text suggests.
    Warning,
}
