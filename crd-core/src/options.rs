//! Options of the simulated API server.

use std::fmt;

use crd_go::KubeVersion;

/// The emulated API server: its version, and the feature gates with which it was started.
///
/// ```
/// use crd_core::KubeVersion;
/// use crd_core::check::{FeatureGate, ServerOptions};
///
/// assert_eq!(ServerOptions::default().kube_version, KubeVersion::DEFAULT);
///
/// let options = ServerOptions::new(KubeVersion::new(30));
/// assert!(!options.is_enabled(FeatureGate::CustomResourceFieldSelectors));
/// let options = options.with_feature_gate(FeatureGate::CustomResourceFieldSelectors, true);
/// assert!(options.is_enabled(FeatureGate::CustomResourceFieldSelectors));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerOptions {
    /// The Kubernetes version of the API server.
    pub kube_version: KubeVersion,
    /// Maximum number of CPU steps for one response, each of about ten nanoseconds. The API server has no such limit. This crate does not
    /// compute a response that would need more steps.
    pub work: u64,
    feature_gates: [Option<bool>; FeatureGate::ALL.len()],
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self::new(KubeVersion::default())
    }
}

impl ServerOptions {
    /// The default limit for CPU steps: about 0.6 seconds. A response that the API server computes within this time stays below the limit,
    /// because the server needs at least as long for each step.
    pub const WORK: u64 = 60_000_000;

    /// Creates options for the API server of a release, with the default feature gates of this release.
    #[must_use]
    pub const fn new(kube_version: KubeVersion) -> Self {
        Self { kube_version, work: Self::WORK, feature_gates: [None; FeatureGate::ALL.len()] }
    }

    /// Returns the options with another limit for CPU steps.
    #[must_use]
    pub const fn with_work(self, work: u64) -> Self {
        Self { work, ..self }
    }

    /// Returns `true` if a feature gate is set.
    #[cfg(feature = "check")]
    pub(crate) fn has_gates(self) -> bool {
        self.feature_gates.iter().any(Option::is_some)
    }

    /// Returns the options with another release, and with the same feature gates.
    #[must_use]
    pub const fn with_kube_version(self, kube_version: KubeVersion) -> Self {
        Self { kube_version, ..self }
    }

    /// Returns the options with a feature gate set. Releases in which the gate [cannot be set](FeatureGate::is_settable_in)
    /// keep their default.
    #[must_use]
    pub const fn with_feature_gate(mut self, gate: FeatureGate, is_enabled: bool) -> Self {
        self.feature_gates[gate as usize] = Some(is_enabled);
        self
    }

    /// Returns `true` if the server has the feature.
    #[must_use]
    pub fn is_enabled(self, gate: FeatureGate) -> bool {
        let set = self.feature_gates[gate as usize].filter(|_| gate.is_settable_in(self.kube_version));
        set.unwrap_or_else(|| gate.is_default_in(self.kube_version))
    }
}

/// A feature gate that users can set in a known version, and that changes the API server's verdicts on CRDs or objects.
///
/// Source: `features/kube_features.go` of `apiextensions-apiserver`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FeatureGate {
    /// Updates of objects ignore violations of the schema in values that do not change, and rules may have
    /// `optionalOldSelf`.
    CrdValidationRatcheting,
    /// Versions may have `selectableFields`.
    CustomResourceFieldSelectors,
}

impl FeatureGate {
    /// All feature gates.
    pub const ALL: [Self; 2] = [Self::CrdValidationRatcheting, Self::CustomResourceFieldSelectors];

    /// Returns the gate's name on the API server's command line.
    ///
    /// ```
    /// use crd_core::check::FeatureGate;
    ///
    /// assert_eq!(FeatureGate::CrdValidationRatcheting.name(), "CRDValidationRatcheting");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CrdValidationRatcheting => "CRDValidationRatcheting",
            Self::CustomResourceFieldSelectors => "CustomResourceFieldSelectors",
        }
    }

    /// Returns `true` if a version enables the feature by default.
    #[must_use]
    pub fn is_default_in(self, version: KubeVersion) -> bool {
        let (default, _) = self.releases();
        version.is_at_least(default)
    }

    /// Returns `true` if users of a known release can turn the feature on and off. In later releases, the feature is always on.
    #[must_use]
    pub fn is_settable_in(self, version: KubeVersion) -> bool {
        let (_, locked) = self.releases();
        !version.is_at_least(locked)
    }

    /// Returns the minor numbers of the version that enabled the feature, and of the version that locked it.
    const fn releases(self) -> (u32, u32) {
        match self {
            Self::CrdValidationRatcheting => (30, 33),
            Self::CustomResourceFieldSelectors => (31, 32),
        }
    }
}

impl fmt::Display for FeatureGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
