//! Turns `CustomResourceDefinition`s into typed Rust.
#![forbid(unsafe_code)]

mod config;
mod emit;
mod generate;
pub mod input;
mod ir;

pub use config::{
    Attribute, BytesType, Config, DateTimeType, Defaults, Derive, InvalidOption, Layout, MapType,
    NameOverride, NumberType, Place, Target, TypeOverride, Versions,
};
pub use generate::{Definition, Finding, Generated, GeneratedFile, Origin, Severity, generate};
