//! The `CustomResourceDefinition` model, structural schemas, and what the Kubernetes API server says about both.
//!
//! This crate is pure: no files, no environment, no clock, nothing printed. What comes in are values of
//! [`serde_json`]; what goes out are values and [`Diagnostic`]s.
//!
//! ```
//! use crd_core::CustomResourceDefinition;
//!
//! let crd = CustomResourceDefinition::from_value(serde_json::json!({
//!     "apiVersion": "apiextensions.k8s.io/v1",
//!     "kind": "CustomResourceDefinition",
//!     "metadata": {"name": "crontabs.stable.example.com"},
//!     "spec": {
//!         "group": "stable.example.com",
//!         "names": {"plural": "crontabs", "kind": "CronTab"},
//!         "scope": "Namespaced",
//!         "versions": [{"name": "v1", "served": true, "storage": true}]
//!     }
//! }))?;
//! assert_eq!(crd.spec.names.kind, "CronTab");
//! # Ok::<(), crd_core::DecodeError>(())
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(
    not(feature = "admit"),
    expect(
        dead_code,
        reason = "parts of what is shared serve the checks of schemas, values and objects only"
    )
)]

pub mod admit;
mod causes;
#[cfg(feature = "check")]
pub mod cel;
pub mod check;
pub mod crd;
mod diagnostic;
mod ordered_map;
mod path;
pub mod schema;

#[cfg(feature = "check")]
pub use check::check;
pub use crd::{CustomResourceDefinition, DecodeError};
pub use diagnostic::{Diagnostic, Reason};
pub use ordered_map::OrderedMap;
pub use path::{FieldPath, Segment};
pub use schema::Structural;
