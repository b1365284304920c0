//! `spec`: group, scope and the presence of schemas. Calls the checks of the other parts in the API server's
//! order.

use crd_go::outline::{Names, group, names, preserved, preserved_and_converted};

use super::effective::Effective;
use super::{Before, Owner};
use super::{conversion, parts, versions};
use crate::{Causes, Diagnostic, FieldPath, Remedy, Shown};

/// Checks the `spec` of a CRD.
pub(super) fn spec(effective: &Effective<'_>, out: &mut Causes) {
    let path = FieldPath::new("spec");
    group(&effective.spec.group, &path.child("group"), out);
    scope(&effective.spec.scope, || path.child("scope"), out);
    let top = effective.top();
    if effective.schemas.is_some() {
        schemas_together(effective, &path, out);
    }
    versions::versions(effective, out);
    versions::together(effective, out);
    names(&effective.shown_names(), &path.child("names"), out);
    if let Some((schemas, validation)) = effective.schemas.zip(top.schema) {
        let version = effective.spec.versions.first().map_or("", |version| &version.name);
        schemas.schema(validation, version, effective.has_any_status(), &path.child("validation"), out);
    }
    if let Some(parts) = top.subresources {
        parts::subresources(parts, &path.child("subresources"), out);
    }
    parts::columns(top.columns, &path.child("additionalPrinterColumns"), out);
    if let Some(schemas) = effective.schemas {
        schemas.selectable(top.selectable, top.schema, Owner::Spec, &path, out);
    }
    if let Some(written) = &effective.spec.conversion {
        if effective.spec.preserve_unknown_fields == Some(true) {
            preserved_and_converted(&written.strategy, &path, out);
        }
        conversion::conversion(written, effective.before, &path.child("conversion"), out);
    }
}

/// Checks `preserveUnknownFields`. This is the API server's last check.
pub(super) fn preserve_unknown_fields(effective: &Effective<'_>, out: &mut Causes) {
    if effective.before.is_some_and(Before::preserves_unknown_fields) {
        return;
    }
    if effective.spec.preserve_unknown_fields == Some(true) {
        preserved(&FieldPath::new("spec"), out);
    }
}

/// Checks the fields that an update must not change. Scope and kind may change until the CRD is served.
pub(super) fn immutable(effective: &Effective<'_>, before: Before<'_>, out: &mut Causes) {
    let path = FieldPath::new("spec");
    let (spec, old) = (effective.spec, &before.0.spec);
    let kube_version = out.version();
    let mut compare = |path: FieldPath, new: &str, old: &str, is_named: bool| {
        if new != old {
            let shown = if is_named { Shown::named(new, kube_version) } else { new.into() };
            out.push(Diagnostic::invalid(path, shown, "field is immutable"));
        }
    };
    if before.is_established() {
        compare(path.child("scope"), &spec.scope, &old.scope, true);
        compare(path.child("names").child("kind"), &spec.names.kind, &old.names.kind, false);
    }
    compare(path.child("group"), &spec.group, &old.group, false);
    compare(path.child("names").child("plural"), &spec.names.plural, &old.names.plural, false);
}

fn scope(scope: &str, path: impl Fn() -> FieldPath, out: &mut Causes) {
    match scope {
        "Cluster" | "Namespaced" => {}
        "" => {
            let help = "add `scope: Namespaced` or `scope: Cluster`";
            out.push(Diagnostic::required(path(), "").with_help(help));
        }
        other => {
            let known = ["Cluster", "Namespaced"];
            let mut diagnostic = Diagnostic::not_supported(path(), other, &known);
            if let Some(meant) = known.iter().find(|name| name.eq_ignore_ascii_case(other)) {
                diagnostic = diagnostic.with_help(Remedy::meant(meant, path()));
            }
            out.push(diagnostic);
        }
    }
}

fn schemas_together(effective: &Effective<'_>, path: &FieldPath, out: &mut Causes) {
    let shared = effective.top().schema.and_then(|validation| validation.open_api_v3_schema.as_ref());
    if shared.is_none() {
        missing_schemas(effective, out);
    }
    if effective.spec.preserve_unknown_fields == Some(true) && has_defaults(effective) {
        let detail = "must be false in order to use defaults in the schema";
        out.push(Diagnostic::invalid(path.child("preserveUnknownFields"), true, detail));
    }
}

fn missing_schemas(effective: &Effective<'_>, out: &mut Causes) {
    // Definitions from before `v1` may have no schema, and then keep unknown fields or serve nothing.
    let lacked = effective.before.is_some_and(Before::lacks_schema);
    if lacked && effective.spec.preserve_unknown_fields == Some(true) {
        return;
    }
    for i in 0..effective.spec.versions.len() {
        if lacked && !effective.spec.versions[i].served {
            continue;
        }
        let schema = effective.version(i).schema.and_then(|schema| schema.open_api_v3_schema.as_ref());
        if schema.is_none() {
            let path = Effective::versions_path().index(i).child("schema").child("openAPIV3Schema");
            let help = "add a schema; the loosest is `type: object` with `x-kubernetes-preserve-unknown-fields: true`";
            let detail = match (lacked, out.version().is_at_least(34)) {
                (true, _) => "because otherwise all fields are pruned",
                (false, true) => "",
                (false, false) => "schemas are required",
            };
            out.push(Diagnostic::required(path, detail).with_help(help));
        }
    }
}

fn has_defaults(effective: &Effective<'_>) -> bool {
    let mut schemas = effective.spec.versions.iter().filter_map(|version| version.open_api_v3_schema());
    schemas.any(|schema| schema.any(&|schema| schema.default.is_some()))
}

impl Effective<'_> {
    fn shown_names(&self) -> Names<'_> {
        let names = &self.names;
        Names {
            plural: &names.plural,
            singular: &names.singular,
            kind: &names.kind,
            list_kind: &names.list_kind,
            short_names: names.short_names.as_deref().unwrap_or_default(),
            categories: names.categories.as_deref().unwrap_or_default(),
        }
    }

    fn has_any_status(&self) -> bool {
        let mut all = self.spec.versions.iter().filter_map(|version| version.subresources.as_ref());
        all.any(|subresources| subresources.status.is_some())
    }
}
