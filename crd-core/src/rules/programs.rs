//! Compiles rules to programs, which can be run.

use std::cell::Cell;

use crd_cel::Type;
use crd_cel::eval::Program;

use crate::Structural;
use crate::cel::{RuleError, Rules};

/// Compiles the rules of a schema to programs. All programs share a limit for the number of automata that match patterns.
pub(crate) struct Programs<'r, 't, 's> {
    rules: &'r Rules<'t, 's>,
    /// The number of patterns that can still become automata.
    automata: Cell<usize>,
}

impl<'r, 't, 's> Programs<'r, 't, 's> {
    pub(crate) fn new(rules: &'r Rules<'t, 's>) -> Self {
        Self { rules, automata: Cell::new(Program::MOST_AUTOMATA) }
    }

    /// Returns `true` if the node is visible to CEL.
    pub(super) fn is_typed(&self, node: &Structural) -> bool {
        self.rules.is_field(node) && self.rules.max_cardinality(node).is_ok()
    }

    /// Compiles the `rule` of a rule at `node`. The flag is `true` if the rule uses `oldSelf`.
    ///
    /// # Errors
    /// - The rule does not compile: [`RuleError`].
    pub(super) fn rule(
        &self,
        node: &Structural,
        rule: &str,
        optional_old_self: bool,
    ) -> Result<(Program, bool), RuleError> {
        self.program(node, rule, optional_old_self, Some((Type::Bool, RuleError::NotBool)))
    }

    /// Compiles the `messageExpression` of a rule at `node`.
    ///
    /// # Errors
    /// - The expression does not compile: [`RuleError`].
    pub(super) fn message(
        &self,
        node: &Structural,
        expression: &str,
        optional_old_self: bool,
    ) -> Result<Program, RuleError> {
        let wanted = Some((Type::String, RuleError::NotString));
        Ok(self.program(node, expression, optional_old_self, wanted)?.0)
    }

    /// Compiles any expression at `node`. The flag is `true` if the expression uses `oldSelf`.
    ///
    /// # Errors
    /// - The expression does not compile: [`RuleError`].
    pub(super) fn expression(
        &self,
        node: &Structural,
        expression: &str,
    ) -> Result<(Program, bool), RuleError> {
        self.program(node, expression, false, None)
    }

    fn program(
        &self,
        node: &Structural,
        text: &str,
        optional_old_self: bool,
        wanted: Option<(Type, RuleError)>,
    ) -> Result<(Program, bool), RuleError> {
        self.rules.checked(node, text, optional_old_self, wanted, |checked, _| {
            let uses_old_self = checked.uses("oldSelf");
            let mut automata = self.automata.get();
            let program = Program::with_automata(checked, &mut automata);
            self.automata.set(automata);
            match program {
                Ok(program) => Ok((program, uses_old_self)),
                Err(error) => Err(RuleError::Instantiation { why: error.to_string(), uses_old_self }),
            }
        })?
    }
}
