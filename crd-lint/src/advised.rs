//! Turns the advice of `check` into findings.

use crd_core::CustomResourceDefinition;
use crd_core::check::advice::{TOO_LARGE_FOR_APPLY, advise, reset_through_versions};

use crate::finding::Collected;
use crate::gitops::too_large;
use crate::rule::Rule;

/// The id of the rule about CRDs that etcd rejects. Such CRDs are also too large for `kubectl apply`, for which `check` has advice.
const TOO_LARGE: &str = "too-large-for-etcd";

/// Adds a finding for each piece of advice on a CRD. Its rule has the same name as the advice.
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
