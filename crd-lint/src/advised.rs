//! Rules that are the advice of `check`.

use crd_core::CustomResourceDefinition;
use crd_core::check::advice::{advise, reset_through_versions};

use crate::finding::Collected;
use crate::rule::Rule;

/// Adds the advice on a CRD, under the rules with the names of the advice.
pub(crate) fn advised(
    crd: &CustomResourceDefinition,
    is_on: &dyn Fn(&str) -> Option<&'static Rule>,
    collected: &mut Collected,
) {
    for advice in advise(crd).into_iter().chain(reset_through_versions(crd)) {
        if let Some(rule) = is_on(advice.name) {
            collected.by(rule).push(advice.field, advice.message, advice.remedy, None);
        }
    }
}
