//! The kinds of advice on a CRD, and their names.

use crate::{FieldPath, Remedy};

/// Advice on a CRD.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrdAdvice {
    /// The name of this kind of advice, one of [`NAMES`].
    pub name: &'static str,
    /// The path of the problem in the CRD.
    pub field: FieldPath,
    /// A description of the problem.
    pub message: String,
    /// The remedy, including edits to the CRD.
    pub remedy: Option<Remedy>,
}

/// A printer column whose path is not in the schema: the column stays empty.
pub const COLUMN_WITHOUT_FIELD: &str = "column-without-field";

/// A path of the scale subresource that is not in the schema: scaling has no effect.
pub const SCALE_WITHOUT_FIELD: &str = "scale-without-field";

/// Lists without `x-kubernetes-list-type`: server-side apply replaces them as a whole.
pub const LIST_WITHOUT_TYPE: &str = "list-without-type";

/// A field that an object loses when it is stored in another version, or that clients of the storage version miss.
pub const FIELD_LOST_BETWEEN_VERSIONS: &str = "field-lost-between-versions";

/// A field of the storage version that another served version lacks: clients of that version reset the field.
/// [`reset_through_versions`](super::reset_through_versions) reports this advice. [`advise`](super::advise) does not, because many CRDs
/// have a new field only in their newest version.
pub const FIELD_RESET_THROUGH_VERSION: &str = "field-reset-through-version";

/// A value that the API server drops because it is empty or `false`: tools that compare the file with the cluster always report a
/// difference.
pub const DROPPED_VALUE: &str = "dropped-value";

/// A key that the CRD API does not have: the API server drops the key.
pub const UNKNOWN_FIELD: &str = "unknown-field";

/// A CRD that is too large for the annotation of client-side apply.
pub const TOO_LARGE_FOR_APPLY: &str = "too-large-for-apply";

/// A plain scalar that kubectl, which uses YAML 1.1, reads differently from YAML 1.2 parsers. This advice is for the text of a CRD, and not
/// reported by [`advise`](super::advise).
pub const YAML_1_1: &str = "yaml-1.1";

/// A feature that does not exist in the Kubernetes version: the API server accepts the CRD, but the feature has no effect. This advice is
/// reported by [`inert`](super::inert), because it depends on the release.
pub const INERT_FIELD: &str = "inert-field";

/// A short name that an update adds although it is already another name of the same CRD. The API server never accepts the new names. This
/// advice is reported by [`advise_update`](super::advise_update).
pub const NAMES_NOT_ACCEPTED: &str = "names-not-accepted";

/// The names of all advice.
pub const NAMES: [&str; 10] = [
    COLUMN_WITHOUT_FIELD,
    DROPPED_VALUE,
    FIELD_LOST_BETWEEN_VERSIONS,
    INERT_FIELD,
    LIST_WITHOUT_TYPE,
    NAMES_NOT_ACCEPTED,
    SCALE_WITHOUT_FIELD,
    TOO_LARGE_FOR_APPLY,
    UNKNOWN_FIELD,
    YAML_1_1,
];

impl CrdAdvice {
    /// Creates advice for a problem that is found outside this crate, for instance in the text of a CRD.
    #[must_use]
    pub fn new(
        name: &'static str,
        field: FieldPath,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Self {
        Self { name, field, message: message.into(), remedy: help.map(Remedy::from) }
    }

    /// Returns the text of the remedy.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.remedy.as_ref().map(|remedy| remedy.text.as_str())
    }
}
