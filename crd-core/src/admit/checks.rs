//! An object that was read and prepared -> the causes for which it is refused, in the API server's order.
//!
//! Source: `Validate` and `ValidateUpdate` in `pkg/registry/customresource/{strategy,status_strategy,validator}.go`, and
//! `rest.BeforeUpdate`.

use serde_json::Value;

use super::correlate::{Correlated, Known};
use super::embedded::PathSegment;
use super::kind::Kind;
use super::metadata::Subdomain;
use super::object_meta::{object_meta, object_meta_update};
use super::rules::{BUDGET, BrokenRule, Found, Old};
use super::version::Version;
use super::warnings::Warnings;
use super::{embedded, lists, scale, values};
use crate::crd::ObjectMeta;
use crate::go::Shown;
use crate::{Diagnostic, FieldPath, Reason};

/// What objects are checked with.
#[derive(Clone, Copy)]
pub(super) struct Checks<'a> {
    pub(super) kind: &'a Kind,
    pub(super) version: &'a Version,
}

/// An object with its metadata, which is in the value too.
#[derive(Clone, Copy)]
pub(super) struct Object<'a> {
    pub(super) value: &'a Value,
    pub(super) meta: &'a ObjectMeta,
}

/// What of an object an update is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All but the status, where that has a subresource.
    Object,
    /// The status only.
    Status,
}

/// What is said against an object.
#[derive(Debug, Default)]
pub(super) struct Causes {
    pub(super) all: Vec<Diagnostic>,
    pub(super) broken_rules: Vec<BrokenRule>,
    pub(super) has_unchecked_rules: bool,
}

impl Checks<'_> {
    /// Checks an object that is to be created.
    pub(super) fn create(self, object: Object<'_>, warnings: &mut Warnings) -> Causes {
        let mut out = Vec::new();
        let Self { kind, version } = self;
        self.type_meta(object.value, &mut out);
        if out.is_empty() {
            let path = FieldPath::new("metadata");
            object_meta(object.meta, kind.is_namespaced, &Subdomain, &path, &mut out);
            let root = FieldPath::root();
            let mode = values::Mode::Object;
            values::validate(&version.schema, object.value, &root, mode, &version.patterns, &mut out);
            if let Some(scale) = &version.scale {
                scale::spec(object.value, scale, &mut out);
                scale::status(object.value, scale, &mut out);
            }
        }
        self.resources(object.value, &mut out);
        self.lists(object.value, &mut out);
        self.rules(object.value, Old::NONE, out, warnings)
    }

    /// Checks an object that replaces another one, of which `part` is new.
    pub(super) fn update(
        self,
        object: Object<'_>,
        old: Object<'_>,
        part: Part,
        warnings: &mut Warnings,
    ) -> Causes {
        let version = self.version;
        let mut out = Vec::new();
        let known = Known::default();
        let update = Correlated::new(old.value, object.value, &version.schema, &known);
        self.type_meta(object.value, &mut out);
        if out.is_empty() {
            object_meta_update(object.meta, old.meta, &FieldPath::new("metadata"), &mut out);
            match part {
                Part::Object => {
                    values::validate_update(update, &FieldPath::root(), &version.patterns, &mut out);
                }
                Part::Status => self.status(update, &mut out),
            }
            if let Some(scale) = &version.scale {
                if part == Part::Object {
                    scale::spec(object.value, scale, &mut out);
                }
                scale::status(object.value, scale, &mut out);
            }
        }
        if part == Part::Object {
            self.resources(object.value, &mut out);
        }
        self.lists_update(object.value, old.value, &mut out);
        let mut causes = self.rules(object.value, Old::ratcheting(update), out, warnings);
        let common = self.common(object, old);
        causes.broken_rules.iter_mut().for_each(|broken| broken.cause += common.len());
        causes.all.splice(..0, common);
        causes
    }

    /// The status is validated by itself: texts do not say that it stands at `status`.
    fn status(self, update: Correlated<'_, '_>, out: &mut Vec<Diagnostic>) {
        let version = self.version;
        let schema = version.schema.properties.get("status");
        let Some((schema, status)) = schema.zip(update.new.get("status")) else { return };
        let base = FieldPath::new("status");
        match update.key("status") {
            Some(update) => values::validate_update(update, &base, &version.patterns, out),
            None => values::validate(schema, status, &base, values::Mode::Object, &version.patterns, out),
        }
    }

    /// What is asked of every object that replaces another one. The rules of custom resources ask much of it again, so that
    /// a cause may be there three times.
    fn common(self, object: Object<'_>, old: Object<'_>) -> Vec<Diagnostic> {
        let mut out = Vec::new();
        let path = FieldPath::new("metadata");
        object_meta(object.meta, self.kind.is_namespaced, &PathSegment, &path, &mut out);
        object_meta_update(object.meta, old.meta, &path, &mut out);
        out
    }

    fn type_meta(self, value: &Value, out: &mut Vec<Diagnostic>) {
        let mut must_be = |field: &str, expected: &str| {
            let found = value.get(field).and_then(Value::as_str).unwrap_or_default();
            if found != expected {
                let detail = format!("must be {expected}");
                out.push(Diagnostic::invalid(FieldPath::new(field), found, &detail));
            }
        };
        must_be("kind", &self.kind.name);
        must_be("apiVersion", &format!("{}/{}", self.kind.group, self.version.name));
    }

    fn resources(self, value: &Value, out: &mut Vec<Diagnostic>) {
        if self.version.has_resources {
            embedded::validate(value, &self.version.schema, false, &FieldPath::root(), out);
        }
    }

    fn lists(self, value: &Value, out: &mut Vec<Diagnostic>) {
        if self.version.has_unique_lists {
            lists::unique(value, &self.version.schema, out);
        }
    }

    /// An object that had such items anywhere may have them everywhere.
    fn lists_update(self, value: &Value, old: &Value, out: &mut Vec<Diagnostic>) {
        let (mut found, mut before) = (Vec::new(), Vec::new());
        self.lists(value, &mut found);
        if !found.is_empty() {
            self.lists(old, &mut before);
        }
        if before.is_empty() {
            out.append(&mut found);
        }
    }

    /// Rules count on values of the right types and sizes. `causes` are what was found before.
    fn rules(
        self,
        value: &Value,
        old: Old<'_, '_>,
        causes: Vec<Diagnostic>,
        warnings: &mut Warnings,
    ) -> Causes {
        let mut causes = Causes { all: causes, ..Causes::default() };
        let Some(rules) = &self.version.rules else { return causes };
        if causes.all.iter().any(|cause| is_blocking(cause.reason)) {
            let detail = "some validation rules were not checked because the object was invalid; correct the \
                          existing errors to complete validation";
            causes.all.push(Diagnostic::invalid(FieldPath::root(), Shown("null".to_owned()), detail));
            causes.has_unchecked_rules = true;
            return causes;
        }
        let mut found = Found::default();
        // What is left of the budget nobody asks for.
        let _ = rules.validate(&FieldPath::root(), value, old, BUDGET, &mut found);
        found.warnings.into_iter().for_each(|warning| warnings.add(warning));
        found.broken.iter_mut().for_each(|broken| broken.cause += causes.all.len());
        causes.broken_rules = found.broken;
        causes.all.append(&mut found.errors);
        causes
    }
}

fn is_blocking(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::NotSupported | Reason::Required | Reason::TooLong | Reason::TooMany | Reason::TypeInvalid
    )
}
