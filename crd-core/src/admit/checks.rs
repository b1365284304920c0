//! Checks of a prepared object, with the causes in the API server's order.
//!
//! Source: `Validate` and `ValidateUpdate` in `pkg/registry/customresource/{strategy,status_strategy,validator}.go`,
//! and `rest.BeforeUpdate`.

use serde_json::Value;

use super::admission::{Answers, Rejection};
use super::kind::Kind;
use super::version::CompiledVersion;
use super::warnings::Warnings;
use super::{lists, scale};
use crate::correlate::{Correlated, Known};
use crate::crd::ObjectMeta;
use crate::embedded::PathSegment;
use crate::object_meta::{declared, object_meta, object_meta_update};
use crate::rules::{BUDGET, Found, Old, RuleTree};
use crate::values::Meter;
use crate::{Causes, Diagnostic, FieldPath, Keyword, KubeVersion, Shown};
use crate::{embedded, values};

/// The inputs that all checks of an object share.
#[derive(Clone, Copy)]
pub(super) struct Checks<'a> {
    pub(super) kind: &'a Kind,
    pub(super) version: &'a CompiledVersion,
    pub(super) meter: &'a Meter,
    /// `true` if the quick check (`screen`) has found that the new object is valid. Even then, the metadata, the scale subresource and the
    /// rules have not been checked.
    pub(super) fits: bool,
}

/// An object and its typed metadata. The value also contains the metadata, as JSON.
#[derive(Clone, Copy)]
pub(super) struct Object<'a> {
    pub(super) value: &'a Value,
    pub(super) meta: &'a ObjectMeta,
}

/// The part of an object that an update changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The whole object, except its status if the status is a subresource.
    Object,
    /// Only the status of the object.
    Status,
}

impl Checks<'_> {
    /// Checks an object that is created. `found` is the result of the object's rules, if the rules have already run.
    pub(super) fn create(
        self,
        object: Object<'_>,
        found: Option<Found>,
        warnings: &mut Warnings,
    ) -> Result<Answers, Rejection> {
        let mut out = Causes::for_version(self.kind.kube_version);
        let Self { kind, version, .. } = self;
        self.type_meta(object.value, &mut out);
        if out.is_empty() {
            let path = FieldPath::new("metadata");
            declared(&mut out, |out| object_meta(object.meta, kind.is_namespaced, &kind.names, &path, out));
            let root = FieldPath::root();
            if !self.fits {
                let mode = values::Mode::Object;
                values::validate(&version.schema, object.value, &root, mode, self.with(), &mut out);
            }
            if let Some(scale) = &version.scale {
                scale::spec(object.value, scale, &mut out);
                scale::status(object.value, scale, &mut out);
            }
        }
        if !self.fits {
            self.resources(object.value, &mut out);
            self.lists(object.value, &mut out);
        }
        let found = |rules: &RuleTree| {
            found.unwrap_or_else(|| run(rules, object.value, Old::NONE, (kind.kube_version, self.meter)))
        };
        let answers = self.rules(found, out, warnings);
        self.finish(answers)
    }

    /// Checks an object that replaces another object. `object` differs from `old` only in the fields of `part`.
    pub(super) fn update(
        self,
        object: Object<'_>,
        old: Object<'_>,
        part: Part,
        warnings: &mut Warnings,
    ) -> Result<Answers, Rejection> {
        let version = self.version;
        let mut out = Causes::for_version(self.kind.kube_version);
        let known = Known::default();
        let update = Correlated::new(old.value, object.value, &version.schema, &known);
        self.type_meta(object.value, &mut out);
        if out.is_empty() {
            let path = FieldPath::new("metadata");
            declared(&mut out, |out| object_meta_update(object.meta, old.meta, &path, out));
            match part {
                Part::Object if self.fits => {}
                Part::Object => self.object_update(update, &mut out),
                Part::Status => self.status(update, &mut out),
            }
            if let Some(scale) = &version.scale {
                if part == Part::Object {
                    scale::spec(object.value, scale, &mut out);
                }
                scale::status(object.value, scale, &mut out);
            }
        }
        if !self.fits {
            if part == Part::Object {
                self.resources(object.value, &mut out);
            }
            self.lists_update(object.value, old.value, &mut out);
        }
        let ratchets = match part {
            Part::Object => self.kind.ratchets,
            Part::Status => self.kind.kube_version.is_at_least(33),
        };
        let old_object = if ratchets { Old::ratcheting(update) } else { Old::strict(update) };
        let found =
            |rules: &RuleTree| run(rules, object.value, old_object, (self.kind.kube_version, self.meter));
        let causes = self.rules(found, out, warnings);
        let mut causes = self.finish(causes)?;
        let mut common = self.common(object, old);
        causes.failed_rules.iter_mut().for_each(|failed| failed.cause += common.len());
        common.append(&mut causes.all);
        causes.all = common;
        causes.forget_left_out();
        Ok(causes)
    }

    /// Returns the final result of the checks. If the limit for CPU steps was exceeded, the limit is an additional cause or, without other
    /// causes, the reason for the whole rejection.
    fn finish(self, mut answers: Answers) -> Result<Answers, Rejection> {
        match self.meter.stopped() {
            Some(stop) if answers.all.is_empty() => Err(Rejection::limit(&stop)),
            Some(stop) => {
                answers.all.push(stop);
                Ok(answers)
            }
            None => Ok(answers),
        }
    }

    fn object_update(self, update: Correlated<'_, '_>, out: &mut Causes) {
        let root = FieldPath::root();
        if self.kind.ratchets {
            values::validate_update(update, &root, self.with(), out);
        } else {
            let mode = values::Mode::Object;
            values::validate(&self.version.schema, update.new, &root, mode, self.with(), out);
        }
    }

    /// Validates the status as a value on its own, so that paths in messages do not begin with `status`.
    fn status(self, update: Correlated<'_, '_>, out: &mut Causes) {
        let version = self.version;
        let schema = version.schema.properties.get("status");
        let Some((schema, status)) = schema.zip(update.new.get("status")) else { return };
        // Before, paths did not name the status.
        let is_named = self.kind.kube_version.is_at_least(31);
        let (base, first) = (if is_named { FieldPath::new("status") } else { FieldPath::root() }, out.len());
        // Before, the status by itself had to be valid.
        let ratchets = self.kind.kube_version.is_at_least(33);
        match update.key("status").filter(|_| ratchets) {
            Some(update) => values::validate_update(update, &base, self.with(), out),
            None => values::validate(schema, status, &base, values::Mode::Object, self.with(), out),
        }
        for cause in out[first..].iter_mut().filter(|_| !is_named) {
            cause.place = FieldPath::new("status").followed_by(&cause.place);
        }
    }

    fn with(&self) -> values::With<'_> {
        values::With { patterns: &self.version.patterns, meter: self.meter }
    }

    /// Performs the update checks that are the same for objects of all kinds, and returns their causes. The checks for custom resources
    /// repeat many of these checks, so a cause can occur three times.
    fn common(self, object: Object<'_>, old: Object<'_>) -> Causes {
        let mut out = Causes::for_version(self.kind.kube_version);
        let path = FieldPath::new("metadata");
        object_meta(object.meta, self.kind.is_namespaced, &PathSegment, &path, &mut out);
        object_meta_update(object.meta, old.meta, &path, &mut out);
        out
    }

    fn type_meta(self, value: &Value, out: &mut Causes) {
        let mut must_be = |field: &str, expected: &str| {
            let found = value.get(field).and_then(Value::as_str).unwrap_or_default();
            if found != expected {
                let detail = format!("must be {expected}");
                out.push(Diagnostic::invalid(FieldPath::new(field), found, &detail));
            }
        };
        must_be("kind", &self.kind.name);
        must_be("apiVersion", &self.version.api_version);
    }

    fn resources(self, value: &Value, out: &mut Causes) {
        if self.version.has_resources {
            embedded::validate(value, &self.version.schema, false, &FieldPath::root(), out);
        }
    }

    fn lists(self, value: &Value, out: &mut Causes) {
        if self.version.has_unique_lists {
            lists::unique(value, &self.version.schema, out);
        }
    }

    /// Checks the lists of an updated object for duplicate items. If the old object has duplicate items anywhere, they are allowed
    /// everywhere.
    fn lists_update(self, value: &Value, old: &Value, out: &mut Causes) {
        let version = out.version();
        let (mut found, mut before) = (Causes::for_version(version), Causes::for_version(version));
        self.lists(value, &mut found);
        if !found.is_empty() {
            self.lists(old, &mut before);
        }
        if before.is_empty() {
            out.append(&mut found);
        }
    }

    /// Runs the rules, unless an earlier check has found a value of a wrong type or size. `causes` contains the causes
    /// of earlier checks.
    fn rules(
        self,
        found: impl FnOnce(&RuleTree) -> Found,
        causes: Causes,
        warnings: &mut Warnings,
    ) -> Answers {
        let mut causes = Answers { all: causes, ..Answers::default() };
        let Some(rules) = self.version.rules.as_ref().filter(|_| !self.meter.is_stopped()) else {
            return causes;
        };
        if causes.all.has_blocking() {
            let detail = "some validation rules were not checked because the object was invalid; correct the \
                          existing errors to complete validation";
            let shown = Shown::null(causes.all.version());
            let note = Diagnostic::invalid(FieldPath::root(), shown, detail);
            causes.all.push(note.with_keyword(Keyword::UncheckedRules));
            return causes;
        }
        let mut found = found(rules);
        found.warnings.into_iter().for_each(|warning| warnings.add(warning));
        found.failed.iter_mut().for_each(|failed| failed.cause += causes.all.len());
        causes.failed_rules = found.failed;
        causes.all.append(&mut found.errors);
        causes.forget_left_out();
        causes
    }
}

/// Runs the rules on an object.
pub(super) fn run(
    rules: &RuleTree,
    object: &Value,
    old: Old<'_, '_>,
    (version, meter): (KubeVersion, &Meter),
) -> Found {
    let mut found = Found { errors: Causes::for_version(version), ..Found::default() };
    // A budget that is exceeded is one of the errors, and nobody asks for the rest of it.
    let _ = rules.validate(&FieldPath::root(), object, old, (BUDGET, meter), &mut found);
    found
}
