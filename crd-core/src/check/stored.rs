//! The expressions of a stored CRD. An update may keep these expressions even if a new CRD must not have them. They may use all functions
//! of the server and, in an unchanged schema, cost more than the limit.
//!
//! Source: `findPreexistingExpressions` and `findVersionsWithUnchangedSchemas` in `validation.go`.

use std::collections::HashSet;

use crate::CustomResourceDefinition;
use crate::outline::{Before, identical};

/// The expressions of a stored CRD.
#[derive(Default)]
pub(super) struct StoredExpressions {
    rules: HashSet<String>,
    messages: HashSet<String>,
    /// The versions whose schemas do not change.
    unchanged: HashSet<String>,
}

/// The stored expressions that apply to one schema.
#[derive(Clone, Copy)]
pub(super) struct Stored<'a> {
    all: &'a StoredExpressions,
    /// `true` if the schema does not change. In an unchanged schema, the cost of a single expression is not limited.
    pub(super) is_unchanged: bool,
}

impl StoredExpressions {
    /// Returns the expressions of the CRD that `new` replaces.
    pub(super) fn new(new: &CustomResourceDefinition, before: Before<'_>) -> Self {
        let mut stored = Self::default();
        for schema in before.0.spec.versions.iter().filter_map(|version| version.open_api_v3_schema()) {
            schema.each(&mut |schema| {
                for rule in schema.x_validations.iter().flatten() {
                    stored.rules.insert(rule.rule.clone());
                    stored.messages.insert(rule.message_expression.clone());
                }
            });
        }
        let unchanged = new.spec.versions.iter().filter(|version| {
            let old = before.version(&version.name);
            old.is_some_and(|old| identical::validations(version.schema.as_ref(), old.schema.as_ref()))
        });
        stored.unchanged = unchanged.map(|version| version.name.clone()).collect();
        stored
    }

    /// Returns the stored expressions that apply to a version's schema.
    pub(super) fn for_version(&self, version: &str) -> Stored<'_> {
        Stored { all: self, is_unchanged: self.unchanged.contains(version) }
    }
}

impl Stored<'_> {
    /// Returns `true` if a rule is stored already.
    pub(super) fn has_rule(self, rule: &str) -> bool {
        self.all.rules.contains(rule)
    }

    /// Returns `true` if a message expression is stored already.
    pub(super) fn has_message(self, expression: &str) -> bool {
        self.all.messages.contains(expression)
    }
}
