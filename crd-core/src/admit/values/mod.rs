//! A value -> what its schema has against it, in the words of the API server's OpenAPI validator.
//!
//! Source: `k8s.io/kube-openapi/pkg/validation/validate`, with its quirks: they decide what is accepted.

mod enums;
mod junctors;
mod node;
mod number;
mod outcome;
mod types;

use serde_json::Value;

use crate::schema::Structural;
use crate::{Diagnostic, FieldPath};
use node::{Additional, Node};
use number::Range;
use outcome::{Finding, Kind, Outcome, Trail};

use super::correlate::Correlated;
use super::formats::Format;
use super::patterns::Patterns;

/// What a value is validated for; the API server prepares the schema in two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A default: formats stay as they are, and an integer-or-string has no type.
    Default,
    /// An object: formats that are not known for the type are left out, and an integer-or-string has two types.
    Object,
}

/// Validates `value` against `schema`. Causes stand at `base` and below; their texts name the place below only.
pub(crate) fn validate(
    schema: &Structural,
    value: &Value,
    base: &FieldPath,
    mode: Mode,
    patterns: &Patterns,
    out: &mut Vec<Diagnostic>,
) {
    let outcome =
        Walk { mode, patterns, is_told: false }.node(Node::spine(schema, mode), value, &Trail::Root, None);
    out.extend(outcome.into_findings().map(|finding| finding.into_diagnostic(base)));
}

/// Validates the new value of an update. What is wrong in a value that has not changed is let pass.
///
/// Source: `pkg/apiserver/validation/ratcheting.go`.
pub(crate) fn validate_update(
    update: Correlated<'_, '_>,
    base: &FieldPath,
    patterns: &Patterns,
    out: &mut Vec<Diagnostic>,
) {
    let mode = Mode::Object;
    let node = Node::spine(update.schema, mode);
    let outcome = Walk { mode, patterns, is_told: false }.node(node, update.new, &Trail::Root, Some(update));
    out.extend(outcome.into_findings().map(|finding| finding.into_diagnostic(base)));
}

#[derive(Clone, Copy)]
struct Walk<'r> {
    mode: Mode,
    patterns: &'r Patterns,
    /// Whether a junctor around is known to fail, so that its branches are not tried silently first.
    is_told: bool,
}

impl Walk<'_> {
    /// `old` is there where an update changes a value. Junctors look at their branches without it: there, nothing is
    /// let pass.
    fn node(
        &self,
        node: Node<'_>,
        value: &Value,
        trail: &Trail<'_>,
        old: Option<Correlated<'_, '_>>,
    ) -> Outcome {
        let mut outcome = self.parts(node, value, trail, old);
        if !outcome.is_valid() && old.is_some_and(Correlated::is_unchanged) {
            outcome.forgive();
        }
        outcome
    }

    fn parts(
        &self,
        node: Node<'_>,
        value: &Value,
        trail: &Trail<'_>,
        old: Option<Correlated<'_, '_>>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        if value.is_null() {
            outcome.merge(types::null(node, trail));
            outcome.merge(enums::check(node, value, trail));
            return outcome;
        }
        // Every validator that applies counts as a match, whatever it says.
        let mut run = |part: Outcome| {
            outcome.merge(part);
            outcome.matches += 1;
        };
        if node.has_type_or_format() {
            run(types::check(node, value, trail));
        }
        run(self.junctors(node, value, trail));
        match value {
            Value::String(text) => {
                run(self.text(node, text, trail));
                if let Some(format) = node.format.and_then(Format::from_name) {
                    run(Self::format(node, format, text, trail));
                }
            }
            Value::Number(number) => run(Range::of(node).check(node, number, trail)),
            Value::Array(items) => run(self.list(node, items, trail, old)),
            Value::Null | Value::Bool(_) | Value::Object(_) => {}
        }
        run(enums::check(node, value, trail));
        if let Value::Object(fields) = value {
            run(self.object(node, fields, trail, old));
        }
        outcome.matches += 1;
        outcome
    }

    /// Only the first failure of a text counts.
    fn text(&self, node: Node<'_>, text: &str, trail: &Trail<'_>) -> Outcome {
        let Some(validation) = node.validation else { return Outcome::default() };
        let length = || i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        if let Some(most) = validation.max_length.filter(|most| length() > *most) {
            let message = format!("{trail} in body should be at most {most} chars long");
            return Outcome::failed(Finding::new(trail, message, Kind::TooLong(most)));
        }
        if let Some(least) = validation.min_length.filter(|least| length() < *least) {
            let message = format!("{trail} in body should be at least {least} chars long");
            return Outcome::failed(Finding::new(trail, message, Kind::Invalid(text.into())));
        }
        let Some(pattern) = validation.pattern.as_deref().filter(|pattern| !pattern.is_empty()) else {
            return Outcome::default();
        };
        let wanted = match self.patterns.is_match(pattern, text) {
            Ok(true) => return Outcome::default(),
            _ if trail.is_silent() => return Outcome::silent(),
            Ok(false) => pattern.to_owned(),
            Err(error) => format!("{pattern}, but pattern is invalid: {error}"),
        };
        let message = format!("{trail} in body should match '{wanted}'");
        Outcome::failed(Finding::new(trail, message, Kind::Invalid(text.into())))
    }

    fn format(node: Node<'_>, format: Format, text: &str, trail: &Trail<'_>) -> Outcome {
        if format.matches(text) {
            return Outcome::default();
        }
        types::failed(trail, node.format.unwrap_or_default(), text)
    }

    fn list(
        &self,
        node: Node<'_>,
        items: &[Value],
        trail: &Trail<'_>,
        old: Option<Correlated<'_, '_>>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        if let Some(schema) = node.items() {
            for (i, item) in items.iter().enumerate() {
                let old = old.and_then(|old| old.index(i));
                outcome.merge(self.node(schema, item, &Trail::Item(trail, i), old));
            }
        }
        let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
        if let Some(validation) = node.validation {
            if let Some(least) = validation.min_items.filter(|least| count < *least) {
                let message = format!("{trail} in body should have at least {least} items");
                outcome.fail(Finding::new(trail, message, Kind::Invalid(count.into())));
            }
            if let Some(most) = validation.max_items.filter(|most| count > *most) {
                let message = format!("{trail} in body should have at most {most} items");
                outcome.fail(Finding::new(trail, message, Kind::TooMany { count, most }));
            }
        }
        outcome.matches += 1;
        outcome
    }

    fn object(
        &self,
        node: Node<'_>,
        fields: &serde_json::Map<String, Value>,
        trail: &Trail<'_>,
        old: Option<Correlated<'_, '_>>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let count = i64::try_from(fields.len()).unwrap_or(i64::MAX);
        if let Some(validation) = node.validation {
            if let Some(least) = validation.min_properties.filter(|least| count < *least) {
                let message = format!("{trail} in body should have at least {least} properties");
                outcome.fail(Finding::new(trail, message, Kind::Invalid(count.into())));
            }
            if let Some(most) = validation.max_properties.filter(|most| count > *most) {
                let message = format!("{trail} in body should have at most {most} properties");
                outcome.fail(Finding::new(trail, message, Kind::TooMany { count, most }));
            }
        }
        let others = || fields.iter().filter(|(key, _)| !node.has_property(key));
        match node.additional() {
            Additional::Any => {}
            Additional::None => {
                for (key, _) in others() {
                    let message = format!("{trail}.{key} in body is a forbidden property");
                    outcome.fail(Finding::new(trail, message, Kind::Invalid(key.as_str().into())));
                }
            }
            Additional::Schema(schema) => {
                for (key, value) in others() {
                    let old = member(old, trail, key);
                    outcome.merge(self.node(schema, value, &Trail::Additional(trail, key), old));
                }
            }
        }
        for (key, value) in fields {
            if let Some(property) = node.property(key) {
                let old = member(old, trail, key);
                outcome.merge(self.node(property, value, &Trail::Property(trail, key), old));
            }
        }
        let required = node.validation.and_then(|validation| validation.required.as_deref());
        for key in required.unwrap_or_default() {
            if fields.contains_key(key) {
                continue;
            }
            if trail.is_silent() {
                return Outcome::silent();
            }
            let trail = Trail::Additional(trail, key);
            let message = format!("{trail} in body is required");
            outcome.fail(Finding::new(&trail, message, Kind::Required));
        }
        outcome
    }
}

/// The old value of a field. What says the type of the whole is always looked at, for it was converted.
fn member<'a, 'c>(
    old: Option<Correlated<'a, 'c>>,
    trail: &Trail<'_>,
    key: &str,
) -> Option<Correlated<'a, 'c>> {
    old.filter(|_| !matches!((trail, key), (Trail::Root, "apiVersion" | "kind")))?.key(key)
}
