//! Attributes of a field.

use darling::FromMeta;
use darling::util::{Flag, SpannedValue};
use syn::{Expr, Meta};

use super::descriptions::Part;
use super::rule::Rule;
use super::text::{Code, Pair, Parsed, Text, Texts};

/// The attributes of a field.
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
    #[darling(multiple, rename = "item_validation")]
    pub(crate) item_validations: Vec<Rule>,
    #[darling(multiple, rename = "value_validation")]
    pub(crate) value_validations: Vec<Rule>,
    #[darling(multiple, rename = "printcolumn")]
    pub(crate) columns: Vec<FieldColumn>,
    pub(crate) selectable: Flag,
    pub(crate) spec_replicas: Flag,
    pub(crate) status_replicas: Flag,
    pub(crate) label_selector: Flag,
    pub(crate) descriptions: Option<Part>,
    pub(crate) max_description: Option<u32>,
    pub(crate) schema: Option<Text>,
    pub(crate) schema_with: Option<Parsed<Expr>>,
    #[darling(multiple, rename = "schema_at")]
    pub(crate) schemas_at: Vec<Pair>,
    #[darling(multiple, rename = "schema_patch")]
    pub(crate) schema_patches: Vec<Text>,
}

impl FieldAttrs {
    /// Returns `true` if the schema is changed after everything else.
    pub(crate) fn is_patched(&self) -> bool {
        !(self.schemas_at.is_empty() && self.schema_patches.is_empty())
    }
}

/// The attributes of a variant.
#[derive(FromMeta)]
pub(crate) struct VariantAttrs {
    #[darling(multiple, rename = "validation")]
    pub(crate) validations: Vec<Rule>,
}

/// A printer column of a field, whose path and type are the field's.
#[derive(Default)]
pub(crate) struct FieldColumn {
    pub(crate) name: Option<Text>,
    pub(crate) type_: Option<Text>,
    pub(crate) description: Option<Text>,
    pub(crate) format: Option<Text>,
    pub(crate) priority: Option<i32>,
}

/// The parts of a [`FieldColumn`].
#[derive(FromMeta)]
struct FieldColumnParts {
    name: Option<Text>,
    #[darling(rename = "type")]
    type_: Option<Text>,
    description: Option<Text>,
    format: Option<Text>,
    priority: Option<i32>,
}

impl FromMeta for FieldColumn {
    fn from_meta(item: &Meta) -> darling::Result<Self> {
        if let Meta::Path(_) = item {
            return Ok(Self::default());
        }
        let FieldColumnParts { name, type_, description, format, priority } =
            FieldColumnParts::from_meta(item)?;
        Ok(Self { name, type_, description, format, priority })
    }
}
