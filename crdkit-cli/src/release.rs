//! Parses Kubernetes versions and feature gates in arguments and in the configuration.

use std::collections::BTreeSet;
use std::fmt;

use crd_core::KubeVersion;
use crd_core::check::FeatureGate;
use crd_go::nearest::nearest;

/// One or several versions, oldest first.
#[derive(Clone)]
pub(crate) struct Releases(pub(crate) Vec<KubeVersion>);

impl fmt::Display for Releases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&all.join(","))
    }
}

/// Parses a list of versions and ranges of versions: `1.30..1.32,1.37`.
pub(crate) fn releases(text: &str) -> Result<Releases, String> {
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

/// Returns a known release.
pub(crate) fn release(text: &str) -> Result<KubeVersion, String> {
    let (oldest, newest) = (KubeVersion::OLDEST, KubeVersion::NEWEST);
    let expected = format!("expected a Kubernetes version from {oldest} to {newest}");
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

/// Returns the feature gate with this name.
pub(crate) fn gate_named(name: &str) -> Result<FeatureGate, String> {
    if let Some(gate) = FeatureGate::ALL.into_iter().find(|gate| gate.name() == name) {
        return Ok(gate);
    }
    let names = || FeatureGate::ALL.into_iter().map(FeatureGate::name);
    Err(match nearest(name, names()) {
        Some(meant) => format!("unknown feature gate `{name}`; did you mean `{meant}`?"),
        None => {
            let names: Vec<&str> = names().collect();
            format!(
                "unknown feature gate `{name}`; the gates that change results are {}",
                names.join(" and ")
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{release, releases};

    #[test]
    fn only_releases_whose_answers_are_known() {
        assert_eq!(release("v1.31.4").map(|version| version.minor()), Ok(31));
        let range = "expected a Kubernetes version from 1.30 to 1.37";
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
