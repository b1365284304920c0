//! Values that the checks of all versions of a CRD share.

use std::cell::RefCell;

use crd_go::KubeVersion;

use super::features::Differences;
use super::stored::StoredExpressions;
use crate::values::{Meter, Patterns};
use crate::{Causes, Diagnostic};

/// The patterns and the limit of work that the defaults of all versions share.
pub(super) struct Means {
    pub(super) patterns: Patterns,
    pub(super) meter: Meter,
    /// The expressions of the CRD that is replaced.
    pub(super) stored: StoredExpressions,
    /// Other releases that are asked as well.
    pub(super) others: Option<OtherReleases>,
}

impl Means {
    /// Creates the means of a check that may take so many steps of work.
    pub(super) fn new(work: u64) -> Self {
        Self {
            patterns: Patterns::default(),
            meter: Meter::new(work),
            stored: StoredExpressions::default(),
            others: None,
        }
    }
}

/// The checks of defaults and rules alone, by releases other than the one that makes all checks of a CRD. Their
/// answers count if that one accepts it.
pub(super) struct OtherReleases {
    pub(super) differences: Differences,
    pub(super) releases: Vec<OtherRelease>,
}

/// A release with its answer.
pub(super) struct OtherRelease {
    pub(super) version: KubeVersion,
    /// The whole limit of work for this release.
    pub(super) meter: Meter,
    pub(super) found: RefCell<Causes>,
}

impl OtherReleases {
    /// Returns the releases, the newest first. The CRD is new: no expression is stored.
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

    /// Returns the releases with their answers.
    pub(super) fn into_releases(self) -> Vec<OtherRelease> {
        self.releases
    }
}

impl OtherRelease {
    /// Returns the reasons why the release rejects the CRD; `None` if they took more work than the limit.
    pub(super) fn causes(self) -> Option<Vec<Diagnostic>> {
        (!self.meter.is_stopped()).then(|| self.found.into_inner().into_vec())
    }
}
