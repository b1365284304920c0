//! Finds names that several CRDs have in common.

use std::collections::BTreeMap;

use crd_core::{CustomResourceDefinition, FieldPath};
use crd_sample::Allowance;

use crate::finding::{Collected, LintFinding};
use crate::rule::LintOptions;
use crate::table::{Check, ROWS};

/// Reports names that more than one of these CRDs has. A finding has the index of its CRD. Of the CRDs with the same name, the first one
/// has no finding, because the API server would establish this CRD.
///
/// CRDs with the same `metadata.name` count as one CRD.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_lint::{LintOptions, lint_together};
/// use serde_json::json;
///
/// let crd = |plural: &str, kind: &str| CustomResourceDefinition::from_value(json!({
///     "metadata": {"name": format!("{plural}.example.com")},
///     "spec": {"group": "example.com", "names": {"plural": plural, "kind": kind, "shortNames": ["s"]}},
/// }));
/// let (shirts, shoes) = (crd("shirts", "Shirt")?, crd("shoes", "Shoe")?);
/// let findings = lint_together(&[&shirts, &shoes], &LintOptions::default());
/// assert_eq!(findings.len(), 1);
/// assert_eq!(findings[0].0, 1);
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn lint_together(crds: &[&CustomResourceDefinition], options: &LintOptions) -> Vec<(usize, LintFinding)> {
    let Some(row) = ROWS.iter().find(|row| matches!(row.check, Check::Together)) else { return Vec::new() };
    if options.level(&row.rule).is_none() {
        return Vec::new();
    }
    let mut owners: BTreeMap<(&str, Claim, &str), &str> = BTreeMap::new();
    let mut out = Vec::new();
    for (i, crd) in crds.iter().enumerate() {
        let mut collected = Collected::new(&Allowance::new(0));
        for (claim, name, field) in claims(crd) {
            let first = *owners.entry((&crd.spec.group, claim, name)).or_insert(&crd.metadata.name);
            if first == crd.metadata.name {
                continue;
            }
            let what = match claim {
                Claim::Resource => "name",
                Claim::Kind => "kind",
            };
            let message = format!(
                "the {what} `{name}` is also used by `{first}`: the API server never establishes the CRD that is created second"
            );
            collected.by(&row.rule).add(field, message, "choose another name");
        }
        out.extend(collected.sorted(options).into_iter().map(|finding| (i, finding)));
    }
    out
}

/// The names that must be unique within a group.
/// Source: `k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Claim {
    /// Plural, singular and short names.
    Resource,
    /// The kind and the list kind.
    Kind,
}

/// Returns the names in a CRD that must be unique, with their paths.
fn claims(crd: &CustomResourceDefinition) -> Vec<(Claim, &str, FieldPath)> {
    let names = &crd.spec.names;
    let place = FieldPath::new("spec").child("names");
    let mut claims = vec![
        (Claim::Resource, names.plural.as_str(), place.child("plural")),
        (Claim::Kind, names.kind.as_str(), place.child("kind")),
    ];
    let singular = names.singular.as_str();
    if !singular.is_empty() && singular != names.plural {
        claims.push((Claim::Resource, singular, place.child("singular")));
    }
    for (i, name) in names.short_names.iter().flatten().enumerate() {
        claims.push((Claim::Resource, name, place.child("shortNames").index(i)));
    }
    if names.has_own_list_kind() {
        claims.push((Claim::Kind, &names.list_kind, place.child("listKind")));
    }
    claims
}
