//! Checks the names in a CRD from which names of modules, files and types are derived.

use crd_core::crd::{JsonSchemaProps, Validation, Version};
use crd_core::{CustomResourceDefinition, Diagnostic, FieldPath};

/// Returns the reasons why the API server would reject the group, the kind, the plural or a version's name.
pub(super) fn check(crd: &CustomResourceDefinition) -> Vec<Diagnostic> {
    let spec = FieldPath::new("spec");
    let names = spec.child("names");
    let mut checked = vec![spec.child("group"), names.child("kind"), names.child("plural")];
    checked.extend((0..crd.spec.versions.len()).map(|i| spec.child("versions").index(i).child("name")));
    let mut wrong = crd_core::check(&skeleton(crd));
    wrong.retain(|diagnostic| checked.contains(&diagnostic.field));
    wrong
}

/// Returns a CRD that contains only the names. Checking the schemas too would be slow.
fn skeleton(crd: &CustomResourceDefinition) -> CustomResourceDefinition {
    let mut skeleton = CustomResourceDefinition::default();
    skeleton.metadata.name = format!("{}.{}", crd.spec.names.plural, crd.spec.group);
    skeleton.spec.group.clone_from(&crd.spec.group);
    skeleton.spec.names.kind.clone_from(&crd.spec.names.kind);
    skeleton.spec.names.plural.clone_from(&crd.spec.names.plural);
    skeleton.spec.scope = "Namespaced".to_owned();
    skeleton.spec.versions =
        crd.spec.versions.iter().enumerate().map(|(i, version)| bare(version, i == 0)).collect();
    skeleton
}

fn bare(version: &Version, storage: bool) -> Version {
    let mut schema = JsonSchemaProps::default();
    schema.type_ = Some("object".to_owned());
    let mut validation = Validation::default();
    validation.open_api_v3_schema = Some(Box::new(schema));
    let mut bare = Version::default();
    bare.name.clone_from(&version.name);
    (bare.served, bare.storage, bare.schema) = (true, storage, Some(validation));
    bare
}
