//! The total cost of a schema's rules, and the API server's error if this cost exceeds the limit.

use crate::cel::SCHEMA_COST_LIMIT;
use crate::{Causes, Diagnostic, FieldPath};

/// The total cost of a schema's rules, as far as they have been checked.
#[derive(Debug, Default)]
pub(super) struct Budget {
    total: u64,
    /// The most expensive rules in descending order. Rules of equal cost keep their order.
    dearest: Vec<(u64, FieldPath)>,
}

/// Maximum number of rules in the error. The error lists the most expensive rules.
const NAMED: usize = 4;
/// Minimum cost of the rules in the error.
const CHEAP: u64 = SCHEMA_COST_LIMIT / 100;

impl Budget {
    pub(super) fn observe(&mut self, at: &FieldPath, cost: u64) {
        self.total = self.total.saturating_add(cost);
        if cost >= CHEAP {
            let place = self.dearest.partition_point(|(dearer, _)| *dearer >= cost);
            self.dearest.insert(place, (cost, at.clone()));
            self.dearest.truncate(NAMED);
        }
    }

    /// Reports an error if the rules in the schema at `path` cost too much.
    pub(super) fn finish(&self, path: &FieldPath, out: &mut Causes) {
        if self.total <= SCHEMA_COST_LIMIT {
            return;
        }
        for (_, at) in &self.dearest {
            let detail =
                "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            out.push(Diagnostic::forbidden(at.clone(), detail));
        }
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        out.push(Diagnostic::forbidden(path.clone(), &exceeded(what, self.total, SCHEMA_COST_LIMIT)));
    }
}

/// Returns the message `... exceeds budget by factor of 1.6x (try ...)`.
pub(super) fn exceeded(what: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = if factor > 100.0 {
        "more than 100x".to_owned()
    } else if factor < 1.5 {
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, \
         and maxLength where arrays, maps, and strings are declared)"
    )
}
