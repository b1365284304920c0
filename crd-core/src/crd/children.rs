//! Visits the schemas in a schema, under all keywords.

use super::{AdditionalProperties, Dependency, Items, JsonSchemaProps};
use crate::OrderedMap;

impl JsonSchemaProps {
    /// Returns `true` if `predicate` holds for this schema or one in it, wherever it stands.
    ///
    /// ```
    /// use crd_core::crd::JsonSchemaProps;
    ///
    /// let schema = JsonSchemaProps::from_value(serde_json::json!({"anyOf": [{"not": {"minimum": 1}}]}))?;
    /// assert!(schema.any(&|schema| schema.minimum.is_some()));
    /// # Ok::<(), crd_core::DecodeError>(())
    /// ```
    #[must_use]
    pub fn any(&self, predicate: &dyn Fn(&Self) -> bool) -> bool {
        predicate(self) || self.children().any(|child| child.any(predicate))
    }

    /// Calls `visit` for this schema and all schemas in it, outer ones first.
    pub fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        for child in self.children() {
            child.each(visit);
        }
    }

    /// Returns the schemas directly in this one, under all keywords, in the API server's order (`SchemaHas`).
    pub fn children(&self) -> impl Iterator<Item = &Self> {
        children(self)
    }

    /// Returns the schema of properties without a name of their own: `additionalProperties`, if it is a schema.
    #[must_use]
    pub fn map_values(&self) -> Option<&Self> {
        additional(self.additional_properties.as_ref())
    }
}

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
