//! Findings that the types accept with `#[crd(allow(...))]`. They become comments in the YAML of the CRD, and are not reported as advice.

/// Accepted findings, with the paths of their values in objects: `.spec.ports[]`. The path of the whole object is empty.
pub(crate) type AllowedAt = (String, AllowMark);

/// A rule of `crdkit lint`, and the reason why its findings are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AllowMark {
    pub(crate) rule: String,
    pub(crate) reason: String,
}

/// The accepted findings of the types of one version.
#[derive(Clone, Debug)]
pub(crate) struct Allowed {
    pub(crate) version: String,
    /// The path of the type that the resource is derived from: `.spec`, or an empty string.
    pub(crate) root: &'static str,
    pub(crate) marks: Vec<AllowedAt>,
}

impl Allowed {
    /// Returns `true` if a finding at a field is about the whole CRD.
    pub(crate) fn is_root(&self, field: &str) -> bool {
        field.is_empty() || field == self.root
    }
}
