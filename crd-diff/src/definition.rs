//! Finds changes outside the versions of a CRD: to names, scope and conversion. Also finds the reasons why the API server would reject the
//! new CRD.

use std::borrow::Cow;

use crd_core::check::{self, ServerOptions, Verdict};
use crd_core::crd::{API_VERSION, KIND, Spec, Status};
use crd_core::{CustomResourceDefinition, Diagnostic, FieldPath, Segment};
use serde_json::{Value, json};

use crate::change::Change;
use crate::rows::{self, Row};
use crate::schema_path::SchemaPath;

/// Compares everything in two CRDs except the versions. `is_small` is `true` if neither CRD is too large for a request.
pub(crate) fn compare(
    old: &CustomResourceDefinition,
    new: &CustomResourceDefinition,
    options: ServerOptions,
    is_small: bool,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let before = format!("{}.{}", old.spec.names.plural, old.spec.group);
    let after = format!("{}.{}", new.spec.names.plural, new.spec.group);
    if before != after {
        let mut change = change(&rows::RENAMED, "names").values(before, after);
        // The group is part of the paths of modules.
        change.has_other_code =
            old.spec.group != new.spec.group || old.spec.names.kind != new.spec.names.kind;
        changes.push(change);
        return changes;
    }
    let mut refused = refused(old, new, options, is_small);
    immutable(&old.spec, &new.spec, &mut refused, &mut changes);
    names(&old.spec, &new.spec, &mut changes);
    conversion(&old.spec, &new.spec, &mut changes);
    let keeps_unknown = |spec: &Spec| spec.preserve_unknown_fields == Some(true);
    if keeps_unknown(&old.spec) && !keeps_unknown(&new.spec) {
        changes.push(change(&rows::PRUNING_STARTS, "preserveUnknownFields").values(true, false));
    }
    let faults = if refused.is_empty() { Vec::new() } else { Verdict::with_options(old, options).errors };
    changes.extend(refused.into_iter().map(|cause| change_for_cause(cause, old, &faults)));
    changes
}

/// Compares scope and kind. They cannot be changed once the API server serves the CRD.
fn immutable(old: &Spec, new: &Spec, refused: &mut Vec<Diagnostic>, changes: &mut Vec<Change>) {
    let rows = [
        ("scope", &old.scope, &new.scope, [&rows::SCOPE_CHANGED, &rows::SCOPE_REPLACED]),
        ("names.kind", &old.names.kind, &new.names.kind, [&rows::KIND_CHANGED, &rows::KIND_REPLACED]),
    ];
    for (field, before, after, [kept, replaced]) in rows {
        if before == after {
            continue;
        }
        let path = path(field);
        let cause = refused.iter().position(|cause| cause.field == path);
        let row = if cause.is_some() { kept } else { replaced };
        let change = change(row, field).values(before.as_str(), after.as_str());
        changes.push(match cause.map(|at| refused.remove(at)) {
            Some(cause) => change.answered(cause.to_string()),
            None => change,
        });
    }
}

fn names(old: &Spec, new: &Spec, changes: &mut Vec<Change>) {
    // The API server fills in the names that are missing.
    let list_kind = |spec: &Spec| spec.names.list_kind().into_owned();
    let singular = |spec: &Spec| {
        let name = &spec.names.singular;
        if name.is_empty() { spec.names.kind.to_lowercase() } else { name.clone() }
    };
    if old.names.kind == new.names.kind {
        for (row, field, before, after) in [
            (&rows::LIST_KIND_CHANGED, "names.listKind", list_kind(old), list_kind(new)),
            (&rows::SINGULAR_CHANGED, "names.singular", singular(old), singular(new)),
        ] {
            if before != after {
                changes.push(change(row, field).values(before, after));
            }
        }
    }
    let lists = |spec: &Spec| {
        let names = &spec.names;
        [names.short_names.clone().unwrap_or_default(), names.categories.clone().unwrap_or_default()]
    };
    let rows = [
        ("names.shortNames", &rows::SHORT_NAME_REMOVED, &rows::SHORT_NAME_ADDED),
        ("names.categories", &rows::CATEGORY_REMOVED, &rows::CATEGORY_ADDED),
    ];
    for ((field, removed, added), (before, after)) in rows.into_iter().zip(lists(old).iter().zip(&lists(new)))
    {
        for name in before.iter().filter(|name| !after.contains(name)) {
            changes.push(change(removed, field).values(name.as_str(), Value::Null));
        }
        for name in after.iter().filter(|name| !before.contains(name)) {
            changes.push(change(added, field).values(Value::Null, name.as_str()));
        }
    }
}

fn conversion(old: &Spec, new: &Spec, changes: &mut Vec<Change>) {
    let strategy = |spec: &Spec| {
        let strategy = spec.conversion.as_ref().map(|conversion| conversion.strategy.clone());
        strategy.filter(|strategy| !strategy.is_empty()).unwrap_or_else(|| "None".to_owned())
    };
    let (before, after) = (strategy(old), strategy(new));
    if before != after {
        // A version that is neither served nor stored is never converted.
        let used =
            |spec: &Spec| spec.versions.iter().filter(|version| version.served || version.storage).count();
        let row =
            if used(old).max(used(new)) > 1 { &rows::CONVERSION_CHANGED } else { &rows::CONVERSION_OF_ONE };
        changes.push(change(row, "conversion.strategy").values(before, after));
        return;
    }
    let webhook = |spec: &Spec| {
        let mut webhook = spec.conversion.as_ref().and_then(|conversion| conversion.webhook.clone())?;
        // Certificates are replaced all the time.
        if let Some(client) = &mut webhook.client_config {
            client.ca_bundle = None;
        }
        let service = webhook.client_config.as_ref().and_then(|client| client.service.clone());
        let service = service.map(|service| json!({"namespace": service.namespace, "name": service.name, "path": service.path, "port": service.port}));
        let url = webhook.client_config.and_then(|client| client.url);
        Some(
            json!({"url": url, "service": service, "conversionReviewVersions": webhook.conversion_review_versions}),
        )
    };
    let (before, after) = (webhook(old), webhook(new));
    if before != after {
        let value = |webhook: Option<Value>| webhook.unwrap_or_default();
        changes
            .push(change(&rows::WEBHOOK_CHANGED, "conversion.webhook").values(value(before), value(after)));
    }
}

/// Returns `true` if `status.storedVersions` is set, as in a cluster. Files from generators have an empty status.
pub(crate) fn has_stored_versions(crd: &CustomResourceDefinition) -> bool {
    let listed = crd.status.as_ref().and_then(|status| status.stored_versions.as_ref());
    listed.is_some_and(|versions| !versions.is_empty())
}

/// Returns the reasons why the API server rejects the new CRD as an update of the old CRD. `is_small` is `true` if neither CRD is too large
/// for a request.
fn refused(
    old: &CustomResourceDefinition,
    new: &CustomResourceDefinition,
    options: ServerOptions,
    is_small: bool,
) -> Vec<Diagnostic> {
    // Generators write an empty status into files; it is not the status of a definition in a cluster.
    let is_empty = |status: &Status| {
        status.conditions.as_ref().is_none_or(Vec::is_empty)
            && status.stored_versions.as_ref().is_none_or(Vec::is_empty)
    };
    let mut stored = Cow::Borrowed(old);
    // The two may come from different clusters.
    if !old.metadata.uid.is_empty() || old.status.as_ref().is_some_and(is_empty) {
        let stored = stored.to_mut();
        stored.metadata.uid.clear();
        stored.status = stored.status.take().filter(|status| !is_empty(status));
    }
    // To encode a CRD takes longer than to check it. Only the checks of the encoded form need it.
    let is_plain = is_small
        && ["", API_VERSION].contains(&new.api_version.as_str())
        && ["", KIND].contains(&new.kind.as_str())
        && !new.spec.versions.is_empty();
    let Verdict { errors, refusal, .. } = if is_plain {
        Verdict::for_request(new, Some(&stored), options)
    } else {
        check::update(&stored, new.to_value(), options).0
    };
    refusal.into_iter().chain(errors).collect()
}

/// Returns a change for one of the reasons why the new CRD is rejected. `faults` are the reasons why the old CRD itself is rejected.
fn change_for_cause(cause: Diagnostic, old: &CustomResourceDefinition, faults: &[Diagnostic]) -> Change {
    let text = cause.to_string();
    if let Some(name) = stored_version(&cause.field, old) {
        let change = change(&rows::STORED_VERSION_REMOVED, "versions").values(name, Value::Null);
        return change.answered(text);
    }
    let is_old = faults.iter().any(|fault| fault.to_string() == text);
    let row = if is_old { &rows::REFUSED_BEFORE } else { &rows::REFUSED };
    let mut change = Change::new(row, SchemaPath::default()).answered(text.clone()).values(Value::Null, text);
    change.fields = (cause.field.clone(), cause.field);
    change
}

/// Returns the stored version to which a path such as `status.storedVersions[0]` leads. The API server reports such a path if the new CRD
/// lacks the version.
fn stored_version(path: &FieldPath, old: &CustomResourceDefinition) -> Option<String> {
    let &Segment::Index(index) = path.last()? else { return None };
    if path.parent() != Some(&FieldPath::new("status").child("storedVersions")) {
        return None;
    }
    let listed = old.status.as_ref().and_then(|status| status.stored_versions.clone());
    let listed = listed.filter(|versions| !versions.is_empty()).unwrap_or_else(|| {
        let stored = old.spec.versions.iter().filter(|version| version.storage);
        stored.map(|version| version.name.clone()).collect()
    });
    listed.get(index).cloned()
}

fn change(row: &'static Row, field: &str) -> Change {
    Change::new(row, SchemaPath::default()).fields(path(field), path(field))
}

fn path(field: &str) -> FieldPath {
    field.split('.').fold(FieldPath::new("spec"), |path, step| path.child(step))
}
