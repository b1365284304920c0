//! Options for the comparison of two CRDs.

use crd_core::KubeVersion;

/// Options for the comparison of two CRDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiffOptions {
    /// The Kubernetes version of the API server.
    pub kube_version: KubeVersion,
    /// The number of objects to try for each change: this many objects of the old CRD, and this many of the new CRD. With 0, no objects are
    /// tried, and all effects that only an object can prove are undecided.
    pub budget: usize,
    /// The number of random objects to try for each CRD at the end, to find failures that no change explains.
    pub samples: usize,
    /// `true` if kustomize, Helm or an operator will add a conversion webhook to the new CRD.
    pub has_webhook: bool,
    /// The limit for the CPU steps of the whole comparison. All changes share these steps. A request with a small object takes a few
    /// hundred steps, and twenty million steps take roughly a second. When the limit is reached, the effects that only further objects
    /// could prove are undecided.
    pub steps: u64,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self {
            kube_version: KubeVersion::default(),
            budget: 40,
            samples: 20,
            has_webhook: false,
            steps: 15_000_000,
        }
    }
}
