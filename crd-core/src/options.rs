//! Options of the simulated API server.

use crd_go::KubeVersion;

/// The API server whose answers are given: its release.
///
/// ```
/// use crd_core::KubeVersion;
/// use crd_core::check::Options;
///
/// assert_eq!(Options::default().kube_version, KubeVersion::DEFAULT);
/// assert_eq!(Options::new(KubeVersion::new(31)).kube_version, KubeVersion::new(31));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The release of the server.
    pub kube_version: KubeVersion,
}

impl Options {
    /// Options for the API server of a release.
    #[must_use]
    pub const fn new(kube_version: KubeVersion) -> Self {
        Self { kube_version }
    }
}
