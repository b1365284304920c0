//! One schema, of a version or of all: the phases in the API server's order.
//!
//! Source: `validateCustomResourceDefinitionValidation`.

use super::{defaults, open_api, root, structural};
use crate::crd::Validation;
use crate::schema::Structural;
use crate::{Diagnostic, FieldPath};

/// Checks a schema. `path` is the one of the object that holds `openAPIV3Schema`.
pub(super) fn schema(validation: &Validation, has_status: bool, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    let Some(schema) = validation.open_api_v3_schema.as_deref() else { return };
    let first = out.len();
    if has_status {
        root::under_status(schema, path, out);
    }
    root::nullable(schema, path, out);
    let base = path.child("openAPIV3Schema");
    let structural = Structural::from_json_schema(schema);
    let _is_sound = structural.as_ref().is_ok_and(|structural| is_sound(structural, &base, out));
    open_api::open_api(schema, structural.as_ref().ok(), &base, out);
    if let (Err(error), true) = (&structural, out.len() == first) {
        out.push(Diagnostic::invalid(base, "", &error.to_string()));
    }
}

fn is_sound(structural: &Structural, base: &FieldPath, out: &mut Vec<Diagnostic>) -> bool {
    let first = out.len();
    structural::structural(structural, base, out);
    if out.len() == first {
        defaults::defaults(structural, base, out);
    }
    out.len() == first
}
