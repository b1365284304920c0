//! Compares the versions of CRDs: their list, subresources, columns, selectable fields and schemas, and the fields that conversion loses.

use std::collections::HashSet;

use crd_core::crd::{PrinterColumn, ScaleSubresource, Version};
use crd_core::{CustomResourceDefinition, FieldPath, Structural};
use serde_json::{Value, json};

use crate::change::{Change, Probe};
use crate::definition;
use crate::finding::Class;
use crate::rows::{self, Row};
use crate::schema_path::SchemaPath;
use crate::schemas::Schemas;
use crate::walk;
use crate::witness::{schema_at, schemas_on_the_way, sees_fields};
use crate::work::With;

/// For one new default, the maximum number of fields lost in a conversion for which objects are tried.
const MOST_LOSSES: usize = 3;

/// Compares the versions of two CRDs.
pub(crate) fn compare(old_schemas: &Schemas<'_>, new_schemas: &Schemas<'_>, with: With<'_>) -> Vec<Change> {
    let (old, new) = (old_schemas.crd, new_schemas.crd);
    let mut changes = Vec::new();
    for (index, before) in old_schemas.versions().enumerate() {
        let path = path(index);
        match new_schemas.find(&before.0.name) {
            Some((at, version, schema)) => {
                compare_version(before, (version, schema), (&path, &self::path(at)), with, &mut changes);
            }
            None => changes.push(removed(before.0, &path, definition::has_stored_versions(old))),
        }
    }
    if old.spec.preserve_unknown_fields == Some(true) {
        // Nothing was dropped, also no status.
        let statuses = changes.iter_mut().filter(|change| std::ptr::eq(change.row, &rows::STATUS_NEW));
        statuses.for_each(|change| change.row = &rows::STATUS_ADDED);
    }
    for (index, after) in new.spec.versions.iter().enumerate() {
        if old.version(&after.name).is_none() {
            let change = change(
                &rows::VERSION_ADDED,
                &after.name,
                (&FieldPath::new("spec").child("versions"), &path(index)),
            );
            changes.push(change.values(Value::Null, after.name.as_str()));
        }
    }
    let stored = |crd: &CustomResourceDefinition| {
        crd.spec
            .versions
            .iter()
            .position(|version| version.storage)
            .map(|at| (at, crd.spec.versions[at].name.clone()))
    };
    if let (Some((at, before)), Some((at_new, after))) = (stored(old), stored(new))
        && before != after
    {
        let change = change(
            &rows::STORAGE_MOVED,
            &before,
            (&path(at).child("storage"), &path(at_new).child("storage")),
        );
        changes.push(change.values(before, after).probe(Probe::Any));
    }
    if !with.has_webhook {
        for (schemas, class) in [(old_schemas, Class::Data), (new_schemas, Class::Rollback)] {
            follows_if_stored(schemas, class, &mut changes);
        }
    }
    let losses = [losses(old_schemas, with), losses(new_schemas, with)];
    for change in &mut changes {
        stuck_by_default(change, new_schemas, &losses);
    }
    lost_between(losses, old_schemas, &mut changes);
    changes
}

/// Removes a class from changes that drop fields, if the storage version does not have the fields. The conversion `None` has already
/// dropped these fields from stored objects.
fn follows_if_stored(schemas: &Schemas<'_>, class: Class, changes: &mut [Change]) {
    let stored = schemas.versions().find(|(version, _)| version.storage);
    let Some((stored, schema)) = stored.and_then(|(version, schema)| Some((version, schema?))) else {
        return;
    };
    if schemas.crd.spec.has_conversion_webhook() {
        return;
    }
    for change in changes.iter_mut().filter(|change| change.certain.contains(&class)) {
        let is_stored = change.version.as_ref() == Some(&stored.name) || may_have(schema, &change.place);
        if !is_stored {
            change.certain.retain(|other| *other != class);
        }
    }
}

/// Returns the change for a removed version. If the CRD has no `status.storedVersions`, the version may be in the cluster's list.
fn removed(before: &Version, path: &FieldPath, is_listed: bool) -> Change {
    let row = if before.served { &rows::VERSION_REMOVED } else { &rows::VERSION_DROPPED };
    let change = change(row, &before.name, (path, &FieldPath::new("spec").child("versions")));
    let change = change.values(before.name.as_str(), Value::Null).probe(Probe::Any);
    // The version in which objects are stored is surely listed, which is a finding of its own.
    if before.served && !before.storage && !is_listed { change.expect(&[Class::Server]) } else { change }
}

/// Adds the expected class `Stuck` to a change whose new default may make every update of an object fail.
///
/// For an update, the API server converts the stored object to the request's version, but does not fill in the defaults of that version
/// (`crdConversionRESTOptionsGetter` in `customresource_handler.go`). Every update thus changes the parent of a field with a default. The
/// parent is therefore validated, without any fields that it lost in the conversion.
fn stuck_by_default(change: &mut Change, new: &Schemas<'_>, losses: &[Vec<Loss>; 2]) {
    let Some(version) = change.version.as_deref().filter(|_| change.row.id == rows::DEFAULT_ADDED.id) else {
        return;
    };
    let Some((_, found, Some(schema))) = new.find(version) else { return };
    if found.storage {
        return;
    }
    let is_stored = |name: &str| new.crd.version(name).is_some_and(|version| version.storage);
    let lost = losses.iter().flatten().filter(|loss| loss.from == version && is_stored(&loss.through));
    let mut seen: Vec<&SchemaPath> =
        lost.map(|loss| &loss.at).filter(|lost| is_seen_around(schema, &change.place, lost)).collect();
    seen.dedup();
    if !seen.is_empty() {
        let probes = seen.into_iter().take(MOST_LOSSES).map(|lost| Probe::Present(lost.clone()));
        change.probes.extend(probes);
        change.expected.push(Class::Stuck);
    }
}

/// Returns `true` if a value that contains both `at` and `lost` may become invalid when the field at `lost` is dropped.
fn is_seen_around(schema: &Structural, at: &SchemaPath, lost: &SchemaPath) -> bool {
    let (at, lost) = (at.steps(), lost.steps());
    let shared = at.iter().zip(&lost).take_while(|(one, other)| one == other).count().min(at.len() - 1);
    schemas_on_the_way(schema, &at).take(shared + 1).any(|(end, schema)| {
        let keywords = schema.value_validation.as_deref();
        let is_required = end + 1 == lost.len() && schema.is_required(&lost[end]);
        is_required || !schema.validations.is_empty() || keywords.is_some_and(sees_fields)
    })
}

fn compare_version(
    (before, old): (&Version, Option<&Structural>),
    (after, new): (&Version, Option<&Structural>),
    fields: (&FieldPath, &FieldPath),
    with: With<'_>,
    changes: &mut Vec<Change>,
) {
    let name = &before.name;
    let at = |keyword: &str| (fields.0.child(keyword), fields.1.child(keyword));
    let mut push = |row, keyword: &str, old: Value, new: Value| {
        let (old_field, new_field) = at(keyword);
        changes.push(change(row, name, (&old_field, &new_field)).values(old, new));
    };
    match (before.served, after.served) {
        (true, false) => push(&rows::UNSERVED, "served", json!(name), Value::Null),
        (false, true) => push(&rows::SERVED, "served", Value::Null, json!(name)),
        _ => {}
    }
    if before.deprecated != Some(true) && after.deprecated == Some(true) {
        push(&rows::DEPRECATED, "deprecated", Value::Null, json!(name));
    }
    subresources((before, old), after, &mut push);
    columns(before, after, &mut push);
    let paths = |version: &Version| -> Vec<String> {
        version.selectable_fields.iter().flatten().map(|field| field.json_path.clone()).collect()
    };
    let (old_paths, new_paths) = (paths(before), paths(after));
    for path in old_paths.iter().filter(|path| !new_paths.contains(path)) {
        push(&rows::SELECTABLE_REMOVED, "selectableFields", json!(path), Value::Null);
    }
    for path in new_paths.iter().filter(|path| !old_paths.contains(path)) {
        push(&rows::SELECTABLE_ADDED, "selectableFields", Value::Null, json!(path));
    }
    if let Some(last) = changes.last_mut()
        && last.row.id == rows::UNSERVED.id
    {
        last.probes.push(Probe::Any);
    }
    if let (Some(old), Some(new)) = (old, new) {
        let root = |path: &FieldPath| path.child("schema").child("openAPIV3Schema");
        let mut found = walk::compare(old, new, (&root(fields.0), &root(fields.1)), name, with);
        if !before.served || !after.served {
            // Nobody sends requests in the version; its stored objects are what the search has to decide.
            found.iter_mut().for_each(|change| {
                change.certain.clear();
                change.is_unused = !before.served && !before.storage;
                change.is_unserved = !after.served;
            });
        }
        changes.extend(found);
    }
}

/// Returns `true` if objects with this schema can have a status.
fn keeps_status(schema: Option<&Structural>) -> bool {
    schema.is_none_or(|schema| {
        schema.properties.get("status").is_some()
            || schema.extensions.preserve_unknown_fields
            || schema.additional_properties.is_some()
    })
}

fn subresources(
    (before, schema): (&Version, Option<&Structural>),
    after: &Version,
    push: &mut impl FnMut(&'static Row, &str, Value, Value),
) {
    let status = |version: &Version| version.subresources.as_ref().is_some_and(|all| all.status.is_some());
    match (status(before), status(after)) {
        (false, true) => {
            let row = if keeps_status(schema) { &rows::STATUS_ADDED } else { &rows::STATUS_NEW };
            push(row, "subresources", json!(false), json!(true));
        }
        (true, false) => push(&rows::STATUS_REMOVED, "subresources", json!(true), json!(false)),
        _ => {}
    }
    let scale = |version: &Version| version.subresources.as_ref().and_then(|all| all.scale.clone());
    let shown = |scale: &ScaleSubresource| {
        json!({
            "specReplicasPath": scale.spec_replicas_path,
            "statusReplicasPath": scale.status_replicas_path,
            "labelSelectorPath": scale.label_selector_path,
        })
    };
    match (scale(before), scale(after)) {
        (None, Some(after)) => push(&rows::SCALE_ADDED, "subresources", Value::Null, shown(&after)),
        (Some(before), None) => push(&rows::SCALE_REMOVED, "subresources", shown(&before), Value::Null),
        (Some(before), Some(after)) if shown(&before) != shown(&after) => {
            let mut without = after.clone();
            without.label_selector_path = None;
            let row = if without == before { &rows::SELECTOR_ADDED } else { &rows::SCALE_CHANGED };
            push(row, "subresources", shown(&before), shown(&after));
        }
        _ => {}
    }
}

fn columns(before: &Version, after: &Version, push: &mut impl FnMut(&'static Row, &str, Value, Value)) {
    let keyword = "additionalPrinterColumns";
    let shown = |column: &PrinterColumn| json!({"name": column.name, "type": column.type_, "jsonPath": column.json_path, "priority": column.priority.unwrap_or_default()});
    // Without any columns, the API server shows the age.
    let all = |version: &Version| {
        let columns = version.additional_printer_columns.clone().unwrap_or_default();
        if columns.is_empty() { vec![age()] } else { columns }
    };
    let (old, new) = (all(before), all(after));
    for column in &old {
        match new.iter().find(|other| other.name == column.name) {
            None => push(&rows::COLUMN_REMOVED, keyword, json!(column.name), Value::Null),
            Some(other) if shown(other) != shown(column) => {
                push(&rows::COLUMN_CHANGED, keyword, shown(column), shown(other));
            }
            Some(_) => {}
        }
    }
    for column in new.iter().filter(|column| old.iter().all(|other| other.name != column.name)) {
        push(&rows::COLUMN_ADDED, keyword, Value::Null, json!(column.name));
    }
}

fn age() -> PrinterColumn {
    let mut age = PrinterColumn::default();
    (age.name, age.type_) = ("Age".to_owned(), "date".to_owned());
    age.json_path = ".metadata.creationTimestamp".to_owned();
    age
}

/// Adds a change for each field that the conversion `None` drops between two versions of the new CRD, but not between the same versions of
/// the old CRD.
fn lost_between([known, new]: [Vec<Loss>; 2], old: &Schemas<'_>, changes: &mut Vec<Change>) {
    let known: HashSet<(String, String, SchemaPath)> =
        known.into_iter().map(|loss| (loss.from, loss.through, loss.at)).collect();
    for loss in new {
        let key = (loss.from.clone(), loss.through.clone(), loss.at.clone());
        if known.contains(&key) {
            continue;
        }
        // No stored object has a field that the version lacked until now.
        let has_been = old.of(&loss.from).is_some_and(|schema| may_have(schema, &loss.at));
        let row = if has_been { &rows::LOST_BETWEEN } else { &rows::LOST_LATER };
        let mut change = change(row, &loss.from, (&FieldPath::new("spec").child("versions"), &loss.field));
        change.place = loss.at.clone();
        if loss.has_default {
            // Apply compares the entries of a version in this version, whose type lacks the field.
            let answer = "server-side apply in version {old} fails for objects that were applied in version {new}, because a default adds the field";
            let answer = answer.replace("{old}", &loss.from).replace("{new}", &loss.through);
            change = change.follows(&[Class::Apply]).answered(answer);
        }
        changes.push(change.values(loss.from, loss.through).probe(Probe::Present(loss.at)));
    }
}

/// Returns `true` if objects with this schema may have a value at a path.
fn may_have(schema: &Structural, at: &SchemaPath) -> bool {
    let keeps_keys = |schema: &Structural| {
        schema.extensions.preserve_unknown_fields || schema.additional_properties.is_some()
    };
    schema_at(schema, &at.steps()).is_some()
        || schema_at(schema, &at.parent().steps()).is_some_and(keeps_keys)
}

struct Loss {
    /// The version that has the field.
    from: String,
    /// The version that lacks the field.
    through: String,
    at: SchemaPath,
    field: FieldPath,
    /// `true` if the field has a default in the version that has it.
    has_default: bool,
}

fn losses(schemas: &Schemas<'_>, with: With<'_>) -> Vec<Loss> {
    let mut out = Vec::new();
    if schemas.crd.spec.has_conversion_webhook() || with.has_webhook {
        return out;
    }
    let used: Vec<(usize, &Version, &Structural)> = schemas
        .versions()
        .enumerate()
        .filter(|(_, (version, _))| version.served || version.storage)
        .filter_map(|(at, (version, schema))| Some((at, version, schema?)))
        .collect();
    for (at, from, before) in &used {
        for (_, through, after) in used.iter().filter(|(other, ..)| other != at) {
            let root = path(*at).child("schema").child("openAPIV3Schema");
            let gone = walk::compare(before, after, (&root, &root), &from.name, with);
            let gone = gone.into_iter().filter(|change| {
                [&rows::PROPERTY_REMOVED, &rows::VALUES_REMOVED, &rows::PRESERVE_REMOVED]
                    .map(|row| row.id)
                    .contains(&change.row.id)
            });
            out.extend(gone.map(|change| {
                Loss {
                    from: from.name.clone(),
                    through: through.name.clone(),
                    has_default: schema_at(before, &change.place.steps())
                        .is_some_and(|lost| lost.generic.default.is_some()),
                    at: change.place,
                    field: change.fields.0,
                }
            }));
        }
    }
    out
}

fn path(index: usize) -> FieldPath {
    FieldPath::new("spec").child("versions").index(index)
}

fn change(row: &'static Row, version: &str, fields: (&FieldPath, &FieldPath)) -> Change {
    let mut change = Change::new(row, SchemaPath::default()).fields(fields.0.clone(), fields.1.clone());
    change.version = Some(version.to_owned());
    change
}
