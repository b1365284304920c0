//! Attributes of types that derive `CrdSchema`.

use super::allow::Allow;
use super::descriptions::Part;
use super::read::attributes;
use super::resource::Crates;
use super::rule::Rule;
use super::text::{CratePath, Pair, Parsed, Release, Text, Texts};
use super::value::Flag;

attributes! {
    /// The attributes of a struct or an enum.
    pub(crate) struct TypeAttrs {
        pub(crate) validations: Vec<Rule> = "validation",
        pub(crate) spec_validations: Vec<Rule> = "spec_validation",
        pub(crate) exactly_one_of: Vec<Texts>,
        pub(crate) at_most_one_of: Vec<Texts>,
        pub(crate) at_least_one_of: Vec<Texts>,
        pub(crate) preserve_unknown_fields: Flag,
        pub(crate) kubernetes_enums: Flag,
        pub(crate) cel: Flag,
        pub(crate) descriptions: Option<Part>,
        pub(crate) max_description: Option<u32>,
        pub(crate) description_depth: Option<u32>,
        pub(crate) schemas_at: Vec<Pair> = "schema_at",
        pub(crate) schema_patches: Vec<Text> = "schema_patch",
        pub(crate) allowed: Vec<Allow> = "allow",
        pub(crate) crates: Option<Crates>,
        pub(crate) crate_path: Option<Parsed<CratePath>>,
        pub(crate) kube_version: Option<Release>,
        /// The version to add to errors about this type. `versions` sets it.
        pub(crate) in_version: Option<Text>,
    }
}

impl TypeAttrs {
    /// Returns `true` if `schema_at` or `schema_patch` changes the type's schema.
    pub(crate) fn is_patched(&self) -> bool {
        !(self.schemas_at.is_empty() && self.schema_patches.is_empty())
    }
}
