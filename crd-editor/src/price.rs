//! The cost of an expression.

use crd_core::Structural;
use crd_core::cel::Rules;

/// The cost of an expression, summed over all values of the schema node.
pub(crate) struct Price {
    /// The cost of one evaluation.
    pub(crate) cost: u64,
    /// Maximum number of evaluations.
    pub(crate) times: u64,
    pub(crate) total: u64,
}

impl Price {
    /// Returns the cost of a rule or a `messageExpression` at a schema node. Returns `None` if the expression does not compile. In a rule
    /// with `optionalOldSelf`, `oldSelf` is an optional. `times` is the maximum number of values of the node in one object, or `None` if an
    /// enclosing list or map has no limit.
    pub(crate) fn of(
        rules: &Rules<'_, '_>,
        node: &Structural,
        (text, is_message, optional_old_self): (&str, bool, bool),
        times: Option<u64>,
    ) -> Option<Self> {
        let compiled = match is_message {
            true => rules.compile_message(node, text, optional_old_self),
            false => rules.compile_rule(node, text, optional_old_self),
        };
        let compiled = compiled.ok()?;
        let times = times.unwrap_or(compiled.max_cardinality);
        Some(Self { cost: compiled.cost, times, total: compiled.cost.saturating_mul(times) })
    }
}

/// Formats a share in percent.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    let share = part as f64 * 100.0 / whole as f64;
    match share {
        0.0 => "0 %".to_owned(),
        share if share < 0.1 => "less than 0.1 %".to_owned(),
        share if share < 10.0 => format!("{share:.1} %"),
        share => format!("{share:.0} %"),
    }
}
