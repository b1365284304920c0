//! The message of a violated rule: `message`, or the result of `messageExpression`.

use std::fmt;

use crd_cel::eval::{Program, Value};
use crd_go::strings::quote;

use super::variables::Variables;
use crate::crd::ValidationRule;
use crate::values::Meter;

/// Maximum size of the result of a messageExpression, in bytes.
const MAX_LENGTH: usize = 5 * 1024;

/// The message that is reported if a rule is violated.
#[derive(Debug)]
pub(super) struct Message {
    /// The message if there is no expression, or if the expression fails.
    text: Box<str>,
    /// The compiled program of the `messageExpression`, and the text of the expression.
    expression: Option<(Program, Box<str>)>,
}

/// A messageExpression whose failure ends the evaluation of all rules.
pub(super) enum Stop<'m> {
    /// The expression needs more CPU steps than are left.
    Work,
    /// The expression costs more than the object's remaining budget.
    Budget,
    /// The expression costs more than the limit for one evaluation.
    Call(&'m str),
}

impl fmt::Display for Stop<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Work => f.write_str(Meter::TOO_MUCH_WORK),
            Self::Budget => f.write_str(
                "messageExpression evaluation failed due to running out of cost budget, no further validation rules \
                 will be run",
            ),
            Self::Call(expression) => write!(
                f,
                "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
                quote(expression)
            ),
        }
    }
}

impl Message {
    /// Returns the message of a rule. An expression that does not compile is ignored.
    pub(super) fn new(rule: &ValidationRule, program: Option<Program>) -> Self {
        let text = if rule.message.is_empty() {
            format!("failed rule: {}", rule.rule.trim()).into()
        } else {
            rule.message.trim().into()
        };
        Self { text, expression: program.map(|program| (program, rule.message_expression.as_str().into())) }
    }

    /// Returns the text of the message. The cost of a `messageExpression` is subtracted from `budget`, and `meter` counts the CPU steps.
    pub(super) fn text(
        &self,
        variables: &Variables<'_>,
        budget: &mut u64,
        meter: &Meter,
    ) -> Result<String, Stop<'_>> {
        let Some((program, expression)) = &self.expression else { return Ok((*self.text).to_owned()) };
        let evaluation =
            program.run_within(variables.message_variables(), Program::CALL_LIMIT, meter.nanoseconds_left());
        meter.count_run(evaluation.work, evaluation.cost);
        *budget = budget.checked_sub(evaluation.cost).ok_or(Stop::Budget)?;
        match evaluation.result {
            Ok(Value::String(text)) if is_usable(text.trim()) => Ok(text.trim().to_owned()),
            Err(error) if error.is_out_of_work() => Err(Stop::Work),
            Err(error) if error.is_limit() => Err(Stop::Call(expression)),
            // An unusable result is replaced by `message`.
            _ => Ok((*self.text).to_owned()),
        }
    }
}

fn is_usable(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_LENGTH && !text.contains('\n')
}
