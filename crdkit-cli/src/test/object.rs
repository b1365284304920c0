//! The objects of a suite.

use crd_core::FieldPath;
use serde_json::Value;

/// An object of a suite, or of a file that it names. Tests that name the same file share it.
#[derive(Debug)]
pub(super) struct SuiteObject {
    pub(super) value: Value,
    pub(super) duplicate_fields: Vec<FieldPath>,
}
