//! The one bridge to `crd-cel`: structural schemas become CEL declarations, rules are compiled and priced in them.

pub mod field_path;
mod limits;
mod presence;
mod reads;
mod rule;
pub(crate) mod types;

pub use crd_cel::{Environment, InvalidVersion, Issue, Issues, Version, escape_name};
pub use limits::{Limit, max_children, missing_limit};
pub use presence::present_properties;
pub use reads::{ReadStep, Reads};
pub use rule::{CompiledRule, RuleError, Rules};
pub use types::SchemaTypes;

/// The most that one rule may cost, at all the places together where it may be evaluated.
pub const RULE_COST_LIMIT: u64 = 10_000_000;
/// The most that all rules of the schema of a version may cost.
pub const SCHEMA_COST_LIMIT: u64 = 100_000_000;
