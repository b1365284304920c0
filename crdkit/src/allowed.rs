//! Lint findings that `#[crd(allow(...))]` accepts. They become comments in the CRD's YAML, and are not reported as advice.

/// A path in objects, such as `.spec.ports[]`, and a rule whose findings are accepted there. The path of the whole object is empty.
pub(crate) type AllowedAt = (String, AllowMark);

/// A rule of `crdkit lint`, and the reason to accept its findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AllowMark {
    pub(crate) rule: String,
    pub(crate) reason: String,
}

/// The findings that the types of one version accept.
#[derive(Clone, Debug)]
pub(crate) struct Allowed {
    pub(crate) version: String,
    /// The path of the type that the resource is derived from: `.spec`, or an empty string.
    pub(crate) root: &'static str,
    pub(crate) marks: Vec<AllowedAt>,
}

impl Allowed {
    /// Returns `true` if findings at the path `field` are about the whole CRD.
    pub(crate) fn is_root(&self, field: &str) -> bool {
        field.is_empty() || field == self.root
    }
}
