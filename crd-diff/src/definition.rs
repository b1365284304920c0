//! Changes of a definition outside of its versions: names, scope, conversion, and what the API server refuses.

use crd_core::check::{Options, Verdict};
use crd_core::crd::Spec;
use crd_core::{CustomResourceDefinition, FieldPath};
use serde_json::{Value, json};

use crate::change::Change;
use crate::place::Place;
use crate::rows::{self, Row};

/// Compares everything outside of the versions.
pub(crate) fn compare(
    old: &CustomResourceDefinition,
    new: &CustomResourceDefinition,
    options: Options,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let before = format!("{}.{}", old.spec.names.plural, old.spec.group);
    let after = format!("{}.{}", new.spec.names.plural, new.spec.group);
    if before != after {
        changes.push(change(&rows::RENAMED, "names").values(before, after));
        return changes;
    }
    let is_established = is_established(old);
    let mut immutable = |row, field: &str, before: &str, after: &str| {
        if before != after {
            let path = field.rsplit('.').fold(None, |path: Option<String>, step| {
                Some(path.map_or_else(|| step.to_owned(), |path| format!("{step}.{path}")))
            });
            let path = path.unwrap_or_default();
            let text = format!("spec.{path}: Invalid value: {}: field is immutable", Value::from(after));
            let mut change = change(row, field).values(before, after);
            if is_established {
                change = change.answered(text);
            }
            changes.push(change);
        }
    };
    immutable(&rows::SCOPE_CHANGED, "scope", &old.spec.scope, &new.spec.scope);
    immutable(&rows::KIND_CHANGED, "names.kind", &old.spec.names.kind, &new.spec.names.kind);
    names(&old.spec, &new.spec, &mut changes);
    conversion(&old.spec, &new.spec, &mut changes);
    stored_versions(old, new, &mut changes);
    refused(old, new, options, &mut changes);
    changes
}

/// Returns `true` unless the status says that the definition was never established. A file has no status.
fn is_established(crd: &CustomResourceDefinition) -> bool {
    let conditions = crd.status.as_ref().and_then(|status| status.conditions.as_ref());
    let found = conditions.and_then(|all| all.iter().find(|condition| condition.type_ == "Established"));
    found.is_none_or(|condition| condition.status == "True")
}

fn names(old: &Spec, new: &Spec, changes: &mut Vec<Change>) {
    // The API server fills in the names that are missing.
    let list_kind = |spec: &Spec| {
        let name = &spec.names.list_kind;
        if name.is_empty() { format!("{}List", spec.names.kind) } else { name.clone() }
    };
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
        changes.push(change(&rows::CONVERSION_CHANGED, "conversion.strategy").values(before, after));
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

/// Versions in which objects may be stored and that the new definition lacks: `validateCustomResourceDefinitionStatus`.
fn stored_versions(
    old: &CustomResourceDefinition,
    new: &CustomResourceDefinition,
    changes: &mut Vec<Change>,
) {
    let recorded = old.status.as_ref().and_then(|status| status.stored_versions.clone());
    let stored = recorded.filter(|versions| !versions.is_empty()).unwrap_or_else(|| {
        let stored = old.spec.versions.iter().filter(|version| version.storage);
        stored.map(|version| version.name.clone()).collect()
    });
    for (index, name) in stored.iter().enumerate() {
        if new.spec.versions.iter().any(|version| version.name == *name) {
            continue;
        }
        let text = format!(
            "status.storedVersions[{index}]: Invalid value: {}: missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions",
            Value::from(name.as_str())
        );
        let change = change(&rows::STORED_VERSION_REMOVED, "versions").values(name.as_str(), Value::Null);
        changes.push(change.answered(text));
    }
}

/// Causes for which the API server refuses the new definition, but not the old one.
fn refused(
    old: &CustomResourceDefinition,
    new: &CustomResourceDefinition,
    options: Options,
    changes: &mut Vec<Change>,
) {
    let verdict = Verdict::with_options(new, options);
    if verdict.accepted {
        return;
    }
    let known = Verdict::with_options(old, options);
    let causes = |verdict: &Verdict| {
        let all = verdict.errors.iter().chain(&verdict.refusal);
        all.map(|cause| (cause.field.clone(), cause.to_string())).collect::<Vec<_>>()
    };
    let known = causes(&known);
    for (field, text) in causes(&verdict) {
        if known.iter().any(|(_, other)| *other == text) {
            continue;
        }
        let mut change =
            Change::new(&rows::REFUSED, Place::default()).answered(text.clone()).values(Value::Null, text);
        change.fields = (field.clone(), field);
        changes.push(change);
    }
}

fn change(row: &'static Row, field: &str) -> Change {
    let path = field.split('.').fold(FieldPath::new("spec"), |path, step| path.child(step));
    Change::new(row, Place::default()).fields(path.clone(), path)
}
