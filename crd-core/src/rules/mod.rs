//! Rules of a schema (`x-kubernetes-validations`), run over values.
//!
//! ```
//! use crd_core::values::Meter;
//! use crd_core::rules::{BUDGET, Found, Old, RuleTree};
//! use crd_core::{FieldPath, Structural, crd::JsonSchemaProps};
//! use serde_json::json;
//!
//! let schema = JsonSchemaProps::from_value(json!({
//!     "type": "integer",
//!     "x-kubernetes-validations": [{"rule": "self > 1"}],
//! }))?;
//! let tree = RuleTree::new(&Structural::from_json_schema(&schema)?, false).expect("there is a rule");
//!
//! let mut found = Found::default();
//! let limits = (BUDGET, &Meter::default());
//! let left = tree.validate(&FieldPath::new("size"), &json!(1), Old::NONE, limits, &mut found);
//! assert!(left.is_some());
//! assert_eq!(found.errors.into_vec()[0].to_string(), "size: Invalid value: 1: failed rule: self > 1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: `pkg/apiserver/schema/cel/validation.go`.

mod compile;
mod data;
mod defaults;
mod evaluate;
mod message;
#[cfg(feature = "admit")]
mod metadata;
mod programs;
mod readable;
#[cfg(test)]
mod tests;
mod tree;
#[cfg(feature = "admit")]
mod unfilled;
mod variables;
#[cfg(feature = "admit")]
mod verdict;

use std::ops::ControlFlow;

use crd_cel::eval::{DataKind, DataType, Error, Evaluation, Program, Value as CelValue};
use crd_go::KubeVersion;
use serde_json::Value;

use crate::correlate::Correlated;
use crate::lazy_path::LazyPath;
use crate::shown::shown;
use crate::values::Meter;
use crate::{CauseReason, Causes, Diagnostic, FieldPath, Keyword, Shown};
pub use defaults::validate_default;
pub use evaluate::{Evaluated, Outcome};
use message::Stop;
#[cfg(feature = "admit")]
pub(crate) use metadata::MetadataUse;
pub use readable::is_readable;
pub use tree::RuleTree;
use tree::{Rule, RuleNode, RuleProperty};
use variables::Variables;

/// Maximum total cost of all rules for an object.
pub const BUDGET: u64 = 10_000_000;

/// The object that an update replaces.
#[derive(Clone, Copy)]
pub struct Old<'a, 'c> {
    /// The new value and the old value; `None` if there is no old value.
    here: Option<Correlated<'a, 'c>>,
    /// `true` if errors in unchanged values are ignored.
    ratchets: bool,
    /// The nearest enclosing value with an old value, if this value has no old value.
    above: Option<Correlated<'a, 'c>>,
    is_root: bool,
}

/// A rule that rejects a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailedRule {
    /// The path of the value that violates the rule. The cause can have the path of a field in the value.
    pub at: FieldPath,
    /// The text of the rule.
    pub rule: String,
    /// The index of the rule in the schema's list of rules.
    pub index: usize,
    /// The index of the rule's cause among all causes.
    pub cause: usize,
    /// `true` if the rule is violated, `false` if it could not be evaluated.
    pub is_broken: bool,
}

/// The result of running a schema's rules on a value.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Found {
    /// The reasons why the value is rejected.
    pub errors: Causes,
    /// The failed rules, each with the index of its error.
    pub failed: Vec<FailedRule>,
    /// Errors that the old object already has, and that are therefore only warnings.
    pub warnings: Vec<String>,
}

impl RuleTree {
    /// Returns the parts of the metadata that the rules read, if the rules belong to a whole object.
    #[cfg(feature = "admit")]
    pub(crate) fn metadata_use(&self) -> MetadataUse {
        self.metadata_use
    }

    /// Runs all of a schema's rules on a value. Returns the remaining budget, or `None` if the budget was exceeded or `meter` has stopped
    /// at the limit for CPU steps.
    pub fn validate(
        &self,
        path: &FieldPath,
        value: &Value,
        old: Old<'_, '_>,
        (budget, meter): (u64, &Meter),
        found: &mut Found,
    ) -> Option<u64> {
        let mut walk = RuleWalk { version: self.version, budget, meter, found };
        match walk.node(&self.root, &self.data, &LazyPath::new(path), value, old) {
            ControlFlow::Continue(()) => Some(walk.budget),
            ControlFlow::Break(()) => None,
        }
    }
}

impl<'a, 'c> Old<'a, 'c> {
    /// A creation, without an old object.
    pub const NONE: Self = Self { here: None, ratchets: false, above: None, is_root: true };

    /// Returns an update that ignores errors in unchanged values.
    pub fn ratcheting(object: Correlated<'a, 'c>) -> Self {
        Self { here: Some(object), ratchets: true, ..Self::NONE }
    }

    /// Returns an update that requires every value to be valid.
    pub fn strict(object: Correlated<'a, 'c>) -> Self {
        Self { here: Some(object), ..Self::NONE }
    }

    fn key(self, name: &str) -> Self {
        // Values that were converted in both objects never count as unchanged.
        let is_type = self.is_root && matches!(name, "apiVersion" | "kind");
        self.below(self.here.and_then(|here| here.key(name)), !is_type)
    }

    fn index(self, index: usize) -> Self {
        self.below(self.here.and_then(|here| here.index(index)), true)
    }

    fn below(self, here: Option<Correlated<'a, 'c>>, ratchets: bool) -> Self {
        Self { here, ratchets: self.ratchets && ratchets, above: self.here.or(self.above), is_root: false }
    }

    /// Returns the old value. An old value that is null counts as absent.
    fn value(self) -> Option<&'a Value> {
        self.here.map(|here| here.old).filter(|old| !old.is_null())
    }

    fn is_unchanged(self) -> bool {
        self.ratchets && self.here.or(self.above).is_some_and(Correlated::is_unchanged)
    }
}

struct RuleWalk<'f> {
    version: KubeVersion,
    budget: u64,
    /// Counts the CPU steps of all rules.
    meter: &'f Meter,
    found: &'f mut Found,
}

impl RuleWalk<'_> {
    /// Runs the rules of a node, then the rules of the nodes inside it.
    fn node(
        &mut self,
        node: &RuleNode,
        data: &DataType,
        place: &LazyPath<'_>,
        value: &Value,
        old: Old<'_, '_>,
    ) -> ControlFlow<()> {
        if value.is_null() {
            return ControlFlow::Continue(());
        }
        if !node.rules.is_empty() {
            self.rules(node, data, place, value, old)?;
        }
        match value {
            Value::Array(items) => self.items(node, data, place, items, old),
            Value::Object(fields) => self.fields(node, data, place, fields, old),
            _ => ControlFlow::Continue(()),
        }
    }

    fn items(
        &mut self,
        node: &RuleNode,
        data: &DataType,
        place: &LazyPath<'_>,
        items: &[Value],
        old: Old<'_, '_>,
    ) -> ControlFlow<()> {
        let (Some(node), DataKind::List(data, _)) = (&node.items, &data.kind) else {
            return ControlFlow::Continue(());
        };
        for (index, item) in items.iter().enumerate() {
            self.node(node, data, &place.index(index), item, old.index(index))?;
        }
        ControlFlow::Continue(())
    }

    fn fields(
        &mut self,
        node: &RuleNode,
        data: &DataType,
        place: &LazyPath<'_>,
        fields: &serde_json::Map<String, Value>,
        old: Old<'_, '_>,
    ) -> ControlFlow<()> {
        match (&data.kind, &node.values) {
            (DataKind::Map(data), Some(node)) => {
                for (key, value) in fields {
                    self.node(node, data, &place.key(key), value, old.key(key))?;
                }
            }
            (DataKind::Object(types), _) if !node.properties.is_empty() => {
                for (name, value) in fields {
                    let Some(RuleProperty { node, type_index: Some(index), .. }) = node.properties.get(name)
                    else {
                        continue;
                    };
                    if let Some((_, data)) = types.get(*index) {
                        let data = node.data.as_deref().unwrap_or(data);
                        self.node(node, data, &place.child(name), value, old.key(name))?;
                    }
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn rules(
        &mut self,
        node: &RuleNode,
        data: &DataType,
        place: &LazyPath<'_>,
        value: &Value,
        old: Old<'_, '_>,
    ) -> ControlFlow<()> {
        if self.budget == 0 {
            return self.out_of_budget(node, place, "validation failed");
        }
        let variables = Variables::new(node.uses_old_self(), data, value, old.value());
        for rule in &node.rules {
            let program = match &rule.program {
                Ok(program) => program,
                Err(error) => {
                    let detail = format!("rule compile error: {error}");
                    self.unevaluated(node, rule, place, &detail);
                    continue;
                }
            };
            // Transition rules run only if there is an old value.
            if rule.uses_old_self && !rule.has_optional_old_self && variables.old.is_none() {
                continue;
            }
            let limit = Program::CALL_LIMIT.min(self.meter.cost_left());
            let evaluation = program.run_on(
                variables.rule_variables(rule.has_optional_old_self),
                limit,
                self.meter.nanoseconds_left(),
            );
            self.meter.count_run(evaluation.work, evaluation.cost);
            let is_cut =
                |error: &Error| error.is_out_of_work() || error.is_limit() && limit < Program::CALL_LIMIT;
            if evaluation.result.as_ref().is_err_and(is_cut) {
                return self.out_of_work(place);
            }
            self.pay(node, place, &evaluation, "validation failed")?;
            match evaluation.result {
                Ok(CelValue::Bool(true)) => {}
                Ok(_) => self.violated(node, rule, place, value, &variables, old)?,
                Err(error) => self.errored(node, rule, place, &error)?,
            }
        }
        ControlFlow::Continue(())
    }

    fn pay(
        &mut self,
        node: &RuleNode,
        place: &LazyPath<'_>,
        evaluation: &Evaluation<'_>,
        what_failed: &str,
    ) -> ControlFlow<()> {
        match self.budget.checked_sub(evaluation.cost) {
            Some(rest) => {
                self.budget = rest;
                ControlFlow::Continue(())
            }
            None => self.out_of_budget(node, place, what_failed),
        }
    }

    fn out_of_budget(&mut self, node: &RuleNode, place: &LazyPath<'_>, what_failed: &str) -> ControlFlow<()> {
        let text = format!(
            "{what_failed} due to running out of cost budget, no further validation rules will be run"
        );
        self.failed(node, place, &text);
        ControlFlow::Break(())
    }

    /// Ends the validation without a verdict.
    fn out_of_work(&self, place: &LazyPath<'_>) -> ControlFlow<()> {
        self.meter.stop(|| place.path(), Meter::TOO_MUCH_WORK);
        ControlFlow::Break(())
    }

    /// Reports a rule that could not be evaluated. Unless the rule exceeded the budget, evaluation continues with the next rule.
    fn errored(
        &mut self,
        node: &RuleNode,
        rule: &Rule,
        place: &LazyPath<'_>,
        error: &Error,
    ) -> ControlFlow<()> {
        let shown = &rule.shown;
        if error.is_no_such_overload() {
            let text = format!(
                "'{error}': call arguments did not match a supported operator, function or macro signature for \
                 rule: {shown}"
            );
            self.unevaluated(node, rule, place, &text);
        } else if error.is_limit() {
            let text = format!(
                "'{error}': no further validation rules will be run due to call cost exceeds limit for rule: {shown}"
            );
            self.unevaluated(node, rule, place, &text);
            return ControlFlow::Break(());
        } else {
            self.unevaluated(node, rule, place, &format!("{error} evaluating rule: {shown}"));
        }
        ControlFlow::Continue(())
    }

    /// Reports a rule that could not be evaluated.
    fn unevaluated(&mut self, node: &RuleNode, rule: &Rule, place: &LazyPath<'_>, detail: &str) {
        let errors = self.found.errors.len();
        self.failed(node, place, detail);
        self.add_rule(rule, place, errors, false);
    }

    /// Adds an error with the value's type instead of the value. Such an error always rejects the object.
    fn failed(&mut self, node: &RuleNode, place: &LazyPath<'_>, detail: &str) {
        let cause = Diagnostic::invalid(place.path(), &*node.type_name, detail);
        self.found.errors.push(cause.with_keyword(Keyword::Validations));
    }

    /// Records the rule whose error has the index `cause`, unless the limit for errors is reached.
    fn add_rule(&mut self, rule: &Rule, place: &LazyPath<'_>, cause: usize, is_broken: bool) {
        if self.found.errors.len() > cause {
            let (at, rule, index) = (place.path(), (*rule.text).to_owned(), rule.index);
            self.found.failed.push(FailedRule { at, rule, index, cause, is_broken });
        }
    }

    /// Reports a violated rule.
    fn violated(
        &mut self,
        node: &RuleNode,
        rule: &Rule,
        place: &LazyPath<'_>,
        value: &Value,
        variables: &Variables<'_>,
        old: Old<'_, '_>,
    ) -> ControlFlow<()> {
        let path = match &rule.field_path {
            Some(field_path) => place.path().child(field_path.to_string()),
            None => place.path(),
        };
        let detail = match rule.message.text(variables, &mut self.budget, self.meter) {
            Ok(text) => text,
            Err(Stop::Work) => return self.out_of_work(place),
            Err(stop) => {
                let text = stop.to_string();
                self.add(rule, place, old, Diagnostic::invalid(path, &*node.type_name, &text));
                return ControlFlow::Break(());
            }
        };
        let shown = match self.version.is_at_least(35) {
            // Before, the name of the type replaces the value.
            false => Some(Shown::from(&*node.type_name)),
            true => (!node.hides_values()).then(|| shown(value, self.version)),
        };
        let errors = self.found.errors.len();
        self.add(rule, place, old, cause(rule.reason, path, shown, &detail));
        self.add_rule(rule, place, errors, true);
        ControlFlow::Continue(())
    }

    /// Adds an error, or a warning if the old value already violated the rule and the rule does not use `oldSelf`.
    fn add(&mut self, rule: &Rule, place: &LazyPath<'_>, old: Old<'_, '_>, diagnostic: Diagnostic) {
        if !rule.uses_old_self && old.is_unchanged() {
            self.found.warnings.push(diagnostic.to_string());
        } else {
            let below = rule.field_path.as_ref();
            let place = below.map_or_else(|| place.path(), |below| place.path().followed_by(below));
            self.found.errors.push(diagnostic.with_keyword(Keyword::Validations).with_place(place));
        }
    }
}

fn cause(reason: CauseReason, path: FieldPath, shown: Option<Shown>, detail: &str) -> Diagnostic {
    match (reason, shown) {
        (CauseReason::Required, _) => Diagnostic::required(path, detail),
        (CauseReason::Forbidden, _) => Diagnostic::forbidden(path, detail),
        (CauseReason::Duplicate, Some(shown)) => Diagnostic::duplicate(path, shown),
        (CauseReason::Duplicate, None) => Diagnostic::new(path, CauseReason::Duplicate, "Duplicate value"),
        (_, Some(shown)) => Diagnostic::invalid(path, shown, detail),
        (_, None) => Diagnostic::invalid_unshown(path, detail),
    }
}
