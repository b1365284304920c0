//! Checks of one schema, that of a version or of all versions, in the API server's order.
//!
//! Source: `validateCustomResourceDefinitionValidation`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ptr::from_ref;
use std::rc::Rc;

use crd_cel::Environment;
use crd_go::KubeVersion;

use super::defaults::Means;
use super::selectable::selectable;
use super::{defaults, open_api, root, rules, structural};
use crate::causes::Causes;
use crate::cel::SchemaTypes;
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

/// The structural forms of schemas that all releases share.
pub(super) type SharedForms = RefCell<HashMap<*const JsonSchemaProps, Rc<Structural>>>;

/// The checks of defaults and rules alone, for other releases of a definition that has passed all checks of one.
pub(super) struct OtherReleases<'m> {
    /// The patterns, expressions and structural forms of the definition.
    means: &'m Means,
    releases: Vec<OtherRelease>,
}

/// A release with its answer.
pub(super) struct OtherRelease {
    pub(super) version: KubeVersion,
    /// The whole limit of work for this release.
    meter: Meter,
    found: RefCell<Causes>,
}

impl<'m> OtherReleases<'m> {
    /// The releases, the newest first.
    pub(super) fn new(versions: impl Iterator<Item = KubeVersion>, means: &'m Means) -> Self {
        let release = |version| OtherRelease {
            version,
            meter: Meter::default(),
            found: RefCell::new(Causes::at(version)),
        };
        Self { means, releases: versions.map(release).collect() }
    }

    /// The releases with their answers.
    pub(super) fn into_releases(self) -> Vec<OtherRelease> {
        self.releases
    }

    fn structural(&self, schema: &JsonSchemaProps) -> Rc<Structural> {
        let known =
            self.means.forms.as_ref().and_then(|forms| forms.borrow().get(&from_ref(schema)).cloned());
        known.unwrap_or_else(|| Rc::new(Structural::from_json_schema(schema).unwrap_or_default()))
    }
}

impl OtherRelease {
    /// The causes for which the release refuses the definition; `None` if they took more work than the limit.
    pub(super) fn causes(self) -> Option<Vec<Diagnostic>> {
        (!self.meter.is_stopped()).then(|| self.found.into_inner().into_vec())
    }
}

impl SchemaChecks for OtherReleases<'_> {
    fn schema(&self, validation: &Validation, _: &str, _: bool, path: &FieldPath, _: &mut Causes) {
        let Some(schema) = validation.open_api_v3_schema.as_deref() else { return };
        let (structural, base) = (self.structural(schema), path.child("openAPIV3Schema"));
        let Means { patterns, stored, .. } = self.means;
        let has_rules = structural.has_rules();
        let mut types: Option<SchemaTypes<'_>> = None;
        let mut last: Option<(Environment, Vec<Diagnostic>)> = None;
        for OtherRelease { version, meter, found } in &self.releases {
            let mut causes = Causes::at(*version);
            defaults::defaults(&structural, &base, (patterns, meter), &mut causes);
            if has_rules && causes.is_empty() {
                let declare = || SchemaTypes::at(&structural, true, *version);
                let known = types.take().filter(|types| types.are_those_of(*version));
                let environment = Environment::of_server(*version);
                last = last.filter(|(last, _)| known.is_some() && environment.compiles_as(*last));
                let types = types.insert(known.unwrap_or_else(declare));
                let (_, of_rules) = last.get_or_insert_with(|| {
                    let mut found = Causes::at(*version);
                    let stored = stored.of_version("");
                    rules::compile_with(types, &base, environment, stored, &[], &mut found);
                    (environment, found.into_vec())
                });
                of_rules.iter().for_each(|cause| causes.push(cause.clone()));
            }
            found.borrow_mut().append(&mut causes);
        }
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
    match structural {
        Ok(structural) => {
            if let Some(forms) = &means.forms {
                forms.borrow_mut().insert(schema, Rc::new(structural));
            }
        }
        Err(error) if out.count() == first => {
            out.push(Diagnostic::invalid(base, "", &error.to_string()));
        }
        Err(_) => {}
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
