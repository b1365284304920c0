//! Options of the simulated API server.

use crd_go::KubeVersion;

/// The API server whose answers are given: its release.
///
/// ```
/// use crd_core::KubeVersion;
/// use crd_core::check::Options;
///
/// let mut options = Options::default();
/// assert_eq!(options.kube_version, KubeVersion::DEFAULT);
/// options.kube_version = KubeVersion::new(31);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The release of the server.
    pub kube_version: KubeVersion,
}
