//! Options that exclude each other.

use crd_core::{Diagnostic, FieldPath};

use crate::config::{Form, K8sOpenapi, Settings};
use crd_input::{Finding, Origin, Severity};

/// An error for each option that the other options exclude; nothing is generated then.
pub(super) fn findings(settings: &Settings) -> Vec<Finding> {
    match settings.form {
        Form::Types => Vec::new(),
        Form::Derive => of_the_form_derive(settings),
    }
}

fn finding(diagnostic: Diagnostic) -> Finding {
    let origin = Origin { file: "<options>".to_owned(), document: 0 };
    Finding { origin, diagnostic, severity: Severity::Error }
}

fn of_the_form_derive(settings: &Settings) -> Vec<Finding> {
    // A client has the definition inside, which would be out of date with the first change of the types; apply forms
    // are not types of the definition.
    let options = [
        (
            "client",
            settings.client,
            "choose `kube` for `kube::Api` on these types, or generate the client from the definition in the form `types`, in a run of its own",
        ),
        (
            "apply",
            settings.apply,
            "generate them from the definition in the form `types`, in a run of their own",
        ),
        (
            "validate",
            settings.validate,
            "ask `validator()` of the type itself, with the feature `testing` of crdkit",
        ),
        (
            "k8s-openapi",
            settings.k8s_openapi != K8sOpenapi::None,
            "remove the option: it does not apply to the types of k8s-openapi",
        ),
    ];
    let excluded = options.into_iter().filter(|(_, is_chosen, _)| *is_chosen).map(|(option, _, help)| {
        finding(Diagnostic::forbidden(FieldPath::new(option), "the form `derive` has none").with_help(help))
    });
    // A second implementation would not compile.
    let derives = settings.derive.iter().filter(|rule| {
        let name = rule.path.rsplit("::").next().unwrap_or_default();
        matches!(name, "CrdSchema" | "CustomResource" | "JsonSchema")
    });
    let derives = derives.map(|rule| {
        let message = format!("the form `derive` puts `{}` on the types that need it", rule.path);
        finding(Diagnostic::forbidden(FieldPath::new("derive"), &message).with_help("leave it out"))
    });
    excluded.chain(derives).collect()
}
