//! The objects of a suite.

use crd_core::FieldPath;
use serde_json::Value;

/// An object in a suite, or in a file that the suite names. Tests that name the same file share its object.
#[derive(Debug)]
pub(super) struct SuiteObject {
    pub(super) value: Value,
    pub(super) duplicate_fields: Vec<FieldPath>,
}
