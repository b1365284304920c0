//! Runs a schema's rules on the schema's default.

use serde_json::Value;

use super::{Found, Old, RuleTree};
use crate::correlate::{Correlated, Known};
use crate::values::Meter;
use crate::{Causes, FieldPath, Structural};

/// Runs a schema's rules on the schema's default: first for an update in which the default replaces itself, then for a creation. Returns
/// the remaining budget, or `None` if the budget or the limit for CPU steps was exceeded.
pub fn validate_default(
    schema: &Structural,
    is_resource: bool,
    default: &Value,
    path: &FieldPath,
    (budget, meter): (u64, &Meter),
    out: &mut Causes,
) -> Option<u64> {
    let Some(tree) = RuleTree::for_version(schema, is_resource, out.version()) else { return Some(budget) };
    let known = Known::default();
    let itself = Old::strict(Correlated::new(default, default, schema, &known));
    let mut found = Found { errors: Causes::for_version(out.version()), ..Found::default() };
    let mut left = tree.validate(path, default, itself, (budget, meter), &mut found);
    if found.errors.is_empty() {
        let rest = tree.validate(path, default, Old::NONE, (budget, meter), &mut found);
        left = left.zip(rest).map(|(one, other)| one.min(other));
    }
    out.append(&mut found.errors);
    left
}
