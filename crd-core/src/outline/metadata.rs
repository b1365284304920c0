//! Checks `metadata`, including the approval that the Kubernetes project's groups need.

use crd_go::names::{dns_1123_subdomain, masked_prefix};
use crd_go::outline;

use super::Before;
use crate::crd::Spec;
use crate::object_meta::{NameRule, declared, generated_name, keep_managers, object_meta};
use crate::{Causes, CustomResourceDefinition, FieldPath, Remedy};

/// Checks the metadata of a CRD.
pub(super) fn metadata(crd: &CustomResourceDefinition, out: &mut Causes) {
    let path = FieldPath::new("metadata");
    let mut meta = crd.metadata.clone();
    // The server sets or clears these fields before its checks.
    meta.namespace.clear();
    meta.generation = None;
    keep_managers(&mut meta);
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

/// Checks the approval that the Kubernetes project's groups need. An update is not rejected because of an approval that it does not change.
pub(super) fn approval(crd: &CustomResourceDefinition, before: Option<Before<'_>>, out: &mut Causes) {
    let before = before.map(|before| annotation(before.0));
    outline::approval(&crd.spec.group, annotation(crd), before, out);
}

fn annotation(crd: &CustomResourceDefinition) -> &str {
    let annotations = crd.metadata.annotations.as_ref();
    annotations.and_then(|all| all.get(outline::APPROVED)).map_or("", String::as_str)
}
