//! Why a definition cannot be made of a Rust type: the type, the field, what is wrong and what to do.

use std::fmt;

/// Why a definition cannot be made, written or found current.
///
/// Its text names the Rust type and the field, says what is wrong and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    type_name: String,
    field: String,
    message: String,
    help: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Schema,
    Definition,
    Files,
}

impl Error {
    pub(crate) fn schema(
        type_name: impl Into<String>,
        field: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            kind: Kind::Schema,
            type_name: type_name.into(),
            field: field.into(),
            message: message.into(),
            help: help.into(),
        }
    }

    pub(crate) fn definition(
        type_name: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { kind: Kind::Definition, ..Self::schema(type_name, "", message, help) }
    }

    pub(crate) fn files(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { kind: Kind::Files, ..Self::schema("", "", message, help) }
    }

    /// Whether a type has no structural schema.
    #[must_use]
    pub fn is_schema(&self) -> bool {
        self.kind == Kind::Schema
    }

    /// Whether something else of the definition is wrong.
    #[must_use]
    pub fn is_definition(&self) -> bool {
        self.kind == Kind::Definition
    }

    /// Whether files could not be written, or are stale.
    #[must_use]
    pub fn is_files(&self) -> bool {
        self.kind == Kind::Files
    }

    /// The Rust type, as far as it is known.
    #[must_use]
    pub fn type_name(&self) -> &str {
        &self.type_name
    }

    /// The field, as its path in the object: `.spec.containers[].port`.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> &str {
        &self.help
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in [&self.type_name, &self.field] {
            if !name.is_empty() {
                write!(f, "`{name}`: ")?;
            }
        }
        f.write_str(&self.message)?;
        if !self.help.is_empty() {
            write!(f, "; help: {}", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
