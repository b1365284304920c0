//! Options for the comparison of two CRDs.

use crd_core::KubeVersion;

/// Options of a comparison of two CRDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiffOptions {
    /// The Kubernetes version of the API server.
    pub kube_version: KubeVersion,
    /// The number of objects to try for each change: so many objects of the old CRD, and so many of the new CRD. With 0, no object is
    /// tried, and everything that only an object can show is undecided.
    pub budget: usize,
    /// The number of random objects of each CRD to try at the end, for effects that no change explains.
    pub samples: usize,
    /// `true` if a webhook converts the versions of the new CRD, but the CRD does not contain the webhook, because kustomize, Helm or
    /// an operator adds it later.
    pub has_webhook: bool,
    /// Limit for the work of the whole comparison, counted in steps; each change has a share. A request with a small object takes a few
    /// hundred steps, and twenty million steps take roughly a second. When the steps are used up, everything that only a further object can
    /// show is undecided.
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
