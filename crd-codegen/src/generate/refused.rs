//! What the API server would say to a definition -> findings of the chosen severity.

use crd_core::{CustomResourceDefinition, Diagnostic};

use super::Severity;
use crate::config::{Refused, Settings};

const HELP: &str =
    "the API server refuses the definition for this; the choice `refused` says what becomes of such a one";

/// The causes for which the API server would refuse the definition, but for those that are known already.
pub(super) fn causes(
    crd: &CustomResourceDefinition,
    known: &[Diagnostic],
    settings: &Settings,
) -> Vec<(Severity, Diagnostic)> {
    let severity = match settings.refused {
        Refused::Error => Severity::Error,
        Refused::Warn => Severity::Warning,
        Refused::Ignore => return Vec::new(),
    };
    let is_known =
        |cause: &Diagnostic| known.iter().any(|k| k.field == cause.field && k.message == cause.message);
    let causes = crd_core::check(crd).into_iter().filter(|cause| !is_known(cause));
    causes.map(|cause| (severity, if cause.help.is_none() { cause.with_help(HELP) } else { cause })).collect()
}
