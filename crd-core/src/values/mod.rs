//! Validation of values against a schema: the API server's OpenAPI validator, with its messages.
//!
//! The validation includes formats and patterns. Pruning ([`prune`](crate::prune)), embedded resources ([`embedded`](crate::embedded)) and
//! rules are separate modules.
//!
//! ```
//! use crd_core::crd::JsonSchemaProps;
//! use crd_core::values::{Meter, Mode, Patterns, With, validate};
//! use crd_core::{Causes, FieldPath, Structural};
//! use serde_json::json;
//!
//! let schema = JsonSchemaProps::from_value(json!({
//!     "type": "object",
//!     "properties": {"size": {"type": "integer", "maximum": 3}},
//! }))?;
//! let schema = Structural::from_json_schema(&schema)?;
//!
//! let (patterns, meter, mut causes) = (Patterns::default(), Meter::default(), Causes::default());
//! let with = With { patterns: &patterns, meter: &meter };
//! validate(&schema, &json!({"size": 4}), &FieldPath::new("spec"), Mode::Object, with, &mut causes);
//! let message = "spec.size: Invalid value: 4: size in body should be less than or equal to 3";
//! assert_eq!(causes.into_vec()[0].to_string(), message);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: `k8s.io/kube-openapi/pkg/validation/validate`, with its quirks, because they affect which values are accepted.

mod enums;
mod formats;
mod junctors;
mod meter;
mod node;
pub mod numbers;
mod outcome;
mod patterns;
// Only admission reads it.
#[cfg(feature = "admit")]
pub(crate) mod probe;
mod range;
mod types;

use crd_go::KubeVersion;
use serde_json::Value;

use crate::schema::{Structural, ValueValidation};
use crate::{Causes, FieldPath, Keyword};
use node::{Additional, Node};
use outcome::{FindingKind, Trail, ValidationResult, ValueError};
use range::Range;

use crate::correlate::Correlated;
use crate::formats::Format;
pub use meter::{Meter, unjudged};
pub use node::Mode;
pub use patterns::{NoMatch, Patterns};

/// The number of steps for checking a value against a schema node. Under `anyOf` and similar keywords, a check takes about 50 ns.
const NODE_STEPS: usize = 5;

/// The patterns and the limits that validations share.
#[derive(Clone, Copy)]
pub struct With<'r> {
    /// The compiled patterns of the CRD.
    pub patterns: &'r Patterns,
    /// The limits for the request.
    pub meter: &'r Meter,
}

/// Validates `value` against `schema`. The fields of causes begin with `base`; the messages contain only the path
/// relative to `base`.
pub fn validate(
    schema: &Structural,
    value: &Value,
    base: &FieldPath,
    mode: Mode,
    with: With<'_>,
    out: &mut Causes,
) {
    run(Node::spine(schema, mode, out.version()), value, None, base, with, out);
}

/// Validates the new value of an update. Errors in unchanged values are ignored.
///
/// Source: `pkg/apiserver/validation/ratcheting.go`.
pub fn validate_update(update: Correlated<'_, '_>, base: &FieldPath, with: With<'_>, out: &mut Causes) {
    let node = Node::spine(update.schema, Mode::Object, out.version());
    run(node, update.new, Some(update), base, with, out);
}

fn run(
    node: Node<'_>,
    value: &Value,
    old: Option<Correlated<'_, '_>>,
    base: &FieldPath,
    with: With<'_>,
    out: &mut Causes,
) {
    let With { patterns, meter } = with;
    let enums = enums::LongEnums::default();
    let walk = ValueWalk {
        patterns,
        meter,
        mode: node.mode,
        version: node.version,
        base,
        enums: &enums,
        needs_messages: false,
    };
    let outcome = walk.node(node, value, &Trail::Root(meter), old);
    let left_out = outcome.silent;
    out.extend(outcome.into_findings().map(|finding| finding.into_diagnostic(base, node.version)));
    out.leave_out(left_out.count, left_out.is_blocking);
}

#[derive(Clone, Copy)]
struct ValueWalk<'r, 'a> {
    patterns: &'r Patterns,
    meter: &'r Meter,
    mode: Mode,
    version: KubeVersion,
    base: &'r FieldPath,
    enums: &'r enums::LongEnums<'a>,
    /// `true` inside an `anyOf` or `oneOf` that is already known to fail: nested schemas then collect messages right away.
    needs_messages: bool,
}

impl<'a> ValueWalk<'_, 'a> {
    /// Validates a value with a schema node. `old` is the old value that an update changes. In `allOf` and similar keywords, there is no
    /// old value, so errors are never ignored.
    fn node(
        &self,
        node: Node<'a>,
        value: &Value,
        trail: &Trail<'_>,
        old: Option<Correlated<'_, '_>>,
    ) -> ValidationResult {
        if !self.meter.work(NODE_STEPS, || outcome::join(self.base, &trail.path())) {
            return ValidationResult::default();
        }
        // Messages of ignored errors are not needed. Not all errors in members of the root are ignored.
        if let Some(update) = old.filter(|_| !trail.is_probe() && !matches!(trail, Trail::Root(_))) {
            let mut outcome = self.parts(node, value, &Trail::Silent, old);
            if outcome.is_valid() {
                return outcome;
            }
            if update.is_unchanged() {
                outcome.forgive();
                return outcome;
            }
        }
        let mark = self.meter.mark();
        let mut outcome = self.parts(node, value, trail, old);
        if !outcome.is_valid() && old.is_some_and(Correlated::is_unchanged) {
            outcome.forgive();
            self.meter.forget(mark);
        }
        outcome
    }

    fn parts(
        &self,
        node: Node<'a>,
        value: &Value,
        trail: &Trail<'_>,
        old: Option<Correlated<'_, '_>>,
    ) -> ValidationResult {
        let mut outcome = ValidationResult::default();
        if value.is_null() {
            outcome.merge(types::null(node, trail));
            outcome.merge(enums::check(self.enums, self.meter, node, value, trail));
            return outcome;
        }
        // Each validator that applies counts as a match, whatever its result.
        let mut run = |part: ValidationResult| {
            outcome.merge(part);
            outcome.matches += 1;
            outcome.is_valid()
        };
        // A silent validation ends at its first failure.
        if node.has_type_or_format() && !run(types::check(node, value, trail)) && trail.is_probe() {
            return outcome;
        }
        if !run(self.junctors(node, value, trail)) && trail.is_probe() {
            return outcome;
        }
        match value {
            Value::String(text) => {
                let _ = run(self.text(node.validation, text, trail));
                let format = node.format.and_then(Format::from_name);
                if let Some(format) = format.filter(|format| format.is_checked(node.version)) {
                    let _ = run(Self::format(node, format, text, trail));
                }
            }
            Value::Number(number) => {
                let _ = run(Range::for_node(node).check(node, number, trail));
            }
            Value::Array(items) => {
                let _ = run(self.list(node, items, trail, old));
            }
            Value::Null | Value::Bool(_) | Value::Object(_) => {}
        }
        run(enums::check(self.enums, self.meter, node, value, trail));
        if let Value::Object(fields) = value {
            run(self.object(node, fields, trail, old));
        }
        outcome.matches += 1;
        outcome
    }

    /// Validates the length and the pattern of a string. If several failures have the same message, only the first failure counts.
    fn text(&self, validation: Option<&ValueValidation>, text: &str, trail: &Trail<'_>) -> ValidationResult {
        let mut outcome = ValidationResult::default();
        let Some(validation) = validation else { return outcome };
        // A character has one to four bytes, so the number of bytes decides for most texts, and also stands for that of
        // characters then.
        let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
        let is_decided = validation.max_length.is_none_or(|most| bytes <= most)
            && validation.min_length.is_none_or(|least| bytes.saturating_add(3) / 4 >= least);
        let length = if is_decided { bytes } else { i64::try_from(text.chars().count()).unwrap_or(i64::MAX) };
        if let Some(most) = validation.max_length.filter(|most| length > *most) {
            outcome.fail_at(trail, true, || {
                let message = format!("{trail} in body should be at most {most} chars long");
                ValueError::new(trail, Keyword::MaxLength, message, FindingKind::TooLong(most))
            });
            return outcome;
        }
        if let Some(least) = validation.min_length.filter(|least| length < *least) {
            outcome.fail_at(trail, false, || {
                let message = format!("{trail} in body should be at least {least} chars long");
                ValueError::new(trail, Keyword::MinLength, message, FindingKind::Invalid(text.into()))
            });
            return outcome;
        }
        let Some(pattern) = validation.pattern.as_deref().filter(|pattern| !pattern.is_empty()) else {
            return outcome;
        };
        if let Err(error) = self.pattern(pattern, text, trail) {
            outcome.fail_at(trail, false, || {
                let message = format!("{trail} in body should match '{pattern}{error}'");
                ValueError::new(trail, Keyword::Pattern, message, FindingKind::Invalid(text.into()))
            });
        }
        outcome
    }

    /// Searches a string for a match of a pattern. The error is the end of the message, after the pattern. A search that exceeds the limit
    /// counts as a match, and ends the validation.
    fn pattern(&self, pattern: &str, text: &str, trail: &Trail<'_>) -> Result<(), String> {
        let mut steps = self.meter.left();
        let found = self.patterns.is_match(pattern, text, &mut steps);
        self.meter.set_left(steps);
        let place = || outcome::join(self.base, &trail.path());
        match found {
            Ok(true) => Ok(()),
            Ok(false) => Err(String::new()),
            Err(NoMatch::Invalid(error)) => Err(format!(", but pattern is invalid: {error}")),
            Err(NoMatch::OutOfSteps) => {
                self.meter.stop(place, Meter::TOO_MUCH_WORK);
                Ok(())
            }
            Err(NoMatch::TooLarge) => {
                self.meter.stop(place, "the pattern is larger than the limit of this tool");
                Ok(())
            }
        }
    }

    fn format(node: Node<'_>, format: Format, text: &str, trail: &Trail<'_>) -> ValidationResult {
        if format.matches(text) {
            return ValidationResult::default();
        }
        types::failed(trail, Keyword::Format, node.format.unwrap_or_default(), text)
    }

    fn list(
        &self,
        node: Node<'a>,
        items: &[Value],
        trail: &Trail<'_>,
        old: Option<Correlated<'_, '_>>,
    ) -> ValidationResult {
        let mut outcome = ValidationResult::default();
        if let Some(schema) = node.items() {
            for (i, item) in items.iter().enumerate() {
                let old = old.and_then(|old| old.index(i));
                outcome.merge(self.node(schema, item, &Trail::Item(trail, i), old));
                if !outcome.is_valid() && trail.is_probe() {
                    return outcome;
                }
            }
        }
        let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
        if let Some(validation) = node.validation {
            if let Some(least) = validation.min_items.filter(|least| count < *least) {
                outcome.fail_at(trail, false, || {
                    let message = format!("{trail} in body should have at least {least} items");
                    ValueError::new(trail, Keyword::MinItems, message, FindingKind::Invalid(count.into()))
                });
            }
            if let Some(most) = validation.max_items.filter(|most| count > *most) {
                outcome.fail_at(trail, true, || {
                    let message = format!("{trail} in body should have at most {most} items");
                    ValueError::new(trail, Keyword::MaxItems, message, FindingKind::TooMany { count, most })
                });
            }
        }
        outcome.matches += 1;
        outcome
    }

    fn object(
        &self,
        node: Node<'a>,
        fields: &serde_json::Map<String, Value>,
        trail: &Trail<'_>,
        old: Option<Correlated<'_, '_>>,
    ) -> ValidationResult {
        let mut outcome = ValidationResult::default();
        count_properties(node, fields.len(), trail, &mut outcome);
        let others = || fields.iter().filter(|(key, _)| !node.has_property(key));
        match node.additional() {
            Additional::Any => {}
            Additional::None => {
                for (key, _) in others() {
                    outcome.fail_at(trail, false, || {
                        let message = format!("{trail}.{key} in body is a forbidden property");
                        ValueError::new(
                            trail,
                            Keyword::AdditionalProperties,
                            message,
                            FindingKind::Invalid(key.as_str().into()),
                        )
                    });
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
                if !outcome.is_valid() && trail.is_probe() {
                    return outcome;
                }
            }
        }
        let required = node.validation.and_then(|validation| validation.required.as_deref());
        self.required(required.unwrap_or_default(), fields, trail, &mut outcome);
        outcome
    }

    fn required(
        &self,
        names: &[String],
        fields: &serde_json::Map<String, Value>,
        trail: &Trail<'_>,
        outcome: &mut ValidationResult,
    ) {
        if !self.meter.work(names.len(), || outcome::join(self.base, &trail.path())) {
            return;
        }
        for key in names.iter().filter(|key| !fields.contains_key(*key)) {
            if trail.is_probe() {
                outcome.merge(ValidationResult::silent(true));
                return;
            }
            let trail = Trail::Additional(trail, key);
            outcome.fail_at(&trail, true, || {
                let message = format!("{trail} in body is required");
                ValueError::new(&trail, Keyword::Required, message, FindingKind::Required)
            });
        }
    }
}

/// Checks the number of an object's properties.
fn count_properties(node: Node<'_>, count: usize, trail: &Trail<'_>, outcome: &mut ValidationResult) {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    if let Some(validation) = node.validation {
        if let Some(least) = validation.min_properties.filter(|least| count < *least) {
            outcome.fail_at(trail, false, || {
                let message = format!("{trail} in body should have at least {least} properties");
                ValueError::new(trail, Keyword::MinProperties, message, FindingKind::Invalid(count.into()))
            });
        }
        if let Some(most) = validation.max_properties.filter(|most| count > *most) {
            outcome.fail_at(trail, true, || {
                let message = format!("{trail} in body should have at most {most} properties");
                ValueError::new(trail, Keyword::MaxProperties, message, FindingKind::TooMany { count, most })
            });
        }
    }
}

/// Returns the old value of a field. `apiVersion` and `kind` have no old value: they are always validated, because they were converted.
fn member<'a, 'c>(
    old: Option<Correlated<'a, 'c>>,
    trail: &Trail<'_>,
    key: &str,
) -> Option<Correlated<'a, 'c>> {
    old.filter(|_| !matches!((trail, key), (Trail::Root(_), "apiVersion" | "kind")))?.key(key)
}
