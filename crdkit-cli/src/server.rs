//! The API server that answers: `--kube-version`.

use std::collections::BTreeSet;
use std::fmt;

use clap::Args;
use crd_core::KubeVersion;
use crd_core::check::Options;
use crd_go::nearest::nearest;

/// The API server that answers.
#[derive(Args, Clone, Copy)]
pub(crate) struct Server {
    /// The release of the API server that answers, from 1.30 to 1.37
    #[arg(long, value_name = "VERSION", default_value_t, value_parser = release)]
    kube_version: KubeVersion,
}

/// The API servers that answer.
#[derive(Args, Clone)]
pub(crate) struct Servers {
    /// The releases of the API server that answer, from 1.30 to 1.37: one, a range such as `1.31..1.34`, or a list such as
    /// `1.31,1.34`
    #[arg(long, value_name = "VERSIONS", default_value_t, value_parser = releases)]
    kube_version: Releases,
}

/// Releases whose answers are known, each once, the oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Releases(Vec<KubeVersion>);

/// The API server that publishes definitions.
#[derive(Args)]
pub(crate) struct Publisher {
    /// The release of the API server that publishes the definitions; only that of one release is known
    #[arg(long, value_name = "VERSION", default_value = "1.36", value_parser = ["1.36"])]
    kube_version: String,
}

impl Server {
    pub(crate) fn options(self) -> Options {
        Options::new(self.kube_version)
    }
}

impl Servers {
    /// The releases, the oldest first. There is at least one.
    pub(crate) fn releases(&self) -> &[KubeVersion] {
        &self.kube_version.0
    }
}

impl Default for Releases {
    fn default() -> Self {
        Self(vec![KubeVersion::default()])
    }
}

impl fmt::Display for Releases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&names.join(","))
    }
}

/// Releases whose answers are known: `1.31`, `1.31..1.34`, `1.31..`, `..1.34`, or several of them with commas.
fn releases(text: &str) -> Result<Releases, String> {
    let end = |text: &str, open: KubeVersion| if text.is_empty() { Ok(open) } else { release(text) };
    let mut all = BTreeSet::new();
    for part in text.split(',').map(str::trim) {
        let (first, last) = match part.split_once("..") {
            Some((first, last)) => {
                (end(first, KubeVersion::OLDEST)?, end(last.trim_start_matches('='), KubeVersion::NEWEST)?)
            }
            None => (release(part)?, release(part)?),
        };
        if first > last {
            return Err(format!("the range begins with {first}, which is later than {last}"));
        }
        all.extend((first.minor()..=last.minor()).map(KubeVersion::new));
    }
    Ok(Releases(all.into_iter().collect()))
}

/// Releases as people write them: `1.30 to 1.33 and 1.36`.
pub(crate) fn releases_in_words(releases: &[KubeVersion]) -> String {
    let mut minors: Vec<u32> = releases.iter().map(|release| release.minor()).collect();
    minors.sort_unstable();
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for minor in minors {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == minor => *last = minor,
            _ => runs.push((minor, minor)),
        }
    }
    let runs: Vec<String> = runs
        .into_iter()
        .flat_map(|(first, last)| match last - first {
            0 => vec![format!("1.{first}")],
            1 => vec![format!("1.{first}"), format!("1.{last}")],
            _ => vec![format!("1.{first} to 1.{last}")],
        })
        .collect();
    in_words(&runs)
}

/// A list in a sentence: `a, b and c`.
pub(crate) fn in_words(names: &[String]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        names => names.concat(),
    }
}

/// A release whose answers are known.
fn release(text: &str) -> Result<KubeVersion, String> {
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
    use super::{release, releases, releases_in_words};

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
    fn ranges_and_lists_of_releases() {
        let words = |text: &str| releases(text).map(|found| releases_in_words(&found.0));
        assert_eq!(words("1.31..1.34"), Ok("1.31 to 1.34".to_owned()));
        assert_eq!(words("1.36.."), Ok("1.36 and 1.37".to_owned()));
        assert_eq!(words("..1.30, 1.34,1.33"), Ok("1.30, 1.33 and 1.34".to_owned()));
        assert_eq!(
            words("1.34..1.31"),
            Err("the range begins with 1.34, which is later than 1.31".to_owned())
        );
        assert!(words("1.29..1.31").is_err());
    }
}
