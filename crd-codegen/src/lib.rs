//! Turns `CustomResourceDefinition`s into typed Rust.
#![forbid(unsafe_code)]

mod build_script;
#[cfg(feature = "cli")]
pub mod cli;
mod config;
mod emit;
mod generate;
pub mod input;
mod ir;
mod kept_names;
mod lines;
#[cfg(feature = "cli")]
mod render;
mod source_map;
mod write;

pub use build_script::{BuildError, build_script};
pub use config::{
    Attribute, BytesType, Config, DateTimeType, Defaults, Derive, Form, InvalidOption, K8sOpenapi, Layout,
    MapType, NameOverride, NumberType, Place, Refused, Target, TypeOverride, Versions,
};
pub use generate::{Definition, Finding, Generated, GeneratedFile, Origin, Severity, generate};
pub use kept_names::KeptNames;
pub use source_map::{Location, SourceMap};
pub use write::{Change, Changes, WriteError};
