//! Parts of schemas as causes show them: as Go prints its internal form.

use crate::crd::{Items, JsonSchemaProps, ValidationRule};
use crate::outline::dump::Writer;

/// Prints a schema.
pub(super) fn schema(schema: &JsonSchemaProps) -> String {
    let mut out = Writer::default();
    out.schema(schema);
    out.0
}

/// Prints `items` that hold no schema.
pub(super) fn items(items: &Items) -> String {
    let mut out = Writer::default();
    out.items(items);
    out.0
}

/// Prints a rule.
pub(super) fn rule(rule: &ValidationRule) -> String {
    let mut out = Writer::default();
    out.rule(rule);
    out.0
}
