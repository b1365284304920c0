//! `metadata`, with the approval that groups of the Kubernetes project need.

use crd_go::names::{dns_1123_subdomain, masked_prefix};
use crd_go::outline;

use super::Before;
use crate::crd::Spec;
use crate::object_meta::{NameRule, declared, generated_name, object_meta, object_meta_update};
use crate::{Causes, CustomResourceDefinition, FieldPath, Remedy};

/// Checks the metadata.
pub(super) fn metadata(crd: &CustomResourceDefinition, out: &mut Causes) {
    let path = FieldPath::new("metadata");
    let mut meta = crd.metadata.clone();
    // The server sets or clears these fields before its checks.
    meta.namespace.clear();
    meta.generation = None;
    if meta.name.is_empty() && !meta.generate_name.is_empty() {
        // A generated name is never the required name.
        meta.name = generated_name(&meta.generate_name);
    }
    let first = out.len();
    declared(out, |out| object_meta(&meta, false, &PluralAndGroup(&crd.spec), &path, out));
    let expected = PluralAndGroup(&crd.spec).name();
    for (field, name) in [("generateName", &meta.generate_name), ("name", &meta.name)] {
        let field = path.child(field);
        // That the name is another one is the last of its causes.
        let causes = out[first..].iter_mut().filter(|cause| cause.field == field);
        if let Some(cause) = causes.last().filter(|_| !name.is_empty() && *name != expected) {
            cause.remedy = Some(Remedy::meant(&expected, field));
        }
    }
}

/// Checks the metadata of a CRD that replaces a stored one. The name equals the stored name, and is not checked
/// again.
pub(super) fn metadata_update(crd: &CustomResourceDefinition, before: Before<'_>, out: &mut Causes) {
    let path = FieldPath::new("metadata");
    let mut meta = crd.metadata.clone();
    meta.name.clone_from(&before.0.metadata.name);
    meta.generate_name.clear();
    meta.namespace.clear();
    meta.generation = None;
    object_meta(&meta, false, &AnyName, &path, out);
    // The server asks twice what an update may do: for all objects, and for definitions.
    object_meta_update(&crd.metadata, &before.0.metadata, &path, out);
    declared(out, |out| object_meta_update(&crd.metadata, &before.0.metadata, &path, out));
}

/// Accepts every name.
struct AnyName;

impl NameRule for AnyName {
    fn name(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn prefix(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

const MUST_BE_PLURAL_AND_GROUP: &str = "must be spec.names.plural+\".\"+spec.group";

struct PluralAndGroup<'a>(&'a Spec);

impl PluralAndGroup<'_> {
    fn name(&self) -> String {
        format!("{}.{}", self.0.names.plural, self.0.group)
    }

    fn check(&self, text: &str, name: &str) -> Vec<String> {
        let mut wrong = dns_1123_subdomain(text);
        if name != self.name() {
            wrong.push(MUST_BE_PLURAL_AND_GROUP.to_owned());
        }
        wrong
    }
}

impl NameRule for PluralAndGroup<'_> {
    fn name(&self, name: &str) -> Vec<String> {
        self.check(name, name)
    }

    fn prefix(&self, prefix: &str) -> Vec<String> {
        self.check(&masked_prefix(prefix), prefix)
    }
}

/// Checks the approval of a group of the Kubernetes project. A stored CRD may keep an unchanged approval.
pub(super) fn approval(crd: &CustomResourceDefinition, before: Option<Before<'_>>, out: &mut Causes) {
    let before = before.map(|before| annotation(before.0));
    outline::approval(&crd.spec.group, annotation(crd), before, out);
}

fn annotation(crd: &CustomResourceDefinition) -> &str {
    let annotations = crd.metadata.annotations.as_ref();
    annotations.and_then(|all| all.get(outline::APPROVED)).map_or("", String::as_str)
}
