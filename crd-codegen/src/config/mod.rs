//! Options of the generator, and the error for invalid options.

mod choices;
mod options;
mod rules;

use std::fmt;

pub use choices::{
    Builders, BytesType, DateTimeType, Defaults, Form, K8sOpenapi, Layout, MapType, NumberType, Rejected,
    Versions,
};
pub use options::Config;
pub(crate) use options::Settings;
pub(crate) use rules::KindPathStep;
pub use rules::{Attribute, Derive, Elide, KindPath, NameOverride, Target, TypeOverride};

/// Error for an option whose value cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidOption(String);

impl InvalidOption {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for InvalidOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidOption {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_in_kebab_case_and_no_others_are_taken() {
        let written = json!({
            "form": "derive", "versions": "v1,v2", "layout": "single-file", "docs": false, "map-type": "hash", "date-time": "jiff",
            "bytes": "bytes", "numbers": "exact", "defaults": "schema", "constructors": true, "setters": false, "builders": "typed-builder", "open-enums": true, "unions": false, "explicit-null": true,
            "k8s-openapi": "exact",
            "kube": true, "validate": true, "rejected": "error", "derive": ["@enum=Ord"], "no-derive": ["PartialEq"], "attribute": ["#[non_exhaustive]"],
            "type-override": ["A.spec=crate::B"], "name-override": ["A.spec=C"], "elide": ["AStatus", "A.spec.b[]"],
        });
        let config: Config = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(serde_json::to_value(&config).unwrap(), written);
        assert_eq!(serde_json::to_value(Config::new()).unwrap(), json!({}));
        let unknown = serde_json::from_value::<Config>(json!({"dateTime": "jiff"})).unwrap_err().to_string();
        assert!(
            unknown.starts_with("unknown field `dateTime`, expected one of `form`, `versions`"),
            "{unknown}"
        );
        let invalid = serde_json::from_value::<Config>(json!({"derive": ["a b"]})).unwrap_err().to_string();
        assert_eq!(invalid, "`a b` is not the path of a trait");
    }

    #[test]
    fn what_lies_above_counts() {
        let mut below = Config::new();
        below.kube(true).docs(false).derive("Eq".parse().unwrap());
        let mut above = Config::new();
        above.docs(true).derive("Hash".parse().unwrap());
        below.overlay(above);
        let settings = below.resolve();
        assert!(settings.kube && settings.docs);
        assert_eq!(settings.derive.iter().map(ToString::to_string).collect::<Vec<_>>(), ["Eq", "Hash"]);
    }

    #[cfg(feature = "clap")]
    #[test]
    fn the_command_line_takes_the_same_choices() {
        use clap::{Args, Command, FromArgMatches};

        let command = Config::augment_args(Command::new("test"));
        let flags =
            ["test", "--versions=storage", "--kube", "--docs=false", "--map-type", "hash", "--derive", "Eq"];
        let matches = command.try_get_matches_from(flags).unwrap();
        let mut expected = Config::new();
        expected.versions(Versions::Storage).kube(true).docs(false).map_type(MapType::Hash);
        expected.derive("Eq".parse().unwrap());
        assert_eq!(Config::from_arg_matches(&matches).unwrap(), expected);
    }
}
