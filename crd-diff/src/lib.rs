//! Compares two versions of a Kubernetes CustomResourceDefinition, and finds out what fails when the new version replaces the old version.
//!
//! [`diff`] returns a [`Finding`] for each difference. A finding lists the [`Class`]es of failures that the difference causes. For each
//! class, the finding contains an example object, if one was found by validating objects against both CRDs. If none was found, but failures
//! cannot be ruled out, the class is `undecided`.
//!
//! The crate is pure: it does not read files, the environment or a clock, and starts no thread. The findings are always the same for the
//! same CRDs.
#![forbid(unsafe_code)]

mod affected;
mod change;
mod compatibility;
mod definition;
mod finding;
mod findings;
mod options;
mod profile;
mod rows;
mod schema_path;
mod schemas;
mod versions;
mod walk;
mod witness;
mod work;

use std::rc::Rc;

use crd_core::CustomResourceDefinition;

use crate::schemas::{Described, Schemas, without_descriptions};
use crate::work::{Weight, With, Work};

pub use affected::affected;
pub use compatibility::{Compatibility, compatibility};
pub use finding::{Class, Finding, Severity, Undecided, Witness};
pub use findings::{added, removed};
pub use options::DiffOptions;
pub use profile::{Judgement, Profile};

/// Compares a CRD with its replacement, and returns a finding for each difference.
///
/// Findings are in the order of the CRD, and begin with names, scope and conversion. Very large CRDs are not compared. The only finding is
/// then `not-compared`, and every profile treats it as undecided. The limits are a total size of 2.5 MiB without descriptions, 32 MiB of
/// paths, 50 versions, 2,000 values in a list, and 10,000 entries in a map.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_diff::{Class, DiffOptions, diff};
/// use serde_json::json;
///
/// let crd = |maximum: i64| {
///     CustomResourceDefinition::from_value(json!({
///         "metadata": {"name": "shirts.stable.example.com"},
///         "spec": {
///             "group": "stable.example.com",
///             "names": {"plural": "shirts", "kind": "Shirt"},
///             "scope": "Namespaced",
///             "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
///                 "type": "object",
///                 "properties": {"spec": {
///                     "type": "object",
///                     "properties": {"size": {"type": "integer", "maximum": maximum}},
///                 }},
///             }}}],
///         },
///     }))
/// };
/// let findings = diff(&crd(60)?, &crd(50)?, &DiffOptions::default());
/// let [finding] = &findings[..] else { panic!("one finding") };
/// assert_eq!((finding.id, finding.path.as_str()), ("maximum-tightened", "spec.size"));
/// assert_eq!(finding.classes, [Class::Write]);
/// let witness = finding.witness().ok_or("a witness")?;
/// assert_eq!(witness.new.as_ref().map(|object| &object["spec"]["size"]), Some(&json!(51)));
/// assert!(witness.answer.ends_with("spec.size in body should be less than or equal to 50"));
///
/// assert_eq!(diff(&crd(60)?, &crd(60)?, &DiffOptions::default()), []);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn diff(
    old: &CustomResourceDefinition,
    new: &CustomResourceDefinition,
    options: &DiffOptions,
) -> Vec<Finding> {
    if old.spec == new.spec {
        return Vec::new();
    }
    let mut described = [Described::default(); 2];
    let bare = [without_descriptions(old, &mut described[0]), without_descriptions(new, &mut described[1])];
    let weights = [Weight::of(&bare[0], described[0]), Weight::of(&bare[1], described[1])];
    if Weight::are_too_large(&weights) {
        return vec![findings::not_compared(new)];
    }
    // Of descriptions, only their length matters to the server: in a request that is too large.
    let is_small = weights.iter().all(Weight::is_sent);
    let [bare_old, bare_new] = &bare;
    let [old, new] = if is_small { [&**bare_old, &**bare_new] } else { [old, new] };
    let mut changes = definition::compare(old, new, options.server_options(), is_small);
    if changes.is_empty() && bare_old.spec == bare_new.spec {
        return Vec::new();
    }
    let work = Rc::new(Work::new(options.steps, &weights));
    let both = [Schemas::new(bare_old), Schemas::new(bare_new)];
    if changes.iter().all(|change| change.row.id != rows::RENAMED.id) {
        let with = With { kube_version: options.kube_version, has_webhook: options.has_webhook, work: &work };
        changes.extend(versions::compare(&both[0], &both[1], with));
    }
    findings::all(&both, changes, *options, (&work, weights[0].is_large()))
}

impl DiffOptions {
    fn server_options(&self) -> crd_core::check::ServerOptions {
        crd_core::check::ServerOptions::new(self.kube_version)
    }
}
