//! Derive Kubernetes CustomResourceDefinitions from Rust types.
