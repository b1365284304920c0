//! Visits the schemas in a schema, under all keywords.

use super::{Dependency, Items, JsonSchemaProps, JsonSchemaPropsOrBool};
use crate::{FieldPath, OrderedMap};

/// The relation of a schema to the schema directly around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Child<'s> {
    /// The schema of the property with that name.
    Property(&'s str),
    /// The schema of the values of a map: `additionalProperties`.
    Values,
    /// The schema of the items of a list.
    Items,
}

impl Child<'_> {
    /// Returns the path of the child; `path` is the path of its parent.
    #[must_use]
    pub fn below(self, path: &FieldPath) -> FieldPath {
        match self {
            Self::Property(name) => path.child("properties").key(name),
            Self::Values => path.child("additionalProperties"),
            Self::Items => path.child("items"),
        }
    }
}

impl JsonSchemaProps {
    /// Returns `true` if `predicate` holds for this schema or a schema inside it, under any keyword.
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
        predicate(self) || self.any_child(&mut |child| child.any(predicate))
    }

    /// Calls `visit` for this schema and all schemas in it, outer ones first.
    pub fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        self.any_child(&mut |child| {
            child.each(visit);
            false
        });
    }

    /// Returns `true` if `holds` returns `true` for a schema directly inside this schema. Visits the schemas under all keywords, in the API
    /// server's order (`SchemaHas`). The function uses loops, because the type of a chain of iterators would have ten parts.
    fn any_child<'a>(&'a self, holds: &mut dyn FnMut(&'a Self) -> bool) -> bool {
        (match &self.items {
            Some(Items::Schema(item)) => holds(item),
            Some(Items::Schemas(items)) => items.iter().any(&mut *holds),
            Some(Items::Neither(_)) | None => false,
        }) || any_of(self.all_of.as_deref(), holds)
            || any_of(self.any_of.as_deref(), holds)
            || any_of(self.one_of.as_deref(), holds)
            || self.not.as_deref().is_some_and(&mut *holds)
            || any_value(self.properties.as_ref(), holds)
            || additional(self.additional_properties.as_ref()).is_some_and(&mut *holds)
            || any_value(self.pattern_properties.as_ref(), holds)
            || additional(self.additional_items.as_ref()).is_some_and(&mut *holds)
            || any_value(self.definitions.as_ref(), holds)
            || self.dependencies.as_ref().is_some_and(|dependencies| {
                dependencies.values().any(|dependency| match dependency {
                    Dependency::Schema(schema) => holds(schema),
                    Dependency::Properties(_) => false,
                })
            })
    }

    /// Returns the schemas for the direct parts of a value: the schemas of properties, map values and list items. Schemas under `allOf` and
    /// similar keywords are not included.
    pub fn spine(&self) -> impl Iterator<Item = (Child<'_>, &Self)> {
        let properties = self.properties.iter().flat_map(OrderedMap::iter);
        let items = match &self.items {
            Some(Items::Schema(items)) => Some(&**items),
            Some(Items::Schemas(_) | Items::Neither(_)) | None => None,
        };
        properties
            .map(|(name, schema)| (Child::Property(name), schema))
            .chain(self.map_values().map(|schema| (Child::Values, schema)))
            .chain(items.map(|schema| (Child::Items, schema)))
    }

    /// Returns the schema of properties that are not in `properties`: `additionalProperties`, if it is a schema.
    #[must_use]
    pub fn map_values(&self) -> Option<&Self> {
        additional(self.additional_properties.as_ref())
    }
}

fn any_of<'a>(
    schemas: Option<&'a [JsonSchemaProps]>,
    holds: &mut dyn FnMut(&'a JsonSchemaProps) -> bool,
) -> bool {
    schemas.is_some_and(|schemas| schemas.iter().any(holds))
}

fn any_value<'a>(
    schemas: Option<&'a OrderedMap<JsonSchemaProps>>,
    holds: &mut dyn FnMut(&'a JsonSchemaProps) -> bool,
) -> bool {
    schemas.is_some_and(|schemas| schemas.values().any(holds))
}

fn additional(schema: Option<&JsonSchemaPropsOrBool>) -> Option<&JsonSchemaProps> {
    match schema {
        Some(JsonSchemaPropsOrBool::Schema(schema)) => Some(schema),
        Some(JsonSchemaPropsOrBool::Allowed(_)) | None => None,
    }
}
