//! Checks if a value can satisfy the rules of the schema node.

use crd_cel::{Ast, parse};
use crd_core::Structural;
use serde_json::Value;

use super::{Scope, is_transition};

/// A schema node's rules that run when an object is created.
pub(crate) struct OwnRules<'s>(Vec<Ast<'s>>);

impl<'s> OwnRules<'s> {
    pub(crate) fn from_schema(schema: &'s Structural) -> Self {
        let rules = schema.validations.iter().filter(|rule| !is_transition(rule));
        Self(rules.filter_map(|rule| parse(&rule.rule).ok()).collect())
    }

    /// Returns `false` if the value certainly violates a rule.
    pub(crate) fn may_hold(&self, value: &Value) -> bool {
        self.0.iter().all(|ast| {
            let scope = Scope { ast, object: value, at: &[], variables: Vec::new() };
            scope.truth(ast.root()) != Some(false)
        })
    }
}
