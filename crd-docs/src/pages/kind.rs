//! The part of a page about the kind: its versions, the differences between versions, and kubectl commands.

use std::collections::{BTreeSet, HashMap};

use crd_core::CustomResourceDefinition;
use crd_core::crd::{MIN_KUBE_VERSION, Scope, Version, compare_versions};
use crd_core::schema::Structural;

use super::{description, field};

/// A version on a page.
pub(super) struct PageVersion<'c> {
    pub(super) version: &'c Version,
    /// `None` if the version has no schema, or if its schema is not structural.
    pub(super) schema: Option<Structural>,
    /// The prefix for this version's anchors. It is empty for the first version on the page.
    pub(super) prefix: String,
    /// The version in which each field first appeared. Fields in the oldest version are left out.
    since: HashMap<String, &'c str>,
    /// Fields that the previous version has, but not this version.
    pub(super) gone: Vec<String>,
}

impl PageVersion<'_> {
    /// Returns the version that added a field. Returns `None` if the oldest version has the field, or if the field was added together with
    /// its parent.
    pub(super) fn since(&self, path: &str) -> Option<&str> {
        let first = self.since.get(path).copied();
        let came_with_parent = parent(path).is_some_and(|parent| self.since.get(parent).copied() == first);
        first.filter(|_| !came_with_parent)
    }
}

/// Returns the path to the parent field.
fn parent(path: &str) -> Option<&str> {
    let mut parent = path.rsplit_once('.')?.0;
    while let Some(shorter) = parent.strip_suffix("[]").or_else(|| parent.strip_suffix("[*]")) {
        parent = shorter;
    }
    Some(parent)
}

/// Returns the served versions, the newest first.
pub(super) fn versions(crd: &CustomResourceDefinition) -> Vec<PageVersion<'_>> {
    let mut served: Vec<&Version> = crd.spec.versions.iter().filter(|version| version.served).collect();
    served.sort_by(|a, b| compare_versions(&a.name, &b.name));
    let mut out: Vec<PageVersion<'_>> = Vec::new();
    let mut before: Option<(HashMap<String, &str>, BTreeSet<String>)> = None;
    for version in served {
        let schema =
            version.open_api_v3_schema().and_then(|schema| Structural::from_json_schema(schema).ok());
        let mut paths = BTreeSet::new();
        if let Some(schema) = &schema {
            field::each(schema, "", &mut |_, path| {
                paths.insert(path.to_owned());
            });
        }
        let (mut since, mut gone) = (HashMap::new(), Vec::new());
        if let Some((older, known)) = &before {
            for path in &paths {
                if let Some(first) = older.get(path) {
                    since.insert(path.clone(), *first);
                } else if !known.contains(path) {
                    since.insert(path.clone(), version.name.as_str());
                }
            }
            // A field whose parent is gone as well is not worth a line.
            let parent_is_gone = |path: &str| {
                parent(path).is_some_and(|parent| known.contains(parent) && !paths.contains(parent))
            };
            gone.extend(known.difference(&paths).filter(|path| !parent_is_gone(path)).cloned());
        }
        // Nothing is known of the fields of a version without a schema.
        before = schema.is_some().then(|| (since.clone(), paths)).or(before);
        out.push(PageVersion { version, schema, prefix: String::new(), since, gone });
    }
    out.sort_by(|a, b| compare_versions(&b.version.name, &a.version.name));
    for later in out.iter_mut().skip(1) {
        later.prefix = format!("{}.", field::segment(&later.version.name));
    }
    out
}

/// Returns the first paragraph of the newest version's description.
pub(super) fn summary(crd: &CustomResourceDefinition) -> String {
    let served = crd.spec.versions.iter().filter(|version| version.served);
    let newest = served.max_by(|a, b| compare_versions(&a.name, &b.name));
    let schema = newest.and_then(Version::open_api_v3_schema);
    let text = schema.and_then(|schema| schema.description.as_deref()).unwrap_or_default();
    description::first_paragraph(text)
}

/// Returns facts about the kind, each with a label and a value.
pub(super) fn names(crd: &CustomResourceDefinition) -> Vec<(&'static str, String)> {
    let names = &crd.spec.names;
    let mut out = vec![("Group", crd.spec.group.clone()), ("Scope", crd.spec.scope.clone())];
    out.push(("Plural", names.plural.clone()));
    out.push(("Singular", names.singular.clone()));
    for (label, all) in [("Short names", &names.short_names), ("Categories", &names.categories)] {
        out.push((label, all.iter().flatten().cloned().collect::<Vec<_>>().join(", ")));
    }
    let annotations = crd.metadata.annotations.as_ref();
    if let Some(release) = annotations.and_then(|annotations| annotations.get(MIN_KUBE_VERSION)) {
        out.push(("Needs", format!("Kubernetes {release} or newer")));
    }
    out.retain(|(_, value)| !value.is_empty());
    out
}

/// Returns kubectl commands for the kind.
pub(super) fn commands(crd: &CustomResourceDefinition, versions: &[PageVersion<'_>]) -> String {
    let resource = format!("{}.{}", crd.spec.names.plural, crd.spec.group);
    let all = if crd.spec.scope() == Some(Scope::Namespaced) { " --all-namespaces" } else { "" };
    let mut out = format!("kubectl get {resource}{all}\nkubectl explain {resource} --recursive\n");
    let newest = versions.first().and_then(|one| one.version.subresources.as_ref());
    if newest.is_some_and(|subresources| subresources.scale.is_some()) {
        out += &format!("kubectl scale {resource}/NAME --replicas=2\n");
    }
    out
}

/// Returns the facts about a version, each with a label and a value.
pub(super) fn version_facts(version: &Version) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    if version.storage {
        out.push(("Stored", "objects are stored in this version".to_owned()));
    }
    if version.deprecated == Some(true) {
        let warning = version.deprecation_warning.clone();
        out.push(("Deprecated", warning.unwrap_or_else(|| "clients are warned".to_owned())));
    }
    if let Some(subresources) = &version.subresources {
        if subresources.status.is_some() {
            out.push(("Status", "has its own subresource".to_owned()));
        }
        if let Some(scale) = &subresources.scale {
            out.push(("Scale", format!("{} and {}", scale.spec_replicas_path, scale.status_replicas_path)));
        }
    }
    let paths: Vec<&str> =
        version.selectable_fields.iter().flatten().map(|field| field.json_path.as_str()).collect();
    if !paths.is_empty() {
        out.push(("Selectable fields", paths.join(", ")));
    }
    out
}
