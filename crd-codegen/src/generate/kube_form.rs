//! Warns about parts of a CRD that kube's derive cannot express.

use crd_core::{CauseReason, CustomResourceDefinition, Diagnostic, FieldPath};

use crate::ir::kube_root::KubeRoot;
use crate::ir::{Model, Presence};

/// Returns the warnings for the version `at` of a CRD.
pub(super) fn warnings(model: &Model, crd: &CustomResourceDefinition, at: usize) -> Vec<Diagnostic> {
    let spec = FieldPath::new("spec");
    let version = spec.child("versions").index(at);
    let schema = version.child("schema").child("openAPIV3Schema");
    let mut warnings = object_errors(model, &schema);
    if KubeRoot::choose(model) == KubeRoot::Own {
        return warnings;
    }
    let mut warn = |field: FieldPath, message: &str, help: Option<&str>| {
        let warning = Diagnostic::new(field, CauseReason::NotSupported, message);
        warnings.push(help.into_iter().fold(warning, Diagnostic::with_help));
    };
    let names = &crd.spec.names;
    if names.has_own_list_kind() {
        warn(spec.child("names").child("listKind"), "kube's derive has no attribute for it", None);
    }
    if crd.spec.conversion.as_ref().is_some_and(|conversion| conversion.webhook.is_some()) {
        warn(spec.child("conversion"), "kube's derive has no attribute for it", None);
    }
    let has_status_type = field(model, "status").is_some();
    let has_status = crd.spec.versions[at].has_status();
    let path = version.child("subresources");
    if has_status != has_status_type {
        let message = if has_status {
            "kube's derive omits the subresource `status`, because the schema has no `status`"
        } else {
            "kube's derive adds the subresource `status`, because the schema has a `status`"
        };
        warn(path.child("status"), message, None);
    }
    let subresources = crd.spec.versions[at].subresources.as_ref();
    if !has_status_type && subresources.is_some_and(|subresources| subresources.scale.is_some()) {
        let message = "kube's derive omits the subresource `scale`, because the schema has no `status`";
        warn(path.child("scale"), message, None);
    }
    warnings
}

/// Returns the warnings about the object's top-level properties.
fn object_errors(model: &Model, schema: &FieldPath) -> Vec<Diagnostic> {
    let properties = schema.child("properties");
    let warning = match KubeRoot::choose(model) {
        KubeRoot::Spec(_) => match field(model, "spec") {
            Some(Presence::Required) | None => return Vec::new(),
            Some(_) => Diagnostic::new(
                properties.key("spec"),
                CauseReason::Required,
                "kube's derive requires it: objects without a `spec` cannot be read",
            )
            .with_help("use the form `types` with the option `kube`, which reads such objects"),
        },
        KubeRoot::Fields => Diagnostic::new(
            properties,
            CauseReason::NotSupported,
            "kube 4 has no derive for objects with properties other than `spec` and `status`: `no_spec` needs kube 5",
        ),
        KubeRoot::Own => Diagnostic::new(
            schema.clone(),
            CauseReason::NotSupported,
            "the type of the whole object does not use kube's derive, which would not keep all properties",
        )
        .with_help("it implements `kube::Resource` as in the form `types`"),
    };
    vec![warning]
}

fn field(model: &Model, property: &str) -> Option<Presence> {
    let field = model.root.fields.iter().find(|field| &*field.property == property);
    field.map(|field| field.presence)
}
