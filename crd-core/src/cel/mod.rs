//! CEL over structural schemas: converts schemas to CEL declarations, compiles rules, and estimates their costs.
//! Only this module uses the checker of `crd-cel`.

pub mod field_path;
mod field_uses;
mod limits;
mod presence;
mod reads;
mod rule;
pub(crate) mod types;

pub use crd_cel::{Environment, InvalidVersion, Issue, Issues, Version};
pub use crd_cel::{ExpressionCursor, Function};
pub use field_uses::FieldUse;
pub use limits::{Limit, max_children, missing_limit};
pub use presence::{TestedProperties, tested_properties};
pub use reads::{ReadStep, Reads};
pub use rule::{CompiledRule, ExpressionType, RuleError, Rules};
pub use types::SchemaTypes;

/// Maximum estimated cost of one rule, summed over all values to which the rule applies.
pub const RULE_COST_LIMIT: u64 = 10_000_000;
/// Maximum cost of all rules in a version's schema.
pub const SCHEMA_COST_LIMIT: u64 = 100_000_000;
