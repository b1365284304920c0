//! Releases of Kubernetes, by their minor versions.

use std::fmt;
use std::str::FromStr;

/// A release of Kubernetes: `1.31`.
///
/// Later versions compare as greater. The behavior of the API server is known from [`OLDEST`](Self::OLDEST) to
/// [`NEWEST`](Self::NEWEST); for older releases, only the functions that rules can call are known.
///
/// ```
/// use crd_go::KubeVersion;
///
/// let version: KubeVersion = "v1.31.4".parse()?;
/// assert_eq!((version.minor(), version.to_string().as_str()), (31, "1.31"));
/// assert!(version.is_at_least(30) && version < KubeVersion::NEWEST && version.is_known());
///
/// let error = "1.x".parse::<KubeVersion>().unwrap_err();
/// assert_eq!(error.to_string(), "not a version of Kubernetes: expected `1.31` or the like");
/// # Ok::<(), crd_go::InvalidKubeVersion>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KubeVersion {
    minor: u32,
}

impl KubeVersion {
    /// The oldest known release.
    pub const OLDEST: Self = Self { minor: 30 };
    /// The newest release that this crate knows.
    pub const NEWEST: Self = Self { minor: 37 };
    /// The default release: the newest known release.
    pub const DEFAULT: Self = Self::NEWEST;

    /// Returns the version `1.minor`.
    #[must_use]
    pub const fn new(minor: u32) -> Self {
        Self { minor }
    }

    /// Returns the number after `1.`.
    #[must_use]
    pub const fn minor(self) -> u32 {
        self.minor
    }

    /// Returns `true` for version `1.minor` and all later versions.
    #[must_use]
    pub const fn is_at_least(self, minor: u32) -> bool {
        self.minor >= minor
    }

    /// Returns `true` if each of these changes is in both versions or in neither. Each number in `changes` is the minor version that
    /// introduced a change.
    ///
    /// ```
    /// use crd_go::KubeVersion;
    ///
    /// assert!(KubeVersion::new(35).has_same(KubeVersion::new(36), &[31, 34]));
    /// assert!(!KubeVersion::new(33).has_same(KubeVersion::new(36), &[31, 34]));
    /// ```
    #[must_use]
    pub fn has_same(self, other: Self, changes: &[u32]) -> bool {
        changes.iter().all(|minor| self.is_at_least(*minor) == other.is_at_least(*minor))
    }

    /// Returns `true` if the behavior of this release is known.
    #[must_use]
    pub const fn is_known(self) -> bool {
        Self::OLDEST.minor <= self.minor && self.minor <= Self::NEWEST.minor
    }

    /// Returns the previous release.
    #[must_use]
    pub const fn previous(self) -> Self {
        Self { minor: self.minor.saturating_sub(1) }
    }
}

impl Default for KubeVersion {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl fmt::Display for KubeVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.minor)
    }
}

impl FromStr for KubeVersion {
    type Err = InvalidKubeVersion;

    fn from_str(text: &str) -> Result<Self, InvalidKubeVersion> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts = text.strip_prefix("1.").ok_or(InvalidKubeVersion)?.split('.');
        let minor = parts.next().and_then(|minor| minor.parse().ok()).ok_or(InvalidKubeVersion)?;
        if parts.count() > 1 { Err(InvalidKubeVersion) } else { Ok(Self { minor }) }
    }
}

/// A string that is not a version of Kubernetes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidKubeVersion;

impl fmt::Display for InvalidKubeVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a version of Kubernetes: expected `1.31` or the like")
    }
}

impl std::error::Error for InvalidKubeVersion {}
