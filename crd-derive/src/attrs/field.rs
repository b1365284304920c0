//! Attributes of a field.

use syn::{Expr, Meta};

use super::allow::Allow;
use super::descriptions::Part;
use super::read::attributes;
use super::rule::Rule;
use super::text::{Code, Pair, Parsed, Text, Texts};
use super::value::{Flag, FromMeta, SpannedValue};

attributes! {
    /// The attributes of a field.
    pub(crate) struct FieldAttrs {
        pub(crate) validations: Vec<Rule> = "validation",
        pub(crate) list_type: Option<Text>,
        pub(crate) list_map_keys: Option<SpannedValue<Texts>>,
        pub(crate) map_type: Option<Text>,
        pub(crate) merge_strategy: Option<Code>,
        pub(crate) preserve_unknown_fields: Flag,
        pub(crate) embedded_resource: Flag,
        pub(crate) int_or_string: Flag,
        pub(crate) schemaless: Flag,
        pub(crate) kubernetes_enums: Flag,
        pub(crate) recursion: Option<SpannedValue<u32>>,
        pub(crate) nullable: Option<bool>,
        pub(crate) format: Option<Text>,
        pub(crate) immutable: Flag,
        pub(crate) item_validations: Vec<Rule> = "item_validation",
        pub(crate) value_validations: Vec<Rule> = "value_validation",
        pub(crate) columns: Vec<FieldColumn> = "printcolumn",
        pub(crate) selectable: Flag,
        pub(crate) spec_replicas: Flag,
        pub(crate) status_replicas: Flag,
        pub(crate) label_selector: Flag,
        pub(crate) descriptions: Option<Part>,
        pub(crate) max_description: Option<u32>,
        pub(crate) description_depth: Option<u32>,
        pub(crate) schema: Option<Text>,
        pub(crate) schema_with: Option<Parsed<Expr>>,
        pub(crate) schemas_at: Vec<Pair> = "schema_at",
        pub(crate) schema_patches: Vec<Text> = "schema_patch",
        pub(crate) allowed: Vec<Allow> = "allow",
    }
}

impl FieldAttrs {
    /// Returns `true` if the field has a schema patch.
    pub(crate) fn is_patched(&self) -> bool {
        !(self.schemas_at.is_empty() && self.schema_patches.is_empty())
    }
}

attributes! {
    /// The attributes of a variant.
    pub(crate) struct VariantAttrs {
        pub(crate) validations: Vec<Rule> = "validation",
    }
}

/// A printer column for a field. The path and the type come from the field.
#[derive(Default)]
pub(crate) struct FieldColumn {
    pub(crate) name: Option<Text>,
    pub(crate) type_: Option<Text>,
    pub(crate) description: Option<Text>,
    pub(crate) format: Option<Text>,
    pub(crate) priority: Option<i32>,
}

attributes! {
    /// The parts of a [`FieldColumn`].
    pub(super) struct FieldColumnParts {
        name: Option<Text>,
        type_: Option<Text> = "type",
        description: Option<Text>,
        format: Option<Text>,
        priority: Option<i32>,
    }
}

impl FromMeta for FieldColumn {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        if let Meta::Path(_) = item {
            return Ok(Self::default());
        }
        let FieldColumnParts { name, type_, description, format, priority } =
            FieldColumnParts::from_meta(item)?;
        Ok(Self { name, type_, description, format, priority })
    }
}
