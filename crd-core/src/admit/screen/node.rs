//! Schema nodes that are prepared for screening, the quick check of objects.

use crate::values::probe::NodeChecks;

/// A schema node, prepared for screening. The properties are in the schema's order.
#[derive(Debug)]
pub(super) struct ScreenNode {
    pub(super) checks: NodeChecks,
    pub(super) is_nullable: bool,
    /// `true` if the enclosing object requires this property.
    pub(super) is_required: bool,
    /// `true` if a default replaces the absent value.
    pub(super) has_default: bool,
    /// The bit of this property, if [`ScreenDefaults::alone`] contains it, and otherwise 0.
    pub(super) default_bit: u64,
    /// `true` if lists and objects at this node are left to the complete validation.
    pub(super) is_left: bool,
    /// `true` if the items of a list must be unique.
    pub(super) has_unique_items: bool,
    pub(super) properties: Box<[ScreenNode]>,
    pub(super) values: Option<Box<ScreenNode>>,
    pub(super) items: Option<Box<ScreenNode>>,
    pub(super) defaults: ScreenDefaults,
    pub(super) required: Required,
}

/// The required fields of an object.
#[derive(Debug, Default)]
pub(super) struct Required {
    /// The number of names in `required`, including duplicates.
    pub(super) names: usize,
    /// The number of properties that are required.
    pub(super) properties: u32,
    /// The names of required fields that are not properties.
    pub(super) others: Box<[Box<str>]>,
}

/// The properties of an object that have a default.
#[derive(Debug, Default)]
pub(super) struct ScreenDefaults {
    /// The number of properties that have a default.
    pub(super) count: u32,
    /// The properties whose defaults can be checked without the enclosing object, in the order of their bits.
    pub(super) alone: Box<[LoneDefault]>,
}

/// A property whose presence affects only its own schema and the list of required properties.
#[derive(Debug)]
pub(super) struct LoneDefault {
    /// The position of the property in the schema.
    pub(super) position: usize,
    /// The size of the property's name and default in a stored object, in bytes.
    pub(super) size: usize,
}
