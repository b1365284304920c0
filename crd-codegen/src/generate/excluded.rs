//! Reports options that are mutually exclusive.

use crd_core::{Diagnostic, FieldPath};

use crate::config::{Form, K8sOpenapi, Settings};
use crd_input::{Origin, Problem, ProblemSeverity};

/// Returns an error for each option that the form excludes. If there is an error, nothing is generated.
pub(super) fn findings(settings: &Settings) -> Vec<Problem> {
    match settings.form {
        Form::Types => Vec::new(),
        Form::Derive => excluded_by_derive(settings),
        Form::Kube => excluded_by_kube(settings),
    }
}

fn finding(diagnostic: Diagnostic) -> Problem {
    let origin = Origin { file: "<options>".to_owned(), document: 0 };
    Problem { origin, diagnostic, severity: ProblemSeverity::Error }
}

fn excluded_by_derive(settings: &Settings) -> Vec<Problem> {
    // A client has the definition inside, which would be out of date with the first change of the types; apply forms
    // are not types of the definition.
    let options = [
        (
            "client",
            settings.client,
            "choose `kube` for `kube::Api` on these types, or generate the client from the CRD in the form `types`, in a separate run",
        ),
        ("apply", settings.apply, "generate them from the CRD in the form `types`, in a separate run"),
        (
            "validate",
            settings.validate,
            "call `validator()` on the type itself, with the feature `testing` of crdkit",
        ),
        (
            "k8s-openapi",
            settings.k8s_openapi != K8sOpenapi::None,
            "remove the option: it does not apply to the types of k8s-openapi",
        ),
    ];
    excluded("derive", options).chain(derives("derive", settings)).collect()
}

/// Returns a problem for each option that cannot be combined with kube's derive, because the derive generates the root type.
fn excluded_by_kube(settings: &Settings) -> Vec<Problem> {
    let help = "generate the types in the form `types`, with `kube`";
    let options = [
        ("client", settings.client, help),
        ("apply", settings.apply, help),
        ("validate", settings.validate, help),
    ];
    let needed = settings.no_derive.iter().filter(|rule| matches!(rule.path.as_str(), "Clone" | "Debug"));
    let needed = needed.map(|rule| {
        let message = format!("kube's derive needs `{}`", rule.path);
        finding(
            Diagnostic::forbidden(FieldPath::new("no-derive"), &message)
                .with_help("remove it from `no-derive`"),
        )
    });
    excluded("kube", options).chain(derives("kube", settings)).chain(needed).collect()
}

/// Returns an error for each of `options` that is set. An option consists of a name, `true` if it is set, and a help text.
fn excluded<const N: usize>(
    form: &str,
    options: [(&'static str, bool, &'static str); N],
) -> impl Iterator<Item = Problem> {
    options.into_iter().filter(|(_, is_chosen, _)| *is_chosen).map(move |(option, _, help)| {
        let message = format!("the form `{form}` does not support this option");
        finding(Diagnostic::forbidden(FieldPath::new(option), &message).with_help(help))
    })
}

/// Returns an error for each requested derive that the form adds itself.
fn derives(form: &str, settings: &Settings) -> impl Iterator<Item = Problem> {
    let is_own = move |name: &str| match form {
        // There, `JsonSchema` is what chooses `schema = "derived"`.
        "kube" => name == "CustomResource",
        _ => matches!(name, "CrdSchema" | "CustomResource" | "JsonSchema"),
    };
    // A second implementation would not compile.
    let derives =
        settings.derive.iter().filter(move |rule| is_own(rule.path.rsplit("::").next().unwrap_or_default()));
    derives.map(move |rule| {
        let message = format!("the form `{form}` puts `{}` on the types that need it", rule.path);
        finding(
            Diagnostic::forbidden(FieldPath::new("derive"), &message).with_help("remove it from `derive`"),
        )
    })
}
