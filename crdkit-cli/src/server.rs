//! The API server: `--kube-version` and `--feature-gate`.

use clap::Args;
use crd_core::KubeVersion;
use crd_core::check::{FeatureGate, ServerOptions};
use crd_report::Message;

use crate::configuration::Configuration;
use crate::release::{Releases, gate_named, release, releases};

/// The API server to emulate.
#[derive(Args, Clone, Copy, Default)]
pub(crate) struct Server {
    /// The Kubernetes version of the API server, from 1.30 to 1.37 [default: `kube-version` of crdkit.toml, otherwise 1.37]
    #[arg(long, value_name = "VERSION", value_parser = release)]
    kube_version: Option<KubeVersion>,
    #[arg(skip)]
    configured: Option<KubeVersion>,
}

/// The API server that publishes CRDs.
#[derive(Args)]
pub(crate) struct Publisher {
    /// The Kubernetes version of the API server; the command supports only this one
    #[arg(long, value_name = "VERSION", default_value = "1.36", value_parser = ["1.36"])]
    kube_version: String,
}

/// The API servers to emulate: one, or several to compare.
#[derive(Args)]
pub(crate) struct Servers {
    /// The Kubernetes version of the API server, from 1.30 to 1.37. To compare the results of several versions, give a range or a list:
    /// 1.30..1.37 or 1.31,1.34 [default: `kube-version` of crdkit.toml, otherwise 1.37]
    #[arg(long, value_name = "VERSIONS", value_parser = releases)]
    kube_version: Option<Releases>,
}

/// The feature gates of the API server.
#[derive(Args, Clone, Default)]
pub(crate) struct FeatureGates {
    /// Set a feature gate in versions that allow it: `CustomResourceFieldSelectors` up to
    /// 1.31, `CRDValidationRatcheting` up to 1.32 [default: `feature-gates` of crdkit.toml]
    #[arg(long, value_name = "NAME=BOOL", value_parser = feature_gate, value_delimiter = ',')]
    feature_gate: Vec<(FeatureGate, bool)>,
}

impl Servers {
    /// Returns the versions to emulate, oldest first. The command line takes precedence over the cluster's version, and the cluster's
    /// version over `crdkit.toml`.
    ///
    /// # Errors
    /// - The cluster cannot be reached, or runs an unknown version.
    pub(crate) fn releases(
        &self,
        configuration: &Configuration,
        of_cluster: impl FnOnce() -> Result<Option<KubeVersion>, Box<Message>>,
    ) -> Result<Vec<KubeVersion>, Box<Message>> {
        if let Some(chosen) = &self.kube_version {
            return Ok(chosen.0.clone());
        }
        match of_cluster()? {
            Some(release) if release.is_known() => return Ok(vec![release]),
            Some(release) => return Err(Box::new(unknown_release(release))),
            None => {}
        }
        let configured = configuration.releases.as_ref();
        Ok(configured.map_or_else(|| vec![KubeVersion::DEFAULT], |releases| releases.0.clone()))
    }
}

fn unknown_release(release: KubeVersion) -> Message {
    let (oldest, newest) = (KubeVersion::OLDEST, KubeVersion::NEWEST);
    let nearest = release.clamp(oldest, newest);
    let text = format!(
        "the cluster runs Kubernetes {release}, but this program knows the versions from {oldest} to {newest}"
    );
    Message { help: Some(format!("choose a release: `--kube-version {nearest}`")), ..Message::for_run(text) }
}

impl FeatureGates {
    /// Returns the options for a version with these gates and the gates in `crdkit.toml`.
    ///
    /// # Errors
    /// A gate cannot be set in the version.
    pub(crate) fn options_for(
        &self,
        release: KubeVersion,
        configuration: &Configuration,
    ) -> Result<ServerOptions, String> {
        self.set(ServerOptions::new(release), &[release], configuration)
    }

    /// Returns the options for several versions with these gates and the gates in `crdkit.toml`.
    ///
    /// # Errors
    /// There is a gate that cannot be set in any of the versions.
    pub(crate) fn set(
        &self,
        options: ServerOptions,
        releases: &[KubeVersion],
        configuration: &Configuration,
    ) -> Result<ServerOptions, String> {
        for (gate, _) in &self.feature_gate {
            if !releases.iter().any(|release| gate.is_settable_in(*release)) {
                return Err(not_settable(*gate, releases));
            }
        }
        let gates = configuration.gates.iter().chain(&self.feature_gate);
        Ok(gates.fold(options, |options, (gate, is_enabled)| options.with_feature_gate(*gate, *is_enabled)))
    }
}

fn not_settable(gate: FeatureGate, releases: &[KubeVersion]) -> String {
    let all = (KubeVersion::OLDEST.minor()..=KubeVersion::NEWEST.minor()).map(KubeVersion::new);
    let settable = all.take_while(|release| gate.is_settable_in(*release)).last();
    let last = settable.unwrap_or(KubeVersion::OLDEST);
    let releases: Vec<String> = releases.iter().map(ToString::to_string).collect();
    format!(
        "the feature gate `{gate}` cannot be set in Kubernetes {}: it is always on after {last}",
        releases.join(", ")
    )
}

/// Returns a feature gate and its value: `CustomResourceFieldSelectors=true`.
fn feature_gate(text: &str) -> Result<(FeatureGate, bool), String> {
    let (name, value) = text.split_once('=').ok_or("expected `NAME=true` or `NAME=false`")?;
    let is_enabled = value.trim().parse().map_err(|_| format!("expected `{name}=true` or `{name}=false`"))?;
    Ok((gate_named(name.trim())?, is_enabled))
}

impl Server {
    /// Sets the default version from `crdkit.toml`. If there are several versions, the newest is used.
    pub(crate) fn configured(self, configuration: &Configuration) -> Self {
        let releases = configuration.releases.as_ref();
        Self { configured: releases.and_then(|releases| releases.0.last().copied()), ..self }
    }

    /// Returns the Kubernetes version of the API server.
    pub(crate) fn kube_version(self) -> KubeVersion {
        self.kube_version_for(None)
    }

    /// Returns the version for a suite. The version on the command line takes precedence over the version that the suite sets.
    pub(crate) fn kube_version_for(self, suite: Option<KubeVersion>) -> KubeVersion {
        self.kube_version.or(suite).or(self.configured).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{feature_gate, not_settable};
    use crd_core::KubeVersion;
    use crd_core::check::FeatureGate;

    #[test]
    fn feature_gates_have_a_name_and_a_value() {
        let gate = FeatureGate::CustomResourceFieldSelectors;
        assert_eq!(feature_gate("CustomResourceFieldSelectors=true"), Ok((gate, true)));
        assert_eq!(feature_gate("CustomResourceFieldSelectors = false"), Ok((gate, false)));
        for (wrong, error) in [
            ("CustomResourceFieldSelectors", "expected `NAME=true` or `NAME=false`"),
            (
                "CRDValidationRatcheting=on",
                "expected `CRDValidationRatcheting=true` or `CRDValidationRatcheting=false`",
            ),
            (
                "CRDValidationRatchetting=true",
                "unknown feature gate `CRDValidationRatchetting`; did you mean `CRDValidationRatcheting`?",
            ),
            (
                "JobBackoff=true",
                "unknown feature gate `JobBackoff`; the gates that change results are CRDValidationRatcheting and CustomResourceFieldSelectors",
            ),
        ] {
            assert_eq!(feature_gate(wrong), Err(error.to_owned()));
        }
        let releases = [KubeVersion::new(32), KubeVersion::new(37)];
        let error = "the feature gate `CustomResourceFieldSelectors` cannot be set in Kubernetes 1.32, 1.37: it is always on after 1.31";
        assert_eq!(not_settable(gate, &releases), error);
    }
}
