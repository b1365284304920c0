//! Syntax extensions by Kubernetes version.

use crd_go::KubeVersion;

/// A Kubernetes version's syntax extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Syntax {
    /// `a.?b`, `a[?b]`, `[?a]`, `{?a: b}`, `optMap`, `optFlatMap`
    pub optionals: bool,
    /// `all(i, v, ...)`, `transformList` and similar macros
    pub two_variables: bool,
    /// `sortBy`
    pub sort_by: bool,
    /// The release of the server that parses the expression.
    pub server: KubeVersion,
}

impl Default for Syntax {
    /// Returns the newest version's syntax.
    fn default() -> Self {
        Self { optionals: true, two_variables: true, sort_by: true, server: KubeVersion::default() }
    }
}
