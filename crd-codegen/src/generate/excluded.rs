//! Options that exclude each other, and options that were changed after they were read.

use crd_core::{Diagnostic, FieldPath, Reason};

use crate::config::{Form, K8sOpenapi};
use crate::emit::syntax;
use crate::{Config, InvalidOption};
use crd_input::{Finding, Origin, Severity};

/// An error for each option that cannot be had with the others, or cannot be had at all; nothing is generated then.
pub(super) fn findings(config: &Config) -> Vec<Finding> {
    let mut findings = changed(config);
    if config.chosen_form() == Form::Derive {
        findings.extend(of_the_form_derive(config));
    }
    findings
}

/// An error for each rule that was changed into one that cannot be read: its fields are public.
fn changed(config: &Config) -> Vec<Finding> {
    let derives = config.chosen_derives().iter().map(|rule| ("derive", syntax::check_path(&rule.path)));
    let no_derives =
        config.chosen_no_derives().iter().map(|rule| ("no-derive", syntax::check_path(&rule.path)));
    let attributes = config.chosen_attributes().iter();
    let attributes = attributes.map(|rule| ("attribute", syntax::check_attributes(&rule.attribute)));
    let types = config.chosen_type_overrides().iter();
    let types = types.map(|rule| ("type-override", syntax::check_type(&rule.type_)));
    let names = config.chosen_name_overrides().iter();
    let names = names.map(|rule| ("name-override", syntax::check_name(&rule.name)));
    let checked = derives.chain(no_derives).chain(attributes).chain(types).chain(names);
    let finding = |(option, result): (&str, Result<(), InvalidOption>)| {
        let diagnostic = Diagnostic::new(FieldPath::new(option), Reason::Invalid, result.err()?.to_string());
        Some(finding(diagnostic))
    };
    checked.filter_map(finding).collect()
}

fn finding(diagnostic: Diagnostic) -> Finding {
    let origin = Origin { file: "<options>".to_owned(), document: 0 };
    Finding { origin, diagnostic, severity: Severity::Error }
}

fn of_the_form_derive(config: &Config) -> Vec<Finding> {
    // A client has the definition inside, which would be out of date with the first change of the types; apply forms
    // are no types of the definition.
    let options = [
        (
            "client",
            config.chosen_client(),
            "choose `kube` for `kube::Api` on these types, or generate the client from the definition in the form `types`, in a run of its own",
        ),
        (
            "apply",
            config.chosen_apply(),
            "generate them from the definition in the form `types`, in a run of their own",
        ),
        (
            "validate",
            config.chosen_validate(),
            "ask `validator()` of the type itself, with the feature `testing` of crdkit",
        ),
        (
            "k8s-openapi",
            config.chosen_k8s_openapi() != K8sOpenapi::None,
            "leave it out: the types of k8s-openapi do not say what the definition says of them",
        ),
    ];
    let excluded = options.into_iter().filter(|(_, is_chosen, _)| *is_chosen).map(|(option, _, help)| {
        finding(Diagnostic::forbidden(FieldPath::new(option), "the form `derive` has none").with_help(help))
    });
    // A second implementation would not compile.
    let derives = config.chosen_derives().iter().filter(|rule| {
        let name = rule.path.rsplit("::").next().unwrap_or_default();
        matches!(name, "CrdSchema" | "CustomResource" | "JsonSchema")
    });
    let derives = derives.map(|rule| {
        let message = format!("the form `derive` puts `{}` on the types that need it", rule.path);
        finding(Diagnostic::forbidden(FieldPath::new("derive"), &message).with_help("leave it out"))
    });
    excluded.chain(derives).collect()
}
