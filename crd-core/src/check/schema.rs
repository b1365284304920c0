//! Checks of one schema, that of a version or of all versions, in the API server's order.
//!
//! Source: `validateCustomResourceDefinitionValidation`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crd_cel::Environment;

use super::defaults::Means;
use super::selectable::selectable;
use super::{defaults, open_api, root, rules, structural};
use crate::causes::Causes;
use crate::crd::{JsonSchemaProps, SelectableField, Validation};
use crate::outline::{Owner, SchemaChecks};
use crate::schema::Structural;
use crate::values::Meter;
use crate::{Diagnostic, FieldPath};

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

/// The checks of defaults and rules alone, for other releases of a definition that has passed all checks of one.
#[derive(Default)]
pub(super) struct OtherReleases {
    means: Means,
    /// The structural form of each schema, which all releases share.
    structural: RefCell<HashMap<*const JsonSchemaProps, Rc<Structural>>>,
}

impl OtherReleases {
    /// Gives the next release the whole limit of work.
    pub(super) fn restart(&mut self) {
        self.means.meter = Meter::default();
    }

    /// Returns `true` if the last release took more work than the limit.
    pub(super) fn is_stopped(&self) -> bool {
        self.means.meter.is_stopped()
    }

    fn structural(&self, schema: &JsonSchemaProps) -> Rc<Structural> {
        let make = || Rc::new(Structural::from_json_schema(schema).unwrap_or_default());
        Rc::clone(self.structural.borrow_mut().entry(schema).or_insert_with(make))
    }
}

impl SchemaChecks for OtherReleases {
    fn schema(&self, validation: &Validation, _: &str, _: bool, path: &FieldPath, out: &mut Causes) {
        let Some(schema) = validation.open_api_v3_schema.as_deref() else { return };
        let (structural, base) = (self.structural(schema), path.child("openAPIV3Schema"));
        let mut found = Causes::at(out.version());
        defaults::defaults(&structural, &base, &self.means, &mut found);
        if found.is_empty() {
            let (environment, stored) =
                (Environment::of_server(out.version()), self.means.stored.of_version(""));
            rules::compile(&structural, &base, environment, stored, &[], &mut found);
        }
        out.append(&mut found);
    }

    fn selectable(
        &self,
        _: &[SelectableField],
        _: Option<&Validation>,
        _: Owner,
        _: &FieldPath,
        _: &mut Causes,
    ) {
    }
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
    let mut walked = Causes::at(out.version());
    open_api::open_api(schema, structural.as_ref().ok(), &base, &mut walked);
    let mut of_rules = Causes::at(out.version());
    // Rules are compiled only over a schema that means something.
    if let (Ok(structural), true) = (&structural, is_sound) {
        let stored = means.stored.of_version(version);
        let environment = Environment::of_server(out.version());
        rules::compile(structural, &base, environment, stored, &walked, &mut of_rules);
    }
    out.append(&mut walked);
    out.append(&mut of_rules);
    if let (Err(error), true) = (&structural, out.count() == first) {
        out.push(Diagnostic::invalid(base, "", &error.to_string()));
    }
}

fn is_sound(structural: &Structural, base: &FieldPath, means: &Means, out: &mut Causes) -> bool {
    let first = out.count();
    structural::structural(structural, base, out);
    if out.count() == first {
        defaults::defaults(structural, base, means, out);
    }
    out.count() == first
}
