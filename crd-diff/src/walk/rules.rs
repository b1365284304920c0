//! Compares CEL rules by their syntax trees.

use crd_core::Structural;
use crd_core::crd::ValidationRule;
use serde_json::{Value, json};

use super::Walk;
use crate::change::{Change, Probe};
use crate::rows;
use crate::schema_path::SchemaPath;

impl Walk<'_> {
    pub(super) fn rules(&mut self, old: &Structural, new: &Structural, at: &SchemaPath) {
        let mut removed: Vec<&ValidationRule> = old.validations.iter().collect();
        let mut added = Vec::new();
        for rule in &new.validations {
            match removed
                .iter()
                .position(|other| is_same_rule(&other.rule, &rule.rule) && runs_alike(other, rule))
            {
                Some(at_old) => {
                    let other = removed.remove(at_old);
                    let text = |rule: &ValidationRule| {
                        let mut value = json!({"message": rule.message, "reason": rule.reason});
                        value["messageExpression"] = json!(rule.message_expression);
                        value["fieldPath"] = json!(rule.field_path);
                        value
                    };
                    if text(other) != text(rule) {
                        let change = self.change(&rows::RULE_TEXT_CHANGED, at, "x-kubernetes-validations");
                        self.push(change.values(text(other), text(rule)));
                    }
                }
                None => added.push(rule),
            }
        }
        // A rule whose message stayed, or the only one on both sides, was changed.
        for rule in added {
            let is_pair = |other: &&ValidationRule| !rule.message.is_empty() && other.message == rule.message;
            let paired = match removed.iter().position(is_pair) {
                Some(at_old) => Some(removed.remove(at_old)),
                None if removed.len() == 1 && new.validations.len() == old.validations.len() => removed.pop(),
                None => None,
            };
            self.push_rule(at, paired, Some(rule));
        }
        for rule in removed {
            self.push_rule(at, Some(rule), None);
        }
    }

    fn push_rule(&mut self, at: &SchemaPath, old: Option<&ValidationRule>, new: Option<&ValidationRule>) {
        let row = match (old, new) {
            (Some(_), Some(_)) => &rows::RULE_CHANGED,
            (None, Some(new)) if new.uses_old_self() => &rows::TRANSITION_ADDED,
            (None, _) => &rows::RULE_ADDED,
            (Some(_), None) => &rows::RULE_REMOVED,
        };
        let text = |rule: Option<&ValidationRule>| rule.map_or(Value::Null, |rule| rule.rule.trim().into());
        let mut change: Change =
            self.change(row, at, "x-kubernetes-validations").values(text(old), text(new));
        for rule in [new, old].into_iter().flatten() {
            change = change.probe(Probe::Against(at.clone(), Box::new(rule.clone())));
        }
        change.rules = (new.cloned(), old.cloned());
        self.push(change.probe(Probe::Present(at.clone())).probe(Probe::Any));
    }
}

fn runs_alike(a: &ValidationRule, b: &ValidationRule) -> bool {
    a.optional_old_self.unwrap_or_default() == b.optional_old_self.unwrap_or_default()
}

fn is_same_rule(a: &str, b: &str) -> bool {
    if a.trim() == b.trim() {
        return true;
    }
    matches!((crd_cel::parse(a), crd_cel::parse(b)), (Ok(a), Ok(b)) if a.is_same_tree(&b))
}
