//! The `CustomResourceDefinition` model, structural schemas, and the Kubernetes API server's verdicts on CRDs and objects.
//!
//! The crate is pure: it does not read files, the environment or a clock, and prints nothing. Its input is values of [`serde_json`]; its
//! output is values and [`Diagnostic`]s.
//!
//! | module | feature | contents |
//! |---|---|---|
//! | [`crd`] | | the model of a CRD: decoding and encoding without loss |
//! | [`schema`] | | structural schemas |
//! | [`lazy_path`] | | paths in a schema or a value that are built only when they are needed |
//! | [`markdown`] | | a limit for descriptions that are parsed as Markdown |
//! | [`yaml`] | | YAML that all YAML readers read as the same values |
//! | `cel` | `cel` | rules over a schema: types and costs |
//! | `values`, `embedded`, `prune`, `correlate`, `object_meta` | `values` | validation, embedded resources, pruning, old values, metadata |
//! | `rules` | `rules` | running the rules of a schema over values; adds the evaluator |
//! | `check` | `check` | the verdict on a CRD |
//! | `admit` | `admit` | the verdict on an object |
//!
//! Without features, the crate contains the model and the schema. The default is `admit` and `check`.
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

#[cfg(feature = "admit")]
pub mod admit;
#[cfg(feature = "cel")]
pub mod cel;
#[cfg(feature = "check")]
pub mod check;
#[cfg(feature = "values")]
pub mod correlate;
pub mod crd;
#[cfg(feature = "admit")]
mod defaults;
#[cfg(any(feature = "admit", feature = "check"))]
mod dropped;
#[cfg(feature = "values")]
pub mod embedded;
pub mod formats;
pub mod lazy_path;
pub mod markdown;
#[cfg(feature = "values")]
pub mod object_meta;
#[cfg(feature = "values")]
mod options;
mod ordered_map;
#[cfg(feature = "check")]
mod outline;
#[cfg(feature = "values")]
pub mod prune;
#[cfg(feature = "rules")]
pub mod rules;
pub mod schema;
#[cfg(feature = "values")]
mod shown;
pub mod tree;
#[cfg(feature = "values")]
pub mod values;
pub mod yaml;

#[cfg(feature = "check")]
pub use check::check;
pub use crd::{CustomResourceDefinition, DecodeError};
pub use crd_go::cel_names::escape_name;
pub use crd_go::field::{
    CauseReason, Causes, Diagnostic, Edit, EditValue, FieldPath, Keyword, PathString, Remedy, Segment, Shown,
};
pub use crd_go::{InvalidKubeVersion, KubeVersion};
pub use ordered_map::OrderedMap;
pub use schema::Structural;
