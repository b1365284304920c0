//! Visits the schemas in a CRD, with the paths of their values in objects.

use crd_core::crd::{Items, JsonSchemaProps, JsonSchemaPropsOrBool, Version};
use crd_core::{CustomResourceDefinition, FieldPath};

/// A schema in a CRD.
#[derive(Clone, Copy)]
pub(crate) struct ValueSchema<'s> {
    pub(crate) version: &'s Version,
    pub(crate) schema: &'s JsonSchemaProps,
    /// The path in the CRD.
    pub(crate) path: &'s FieldPath,
    /// The path of the values in objects: `.spec.ports[]`. The path of the whole object is empty.
    pub(crate) field: &'s str,
}

/// Calls `visit` for the schema of every value, outer schemas first. Schemas under keywords such as `oneOf` are not visited.
pub(crate) fn each_value(crd: &CustomResourceDefinition, visit: &mut dyn FnMut(ValueSchema<'_>)) {
    for (i, version) in crd.spec.versions.iter().enumerate() {
        if let Some(schema) = version.open_api_v3_schema() {
            let path = FieldPath::new("spec").child("versions").index(i);
            let path = path.child("schema").child("openAPIV3Schema");
            walk(ValueSchema { version, schema, path: &path, field: "" }, visit);
        }
    }
}

fn walk(value: ValueSchema<'_>, visit: &mut dyn FnMut(ValueSchema<'_>)) {
    visit(value);
    let ValueSchema { schema, path, field, .. } = value;
    // A loop over the map itself: iterator adapters add functions to each program with a CRD.
    if let Some(properties) = &schema.properties {
        for (name, property) in properties.iter() {
            let (path, field) =
                (path.child("properties").key(name), format!("{field}.{}", name.replace('.', "\\.")));
            walk(ValueSchema { schema: property, path: &path, field: &field, ..value }, visit);
        }
    }
    if let Some(Items::Schema(items)) = &schema.items {
        let (path, field) = (path.child("items"), format!("{field}[]"));
        walk(ValueSchema { schema: items, path: &path, field: &field, ..value }, visit);
    }
    if let Some(JsonSchemaPropsOrBool::Schema(values)) = &schema.additional_properties {
        let (path, field) = (path.child("additionalProperties"), format!("{field}[*]"));
        walk(ValueSchema { schema: values, path: &path, field: &field, ..value }, visit);
    }
}
