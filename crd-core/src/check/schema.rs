//! Checks of a version's schema, or of the schema that all versions share, in the API server's order.
//!
//! Source: `validateCustomResourceDefinitionValidation`.

use crd_cel::{Environment, Words};

use super::means::{Means, OtherRelease, OtherReleases};
use super::selectable::selectable;
use super::{defaults, open_api, root, rules, structural};
use crate::cel::SchemaTypes;
use crate::crd::{SelectableField, Validation};
use crate::outline::{Owner, SchemaChecks};
use crate::schema::Structural;
use crate::{Causes, Diagnostic, FieldPath};

impl SchemaChecks for Means {
    fn schema(
        &self,
        validation: &Validation,
        version: &str,
        has_status: bool,
        path: &FieldPath,
        out: &mut Causes,
    ) {
        schema(self, validation, version, has_status, path, out);
    }

    fn selectable(
        &self,
        fields: &[SelectableField],
        schema: Option<&Validation>,
        owner: Owner,
        path: &FieldPath,
        out: &mut Causes,
    ) {
        selectable(fields, schema, owner, path, out);
    }
}

impl OtherReleases {
    /// Checks the defaults and the rules of a schema. `types` contains the CEL types of the schema, if it has rules.
    fn check(
        &self,
        schema: &Structural,
        mut types: Option<SchemaTypes<'_>>,
        base: &FieldPath,
        means: &Means,
    ) {
        if types.is_none() && !self.differences.defaults {
            return;
        }
        let words = words(schema);
        // The last release that compiled the rules without a cause.
        let mut accepted: Option<Environment> = None;
        for OtherRelease { version, meter, found } in &self.releases {
            let mut causes = Causes::for_version(*version);
            if self.differences.defaults {
                defaults::defaults(schema, base, (&means.patterns, meter), &mut causes);
            }
            if let Some(types) = types.as_mut().filter(|_| causes.is_empty()) {
                let environment = Environment::for_server(*version);
                let changes = types.change_release(*version);
                if changes || !accepted.is_some_and(|last| environment.compiles_as(last, &words)) {
                    let stored = means.stored.for_version("");
                    rules::compile(types, base, environment, stored, &[], &mut causes);
                    accepted = causes.is_empty().then_some(environment);
                }
            }
            found.borrow_mut().append(&mut causes);
        }
    }
}

/// Returns all words that occur in the expressions of a schema.
fn words(schema: &Structural) -> Words<'_> {
    let mut words = Words::default();
    schema.each(&mut |schema| {
        for rule in &schema.validations {
            words.add(&rule.rule);
            words.add(&rule.message_expression);
        }
    });
    words
}

fn schema(
    means: &Means,
    validation: &Validation,
    version: &str,
    has_status: bool,
    path: &FieldPath,
    out: &mut Causes,
) {
    let Some(schema) = validation.open_api_v3_schema.as_deref() else { return };
    let first = out.count();
    if has_status {
        root::under_status(schema, path, out);
    }
    root::nullable(schema, path, out);
    let base = path.child("openAPIV3Schema");
    let structural = Structural::from_json_schema(schema);
    let is_sound = structural.as_ref().is_ok_and(|structural| is_sound(structural, &base, means, out));
    let mut walked = Causes::for_version(out.version());
    open_api::open_api(schema, structural.as_ref().ok(), &base, &mut walked);
    let mut of_rules = Causes::for_version(out.version());
    // Rules are compiled only over a schema that means something.
    if let (Ok(structural), true) = (&structural, is_sound) {
        let types = structural.has_rules().then(|| SchemaTypes::for_version(structural, true, out.version()));
        if let Some(types) = &types {
            let stored = means.stored.for_version(version);
            let environment = Environment::for_server(out.version());
            rules::compile(types, &base, environment, stored, &walked, &mut of_rules);
        }
        // Where this release has found a cause, the answers of the others do not count.
        let has_causes = out.count() > first || !walked.is_empty() || !of_rules.is_empty();
        if let Some(others) = means.others.as_ref().filter(|_| !has_causes) {
            others.check(structural, types, &base, means);
        }
    }
    out.append(&mut walked);
    out.append(&mut of_rules);
    if let Some(error) = structural.err().filter(|_| out.count() == first) {
        out.push(Diagnostic::invalid(base, "", &error.to_string()));
    }
}

fn is_sound(structural: &Structural, base: &FieldPath, means: &Means, out: &mut Causes) -> bool {
    let first = out.count();
    structural::structural(structural, base, out);
    if out.count() == first {
        defaults::defaults(structural, base, (&means.patterns, &means.meter), out);
    }
    out.count() == first
}
