//! Derive Kubernetes `CustomResourceDefinition`s from Rust types.
//!
//! ```
//! use crdkit::{CrdSchema, CustomResource};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
//! #[crd(group = "stable.example.com", version = "v1", kind = "Shirt", namespaced)]
//! struct ShirtSpec {
//!     color: String,
//!     #[schemars(range(min = 1, max = 60))]
//!     size: u8,
//! }
//!
//! let yaml = Shirt::crd_yaml()?;
//! assert!(yaml.contains("name: shirts.stable.example.com"));
//!
//! let shirt = Shirt::new("mine", ShirtSpec { color: "blue".into(), size: 42 });
//! assert_eq!(serde_json::to_value(&shirt)?["apiVersion"], "stable.example.com/v1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`derive(CustomResource)`](macro@CustomResource) generates the type of the object and its CRD.
//! [`derive(CrdSchema)`](macro@CrdSchema) generates the schema of a type, with the `#[crd(...)]` attributes of its fields.
#![forbid(unsafe_code)]
// The derives name `::crdkit`, in this crate's own tests and examples too.
extern crate self as crdkit;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod advice;
mod allowed;
#[cfg(feature = "diff")]
pub mod comparison;
mod conversion;
mod crd_walk;
mod custom_resource;
mod definition;
mod duration;
mod error;
#[cfg(feature = "check")]
mod files;
mod has_schema;
#[cfg(feature = "install")]
pub mod install;
mod marks;
mod object_meta;
mod patch;
#[cfg(feature = "publish")]
mod publish;
mod rule;
mod schema;
mod shape;
mod source;
#[cfg(feature = "testing")]
pub mod testing;
/// The items of the features `testing`, `api-server` and `proptest`. Without a feature, the compiler's error about a
/// missing item mentions the feature.
#[cfg(not(feature = "testing"))]
#[doc(hidden)]
pub mod testing {
    #[cfg(feature = "testing")]
    pub use crate::{Admission, Rejection, Validator, accepted, rejected, update_rejected};
    #[cfg(feature = "api-server")]
    pub use crate::{ApiServer, NotSeeded};
    #[cfg(feature = "proptest")]
    pub use crate::{objects, sampled};
}
#[cfg(feature = "validate")]
pub mod validation;
mod verdict;
mod versions;

pub use advice::Advice;
pub use conversion::{ConversionError, Conversions};
pub use crd_core::crd::Scope;
pub use crd_core::yaml::to_yaml;
pub use crd_core::{CustomResourceDefinition, KubeVersion};
/// Generates the schema of a type.
pub use crd_derive::CrdSchema;
/// Generates the type of the object and its CRD from a spec.
pub use crd_derive::CustomResource;
/// Generates a module for each version of the types in a module, and the conversions between them.
pub use crd_derive::versions;
pub use custom_resource::{CrdSchema, CustomResource};
pub use duration::{Duration, NotADuration};
pub use error::{Cause, Error};
#[cfg(feature = "check")]
pub use files::{CrdFiles, FileState};
pub use object_meta::ObjectMeta;
pub use rule::{ListMerge, MapMerge, Message, Reason, Rule};
pub use verdict::UncheckedCrd;
pub use versions::merge_crds;
