//! Checks of schemas that a caller passes in.

use crate::crd::{SelectableField, Validation};
use crate::{Causes, FieldPath};

/// The object that declares selectable fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// `spec`: all versions share the fields.
    Spec,
    /// A version: its fields apply only to this version.
    Version,
}

/// Checks of the parts that need a schema.
pub(crate) trait SchemaChecks {
    /// Checks the schema of `version`. If all versions share a schema, `version` is the first version. `path` is the path of the object
    /// that holds `openAPIV3Schema`.
    fn schema(
        &self,
        validation: &Validation,
        version: &str,
        has_status: bool,
        path: &FieldPath,
        out: &mut Causes,
    );

    /// Checks selectable fields, declared by one version or shared by all versions, against their schema. `path` is the path of the object
    /// that declares the fields.
    fn selectable(
        &self,
        fields: &[SelectableField],
        schema: Option<&Validation>,
        owner: Owner,
        path: &FieldPath,
        out: &mut Causes,
    );
}
