//! Generator of typed Rust for Kubernetes `CustomResourceDefinition`s.
#![forbid(unsafe_code)]

mod build_script;
mod config;
mod emit;
mod generate;
mod ir;
mod kept_names;
mod package;
mod write;

pub use build_script::{BuildError, build_script};
pub use config::{
    Attribute, Builders, BytesType, Config, DateTimeType, Defaults, Derive, Elide, Form, InvalidOption,
    K8sOpenapi, KindPath, Layout, MapType, NameOverride, NumberType, Rejected, Target, TypeOverride,
    Versions,
};
pub use crd_input::{Definition, Origin, Problem, ProblemSeverity};
pub use generate::{Generated, GeneratedFile, generate, generate_with_progress, object_as_rust};
pub use kept_names::{InvalidNames, KeptNames};
#[doc(hidden)]
pub use package::{Package, check_package_name};
pub use write::{Change, Changes, WriteError};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_types_can_be_sent_between_threads() {
        fn check<T: Send + Sync>() {}
        check::<Config>();
        check::<KeptNames>();
        check::<Generated>();
        check::<Changes>();
        check::<InvalidOption>();
        check::<BuildError>();
        check::<WriteError>();
    }
}
