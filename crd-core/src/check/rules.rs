//! `x-kubernetes-validations`: where expressions are compiled. They are not compiled yet: only what
//! [`rule_fields`](super::rule_fields) sees is reported of a rule, and a rule that Go's compiler refuses passes.

use serde_json::Value;

use crate::schema::Structural;
use crate::{Diagnostic, FieldPath};

/// A node whose rules are to be compiled: the spine is structural, its defaults are valid, and nothing is wrong in the
/// node's subtree.
#[expect(dead_code, reason = "read once rules are compiled")]
pub(super) struct Site<'a> {
    /// The node, with its rules.
    pub(super) schema: &'a Structural,
    /// The node's path, as causes name it.
    pub(super) path: FieldPath,
    /// The nodes above it, from the root on.
    pub(super) ancestors: Vec<&'a Structural>,
    /// The outermost node above it whose old and new values cannot be matched: its rules may not speak of `oldSelf`.
    pub(super) uncorrelatable: Option<FieldPath>,
}

/// Compiles the rules of one schema: what is wrong at each site in the order of `sites` (inner nodes first), then what
/// is wrong with their cost in all. `base` is the path of the schema's root.
pub(super) fn compile(
    _root: &Structural,
    _sites: Vec<Site<'_>>,
    _base: &FieldPath,
    _out: &mut Vec<Diagnostic>,
) {
}

/// Runs the rules of `schema` and of what is below it over a default, first with the default as its own old value, then
/// without one. `budget` is what all defaults of a schema may cost together; below zero, checking stops.
pub(super) fn check_default(
    _schema: &Structural,
    _is_resource_root: bool,
    _default: &Value,
    _path: &FieldPath,
    _budget: &mut i64,
    _out: &mut Vec<Diagnostic>,
) {
}
