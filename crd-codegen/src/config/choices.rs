//! The choices that are one of a few.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::InvalidOption;

/// Declares an enum of named choices: kebab-case in configuration files and on the command line.
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
        #[non_exhaustive]
        pub enum $name { $($(#[$variant_meta])* $variant),* }
    };
}

choice! {
    /// What the types are for.
    pub enum Form {
        /// To read and write objects: types that need nothing but serde.
        #[default]
        Types,
        /// To own the definition: types with crdkit's derives, whose `crd()` gives the definition back.
        Derive,
    }
}

choice! {
    /// How the output is spread over files.
    pub enum Layout {
        /// A folder a group, a folder a version, a file a kind.
        #[default]
        Tree,
        /// The same modules in one file, to be included by a build script's crate.
        SingleFile,
    }
}

choice! {
    /// The type of maps.
    pub enum MapType {
        /// `std::collections::BTreeMap`: sorted, and the same on every run.
        #[default]
        Btree,
        /// `std::collections::HashMap`.
        Hash,
    }
}

choice! {
    /// The type of `format: date-time`.
    pub enum DateTimeType {
        /// `String`: keeps every text as it was.
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
        /// `f64`; whole numbers are written without a fraction, as the API server does.
        #[default]
        F64,
        /// `serde_json::Number`: every number as it was written.
        Exact,
    }
}

choice! {
    /// What `Default` makes of a type.
    pub enum Defaults {
        /// Everything that can be absent is absent; the API server puts its defaults in.
        #[default]
        Absent,
        /// What has a default in the schema has it here too.
        Schema,
        /// No `Default` at all.
        None,
    }
}

choice! {
    /// Which types of Kubernetes are those of k8s-openapi.
    pub enum K8sOpenapi {
        /// None: all types are generated.
        #[default]
        None,
        /// Those that keep every value to the letter.
        Exact,
        /// Also those that write some values in Kubernetes' own form: quantities as texts, times to the second and in UTC.
        /// Integers beyond 32 bits in an int-or-string are refused.
        Equivalent,
    }
}

choice! {
    /// What becomes of a definition that the API server would refuse.
    ///
    /// A build script stands beside definitions that one writes oneself, and a wrong one should not get further. The
    /// command line also gets those of others, which some cluster took long ago, and types for them are of use.
    pub enum Refused {
        /// Types, and a warning for every cause.
        #[default]
        Warn,
        /// No types, and an error for every cause: the default in a build script.
        Error,
        /// Types, and the API server is not asked.
        Ignore,
    }
}

/// The versions for which types are generated.
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
    /// All that are served.
    #[default]
    Served,
    /// All, served or not.
    All,
    /// The one in which objects are stored.
    Storage,
    /// Those of these names, served or not.
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
