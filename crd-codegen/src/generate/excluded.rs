//! Options that exclude each other.

use crd_core::{Diagnostic, FieldPath};

use super::{Finding, Origin, Severity};
use crate::Config;
use crate::config::{Form, K8sOpenapi};

/// An error for each option that cannot be had with the others; nothing is generated then.
pub(super) fn findings(config: &Config) -> Vec<Finding> {
    if config.chosen_form() == Form::Types {
        return Vec::new();
    }
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
    let excluded = options.into_iter().filter(|(_, is_chosen, _)| *is_chosen);
    let finding = |(option, _, help): (&str, bool, &str)| Finding {
        origin: Origin { file: "<options>".to_owned(), document: 0 },
        diagnostic: Diagnostic::forbidden(FieldPath::new(option), "the form `derive` has none")
            .with_help(help),
        severity: Severity::Error,
    };
    excluded.map(finding).collect()
}
