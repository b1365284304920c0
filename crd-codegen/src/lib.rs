//! Turns `CustomResourceDefinition`s into typed Rust.
#![forbid(unsafe_code)]

mod config;
mod emit;
mod generate;
pub mod input;
mod ir;
mod source_map;

pub use config::Config;
pub use generate::{Definition, Finding, Generated, GeneratedFile, Origin, Severity, generate};
pub use source_map::{Location, SourceMap};
