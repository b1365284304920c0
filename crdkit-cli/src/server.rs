//! The API server that answers: `--kube-version`.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use clap::Args;
use crd_core::KubeVersion;
use crd_core::check::Options;
use crd_go::nearest::nearest;
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

/// Releases, the oldest first; there is at least one.
#[derive(Clone)]
struct Releases(Vec<KubeVersion>);

impl Servers {
    /// The releases, the oldest first.
    ///
    /// # Errors
    /// - `crdkit.toml` cannot be read.
    pub(crate) fn releases(&self) -> Result<Vec<KubeVersion>, String> {
        let releases = match &self.kube_version {
            Some(chosen) => Some(chosen.clone()),
            None => configured(Path::new(CONFIGURATION))?,
        };
        Ok(releases.map_or_else(|| vec![KubeVersion::DEFAULT], |releases| releases.0))
    }
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
        let configured = configured(Path::new(CONFIGURATION))?;
        Ok(Self { configured: configured.and_then(|releases| releases.0.last().copied()), ..self })
    }

    pub(crate) fn options(self) -> Options {
        self.options_for(None)
    }

    /// The options where a suite has a release of its own, which only a release on the command line replaces.
    pub(crate) fn options_for(self, suite: Option<KubeVersion>) -> Options {
        Options::new(self.kube_version.or(suite).or(self.configured).unwrap_or_default())
    }
}

/// The configuration file of the current folder.
const CONFIGURATION: &str = "crdkit.toml";

/// A configuration is a file that a person writes.
const LARGEST: u64 = 1 << 20;

#[derive(Deserialize)]
struct Configuration {
    #[serde(rename = "kube-version")]
    kube_version: Option<String>,
}

/// The releases of a configuration file, if it exists and has some.
fn configured(path: &Path) -> Result<Option<Releases>, String> {
    if !path.exists() {
        return Ok(None);
    }
    let fail = |error: String| format!("{}: {error}", path.display());
    let text = crd_input::read_text(path, LARGEST).map_err(fail)?;
    let file: Configuration = toml::from_str(&text).map_err(|error| fail(error.message().to_owned()))?;
    let Some(text) = file.kube_version else { return Ok(None) };
    releases(&text).map(Some).map_err(|error| fail(format!("kube-version: {error}")))
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
    use super::{release, releases};

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
}
