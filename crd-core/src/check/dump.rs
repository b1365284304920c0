//! Prints parts of schemas for messages: see [`Writer`].

use crd_go::KubeVersion;

use crate::crd::{Items, JsonSchemaProps, ValidationRule};
use crate::outline::dump::Writer;

/// Prints a schema for a message.
pub(super) fn schema(schema: &JsonSchemaProps, version: KubeVersion) -> String {
    let mut out = Writer::new(version);
    out.schema(schema);
    out.out
}

/// Prints `items` without a schema.
pub(super) fn items(items: &Items, version: KubeVersion) -> String {
    let mut out = Writer::new(version);
    out.items(items);
    out.out
}

/// Prints a CEL rule for a message.
pub(super) fn rule(rule: &ValidationRule, version: KubeVersion) -> String {
    let mut out = Writer::new(version);
    out.rule(rule);
    out.out
}
