//! State that is shared between the checks of all versions of a CRD.

use std::cell::RefCell;

use crd_go::KubeVersion;

use super::features::Differences;
use super::stored::StoredExpressions;
use crate::values::{Meter, Patterns};
use crate::{Causes, Diagnostic};

/// Patterns, limits and other state, shared between the checks of all versions of a CRD.
pub(super) struct Means {
    pub(super) patterns: Patterns,
    pub(super) meter: Meter,
    /// The expressions of the CRD that is being replaced.
    pub(super) stored: StoredExpressions,
    /// Other Kubernetes versions for which the CRD is also checked.
    pub(super) others: Option<OtherReleases>,
}

impl Means {
    /// Creates the shared state of a check that can take this number of CPU steps.
    pub(super) fn new(work: u64) -> Self {
        Self {
            patterns: Patterns::default(),
            meter: Meter::new(work),
            stored: StoredExpressions::default(),
            others: None,
        }
    }
}

/// Kubernetes versions for which only defaults and rules are checked. All other checks run for one main version; the results here are valid
/// if the main version accepts the CRD.
pub(super) struct OtherReleases {
    pub(super) differences: Differences,
    pub(super) releases: Vec<OtherRelease>,
}

/// Another version of Kubernetes, with the causes for which this version rejects the CRD.
pub(super) struct OtherRelease {
    pub(super) version: KubeVersion,
    /// The limit for CPU steps, separate for each version.
    pub(super) meter: Meter,
    pub(super) found: RefCell<Causes>,
}

impl OtherReleases {
    /// Returns the releases, the newest first. For these releases, the CRD is checked as a new CRD, without stored expressions.
    pub(super) fn new(
        versions: impl Iterator<Item = KubeVersion>,
        differences: Differences,
        work: u64,
    ) -> Self {
        let release = |version| OtherRelease {
            version,
            meter: Meter::new(work),
            found: RefCell::new(Causes::for_version(version)),
        };
        Self { differences, releases: versions.map(release).collect() }
    }

    /// Returns the versions with their results.
    pub(super) fn into_releases(self) -> Vec<OtherRelease> {
        self.releases
    }
}

impl OtherRelease {
    /// Returns the reasons why the release rejects the CRD; `None` if the checks exceeded the limit for CPU steps.
    pub(super) fn causes(self) -> Option<Vec<Diagnostic>> {
        (!self.meter.is_stopped()).then(|| self.found.into_inner().into_vec())
    }
}
