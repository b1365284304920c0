//! The verdict of the rules on a new object: accepted or not, without messages and paths.

use crd_cel::eval::{DataKind, DataType, Program, Value as CelValue};
use serde_json::{Map, Value};

use super::BUDGET;
use super::tree::{RuleNode, RuleProperty, RuleTree};
use super::variables::Variables;
use crate::values::Meter;

/// The reason why the rules have no verdict yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The object violates a rule.
    Broken,
    /// The order of the rules matters, or a rule reads a default that is not filled in.
    Undecided,
}

impl RuleTree {
    /// Returns `true` if a new object follows all rules. `None` if only [`validate`](Self::validate) can decide, after the object's
    /// defaults are filled in.
    pub(crate) fn are_followed(&self, object: &Value, lacks_defaults: bool, work: u64) -> Option<bool> {
        let mut walk = VerdictWalk { budget: BUDGET, work: Meter::new(work).nanoseconds_left() };
        match walk.node(&self.root, &self.data, object, lacks_defaults) {
            // At the end of the budget, the next place with rules fails.
            Ok(()) => (walk.budget > 0).then_some(true),
            Err(End::Broken) => Some(false),
            Err(End::Undecided) => None,
        }
    }
}

struct VerdictWalk {
    budget: u64,
    /// The number of CPU steps left for all rules.
    work: u64,
}

impl VerdictWalk {
    fn node(
        &mut self,
        node: &RuleNode,
        data: &DataType,
        value: &Value,
        lacks_defaults: bool,
    ) -> Result<(), End> {
        if value.is_null() {
            return Ok(());
        }
        if !node.rules.is_empty() {
            self.rules(node, data, value, lacks_defaults)?;
        }
        match (value, &data.kind) {
            (Value::Array(items), DataKind::List(data, _)) => match &node.items {
                Some(node) => items.iter().try_for_each(|item| self.node(node, data, item, lacks_defaults)),
                None => Ok(()),
            },
            (Value::Object(fields), DataKind::Map(data)) => match &node.values {
                Some(node) => {
                    fields.values().try_for_each(|value| self.node(node, data, value, lacks_defaults))
                }
                None => Ok(()),
            },
            (Value::Object(fields), DataKind::Object(types)) if !node.properties.is_empty() => {
                self.fields(node, types, fields, lacks_defaults)
            }
            _ => Ok(()),
        }
    }

    fn fields(
        &mut self,
        node: &RuleNode,
        types: &[(Box<str>, DataType)],
        fields: &Map<String, Value>,
        lacks_defaults: bool,
    ) -> Result<(), End> {
        for (name, RuleProperty { node, type_index, default }) in node.properties.iter() {
            let Some((_, data)) = type_index.and_then(|index| types.get(index)) else { continue };
            let data = node.data.as_deref().unwrap_or(data);
            match (member(fields, name), default) {
                (Some(value), _) => self.node(node, data, value, lacks_defaults)?,
                (None, Some(default)) if lacks_defaults => self.node(node, data, default, false)?,
                (None, _) => {}
            }
        }
        Ok(())
    }

    fn rules(
        &mut self,
        node: &RuleNode,
        data: &DataType,
        value: &Value,
        lacks_defaults: bool,
    ) -> Result<(), End> {
        if self.budget == 0 || node.sees_defaults && lacks_defaults {
            return Err(End::Undecided);
        }
        let variables = Variables::new(node.uses_old_self(), data, value, None);
        for rule in &node.rules {
            if rule.uses_old_self && !rule.has_optional_old_self {
                continue;
            }
            let Ok(program) = &rule.program else { return Err(End::Broken) };
            let evaluation = program.run_on(
                variables.rule_variables(rule.has_optional_old_self),
                Program::CALL_LIMIT,
                self.work,
            );
            self.work -= evaluation.work;
            self.budget = self.budget.checked_sub(evaluation.cost).ok_or(End::Undecided)?;
            match evaluation.result {
                Ok(CelValue::Bool(true)) => {}
                Err(error) if error.is_out_of_work() => return Err(End::Undecided),
                _ => return Err(End::Broken),
            }
        }
        Ok(())
    }
}

/// Returns a field of an object. With few fields, comparing their names is faster than hashing the name.
fn member<'v>(fields: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if fields.len() > FEW {
        return fields.get(name);
    }
    fields.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

const FEW: usize = 16;
