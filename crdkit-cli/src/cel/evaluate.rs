//! Evaluates expressions for every value at a path in an object, and formats the results as text and JSON.

use std::path::Path;

use crd_core::Structural;
use crd_core::admit::{Evaluated, Outcome};
use crd_core::cel::Rules;
use serde_json::{Value, json};

use super::{EarlyEnd, single};
use crd_report::visible;

/// An object, and the object before the update.
pub(super) struct ObjectPair {
    new: Value,
    old: Option<Value>,
}

impl ObjectPair {
    /// Reads the given files.
    pub(super) fn read(new: Option<&Path>, old: Option<&Path>) -> Result<Option<Self>, EarlyEnd> {
        let Some(new) = new else { return Ok(None) };
        let old = old.map(|file| single(file, "object")).transpose()?;
        Ok(Some(Self { new: single(new, "object")?, old }))
    }

    /// Returns an expression's results, or `None` if the expression does not compile.
    pub(super) fn answers(
        &self,
        rules: &Rules<'_, '_>,
        node: &Structural,
        rule: &str,
    ) -> Option<Vec<Evaluated>> {
        rules.evaluate(node, rule, &self.new, self.old.as_ref()).ok()
    }
}

/// Returns `false` if the evaluation of an expression failed or the result is `false`.
pub(super) fn holds(answer: &Evaluated) -> bool {
    !matches!(answer.outcome, Outcome::Failed(_) | Outcome::Value(Value::Bool(false)))
}

/// Returns a line of text with the result for each value.
pub(super) fn human(answers: &[Evaluated]) -> String {
    if answers.is_empty() {
        return "  the object has no value at this path\n".to_owned();
    }
    let line = |answer: &Evaluated| {
        let at = if answer.at.is_root() { "object".to_owned() } else { answer.at.to_string() };
        let cost = answer.cost;
        match &answer.outcome {
            Outcome::Value(value) => {
                format!("  {}: {} (cost {cost})\n", visible(&at), visible(&value.to_string()))
            }
            Outcome::Failed(error) => {
                format!("  {}: error: {} (cost {cost})\n", visible(&at), visible(error))
            }
            _ => format!("  {}: not evaluated: a transition rule needs an old value\n", visible(&at)),
        }
    };
    answers.iter().map(line).collect()
}

/// Returns a JSON object with the result for each value.
pub(super) fn json(answers: &[Evaluated]) -> Value {
    let one = |answer: &Evaluated| {
        let at = answer.at.to_string();
        match &answer.outcome {
            Outcome::Value(value) => json!({"at": at, "value": value, "cost": answer.cost}),
            Outcome::Failed(error) => json!({"at": at, "error": error, "cost": answer.cost}),
            _ => json!({"at": at, "notRun": true}),
        }
    };
    answers.iter().map(one).collect()
}
