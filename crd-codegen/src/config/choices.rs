//! Enums for the options that have a fixed set of values, such as the layout of the output.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::InvalidOption;

/// Declares an enum for an option. Configuration files and the command line use the variants' names in kebab-case.
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
        #[non_exhaustive]
        pub enum $name { $($(#[$variant_meta])* $variant),* }
    };
}

choice! {
    /// Purpose of the generated types.
    pub enum Form {
        /// Types to read and write objects, which need only serde.
        #[default]
        Types,
        /// Types that own the CRD: they have crdkit's derives, and `crd()` returns the CRD.
        Derive,
        /// Types with kube's derive, which generates the type of whole objects.
        Kube,
    }
}

choice! {
    /// File layout of the output.
    pub enum Layout {
        /// A directory for each group, a directory for each version, a file for each kind.
        #[default]
        Tree,
        /// The same modules in one file, which the crate of a build script includes.
        SingleFile,
    }
}

choice! {
    /// The type of maps.
    pub enum MapType {
        /// `std::collections::BTreeMap`: sorted, and in the same order on every run.
        #[default]
        Btree,
        /// `std::collections::HashMap`.
        Hash,
    }
}

choice! {
    /// The type of `format: date-time`.
    pub enum DateTimeType {
        /// `String`: keeps the text of every value.
        #[default]
        String,
        /// `chrono::DateTime<chrono::Utc>`.
        Chrono,
        /// `jiff::Timestamp`.
        Jiff,
    }
}

choice! {
    /// The type of `format: byte`.
    pub enum BytesType {
        /// `String`, in base64.
        #[default]
        String,
        /// `ByteString` of the support module: decoded bytes.
        Bytes,
    }
}

choice! {
    /// The type of `type: number`.
    pub enum NumberType {
        /// `f64`; whole numbers are written without a fraction, the way the API server writes them.
        #[default]
        F64,
        /// `serde_json::Number`: keeps every number as written.
        Exact,
    }
}

choice! {
    /// Values that `Default` sets.
    pub enum Defaults {
        /// Optional fields are absent; the API server fills in the defaults of the schema.
        #[default]
        Absent,
        /// Fields have the defaults of the schema.
        Schema,
        /// `Default` is not implemented.
        None,
    }
}

choice! {
    /// The crate whose derive gives structs builders.
    pub enum Builders {
        /// No builders.
        #[default]
        None,
        /// `typed_builder::TypedBuilder`.
        TypedBuilder,
        /// `bon::Builder`.
        Bon,
    }
}

choice! {
    /// Kubernetes types that are taken from k8s-openapi.
    pub enum K8sOpenapi {
        /// None: all types are generated.
        #[default]
        None,
        /// Types that keep every value exactly.
        Exact,
        /// Also types that write some values in the canonical form of Kubernetes: quantities as strings, times in whole seconds
        /// and in UTC. Integers of more than 32 bits in an int-or-string are rejected.
        Equivalent,
    }
}

choice! {
    /// Treatment of a CRD that the API server would reject.
    ///
    /// A build script usually reads CRDs of its own project, so their mistakes can be fixed there. The command
    /// line also reads CRDs of other projects. An older API server may have accepted these CRDs, and their types
    /// are useful.
    pub enum Rejected {
        /// Types are generated, with a warning for every reason for the rejection.
        #[default]
        Warn,
        /// No types are generated, and every reason for the rejection is an error: the default in a build script.
        Error,
        /// Types are generated, and the CRD is not checked.
        Ignore,
    }
}

/// The versions to generate types for.
///
/// ```
/// use crd_codegen::Versions;
///
/// assert_eq!("storage".parse::<Versions>()?, Versions::Storage);
/// assert_eq!("v1,v1beta1".parse::<Versions>()?, Versions::Named(vec!["v1".into(), "v1beta1".into()]));
/// assert!("".parse::<Versions>().is_err());
/// # Ok::<(), crd_codegen::InvalidOption>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Versions {
    /// All served versions.
    #[default]
    Served,
    /// All versions, served or not.
    All,
    /// The storage version.
    Storage,
    /// The versions with these names, served or not.
    Named(Vec<String>),
}

impl FromStr for Versions {
    type Err = InvalidOption;

    fn from_str(text: &str) -> Result<Self, InvalidOption> {
        match text {
            "served" => Ok(Self::Served),
            "all" => Ok(Self::All),
            "storage" => Ok(Self::Storage),
            names => {
                let names: Vec<_> = names.split(',').map(|name| name.trim().to_owned()).collect();
                if names.iter().any(String::is_empty) {
                    return Err(InvalidOption::new(
                        "expected `served`, `all`, `storage` or names of versions with commas between them",
                    ));
                }
                Ok(Self::Named(names))
            }
        }
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Served => f.write_str("served"),
            Self::All => f.write_str("all"),
            Self::Storage => f.write_str("storage"),
            Self::Named(names) => f.write_str(&names.join(",")),
        }
    }
}

impl TryFrom<String> for Versions {
    type Error = InvalidOption;

    fn try_from(text: String) -> Result<Self, InvalidOption> {
        text.parse()
    }
}

impl From<Versions> for String {
    fn from(versions: Versions) -> Self {
        versions.to_string()
    }
}
