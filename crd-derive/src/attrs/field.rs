//! Attributes of a field.

use darling::FromMeta;
use darling::util::{Flag, SpannedValue};
use syn::Expr;

use super::rule::Rule;
use super::text::{Code, Parsed, Text, Texts};

/// What `#[crd(...)]` says of a field.
#[derive(FromMeta)]
pub(crate) struct FieldAttrs {
    #[darling(multiple, rename = "validation")]
    pub(crate) validations: Vec<Rule>,
    pub(crate) list_type: Option<Text>,
    pub(crate) list_map_keys: Option<SpannedValue<Texts>>,
    pub(crate) map_type: Option<Text>,
    pub(crate) merge_strategy: Option<Code>,
    pub(crate) preserve_unknown_fields: Flag,
    pub(crate) embedded_resource: Flag,
    pub(crate) int_or_string: Flag,
    pub(crate) schemaless: Flag,
    pub(crate) nullable: Option<bool>,
    pub(crate) format: Option<Text>,
    pub(crate) immutable: Flag,
    pub(crate) schema: Option<Text>,
    pub(crate) schema_with: Option<Parsed<Expr>>,
    #[darling(multiple, rename = "schema_patch")]
    pub(crate) schema_patches: Vec<Text>,
}
