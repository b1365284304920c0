//! Options of comparisons.

use crd_core::KubeVersion;

/// Options of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiffOptions {
    /// The release of the API server that answers.
    pub kube_version: KubeVersion,
    /// The objects that are tried for each change, in each direction. With 0, no object is tried, and everything that only an
    /// object can show is undecided.
    pub budget: usize,
    /// The random objects that are tried at the end, in each direction, against effects that no change explains.
    pub samples: usize,
    /// `true` if the versions of the new CRD are converted by a webhook, though it does not say so: kustomize, Helm or an
    /// operator adds it.
    pub has_webhook: bool,
    /// The steps of work of the whole comparison; each change has a share. A request with a small object takes some hundreds; a second
    /// has twenty million, roughly. When they are used up, everything that only a further object can show is undecided.
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
