//! Checks `anyOf`, `oneOf`, `allOf` and `not`.

use crd_go::strings::quote;
use serde_json::Value;

use super::ValueWalk;
use super::node::Node;
use super::outcome::{self, Trail, ValidationResult, ValueError};
use crate::Keyword;
use crate::schema::NestedValidation;

/// The number of steps for comparing the result of one schema in `anyOf`, `oneOf`, `allOf` or `not` with the other results.
const BRANCH_STEPS: usize = 10;

impl<'a> ValueWalk<'_, 'a> {
    /// Checks a value against a node's `anyOf`, `oneOf`, `allOf` and `not`. If all schemas of `anyOf` or `oneOf` fail, the errors of the
    /// schema with the most matching checks are reported.
    pub(super) fn junctors(&self, node: Node<'a>, value: &Value, trail: &Trail<'_>) -> ValidationResult {
        let mut outcome = ValidationResult::matched();
        let Some(validation) = node.validation else { return outcome };
        let branches =
            |list: &Option<Vec<NestedValidation>>| list.as_ref().is_some_and(|list| !list.is_empty());
        if branches(&validation.any_of) {
            let list = validation.any_of.as_deref().unwrap_or_default();
            self.any_of(list, value, trail, &mut outcome);
        }
        if branches(&validation.one_of) {
            let list = validation.one_of.as_deref().unwrap_or_default();
            self.one_of(list, value, trail, &mut outcome);
        }
        if branches(&validation.all_of) {
            let list = validation.all_of.as_deref().unwrap_or_default();
            self.all_of(list, value, trail, &mut outcome);
        }
        if let Some(not) = &validation.not
            && self.branch(not, value, &Trail::Silent).is_valid()
        {
            fail(&mut outcome, trail, Keyword::Not, || "must not validate the schema (not)".to_owned());
        }
        if self.meter.is_stopped() {
            // A branch that was not evaluated counts as valid, which has no consequences.
            outcome.forgive();
        }
        outcome
    }

    fn branch(&self, schema: &'a NestedValidation, value: &Value, trail: &Trail<'_>) -> ValidationResult {
        if !self.meter.work(BRANCH_STEPS, || outcome::join(self.base, &trail.path())) {
            return ValidationResult::default();
        }
        self.node(Node::nested(schema, self.mode, self.version), value, trail, None)
    }

    /// Returns this validation in a mode for schemas whose messages are needed. In this mode, nested schemas are not first tested without
    /// messages, because these tests would double the time at each level.
    fn telling(self) -> Self {
        Self { needs_messages: true, ..self }
    }

    fn any_of(
        &self,
        list: &'a [NestedValidation],
        value: &Value,
        trail: &Trail<'_>,
        outcome: &mut ValidationResult,
    ) {
        let is_silent = trail.is_silent();
        if is_silent || !self.needs_messages {
            let mut results = list.iter().map(|schema| self.branch(schema, value, &Trail::Silent));
            if let Some(valid) = results.find(ValidationResult::is_valid) {
                outcome.merge(valid);
                return;
            }
        }
        let mut best: Option<ValidationResult> = None;
        for schema in list.iter().filter(|_| !is_silent) {
            let result = self.telling().branch(schema, value, trail);
            if result.is_valid() {
                outcome.merge(result);
                return;
            }
            keep_better(&mut best, result);
        }
        fail(outcome, trail, Keyword::AnyOf, || "must validate at least one schema (anyOf)".to_owned());
        best.into_iter().for_each(|best| outcome.merge(best));
    }

    fn one_of(
        &self,
        list: &'a [NestedValidation],
        value: &Value,
        trail: &Trail<'_>,
        outcome: &mut ValidationResult,
    ) {
        let is_silent = trail.is_silent();
        if is_silent || !self.needs_messages {
            let results = list.iter().map(|schema| self.branch(schema, value, &Trail::Silent));
            let mut valid = results.filter(ValidationResult::is_valid);
            if let (Some(only), None) = (valid.next(), valid.next()) {
                outcome.merge(only);
                return;
            }
        }
        let (mut valid, mut first_valid, mut best) = (0, None, None);
        for schema in list.iter().filter(|_| !is_silent) {
            let result = self.telling().branch(schema, value, trail);
            if result.is_valid() {
                valid += 1;
                best = None;
                first_valid = first_valid.or(Some(result));
            } else if valid == 0 {
                keep_better(&mut best, result);
            }
        }
        let message = match valid {
            1 => {
                first_valid.into_iter().for_each(|result| outcome.merge(result));
                return;
            }
            _ if is_silent => String::new(),
            0 => "Found none valid".to_owned(),
            count => format!("Found {count} valid alternatives"),
        };
        fail(outcome, trail, Keyword::OneOf, || {
            format!("must validate one and only one schema (oneOf). {message}")
        });
        best.into_iter().for_each(|best| outcome.merge(best));
    }

    fn all_of(
        &self,
        list: &'a [NestedValidation],
        value: &Value,
        trail: &Trail<'_>,
        outcome: &mut ValidationResult,
    ) {
        let mut valid = 0;
        for schema in list {
            let result = self.branch(schema, value, trail);
            valid += usize::from(result.is_valid());
            outcome.merge(result);
        }
        if valid < list.len() {
            let detail = if valid == 0 { ". None validated" } else { "" };
            fail(outcome, trail, Keyword::AllOf, || format!("must validate all the schemas (allOf){detail}"));
        }
    }
}

fn keep_better(best: &mut Option<ValidationResult>, result: ValidationResult) {
    if best.as_ref().is_none_or(|best| result.matches > best.matches) {
        *best = Some(result);
    }
}

fn fail(
    outcome: &mut ValidationResult,
    trail: &Trail<'_>,
    keyword: Keyword,
    message: impl FnOnce() -> String,
) {
    outcome.fail_at(trail, false, || {
        ValueError::plain(trail, keyword, format!("{} {}", quote(&trail.to_string()), message()))
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::meter::Meter;
    use super::super::{Mode, NODE_STEPS, With, validate};
    use super::BRANCH_STEPS;
    use crate::crd::JsonSchemaProps;
    use crate::values::Patterns;
    use crate::{FieldPath, Structural};

    fn messages(schema: serde_json::Value, value: &serde_json::Value) -> Vec<String> {
        let schema = JsonSchemaProps::from_value(schema).expect("a schema");
        let schema = Structural::from_json_schema(&schema).expect("a structural schema");
        let mut out = crate::Causes::default();
        let with = With { patterns: &Patterns::default(), meter: &Meter::default() };
        validate(&schema, value, &FieldPath::root(), Mode::Object, with, &mut out);
        out.iter().map(|cause| cause.message.clone()).collect()
    }

    #[test]
    fn a_branch_that_was_tried_silently_is_told_where_none_is_valid() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "oneOf": [
            {"required": ["a"], "properties": {"a": {"anyOf": [{"minimum": 5}, {"enum": [1]}]}}},
            {"required": ["b"]},
        ]});
        assert_eq!(messages(schema.clone(), &json!({"a": 1})), [""; 0]);
        let found = messages(schema, &json!({"a": 2}));
        assert_eq!(
            found,
            [
                "Invalid value: \"\": \"\" must validate one and only one schema (oneOf). Found none valid",
                "Invalid value: \"\": \"a\" must validate at least one schema (anyOf)",
                "Invalid value: 2: a in body should be greater than or equal to 5",
            ]
        );
    }

    #[test]
    fn every_branch_takes_steps_of_its_own() {
        let steps = |count: usize| {
            let branches = vec![json!({"minimum": 5}); count];
            let schema = json!({"type": "integer", "oneOf": branches});
            let schema = JsonSchemaProps::from_value(schema).expect("a schema");
            let schema = Structural::from_json_schema(&schema).expect("a structural schema");
            let meter = Meter::default();
            let with = With { patterns: &Patterns::default(), meter: &meter };
            let mut out = crate::Causes::default();
            validate(&schema, &json!(1), &FieldPath::root(), Mode::Object, with, &mut out);
            Meter::default().left() - meter.left()
        };
        // Each branch is tried silently. If none is valid, they are evaluated again for their messages.
        let a_branch = (BRANCH_STEPS + NODE_STEPS) as u64;
        assert!(steps(100) - steps(10) >= 2 * 90 * a_branch);
    }

    /// If each level were tried twice, this would take hours.
    #[test]
    fn nested_junctors_do_not_double_the_work() {
        let mut schema = json!({"minimum": 5});
        for level in 0..40 {
            schema = json!({ (if level % 2 == 0 { "anyOf" } else { "oneOf" }): [schema] });
        }
        schema["type"] = json!("integer");
        assert_eq!(messages(schema.clone(), &json!(5)), [""; 0]);
        assert!(messages(schema, &json!(4)).iter().any(|text| text.contains("greater than or equal to 5")));
    }
}
