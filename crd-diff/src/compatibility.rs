//! Compares a program's CRD with the CRD in a cluster.

use std::fmt;

use crd_core::CustomResourceDefinition;

use crate::finding::{Class, Finding};
use crate::profile::Profile;
use crate::rows;
use crate::{DiffOptions, diff};

/// The result of comparing a program's CRD with the CRD in a cluster.
#[derive(Clone, Debug, PartialEq)]
pub enum Compatibility {
    /// Both CRDs treat objects in the same way.
    Same,
    /// The CRD in the cluster accepts and keeps everything that the program writes, and allows other values too. The program may therefore
    /// read values that it does not know. The findings describe the differences.
    LiveNewer(Vec<Finding>),
    /// The CRD in the cluster drops or rejects values that the program writes. Installing the program's CRD would fix this without harm to
    /// stored objects. The findings describe the differences.
    LiveOlder(Vec<Finding>),
    /// The CRD in the cluster drops or rejects values that the program writes. The API server would reject the program's CRD, or the CRD
    /// would harm stored objects. The findings contain the reasons.
    Incompatible(Vec<Finding>),
}

impl Compatibility {
    /// Returns `true` if the cluster keeps and accepts everything that the program writes.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        matches!(self, Self::Same | Self::LiveNewer(_))
    }

    /// Returns the differences, or for [`Compatibility::Incompatible`] the reasons.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        match self {
            Self::Same => &[],
            Self::LiveNewer(findings) | Self::LiveOlder(findings) | Self::Incompatible(findings) => findings,
        }
    }
}

impl fmt::Display for Compatibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Same => "the CRD in the cluster equals the CRD of this program",
            Self::LiveNewer(_) => "the CRD in the cluster is newer than the CRD of this program",
            Self::LiveOlder(_) => {
                "the CRD in the cluster is older than the CRD of this program, and drops or rejects what the program writes"
            }
            Self::Incompatible(_) => {
                "the CRD in the cluster conflicts with the CRD of this program, and cannot be upgraded safely"
            }
        })?;
        for finding in self.findings() {
            let place = [finding.version.as_deref().unwrap_or_default(), &finding.path];
            let place: Vec<&str> = place.into_iter().filter(|part| !part.is_empty()).collect();
            write!(f, "\n  {}: {}", place.join(" "), finding.message)?;
        }
        Ok(())
    }
}

/// Compares the CRD of a program with the CRD in the cluster.
///
/// A possible effect on the program's requests counts as a difference, even if no affected object is found.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_diff::{Compatibility, DiffOptions, compatibility};
/// use serde_json::{Value, json};
///
/// let crd = |properties: Value| {
///     CustomResourceDefinition::from_value(json!({
///         "metadata": {"name": "shirts.stable.example.com"},
///         "spec": {
///             "group": "stable.example.com",
///             "names": {"plural": "shirts", "kind": "Shirt"},
///             "scope": "Namespaced",
///             "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
///                 "type": "object", "properties": {"spec": {"type": "object", "properties": properties}},
///             }}}],
///         },
///     }))
/// };
/// let first = crd(json!({"color": {"type": "string"}}))?;
/// let second = crd(json!({"color": {"type": "string"}, "size": {"type": "integer"}}))?;
/// let options = DiffOptions::default();
/// assert_eq!(compatibility(&first, &first, &options), Compatibility::Same);
/// assert!(matches!(compatibility(&first, &second, &options), Compatibility::LiveNewer(_)));
/// let older = compatibility(&second, &first, &options);
/// assert!(older.to_string().ends_with("\n  v1 spec.size: the field is new"), "{older}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn compatibility(
    compiled: &CustomResourceDefinition,
    live: &CustomResourceDefinition,
    options: &DiffOptions,
) -> Compatibility {
    let differences = diff(compiled, live, options);
    if differences.is_empty() {
        return Compatibility::Same;
    }
    let is_in_the_way = |finding: &Finding| {
        let classes = [Class::Server, Class::Data, Class::Write];
        Profile::Clients.fails(finding) || classes.iter().any(|class| finding.has(*class))
    };
    if !differences.iter().any(is_in_the_way) {
        return Compatibility::LiveNewer(differences);
    }
    let upgrade = diff(live, compiled, options);
    let (harm, rest): (Vec<Finding>, Vec<Finding>) = upgrade.into_iter().partition(is_harm);
    if harm.is_empty() { Compatibility::LiveOlder(rest) } else { Compatibility::Incompatible(harm) }
}

/// Returns `true` if installing the CRD would be rejected, would harm stored objects, or cannot be assessed.
fn is_harm(finding: &Finding) -> bool {
    finding.id == rows::NOT_COMPARED.id || Profile::Stored.fails(finding)
}
