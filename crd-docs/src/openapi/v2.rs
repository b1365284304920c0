//! Converts schemas to OpenAPI v2. Removes defaults, keywords that OpenAPI v2 does not have, and keywords that old kubectl versions
//! cannot read.
//!
//! Source: `pkg/controller/openapi/v2/conversion.go` in apiextensions-apiserver, and `pkg/handler/default_pruning.go` in kube-openapi.

use crd_core::Structural;
use crd_core::schema::SchemaType;

/// Removes `allOf`, `anyOf`, `oneOf`, `not` and defaults. Adapts nullable values, unknown fields, and lists without items.
pub(super) fn lower(schema: &mut Structural) {
    lower_node(schema);
    schema.children_mut().for_each(lower);
}

fn lower_node(schema: &mut Structural) {
    schema.generic.default = None;
    if let Some(validation) = &mut schema.value_validation {
        (validation.all_of, validation.one_of) = (None, None);
        (validation.any_of, validation.not) = (None, None);
    }
    if schema.is_nullable() {
        schema.type_ = None;
        schema.generic.nullable = None;
        schema.items = None;
        schema.properties.clear();
    }
    if schema.extensions.preserve_unknown_fields {
        schema.items = None;
        schema.properties.clear();
    }
    if schema.items.is_none() && schema.type_ == Some(SchemaType::Array)
        || schema.extensions.preserve_unknown_fields && schema.type_ == Some(SchemaType::Object)
    {
        schema.type_ = None;
    }
    let has_nullable_values = schema.map_values().is_some_and(Structural::is_nullable);
    let Some(validation) = &mut schema.value_validation else { return };
    let Some(required) = &mut validation.required else { return };
    if has_nullable_values {
        required.clear();
    } else {
        required.retain(|name| !schema.properties.get(name).is_some_and(Structural::is_nullable));
    }
}
