//! Functions that interpret a schema's keywords.

use crd_core::Structural;
use crd_core::schema::AdditionalProperties;

use crate::ir::Type;

/// Returns `true` if an object keeps properties that are not in the schema.
pub(super) fn takes_any_property(schema: &Structural) -> bool {
    !matches!(schema.additional_properties, None | Some(AdditionalProperties::Allowed(false)))
}

/// Returns the format of a value.
pub(super) fn format(schema: &Structural) -> Option<&str> {
    schema.value_validation.as_ref()?.format.as_deref()
}

/// Returns the Rust type for a value that is an integer or a string.
pub(super) fn int_or_string(schema: &Structural) -> Type {
    let pattern = schema.value_validation.as_ref().and_then(|validation| validation.pattern.as_deref());
    // The pattern that controller-gen writes for `resource.Quantity`, in all its spellings, names the binary suffixes.
    if pattern.is_some_and(|pattern| pattern.contains("[KMGTPE]i")) || format(schema) == Some("quantity") {
        return Type::Quantity;
    }
    Type::IntOrString
}

/// Returns the Rust type for strings with this schema.
pub(super) fn string(schema: &Structural) -> Type {
    // As the API server reads names of formats: without dashes.
    match format(schema).map(|format| format.replace('-', "")).as_deref() {
        Some("datetime") => Type::DateTime,
        Some("byte") => Type::Bytes,
        _ => Type::String,
    }
}
