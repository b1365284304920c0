//! Describes types in words.

use super::{SchemaType, Structural};

impl Structural {
    /// Returns the type in words, as in reference pages and samples.
    ///
    /// ```
    /// use crd_core::Structural;
    /// use crd_core::crd::JsonSchemaProps;
    /// use serde_json::json;
    ///
    /// let schema = JsonSchemaProps::from_value(json!({
    ///     "type": "array",
    ///     "x-kubernetes-list-type": "map",
    ///     "x-kubernetes-list-map-keys": ["name"],
    ///     "items": {"type": "object", "properties": {"name": {"type": "string"}}},
    /// }))?;
    /// assert_eq!(Structural::from_json_schema(&schema)?.type_in_words(), "list of objects, keyed by name");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn type_in_words(&self) -> String {
        words(self, false)
    }
}

/// Returns the type in words, in the singular or the plural.
fn words(schema: &Structural, is_plural: bool) -> String {
    let s = if is_plural { "s" } else { "" };
    let mut words = if schema.is_int_or_string() {
        format!("integer{s} or string{s}")
    } else if schema.is_embedded_resource() {
        format!("Kubernetes object{s}")
    } else {
        match &schema.type_ {
            Some(SchemaType::Array) => {
                let items = schema.items.as_deref();
                let items = items.map_or_else(|| "any values".to_owned(), |items| words(items, true));
                match (schema.extensions.list_type.as_deref(), &schema.extensions.list_map_keys) {
                    (Some("set"), _) => format!("set{s} of {items}"),
                    (Some("map"), Some(keys)) => {
                        format!("list{s} of {items}, keyed by {}", keys.join(" and "))
                    }
                    _ => format!("list{s} of {items}"),
                }
            }
            Some(SchemaType::Object) => match schema.map_values() {
                Some(values) => format!("map{s} of strings to {}", words(values, true)),
                None => format!("object{s}"),
            },
            Some(type_) => format!("{}{s}", type_.as_str()),
            None => format!("any value{s}"),
        }
    };
    if schema.is_nullable() {
        words += " or null";
    }
    words
}
