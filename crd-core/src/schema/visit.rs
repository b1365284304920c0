//! Visits the schemas in a structural schema.

use super::{AdditionalProperties, Structural};
use crate::crd::Child;

impl Structural {
    /// Returns the schema of the values of a map: `additionalProperties`, if it is a schema.
    #[must_use]
    pub fn map_values(&self) -> Option<&Self> {
        match &self.additional_properties {
            Some(AdditionalProperties::Schema(values)) => Some(values),
            Some(AdditionalProperties::Allowed(_)) | None => None,
        }
    }

    /// Returns the schema of an object's field: the property's schema or, if there is none, the schema of map values.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Self> {
        self.properties.get(name).or_else(|| self.map_values())
    }

    /// Returns the child schemas: the schemas of properties, map values and items.
    ///
    /// ```
    /// use crd_core::crd::{Child, JsonSchemaProps};
    /// use crd_core::{FieldPath, Structural};
    ///
    /// let schema = JsonSchemaProps::from_value(serde_json::json!({
    ///     "type": "object",
    ///     "properties": {"sizes": {"type": "array", "items": {"type": "integer"}}},
    /// }))?;
    /// let schema = Structural::from_json_schema(&schema)?;
    /// let (child, sizes) = schema.children().next().unwrap();
    /// assert_eq!(child, Child::Property("sizes"));
    /// assert_eq!(child.below(&FieldPath::new("root")).to_string(), "root.properties[sizes]");
    /// assert_eq!(sizes.children().next().unwrap().0, Child::Items);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn children(&self) -> impl Iterator<Item = (Child<'_>, &Self)> {
        let properties = self.properties.iter().map(|(name, schema)| (Child::Property(name), schema));
        properties
            .chain(self.map_values().map(|schema| (Child::Values, schema)))
            .chain(self.items.as_deref().map(|schema| (Child::Items, schema)))
    }

    /// Returns the child schemas, mutable.
    pub fn children_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        let values = match &mut self.additional_properties {
            Some(AdditionalProperties::Schema(values)) => Some(&mut **values),
            Some(AdditionalProperties::Allowed(_)) | None => None,
        };
        self.properties.values_mut().chain(values).chain(self.items.as_deref_mut())
    }

    /// Returns `true` if `predicate` holds for this schema or a schema inside it.
    ///
    /// ```
    /// use crd_core::{Structural, crd::JsonSchemaProps, schema::SchemaType};
    ///
    /// let schema = JsonSchemaProps::from_value(serde_json::json!({
    ///     "type": "object",
    ///     "additionalProperties": {"type": "integer"},
    /// }))?;
    /// let schema = Structural::from_json_schema(&schema)?;
    /// assert!(schema.any(&|schema| schema.type_ == Some(SchemaType::Integer)));
    /// assert!(!schema.any(&Structural::is_nullable));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn any(&self, predicate: &dyn Fn(&Self) -> bool) -> bool {
        predicate(self) || self.children().any(|(_, child)| child.any(predicate))
    }

    /// Visits this schema and all schemas inside it, outer ones first.
    pub fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        self.children().for_each(|(_, child)| child.each(visit));
    }

    /// Returns `true` if this schema or a schema inside it has CEL rules.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        self.any(&|schema| !schema.validations.is_empty())
    }
}
