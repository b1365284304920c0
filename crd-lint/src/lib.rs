//! Finds settings in CRDs that the API server accepts but that harm users. For some rules, a finding includes an object that proves it.
//!
//! [`lint`] examines one CRD, and [`lint_together`] the names of several. [`rules`] returns all rules. Each has an id, a group, a level
//! for each [`Profile`], the reason and its source. The crate reads no files, no environment and no clock, and prints nothing.
//!
//! ```
//! use crd_core::CustomResourceDefinition;
//! use crd_lint::{LintOptions, lint};
//! use serde_json::json;
//!
//! let crd = CustomResourceDefinition::from_value(json!({
//!     "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
//!     "metadata": {"name": "shirts.example.com"},
//!     "spec": {
//!         "group": "example.com", "scope": "Namespaced", "names": {"plural": "shirts", "kind": "Shirt"},
//!         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
//!             "type": "object",
//!             "properties": {"spec": {
//!                 "type": "object",
//!                 "properties": {"size": {"type": "integer"}},
//!                 "x-kubernetes-validations": [{"rule": "self.size > 0", "message": "size must be positive"}],
//!             }},
//!         }}}],
//!     },
//! }))?;
//! let findings = lint(&crd, &LintOptions::default());
//! assert_eq!(findings[0].rule.id, "rule-fails-without-field");
//! assert_eq!(findings[0].proof.as_ref().unwrap()["spec"], json!({}));
//! # Ok::<(), crd_core::DecodeError>(())
//! ```
#![forbid(unsafe_code)]

mod advised;
mod choices;
mod collisions;
mod conventions;
mod core_types;
mod defaults;
mod dropped;
mod finding;
mod gitops;
mod keywords;
mod lists;
mod node;
mod parts;
mod proofs;
mod rule;
mod shapes;
mod table;
mod values;
mod words;

pub use collisions::lint_together;
pub use dropped::DROPPED;
pub use finding::LintFinding;
pub use rule::{Evidence, Group, LintLevel, LintOptions, Profile, Rule};
pub use table::{rule_names, rules};

use crd_core::CustomResourceDefinition;
use crd_sample::Allowance;

use finding::Collected;
use node::Node;
use proofs::Suspects;
use table::{Check, ROWS, Row};

/// Maximum number of steps for each CRD that [`lint`] spends on searches for objects. In 1,093 public CRDs, 103 findings are proved with
/// these steps. With forty times as many steps, 106 findings are proved, in twice the time.
pub const SEARCH_STEPS: u64 = 500_000;

/// Returns the findings on a CRD, the most harmful ones first. The API server should accept the CRD.
///
/// Some rules need an object as proof. This function searches for one, with a limited number of steps for each CRD, and reports nothing
/// if there is no proof.
#[must_use]
pub fn lint(crd: &CustomResourceDefinition, options: &LintOptions) -> Vec<LintFinding> {
    lint_within(crd, options, &Allowance::new(SEARCH_STEPS))
}

/// Returns the findings on a CRD like [`lint`], but takes the steps from an allowance that several CRDs may share.
#[must_use]
pub fn lint_within(
    crd: &CustomResourceDefinition,
    options: &LintOptions,
    allowance: &Allowance,
) -> Vec<LintFinding> {
    let rows: Vec<&'static Row> = ROWS.iter().filter(|row| options.level(&row.rule).is_some()).collect();
    let mut collected = Collected::new(allowance);
    for row in &rows {
        if let Check::Crd(find) = row.check {
            find(crd, &mut collected.by(&row.rule));
        }
    }
    let of_schemas = |row: &&'static Row| match row.check {
        Check::Schema(find) => Some((&row.rule, find)),
        _ => None,
    };
    let is_on = |id: &str| rows.iter().find(|row| row.rule.id == id).map(|row| &row.rule);
    let mut suspects = Suspects::new(&is_on);
    let mut looking: Vec<_> = rows.iter().filter_map(of_schemas).collect();
    Node::each(crd, &mut |node| {
        suspects.add(node);
        looking.retain(|(rule, find)| {
            let mut found = collected.by(rule);
            if !node.is_core || rule.group == Group::Broken {
                find(node, &mut found);
            }
            !found.is_full
        });
    });
    let is_advice = |id: &str| rows.iter().any(|row| row.rule.id == id && matches!(row.check, Check::Advice));
    if rows.iter().any(|row| matches!(row.check, Check::Advice)) {
        advised::advised(crd, &|id| is_on(id).filter(|_| is_advice(id)), &mut collected);
    }
    proofs::proofs(crd, &suspects, allowance, &mut collected);
    collected.sorted(options)
}
