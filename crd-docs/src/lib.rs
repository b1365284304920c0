//! The texts and schemas that clients get from a `CustomResourceDefinition`, as kube-apiserver and kubectl 1.36 make them.
//!
//! The crate is pure: it reads no file, environment or clock, and prints nothing.
//!
//! | module | contents |
//! |---|---|
//! | [`openapi`] | the schemas that the API server publishes for a kind and its list |
//! | [`explain`] | the text of `kubectl explain` |
//! | [`table`] | the table of `kubectl get` |
//! | [`json_schema`] | JSON Schemas for editors and validators |
//! | [`pages`] | reference pages in HTML and Markdown |
//! | [`json_path`] | JSON paths as printer columns and kubectl have them |
#![forbid(unsafe_code)]

pub mod explain;
pub mod json_path;
pub mod json_schema;
pub mod openapi;
pub mod pages;
pub mod table;
