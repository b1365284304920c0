//! A CRD as it is compared: without descriptions, which no comparison reads, and with the schemas of its versions.

use std::borrow::Cow;

use crd_core::crd::{Items, JsonSchemaProps, JsonSchemaPropsOrBool, Version};
use crd_core::{CustomResourceDefinition, OrderedMap, Structural};

/// Returns a CRD without the descriptions of values, which is a copy if it has any. A description of the metadata of objects is kept, because
/// the server rejects it, and so are descriptions in `anyOf` and similar keywords. Adds the bytes that are removed to `described`.
pub(crate) fn without_descriptions<'c>(
    crd: &'c CustomResourceDefinition,
    described: &mut u64,
) -> Cow<'c, CustomResourceDefinition> {
    let mut schemas = crd.spec.versions.iter().filter_map(Version::open_api_v3_schema);
    if !schemas.any(|schema| schema.any(&|schema| schema.description.is_some())) {
        return Cow::Borrowed(crd);
    }
    let mut bare = crd.clone();
    let validations = bare.spec.versions.iter_mut().filter_map(|version| version.schema.as_mut());
    for root in validations.filter_map(|validation| validation.open_api_v3_schema.as_deref_mut()) {
        *described += removed_description(root);
        each_below(root, &mut |name, schema| {
            if name != Some("metadata") {
                *described += removed_descriptions(schema);
            }
        });
    }
    Cow::Owned(bare)
}

/// Removes all descriptions, and returns their bytes.
fn removed_descriptions(schema: &mut JsonSchemaProps) -> u64 {
    let mut bytes = removed_description(schema);
    each_below(schema, &mut |_, schema| bytes += removed_descriptions(schema));
    bytes
}

fn removed_description(schema: &mut JsonSchemaProps) -> u64 {
    const NAME: u64 = "\"description\":,".len() as u64;
    schema.description.take().map_or(0, |text| NAME + text.len() as u64)
}

/// Visits the schemas of properties, with their names, of items and of the values of maps.
fn each_below(schema: &mut JsonSchemaProps, visit: &mut dyn FnMut(Option<&str>, &mut JsonSchemaProps)) {
    for (name, property) in schema.properties.iter_mut().flat_map(OrderedMap::iter_mut) {
        visit(Some(name), property);
    }
    if let Some(Items::Schema(items)) = &mut schema.items {
        visit(None, items);
    }
    if let Some(JsonSchemaPropsOrBool::Schema(values)) = &mut schema.additional_properties {
        visit(None, values);
    }
}

/// A CRD with the schemas of its versions, which are converted once.
pub(crate) struct Schemas<'c> {
    pub(crate) crd: &'c CustomResourceDefinition,
    /// The schema of each version; `None` if it has none, or one that is not structural.
    all: Vec<Option<Structural>>,
}

impl<'c> Schemas<'c> {
    pub(crate) fn new(crd: &'c CustomResourceDefinition) -> Self {
        let structural = |version: &Version| Structural::from_json_schema(version.open_api_v3_schema()?).ok();
        Self { crd, all: crd.spec.versions.iter().map(structural).collect() }
    }

    /// Returns the versions with their schemas, in order.
    pub(crate) fn versions(&self) -> impl Iterator<Item = (&'c Version, Option<&Structural>)> {
        self.crd.spec.versions.iter().zip(self.all.iter().map(Option::as_ref))
    }

    /// Returns a version of that name with its place in the list and its schema.
    pub(crate) fn find(&self, name: &str) -> Option<(usize, &'c Version, Option<&Structural>)> {
        let found = self.versions().enumerate().find(|(_, (version, _))| version.name == name);
        found.map(|(index, (version, schema))| (index, version, schema))
    }

    /// Returns the schema of a version.
    pub(crate) fn of(&self, version: &str) -> Option<&Structural> {
        self.find(version)?.2
    }

    /// Returns the schemas of all versions; `None` if one has no schema.
    pub(crate) fn complete(&self) -> Option<Vec<&Structural>> {
        self.all.iter().map(Option::as_ref).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn descriptions_are_removed_where_nothing_reads_them() {
        let schema = json!({
            "type": "object", "description": "gone",
            "properties": {
                "metadata": {"type": "object", "description": "kept"},
                "spec": {
                    "type": "object", "description": "gone",
                    "properties": {"metadata": {"type": "object", "description": "gone"}},
                    "anyOf": [{"description": "kept"}],
                },
                "list": {"type": "array", "items": {"type": "string", "description": "gone"}},
                "map": {"type": "object", "additionalProperties": {"type": "string", "description": "gone"}},
            },
        });
        let crd = CustomResourceDefinition::from_value(json!({"spec": {"versions": [
            {"name": "v1", "schema": {"openAPIV3Schema": schema}},
        ]}}));
        let mut bytes = 0;
        let text = without_descriptions(&crd.unwrap_or_default(), &mut bytes).to_value().to_string();
        assert!(!text.contains("gone"), "{text}");
        assert_eq!(text.matches("kept").count(), 2, "{text}");
        assert!(bytes > 5 * "gone".len() as u64, "{bytes}");
    }
}
