//! Visits every schema in a schema.

use crate::OrderedMap;
use crate::crd::{AdditionalProperties, Dependency, Items, JsonSchemaProps};

/// Whether `predicate` holds of `schema` or of a schema in it, wherever it stands.
pub(crate) fn any(schema: &JsonSchemaProps, predicate: &dyn Fn(&JsonSchemaProps) -> bool) -> bool {
    predicate(schema) || children(schema).any(|child| any(child, predicate))
}

/// Shows `visit` the schema and all schemas in it, outer ones first.
pub(crate) fn each<'a>(schema: &'a JsonSchemaProps, visit: &mut dyn FnMut(&'a JsonSchemaProps)) {
    visit(schema);
    for child in children(schema) {
        each(child, visit);
    }
}

/// The schemas that stand directly in `schema`, in the API server's order (`SchemaHas`).
fn children(schema: &JsonSchemaProps) -> impl Iterator<Item = &JsonSchemaProps> {
    let (item, items): (_, &[_]) = match &schema.items {
        Some(Items::Schema(item)) => (Some(&**item), &[]),
        Some(Items::Schemas(items)) => (None, items),
        Some(Items::Neither(_)) | None => (None, &[]),
    };
    let junctors = [&schema.all_of, &schema.any_of, &schema.one_of];
    item.into_iter()
        .chain(items)
        .chain(junctors.into_iter().flatten().flatten())
        .chain(schema.not.as_deref())
        .chain(schema.properties.iter().flat_map(OrderedMap::values))
        .chain(additional(schema.additional_properties.as_ref()))
        .chain(schema.pattern_properties.iter().flat_map(OrderedMap::values))
        .chain(additional(schema.additional_items.as_ref()))
        .chain(schema.definitions.iter().flat_map(OrderedMap::values))
        .chain(schema.dependencies.iter().flat_map(OrderedMap::values).filter_map(|dependency| {
            match dependency {
                Dependency::Schema(schema) => Some(&**schema),
                Dependency::Properties(_) => None,
            }
        }))
}

fn additional(schema: Option<&AdditionalProperties>) -> Option<&JsonSchemaProps> {
    match schema {
        Some(AdditionalProperties::Schema(schema)) => Some(schema),
        Some(AdditionalProperties::Allowed(_)) | None => None,
    }
}
