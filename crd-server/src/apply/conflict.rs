//! Finds fields that other managers own and server-side apply would change.
//!
//! Source: `internal/conflict.go` of `k8s.io/apimachinery/pkg/util/managedfields`.

use crd_core::FieldPath;
use serde_json::json;

use super::entry::Entry;
use super::set::Set;
use crate::status::Failure;

/// The fields that one manager owns and server-side apply would change.
#[derive(Clone, Debug)]
pub(super) struct Conflict {
    pub(super) entry: Entry,
    pub(super) fields: Set,
}

/// Returns the error for a server-side apply with conflicts.
pub(super) fn reject(mut conflicts: Vec<Conflict>) -> Failure {
    conflicts.sort_by_key(|conflict| conflict.entry.sort_key());
    let found: Vec<(String, Vec<String>)> =
        conflicts.iter().map(|conflict| (conflict.entry.print(), conflict.fields.paths())).collect();
    let count: usize = found.iter().map(|(_, paths)| paths.len()).sum();
    let message = match found.as_slice() {
        [(manager, paths)] if count == 1 => {
            format!("Apply failed with 1 conflict: conflict with {manager}: {}", paths.concat())
        }
        found => {
            let texts = found.iter().map(|(manager, paths)| {
                let paths: String = paths.iter().map(|path| format!("\n- {path}")).collect();
                format!("conflicts with {manager}:{paths}")
            });
            format!("Apply failed with {count} conflicts: {}", texts.collect::<Vec<_>>().join("\n"))
        }
    };
    let causes = found.iter().flat_map(|(manager, paths)| {
        let message = format!("conflict with {manager}");
        paths.iter().map(
            move |path| json!({"reason": "FieldManagerConflict", "message": message.clone(), "field": path}),
        )
    });
    let places = conflicts.iter().flat_map(|conflict| conflict.fields.places(&FieldPath::root())).collect();
    let mut failure = Failure::new(409, "Conflict", message).with_causes(causes);
    failure.places = places;
    failure
}
