//! The API server that answers: `--kube-version` and `--feature-gate`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use clap::Args;
use crd_core::KubeVersion;
use crd_core::check::{FeatureGate, ServerOptions};
use crd_go::nearest::nearest;
use crd_report::Message;
use serde::Deserialize;

/// The API server that answers.
#[derive(Args, Clone, Copy)]
pub(crate) struct Server {
    /// The release of the API server that answers, from 1.30 to 1.37 [default: `kube-version` of crdkit.toml, or else 1.37]
    #[arg(long, value_name = "VERSION", value_parser = release)]
    kube_version: Option<KubeVersion>,
    #[arg(skip)]
    configured: Option<KubeVersion>,
}

/// The API server that publishes definitions.
#[derive(Args)]
pub(crate) struct Publisher {
    /// The release of the API server; only this one is known for the command
    #[arg(long, value_name = "VERSION", default_value = "1.36", value_parser = ["1.36"])]
    kube_version: String,
}

/// The API servers that answer: one, or several that are compared.
#[derive(Args)]
pub(crate) struct Servers {
    /// The release of the API server that answers, from 1.30 to 1.37; several are compared: 1.30..1.37 or 1.31,1.34
    /// [default: `kube-version` of crdkit.toml, or else 1.37]
    #[arg(long, value_name = "VERSIONS", value_parser = releases)]
    kube_version: Option<Releases>,
}

/// The feature gates of the API server.
#[derive(Args, Clone, Default)]
pub(crate) struct FeatureGates {
    /// Turn a feature of the API server on or off, in releases whose users can: `CustomResourceFieldSelectors` up to
    /// 1.31, `CRDValidationRatcheting` up to 1.32 [default: `feature-gates` of crdkit.toml]
    #[arg(long, value_name = "NAME=BOOL", value_parser = feature_gate, value_delimiter = ',')]
    feature_gate: Vec<(FeatureGate, bool)>,
}

/// Releases, the oldest first; there is at least one.
#[derive(Clone)]
struct Releases(Vec<KubeVersion>);

impl Servers {
    /// The releases, the oldest first: the chosen ones, or that of the cluster that was asked, or those of `crdkit.toml`.
    ///
    /// # Errors
    /// - The cluster cannot be asked, or runs a release whose answers are not known.
    /// - `crdkit.toml` cannot be read.
    pub(crate) fn releases(
        &self,
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
        let configured = Configuration::read().map_err(|error| Box::new(Message::for_run(error)))?.releases;
        Ok(configured.map_or_else(|| vec![KubeVersion::DEFAULT], |releases| releases.0))
    }
}

fn unknown_release(release: KubeVersion) -> Message {
    let (oldest, newest) = (KubeVersion::OLDEST, KubeVersion::NEWEST);
    let nearest = release.clamp(oldest, newest);
    let text =
        format!("the cluster runs Kubernetes {release}, but answers are known from {oldest} to {newest}");
    Message { help: Some(format!("choose a release: `--kube-version {nearest}`")), ..Message::for_run(text) }
}

impl FeatureGates {
    /// The options of a release with these gates and with those of `crdkit.toml`.
    ///
    /// # Errors
    /// - A gate cannot be set in the release.
    /// - `crdkit.toml` cannot be read.
    pub(crate) fn options_for(&self, release: KubeVersion) -> Result<ServerOptions, String> {
        self.set(ServerOptions::new(release), &[release])
    }

    /// The options with these gates and with those of `crdkit.toml`, for the releases that answer.
    ///
    /// # Errors
    /// - A gate can be set in none of the releases.
    /// - `crdkit.toml` cannot be read.
    pub(crate) fn set(
        &self,
        options: ServerOptions,
        releases: &[KubeVersion],
    ) -> Result<ServerOptions, String> {
        for (gate, _) in &self.feature_gate {
            if !releases.iter().any(|release| gate.is_settable_in(*release)) {
                return Err(not_settable(*gate, releases));
            }
        }
        let configured = Configuration::read()?.gates;
        let gates = configured.iter().chain(&self.feature_gate);
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

/// A feature gate and its value: `CustomResourceFieldSelectors=true`.
fn feature_gate(text: &str) -> Result<(FeatureGate, bool), String> {
    let (name, value) = text.split_once('=').ok_or("expected `NAME=true` or `NAME=false`")?;
    let is_enabled = value.trim().parse().map_err(|_| format!("expected `{name}=true` or `{name}=false`"))?;
    Ok((gate_named(name.trim())?, is_enabled))
}

fn gate_named(name: &str) -> Result<FeatureGate, String> {
    if let Some(gate) = FeatureGate::ALL.into_iter().find(|gate| gate.name() == name) {
        return Ok(gate);
    }
    let names = || FeatureGate::ALL.into_iter().map(FeatureGate::name);
    Err(match nearest(name, names()) {
        Some(meant) => format!("unknown feature gate `{name}`; did you mean `{meant}`?"),
        None => {
            let names: Vec<&str> = names().collect();
            format!("unknown feature gate `{name}`; those that change answers are {}", names.join(" and "))
        }
    })
}

impl fmt::Display for Releases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&all.join(","))
    }
}

/// A list of releases and of ranges of them: `1.30..1.32,1.37`.
fn releases(text: &str) -> Result<Releases, String> {
    let mut all = BTreeSet::new();
    for part in text.split(',').map(str::trim) {
        match part.split_once("..") {
            None => {
                all.insert(release(part)?);
            }
            Some((first, last)) => {
                let (oldest, newest) = (KubeVersion::OLDEST, KubeVersion::NEWEST);
                let first = if first.is_empty() { oldest } else { release(first)? };
                let last = if last.is_empty() { newest } else { release(last)? };
                if first > last {
                    return Err(format!("the range is empty; did you mean `{last}..{first}`?"));
                }
                all.extend((first.minor()..=last.minor()).map(KubeVersion::new));
            }
        }
    }
    Ok(Releases(all.into_iter().collect()))
}

impl Server {
    /// The server with the release of `crdkit.toml`, if none is chosen. Of several releases, it is the newest.
    ///
    /// # Errors
    /// - `crdkit.toml` cannot be read.
    pub(crate) fn configured(self) -> Result<Self, String> {
        if self.kube_version.is_some() {
            return Ok(self);
        }
        let configured = Configuration::read()?.releases;
        Ok(Self { configured: configured.and_then(|releases| releases.0.last().copied()), ..self })
    }

    /// The release that answers.
    pub(crate) fn kube_version(self) -> KubeVersion {
        self.kube_version_for(None)
    }

    /// The release where a suite has one of its own, which only a release on the command line replaces.
    pub(crate) fn kube_version_for(self, suite: Option<KubeVersion>) -> KubeVersion {
        self.kube_version.or(suite).or(self.configured).unwrap_or_default()
    }
}

/// The configuration file of the current folder.
const CONFIGURATION: &str = "crdkit.toml";

/// A configuration is a file that a person writes.
const LARGEST: u64 = 1 << 20;

#[derive(Deserialize)]
struct ConfigurationFile {
    #[serde(rename = "kube-version")]
    kube_version: Option<String>,
    #[serde(rename = "feature-gates", default)]
    feature_gates: BTreeMap<String, bool>,
}

/// The API server of a configuration file.
#[derive(Default)]
struct Configuration {
    releases: Option<Releases>,
    gates: Vec<(FeatureGate, bool)>,
}

impl Configuration {
    /// The configuration of the current folder, which is empty without a file.
    fn read() -> Result<Self, String> {
        let path = Path::new(CONFIGURATION);
        if !path.exists() {
            return Ok(Self::default());
        }
        let fail = |error: String| format!("{CONFIGURATION}: {error}");
        let text = crd_input::read_to_string(path, LARGEST).map_err(fail)?;
        let file: ConfigurationFile =
            toml::from_str(&text).map_err(|error| fail(error.message().to_owned()))?;
        let releases = file.kube_version.as_deref().map(releases).transpose();
        let gate = |(name, is_enabled): (String, bool)| Ok((gate_named(&name)?, is_enabled));
        let gates: Result<Vec<_>, String> = file.feature_gates.into_iter().map(gate).collect();
        Ok(Self {
            releases: releases.map_err(|error| fail(format!("kube-version: {error}")))?,
            gates: gates.map_err(|error| fail(format!("feature-gates: {error}")))?,
        })
    }
}

/// A release whose answers are known.
pub(crate) fn release(text: &str) -> Result<KubeVersion, String> {
    let (oldest, newest) = (KubeVersion::OLDEST, KubeVersion::NEWEST);
    let expected = format!("expected a release of Kubernetes from {oldest} to {newest}");
    match text.parse::<KubeVersion>() {
        Ok(version) if version.is_known() => Ok(version),
        Ok(_) => Err(expected),
        Err(_) => {
            let releases: Vec<String> =
                (oldest.minor()..=newest.minor()).map(|minor| KubeVersion::new(minor).to_string()).collect();
            let find = |text: &str| nearest(text, releases.iter().map(String::as_str));
            // The number after the point alone is meant as well.
            let help = match find(text).or_else(|| find(&format!("1.{text}"))) {
                Some(meant) => format!("{expected}; did you mean `{meant}`?"),
                None => expected,
            };
            Err(help)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{feature_gate, not_settable, release, releases};
    use crd_core::KubeVersion;
    use crd_core::check::FeatureGate;

    #[test]
    fn only_releases_whose_answers_are_known() {
        assert_eq!(release("v1.31.4").map(|version| version.minor()), Ok(31));
        let range = "expected a release of Kubernetes from 1.30 to 1.37";
        assert_eq!(release("1.29"), Err(range.to_owned()));
        assert_eq!(release("latest"), Err(range.to_owned()));
        assert_eq!(release("1,34"), Err(format!("{range}; did you mean `1.34`?")));
        assert_eq!(release("36"), Err(format!("{range}; did you mean `1.36`?")));
    }

    #[test]
    fn several_releases_are_a_list_of_releases_and_ranges() {
        let shown = |text| releases(text).map(|releases| releases.to_string());
        assert_eq!(shown("1.31"), Ok("1.31".to_owned()));
        assert_eq!(shown("1.36,1.31..1.33, v1.32.4"), Ok("1.31,1.32,1.33,1.36".to_owned()));
        assert_eq!(shown("1.36.."), Ok("1.36,1.37".to_owned()));
        assert_eq!(shown("..1.31"), Ok("1.30,1.31".to_owned()));
        assert_eq!(shown("1.34..1.31"), Err("the range is empty; did you mean `1.31..1.34`?".to_owned()));
        for wrong in ["", "1.31,", "1.31..1.38", "1.31...1.33", "1.31..=1.33"] {
            assert!(shown(wrong).is_err(), "{wrong}");
        }
    }

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
                "unknown feature gate `JobBackoff`; those that change answers are CRDValidationRatcheting and CustomResourceFieldSelectors",
            ),
        ] {
            assert_eq!(feature_gate(wrong), Err(error.to_owned()));
        }
        let releases = [KubeVersion::new(32), KubeVersion::new(37)];
        let error = "the feature gate `CustomResourceFieldSelectors` cannot be set in Kubernetes 1.32, 1.37: it is always on after 1.31";
        assert_eq!(not_settable(gate, &releases), error);
    }
}
