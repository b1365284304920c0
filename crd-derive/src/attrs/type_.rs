//! Attributes of a type that has a schema.

use darling::FromMeta;
use darling::util::Flag;

use super::descriptions::Part;
use super::resource::Crates;
use super::rule::Rule;
use super::text::{CratePath, Pair, Parsed, Release, Text, Texts};

/// The attributes of a struct or an enum.
#[derive(FromMeta)]
pub(crate) struct TypeAttrs {
    #[darling(multiple, rename = "validation")]
    pub(crate) validations: Vec<Rule>,
    #[darling(multiple, rename = "spec_validation")]
    pub(crate) spec_validations: Vec<Rule>,
    #[darling(multiple)]
    pub(crate) exactly_one_of: Vec<Texts>,
    #[darling(multiple)]
    pub(crate) at_most_one_of: Vec<Texts>,
    #[darling(multiple)]
    pub(crate) at_least_one_of: Vec<Texts>,
    pub(crate) preserve_unknown_fields: Flag,
    pub(crate) cel: Flag,
    pub(crate) descriptions: Option<Part>,
    pub(crate) max_description: Option<u32>,
    #[darling(multiple, rename = "schema_at")]
    pub(crate) schemas_at: Vec<Pair>,
    #[darling(multiple, rename = "schema_patch")]
    pub(crate) schema_patches: Vec<Text>,
    #[darling(default)]
    pub(crate) crates: Crates,
    pub(crate) crate_path: Option<Parsed<CratePath>>,
    pub(crate) kube_version: Option<Release>,
}

impl TypeAttrs {
    /// Returns `true` if the schema is changed after everything else.
    pub(crate) fn is_patched(&self) -> bool {
        !(self.schemas_at.is_empty() && self.schema_patches.is_empty())
    }
}
