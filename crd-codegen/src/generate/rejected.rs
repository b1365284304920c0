//! Reports the reasons why the API server would reject a CRD.

use crd_core::{CustomResourceDefinition, Diagnostic};

use super::ProblemSeverity;
use crate::config::{Rejected, Settings};

const HELP: &str = "the API server rejects the CRD because of this error; the option `rejected` selects what to do with such CRDs";

/// Returns the reasons why the API server would reject the CRD, except for reasons that are already known.
pub(super) fn causes(
    crd: &CustomResourceDefinition,
    known: &[Diagnostic],
    settings: &Settings,
) -> Vec<(ProblemSeverity, Diagnostic)> {
    let severity = match settings.rejected {
        Rejected::Error => ProblemSeverity::Error,
        Rejected::Warn => ProblemSeverity::Warning,
        Rejected::Ignore => return Vec::new(),
    };
    let is_known =
        |cause: &Diagnostic| known.iter().any(|k| k.field == cause.field && k.message == cause.message);
    let causes = crd_core::check(crd).into_iter().filter(|cause| !is_known(cause));
    causes
        .map(|cause| (severity, if cause.remedy.is_none() { cause.with_help(HELP) } else { cause }))
        .collect()
}
