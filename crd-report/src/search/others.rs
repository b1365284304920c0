//! Lists the kinds of objects that are not CRDs. Some of these kinds contain a CRD's schema; the help then explains how to get the CRD.

use std::collections::BTreeMap;

use crd_core::crd::KIND;
use crd_go::nearest::nearest;

/// The help text for a misspelled kind that probably means a CRD.
pub(super) const MISSPELLED: &str = "did you mean the kind `CustomResourceDefinition`?";
/// Maximum number of kinds in a message.
const MOST: usize = 5;
/// Maximum number of kinds that are kept.
const KEPT: usize = 100;

/// The kinds of all objects that are not CRDs, each with the number of objects.
#[derive(Default)]
pub(super) struct Others(BTreeMap<String, usize>);

impl Others {
    pub(super) fn add(&mut self, kind: &str) {
        if self.0.len() < KEPT || self.0.contains_key(kind) {
            *self.0.entry(kind.to_owned()).or_default() += 1;
        }
    }

    /// Returns the kinds in parentheses, the most frequent ones first.
    pub(super) fn named(&self) -> String {
        let mut kinds: Vec<(&String, &usize)> = self.0.iter().filter(|(kind, _)| !kind.is_empty()).collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let more = if kinds.len() > MOST { ", ..." } else { "" };
        let names: Vec<String> = kinds.iter().take(MOST).map(|(kind, _)| format!("`{kind}`")).collect();
        if names.is_empty() { String::new() } else { format!(" ({}{more})", names.join(", ")) }
    }

    /// Returns a misspelled kind that probably means a CRD.
    pub(super) fn misspelled(&self) -> Option<&str> {
        self.0.keys().map(String::as_str).find(|kind| nearest(kind, [KIND]).is_some())
    }

    /// Returns help text on how to get a CRD from the first kind for which this is possible.
    pub(super) fn help(&self) -> Option<&'static str> {
        const READ: &str = "the controller generates a CRD from it: read the CRD from a cluster, with `--cluster` or `kubectl get crd NAME -o yaml`";
        if self.misspelled().is_some() {
            return Some(MISSPELLED);
        }
        self.0.keys().find_map(|kind| match kind.as_str() {
            "CompositeResourceDefinition" | "ConstraintTemplate" | "ResourceGraphDefinition" => Some(READ),
            "APIResourceSchema" => {
                Some("`kubectl kcp crd snapshot` generated it from a CRD: name the file of the CRD")
            }
            "" => {
                Some("a Kubernetes object has a `kind`; for output of kubectl, use `kubectl get ... -o yaml`")
            }
            _ => None,
        })
    }
}
