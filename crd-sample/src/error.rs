//! The reasons why there is no sampler or no sample.

use std::fmt;

use crd_core::admit::{InvalidDefinition, Rejection};

/// The reason why a CRD has no sampler.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unusable {
    /// The CRD has no version with this name.
    NoVersion(String),
    /// The version is not served.
    NotServed(String),
    /// No version is served.
    NothingServed,
    /// A pattern in the version is longer than 16 KiB, this crate's limit.
    LongPattern,
    /// The API server would reject the CRD.
    Definition(InvalidDefinition),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoVersion(name) => write!(f, "there is no version `{name}`"),
            Self::NotServed(name) => write!(f, "version `{name}` is not served"),
            Self::NothingServed => f.write_str("no version is served"),
            Self::LongPattern => f.write_str("a pattern is longer than 16 KiB, the limit of this tool"),
            Self::Definition(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Unusable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Definition(error) => Some(error),
            _ => None,
        }
    }
}

/// No accepted object was found within the budget. An accepted object may still exist.
#[derive(Clone, Debug, PartialEq)]
pub struct NoSample {
    pub(crate) refusal: Box<Rejection>,
}

impl NoSample {
    /// Returns the API server's response to the object with the fewest causes. It has these causes, and the broken rules.
    #[must_use]
    pub fn rejection(&self) -> &Rejection {
        &self.refusal
    }
}

impl fmt::Display for NoSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no accepted object was found; the closest one was rejected: {}", self.refusal)
    }
}

impl std::error::Error for NoSample {}
