//! The objects in a suite.

use crd_core::FieldPath;
use serde_json::Value;

/// An object in a suite, or in a file to which the suite refers. Tests that refer to the same file share the object.
#[derive(Debug)]
pub(super) struct SuiteObject {
    pub(super) value: Value,
    pub(super) duplicate_fields: Vec<FieldPath>,
}
