//! The API server that answers: `--kube-version`.

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
    use super::release;

    #[test]
    fn only_releases_whose_answers_are_known() {
        assert_eq!(release("v1.31.4").map(|version| version.minor()), Ok(31));
        let range = "expected a release of Kubernetes from 1.30 to 1.37";
        assert_eq!(release("1.29"), Err(range.to_owned()));
        assert_eq!(release("latest"), Err(range.to_owned()));
        assert_eq!(release("1,34"), Err(format!("{range}; did you mean `1.34`?")));
        assert_eq!(release("36"), Err(format!("{range}; did you mean `1.36`?")));
    }
}
