//! CRDs with their origin, and problems of objects in an input.

use crd_core::{CustomResourceDefinition, Diagnostic};

/// A CRD with its origin.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The CRD.
    pub crd: CustomResourceDefinition,
    /// The file and the document that the CRD was read from.
    pub origin: Origin,
}

/// The file and the index of an object, for headers of generated files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The file's relative path, with `/` between directories, or `<stdin>`.
    pub file: String,
    /// The number of the document in the file, from 0. An item of a `List` counts as a document.
    pub document: usize,
}

/// An error or a warning about an object in an input.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The object.
    pub origin: Origin,
    /// The field and the message.
    pub diagnostic: Diagnostic,
    /// Error or warning.
    pub severity: ProblemSeverity,
}

/// The severity of a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemSeverity {
    /// The object is rejected, or nothing was generated for it.
    Error,
    /// The object is used, but some of its fields do not have the expected effect.
    Warning,
}
