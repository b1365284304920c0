//! Checks the metadata of an object that is created or replaces another object.
//!
//! Source: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go`.

use std::collections::HashSet;

use crd_go::KubeVersion;
use crd_go::names::{dns_1123_label, label_key};
pub(crate) use crd_go::outline::{annotations, labels};
use crd_go::strings::{is_print, quote, write_json_string};

use crate::crd::{API_VERSION, ManagedFieldsEntry, ObjectMeta, OwnerReference};
use crate::{CauseReason, Causes, Diagnostic, FieldPath, Shown};

const MANAGER_BYTES: usize = 128;
const SUBRESOURCE_BYTES: usize = 256;

/// A kind's rule for object names.
pub trait NameRule {
    /// Checks a name, and returns the messages; none for a valid name.
    fn name(&self, name: &str) -> Vec<String>;

    /// Checks the beginning of a name, and returns the messages; none for a valid beginning.
    fn prefix(&self, prefix: &str) -> Vec<String>;
}

/// Returns a name generated from a prefix. The API server appends five random letters, and this function `xxxxx`.
#[must_use]
pub fn generated_name(prefix: &str) -> String {
    const LONGEST_PREFIX: usize = 58;
    let mut end = prefix.len().min(LONGEST_PREFIX);
    while !prefix.is_char_boundary(end) {
        end -= 1;
    }
    [&prefix[..end], "xxxxx"].concat()
}

/// Runs checks of metadata, and removes duplicate causes if the API server does: since 1.37, `ValidateObjectMetaDeclaratively` drops causes
/// with the same printed form (`ErrorList.Filter`).
pub fn declared(out: &mut Causes, check: impl FnOnce(&mut Causes)) {
    let mut found = Causes::for_version(out.version());
    check(&mut found);
    if found.len() > 1 && found.version().is_at_least(37) {
        let mut seen = HashSet::new();
        found.retain(|cause| seen.insert(cause.to_string()));
    }
    out.append(&mut found);
}

/// Checks the metadata of an object that is created.
pub fn object_meta(
    meta: &ObjectMeta,
    is_namespaced: bool,
    rule: &dyn NameRule,
    path: &FieldPath,
    out: &mut Causes,
) {
    let mut invalid = |field: &str, value: &str, details: Vec<String>| {
        out.extend(details.iter().map(|detail| Diagnostic::invalid(path.child(field), value, detail)));
    };
    if !meta.generate_name.is_empty() {
        invalid("generateName", &meta.generate_name, rule.prefix(&meta.generate_name));
    }
    if !meta.name.is_empty() {
        invalid("name", &meta.name, rule.name(&meta.name));
    } else if meta.generate_name.is_empty() {
        out.push(
            Diagnostic::required(path.child("name"), "name or generateName is required")
                .with_help("add `metadata.name`"),
        );
    }
    match (is_namespaced, meta.namespace.as_str()) {
        (true, "") => out.push(Diagnostic::required(path.child("namespace"), "")),
        (true, namespace) => {
            let details = dns_1123_label(namespace);
            let field = path.child("namespace");
            out.extend(details.iter().map(|detail| Diagnostic::invalid(field.clone(), namespace, detail)));
        }
        (false, "") => {}
        (false, _) => {
            out.push(Diagnostic::forbidden(path.child("namespace"), "not allowed on this type"));
        }
    }
    if let Some(generation @ ..0) = meta.generation {
        let detail = "must be greater than or equal to 0";
        out.push(Diagnostic::invalid(path.child("generation"), generation, detail));
    }
    lists(meta, path, out);
    if let Some(names) = &meta.finalizers {
        finalizers(names, &path.child("finalizers"), out);
    }
    if let Some(entries) = &meta.managed_fields {
        managed_fields(entries, &path.child("managedFields"), out);
    }
}

/// Checks the labels, the annotations and the owner references of an object.
fn lists(meta: &ObjectMeta, path: &FieldPath, out: &mut Causes) {
    if let Some(map) = &meta.labels {
        labels(map.iter().map(|(key, value)| (key, value.as_str())), path, out);
    }
    if let Some(map) = &meta.annotations {
        annotations(map.iter().map(|(key, value)| (key, value.as_str())), path, out);
    }
    if let Some(references) = &meta.owner_references {
        owners(references, &path.child("ownerReferences"), out);
    }
}

/// Performs the additional metadata checks for an object that replaces another object. [`object_meta`] performs the checks that also apply
/// to new objects. Name, namespace, generation and creation time have already been copied from the old object. If the old object has no
/// UID, it was not read from a server, and any new UID is accepted.
pub fn object_meta_update(meta: &ObjectMeta, old: &ObjectMeta, path: &FieldPath, out: &mut Causes) {
    if old.deletion_timestamp.is_some() {
        no_new_finalizers(meta, old, &path.child("finalizers"), out);
    }
    let version = out.version();
    let mut immutable = |field: &str, shown: Shown| {
        out.push(Diagnostic::invalid(path.child(field), shown, "field is immutable"));
    };
    if !meta.uid.is_empty() && !old.uid.is_empty() && meta.uid != old.uid {
        immutable("uid", Shown::from(meta.uid.as_str()));
    }
    if meta.deletion_timestamp != old.deletion_timestamp {
        let shown = Shown::time(meta.deletion_timestamp.as_deref(), version);
        immutable("deletionTimestamp", shown);
    }
    if meta.deletion_grace_period_seconds != old.deletion_grace_period_seconds {
        let shown = meta.deletion_grace_period_seconds.map_or_else(|| Shown::null(version), Shown::from);
        immutable("deletionGracePeriodSeconds", shown);
    }
    lists(meta, path, out);
    if let Some(entries) = &meta.managed_fields {
        managed_fields(entries, &path.child("managedFields"), out);
    }
}

/// Removes the entries of `managedFields` that the API server drops when it stores a CRD: all entries if one is unreadable, and otherwise
/// the entries for other versions. The API server checks the remaining entries.
///
/// Source: `DecodeManagedFields` in `managedfields.go`, and `versionconverter.go`, of
/// `k8s.io/apimachinery/pkg/util/managedfields/internal`.
pub(crate) fn keep_managers(meta: &mut ObjectMeta) {
    let is_readable = |entry: &ManagedFieldsEntry| {
        OPERATIONS.contains(&entry.operation.as_str())
            && !entry.api_version.is_empty()
            && entry.fields_type == "FieldsV1"
    };
    if let Some(entries) = &mut meta.managed_fields {
        let is_kept = entries.iter().all(is_readable);
        entries.retain(|entry| is_kept && entry.api_version == API_VERSION);
    }
}

/// Checks the metadata of a CRD that replaces a stored CRD. The name of the CRD is not checked again, because it equals the stored name.
pub fn definition_meta_update(meta: &ObjectMeta, old: &ObjectMeta, out: &mut Causes) {
    let path = FieldPath::new("metadata");
    let mut meta = meta.clone();
    keep_managers(&mut meta);
    let meta = &meta;
    let mut common = meta.clone();
    common.name.clone_from(&old.name);
    common.generate_name.clear();
    common.namespace.clear();
    common.generation = None;
    object_meta(&common, false, &AnyName, &path, out);
    // The server asks twice what an update may do: for all objects, and for CRDs.
    object_meta_update(meta, old, &path, out);
    declared(out, |out| object_meta_update(meta, old, &path, out));
}

/// A rule that accepts every name.
struct AnyName;

impl NameRule for AnyName {
    fn name(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn prefix(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

fn no_new_finalizers(meta: &ObjectMeta, old: &ObjectMeta, path: &FieldPath, out: &mut Causes) {
    let added = new_finalizers(meta, Some(old));
    if !added.is_empty() {
        let added: Vec<String> = added.into_iter().map(quote).collect();
        let detail = format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            added.join(", ")
        );
        out.push(Diagnostic::forbidden(path.clone(), &detail));
    }
}

/// Returns the finalizers that the old object does not have, sorted and without duplicates.
pub(crate) fn new_finalizers<'m>(meta: &'m ObjectMeta, old: Option<&ObjectMeta>) -> Vec<&'m str> {
    let old = old.and_then(|old| old.finalizers.as_deref()).unwrap_or_default();
    let old: HashSet<&str> = old.iter().map(String::as_str).collect();
    let names = meta.finalizers.iter().flatten().map(String::as_str);
    let mut added: Vec<&str> = names.filter(|name| !old.contains(name)).collect();
    added.sort_unstable();
    added.dedup();
    added
}

fn owners(owners: &[OwnerReference], list: &FieldPath, out: &mut Causes) {
    let mut controller: Option<&OwnerReference> = None;
    for (i, owner) in owners.iter().enumerate() {
        // Up to 1.36, causes do not name the index.
        let path = if out.version().is_at_least(37) { list.index(i) } else { list.clone() };
        let (group, version) = owner_fields(owner, &path, out);
        if (group, version, owner.kind.as_str()) == ("", "v1", "Event") {
            let detail = "/v1, Kind=Event is disallowed from being an owner";
            let shown = show_owner(owner, out.version());
            out.push(Diagnostic::invalid(path, shown, detail));
        }
        if owner.controller == Some(true) {
            let kube_version = out.version();
            match controller {
                None => controller = Some(owner),
                Some(first) => out.push_with(CauseReason::Invalid, || {
                    let detail = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for \
                         {}/{} and {}/{}",
                        first.kind, first.name, owner.kind, owner.name
                    );
                    Diagnostic::invalid(list.clone(), show_owners(owners, kube_version), &detail)
                }),
            }
        }
    }
}

/// Checks an owner reference. Returns the group and the version in the owner's `apiVersion`.
fn owner_fields<'o>(owner: &'o OwnerReference, path: &FieldPath, out: &mut Causes) -> (&'o str, &'o str) {
    let (group, version) = group_version(&owner.api_version);
    let kube_version = out.version();
    let is_required = kube_version.is_at_least(37);
    let api_version = path.child("apiVersion");
    if is_required && owner.api_version.is_empty() {
        out.push(Diagnostic::required(api_version, "must not be empty"));
    } else if version.is_empty() {
        let detail =
            if is_required { "must be <group>/<version> or <version>" } else { "version must not be empty" };
        out.push(Diagnostic::invalid(api_version, owner.api_version.as_str(), detail));
    }
    for (name, value) in [("kind", &owner.kind), ("name", &owner.name), ("uid", &owner.uid)] {
        if !value.is_empty() {
            continue;
        }
        let detail = if kube_version.is_at_least(34) { String::new() } else { format!("{name} ") };
        let detail = detail + "must not be empty";
        out.push(if is_required {
            Diagnostic::required(path.child(name), &detail)
        } else {
            Diagnostic::invalid(path.child(name), "", &detail)
        });
    }
    (group, version)
}

/// Splits an `apiVersion` into group and version; both are empty if the `apiVersion` is invalid: `schema.FromAPIVersionAndKind`.
fn group_version(api_version: &str) -> (&str, &str) {
    match api_version.split_once('/') {
        None => ("", api_version),
        Some((_, version)) if version.contains('/') => ("", ""),
        Some((group, version)) => (group, version),
    }
}

fn show_owner(owner: &OwnerReference, version: KubeVersion) -> Shown {
    let mut out = String::new();
    write_owner(&mut out, owner, version);
    Shown(out)
}

fn show_owners(owners: &[OwnerReference], version: KubeVersion) -> Shown {
    let is_json = version.is_at_least(34);
    let mut out = String::from(if is_json { "[" } else { "[]v1.OwnerReference{" });
    for (i, owner) in owners.iter().enumerate() {
        if i > 0 {
            out.push_str(if is_json { "," } else { ", " });
        }
        write_owner(&mut out, owner, version);
    }
    out.push(if is_json { ']' } else { '}' });
    Shown(out)
}

fn write_owner(out: &mut String, owner: &OwnerReference, version: KubeVersion) {
    if !version.is_at_least(34) {
        return write_owner_as_go(out, owner);
    }
    let texts = [
        ("apiVersion", &owner.api_version),
        ("kind", &owner.kind),
        ("name", &owner.name),
        ("uid", &owner.uid),
    ];
    for (i, (key, value)) in texts.into_iter().enumerate() {
        out.push_str(if i == 0 { "{\"" } else { ",\"" });
        out.push_str(key);
        out.push_str("\":");
        write_json_string(out, value);
    }
    let flags = [("controller", owner.controller), ("blockOwnerDeletion", owner.block_owner_deletion)];
    for (key, value) in flags {
        if let Some(value) = value {
            out.push_str(&format!(",\"{key}\":{value}"));
        }
    }
    out.push('}');
}

/// Writes the struct in Go syntax. The addresses of pointers cannot be known.
fn write_owner_as_go(out: &mut String, owner: &OwnerReference) {
    let pointer = |flag: Option<bool>| if flag.is_some() { "(*bool)(0xc000000000)" } else { "(*bool)(nil)" };
    out.push_str(&format!(
        "v1.OwnerReference{{APIVersion:{}, Kind:{}, Name:{}, UID:{}, Controller:{}, BlockOwnerDeletion:{}}}",
        quote(&owner.api_version),
        quote(&owner.kind),
        quote(&owner.name),
        quote(&owner.uid),
        pointer(owner.controller),
        pointer(owner.block_owner_deletion)
    ));
}

fn finalizers(finalizers: &[String], path: &FieldPath, out: &mut Causes) {
    for finalizer in finalizers {
        let details = label_key(finalizer, out.version());
        out.extend(
            details.iter().map(|detail| Diagnostic::invalid(path.clone(), finalizer.as_str(), detail)),
        );
    }
    let has = |name: &str| finalizers.iter().any(|finalizer| finalizer == name);
    if has("orphan") && has("foregroundDeletion") {
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        let shown = Shown::strings(Some(finalizers), out.version());
        out.push(Diagnostic::invalid(path.clone(), shown, detail));
    }
}

const OPERATIONS: [&str; 2] = ["Apply", "Update"];

fn managed_fields(entries: &[ManagedFieldsEntry], path: &FieldPath, out: &mut Causes) {
    for (i, entry) in entries.iter().enumerate() {
        let path = path.index(i);
        if out.version().is_at_least(37) && entry.operation.is_empty() {
            out.push(Diagnostic::required(path.child("operation"), "must not be empty"));
        } else if out.version().is_at_least(37) && !OPERATIONS.contains(&entry.operation.as_str()) {
            out.push(Diagnostic::not_supported(path.child("operation"), &*entry.operation, &OPERATIONS));
        } else if !OPERATIONS.contains(&entry.operation.as_str()) {
            let detail = "must be `Apply` or `Update`";
            let shown = Shown::named(&entry.operation, out.version());
            out.push(Diagnostic::invalid(path.child("operation"), shown, detail));
        }
        if !entry.fields_type.is_empty() && entry.fields_type != "FieldsV1" {
            let detail = "must be `FieldsV1`";
            out.push(Diagnostic::invalid(path.child("fieldsType"), entry.fields_type.as_str(), detail));
        }
        let manager = path.child("manager");
        if entry.manager.len() > MANAGER_BYTES {
            out.push(Diagnostic::too_long(manager.clone(), MANAGER_BYTES as i64, out.version()));
        }
        for (at, c) in entry.manager.char_indices().filter(|(_, c)| !is_print(*c)) {
            let detail = format!("invalid character U+{:04X} (at position {at})", u32::from(c));
            out.push(Diagnostic::invalid(manager.clone(), entry.manager.as_str(), &detail));
        }
        if entry.subresource.len() > SUBRESOURCE_BYTES {
            out.push(Diagnostic::too_long(
                path.child("subresource"),
                SUBRESOURCE_BYTES as i64,
                out.version(),
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn managers_of_a_crd_are_kept_if_all_can_be_read() {
        let kept = |entries: &[ManagedFieldsEntry]| {
            let mut meta = ObjectMeta { managed_fields: Some(entries.to_vec()), ..ObjectMeta::default() };
            keep_managers(&mut meta);
            meta.managed_fields.unwrap().len()
        };
        let entry = |version: &str, operation: &str| ManagedFieldsEntry {
            api_version: version.to_owned(),
            operation: operation.to_owned(),
            fields_type: "FieldsV1".to_owned(),
            ..ManagedFieldsEntry::default()
        };
        let own = entry(API_VERSION, "Update");
        assert_eq!(kept(&[own.clone(), entry("v1", "Apply")]), 1);
        assert_eq!(kept(&[own.clone(), ManagedFieldsEntry::default()]), 0);
        assert_eq!(kept(&[own, entry(API_VERSION, "Create")]), 0);
    }
}
