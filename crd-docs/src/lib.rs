//! Generates the schemas and texts that clients see for a `CustomResourceDefinition`, as in kube-apiserver and kubectl 1.36.
//!
//! All functions are pure: they read no files, no environment and no clock.
//!
//! | module | contents |
//! |---|---|
//! | [`openapi`] | the schemas that the API server publishes for a kind and its list |
//! | [`explain`] | the text of `kubectl explain` |
//! | [`table`] | the table of `kubectl get` |
//! | [`json_schema`] | JSON Schemas for editors and validators |
//! | [`pages`] | reference pages in HTML and Markdown |
//! | [`json_path`] | JSON paths of printer columns and kubectl |
#![forbid(unsafe_code)]

pub mod explain;
pub mod json_path;
pub mod json_schema;
pub mod openapi;
pub mod pages;
pub mod table;
