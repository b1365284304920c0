//! Checks of a schema's root. The root of a schema with a status subresource can have few keywords: the API server extracts the schema of
//! `status`, so others would be lost.

use super::dump;
use crate::crd::JsonSchemaProps;
use crate::{Causes, Diagnostic, Edit, FieldPath, Remedy, Shown};

const ALLOWED: &str = "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength \
     MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example \
     XPreserveUnknownFields XValidations]";

/// Checks the root of a schema with a status subresource. Reports the first field that is not allowed, in the order of the Go struct.
pub(super) fn under_status(schema: &JsonSchemaProps, path: &FieldPath, out: &mut Causes) {
    let is = |flag: Option<bool>| flag == Some(true);
    let before_type = !schema.id.is_empty() || !schema.schema.is_empty() || schema.reference.is_some();
    let type_ = schema.type_.as_deref().filter(|type_| !type_.is_empty());
    let after_type = is(schema.nullable)
        || schema.default.is_some()
        || schema.enum_.is_some()
        || schema.max_properties.is_some()
        || schema.min_properties.is_some()
        || schema.all_of.is_some()
        || schema.one_of.is_some()
        || schema.any_of.is_some()
        || schema.not.is_some()
        || schema.additional_properties.is_some()
        || schema.pattern_properties.is_some()
        || schema.dependencies.is_some()
        || schema.additional_items.is_some()
        || schema.definitions.is_some()
        || is(schema.x_embedded_resource)
        || is(schema.x_int_or_string)
        || schema.x_list_map_keys.is_some()
        || schema.x_list_type.is_some()
        || schema.x_map_type.is_some();
    match type_ {
        Some(type_) if type_ != "object" && !before_type => {
            let detail = "only \"object\" is allowed as the type at the root of the schema if the status subresource \
                          is enabled";
            out.push(Diagnostic::invalid(path.child("openAPIV3Schema.type"), type_, detail));
        }
        _ if before_type || after_type => {
            let detail = format!(
                "only {ALLOWED} fields are allowed at the root of the schema if the status subresource is enabled"
            );
            let shown = Shown(dump::schema(schema, out.version()));
            out.push(Diagnostic::invalid(path.child("openAPIV3Schema"), shown, &detail));
        }
        _ => {}
    }
}

/// Checks that the root is not nullable.
pub(super) fn nullable(schema: &JsonSchemaProps, path: &FieldPath, out: &mut Causes) {
    if schema.nullable == Some(true) {
        let field = path.child("openAPIV3Schema.nullable");
        let remedy = Remedy::new("remove `nullable`").with(Edit::remove(field.clone()));
        out.push(Diagnostic::forbidden(field, "nullable cannot be true at the root").with_help(remedy));
    }
}
