//! Syntax extensions by version of Kubernetes.

use crd_go::KubeVersion;

/// The extensions of the syntax in a version of Kubernetes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Syntax {
    /// `a.?b`, `a[?b]`, `[?a]`, `{?a: b}`, `optMap`, `optFlatMap`
    pub optionals: bool,
    /// `all(i, v, ...)`, `transformList` and similar macros
    pub two_variables: bool,
    /// `sortBy`
    pub sort_by: bool,
    /// The release whose server reads the expression.
    pub server: KubeVersion,
}

impl Default for Syntax {
    /// Returns the syntax of the newest version.
    fn default() -> Self {
        Self { optionals: true, two_variables: true, sort_by: true, server: KubeVersion::default() }
    }
}
