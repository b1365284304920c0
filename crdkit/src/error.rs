//! The error type for generating, checking and writing CRDs.

use std::fmt;
use std::sync::Arc;

use crate::source::Sources;

/// The error for a CRD that cannot be built, that the API server would reject, or that cannot be written.
///
/// It has one or more causes, each with a place in the Rust code and a remedy if these are known:
///
/// ```
/// use crdkit::{CrdSchema, CustomResource};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "stable.example.com", version = "v1", kind = "Shirt")]
/// struct ShirtSpec {
///     #[crd(validation = "self.all(a, self.exists(b, b > a))")]
///     sizes: Vec<i64>,
/// }
///
/// let error = Shirt::crd().unwrap_err();
/// assert!(error.is_rejected());
/// assert_eq!(error.field(), ".spec.sizes");
/// assert_eq!(error.causes()[0].place(), "ShirtSpec.sizes");
/// assert!(error.help().starts_with("add `maxItems: "), "{error}");
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Error {
    kind: ErrorKind,
    /// A sentence before the causes, if there is one.
    title: String,
    causes: Vec<Cause>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ErrorKind {
    Schema,
    Definition,
    Rejected,
    Files,
}

/// One cause of an [`Error`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cause {
    pub(crate) type_name: String,
    pub(crate) field: String,
    pub(crate) place: String,
    pub(crate) location: String,
    pub(crate) message: String,
    pub(crate) help: String,
}

impl Cause {
    /// Returns the Rust type, if it is known.
    #[must_use]
    pub fn type_name(&self) -> &str {
        &self.type_name
    }

    /// Returns the field's path in the object: `.spec.containers[].port`.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Returns the Rust type and the name that serde gives the field: `Container.port`. Empty if unknown.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Returns the file and line in the Rust code: `src/container.rs:12`. Empty if unknown.
    #[must_use]
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Returns the message. If the API server would reject the CRD, this is the server's own message.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the remedy. Empty if unknown.
    #[must_use]
    pub fn help(&self) -> &str {
        &self.help
    }
}

impl Error {
    pub(crate) fn schema(
        type_name: impl Into<String>,
        field: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let cause = Cause {
            type_name: type_name.into(),
            field: field.into(),
            place: String::new(),
            location: String::new(),
            message: message.into(),
            help: help.into(),
        };
        Self { kind: ErrorKind::Schema, title: String::new(), causes: vec![cause], source: None }
    }

    pub(crate) fn definition(
        type_name: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { kind: ErrorKind::Definition, ..Self::schema(type_name, "", message, help) }
    }

    #[cfg(feature = "check")]
    pub(crate) fn rejected(title: String, causes: Vec<Cause>) -> Self {
        Self { kind: ErrorKind::Rejected, title, causes, source: None }
    }

    #[cfg(feature = "check")]
    pub(crate) fn files(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Files, ..Self::schema("", "", message, help) }
    }

    /// Adds a place in the Rust code to the error.
    #[must_use]
    pub(crate) fn located_at(mut self, place: &str, sources: &Sources) -> Self {
        for cause in &mut self.causes {
            place.clone_into(&mut cause.place);
            cause.location = sources.location(place);
        }
        self
    }

    /// Sets the source of the error. The message must already contain the source's text.
    #[must_use]
    pub(crate) fn caused_by(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// Returns `true` if a type has no structural schema.
    #[must_use]
    pub fn is_schema(&self) -> bool {
        self.kind == ErrorKind::Schema
    }

    /// Returns `true` if the CRD cannot be built for a reason other than the schema of a type.
    #[must_use]
    pub fn is_definition(&self) -> bool {
        self.kind == ErrorKind::Definition
    }

    /// Returns `true` if the CRD can be built, but the API server would reject it.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        self.kind == ErrorKind::Rejected
    }

    /// Returns `true` if files could not be written, or are stale.
    #[must_use]
    pub fn is_files(&self) -> bool {
        self.kind == ErrorKind::Files
    }

    /// Returns all causes; there is at least one.
    #[must_use]
    pub fn causes(&self) -> &[Cause] {
        &self.causes
    }

    /// Returns the Rust type of the first cause, if it is known.
    #[must_use]
    pub fn type_name(&self) -> &str {
        self.causes.first().map_or("", Cause::type_name)
    }

    /// Returns the first cause's path in the object: `.spec.containers[].port`.
    #[must_use]
    pub fn field(&self) -> &str {
        self.causes.first().map_or("", Cause::field)
    }

    /// Returns the remedy of the first cause.
    #[must_use]
    pub fn help(&self) -> &str {
        self.causes.first().map_or("", Cause::help)
    }

    fn print(&self, cause: &Cause, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The API server's text names the place in the definition itself.
        if self.kind != ErrorKind::Rejected
            && let Some(subject) = [&cause.field, &cause.type_name].into_iter().find(|name| !name.is_empty())
        {
            write!(f, "`{subject}`: ")?;
        }
        f.write_str(&cause.message)?;
        if !cause.place.is_empty() {
            write!(f, "\n  --> {}", cause.place)?;
            if !cause.location.is_empty() {
                write!(f, " ({})", cause.location)?;
            }
        }
        if !cause.help.is_empty() {
            write!(f, "\n  help: {}", cause.help)?;
        }
        Ok(())
    }
}

// An error of the system cannot be compared, and its text is part of the cause.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, &self.title, &self.causes) == (other.kind, &other.title, &other.causes)
    }
}

impl Eq for Error {}

// `main` and `unwrap` show this form: people read it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)?;
        for (i, cause) in self.causes.iter().enumerate() {
            if i > 0 || !self.title.is_empty() {
                f.write_str("\n")?;
            }
            self.print(cause, f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
