//! Rules that are the advice of `check`.

use crd_core::CustomResourceDefinition;
use crd_core::check::advice::{TOO_LARGE_FOR_APPLY, advise, reset_through_versions};

use crate::finding::Collected;
use crate::gitops::too_large;
use crate::rule::Rule;

/// The id of the rule about CRDs that etcd does not accept. These CRDs are also too large for `kubectl apply`, which `check` reports as
/// advice.
const TOO_LARGE: &str = "too-large-for-etcd";

/// Adds the advice on a CRD as findings: each piece of advice has a rule with the same name.
pub(crate) fn advised(
    crd: &CustomResourceDefinition,
    is_on: &dyn Fn(&str) -> Option<&'static Rule>,
    collected: &mut Collected,
) {
    for advice in advise(crd).into_iter().chain(reset_through_versions(crd)) {
        if advice.name == TOO_LARGE_FOR_APPLY
            && let Some(rule) = is_on(TOO_LARGE)
        {
            too_large(crd, &mut collected.by(rule));
        }
        if let Some(rule) = is_on(advice.name) {
            collected.by(rule).push(advice.field, advice.message, advice.remedy, None);
        }
    }
}
