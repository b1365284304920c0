//! Prepares CRDs for the comparison: converts schemas to structural schemas, and removes descriptions, which are not compared.

use std::borrow::Cow;
use std::cell::Cell;

use crd_core::crd::{Items, JsonSchemaProps, JsonSchemaPropsOrBool, Version};
use crd_core::{CustomResourceDefinition, OrderedMap, Structural};

/// CRDs with more schemas than this are not copied, and keep their descriptions.
const MOST_COPIED: usize = 50_000;

/// The size of a CRD's descriptions.
#[derive(Clone, Copy, Default)]
pub(crate) struct Described {
    /// The size of the descriptions that were removed, in bytes.
    pub(crate) removed: u64,
    /// The size of the descriptions that were kept, in bytes.
    pub(crate) kept: u64,
}

/// Returns a copy of a CRD without the descriptions of values, and adds their sizes to `described`. A CRD that has no descriptions, or very
/// many schemas, is returned unchanged. Descriptions in `metadata`, and in `anyOf` and similar keywords, are kept, because the API server
/// rejects CRDs with such descriptions.
pub(crate) fn without_descriptions<'c>(
    crd: &'c CustomResourceDefinition,
    described: &mut Described,
) -> Cow<'c, CustomResourceDefinition> {
    let (count, bytes) = (Cell::new(0), Cell::new(0));
    for schema in crd.spec.versions.iter().filter_map(Version::open_api_v3_schema) {
        let _: bool = schema.any(&|schema| {
            count.set(count.get() + 1);
            bytes.set(bytes.get() + schema.description.as_deref().map_or(0, described_bytes));
            false
        });
    }
    if bytes.get() == 0 {
        return Cow::Borrowed(crd);
    }
    if count.get() > MOST_COPIED {
        described.kept = bytes.get();
        return Cow::Borrowed(crd);
    }
    let mut bare = crd.clone();
    let validations = bare.spec.versions.iter_mut().filter_map(|version| version.schema.as_mut());
    for root in validations.filter_map(|validation| validation.open_api_v3_schema.as_deref_mut()) {
        described.removed += removed_description(root);
        each_below(root, &mut |name, schema| {
            if name != Some("metadata") {
                described.removed += removed_descriptions(schema);
            }
        });
    }
    Cow::Owned(bare)
}

/// Returns the size of a description in JSON in bytes, including the key.
fn described_bytes(text: &str) -> u64 {
    const NAME: u64 = "\"description\":,".len() as u64;
    NAME + text.len() as u64
}

/// Removes all descriptions, and returns their size in bytes.
fn removed_descriptions(schema: &mut JsonSchemaProps) -> u64 {
    let mut bytes = removed_description(schema);
    each_below(schema, &mut |_, schema| bytes += removed_descriptions(schema));
    bytes
}

fn removed_description(schema: &mut JsonSchemaProps) -> u64 {
    schema.description.take().map_or(0, |text| described_bytes(&text))
}

/// Calls `visit` for each schema directly inside a schema. Schemas of properties are passed with their names.
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

/// A CRD, and the structural schemas of its versions.
pub(crate) struct Schemas<'c> {
    pub(crate) crd: &'c CustomResourceDefinition,
    /// The schema of each version; `None` if the version has no structural schema.
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

    /// Returns the version with this name, its index, and its schema.
    pub(crate) fn find(&self, name: &str) -> Option<(usize, &'c Version, Option<&Structural>)> {
        let found = self.versions().enumerate().find(|(_, (version, _))| version.name == name);
        found.map(|(index, (version, schema))| (index, version, schema))
    }

    /// Returns the schema of a version.
    pub(crate) fn of(&self, version: &str) -> Option<&Structural> {
        self.find(version)?.2
    }

    /// Returns the schemas of all versions; `None` if a version has no schema.
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
        let mut bytes = Described::default();
        let text = without_descriptions(&crd.unwrap_or_default(), &mut bytes).to_value().to_string();
        assert!(!text.contains("gone"), "{text}");
        assert_eq!(text.matches("kept").count(), 2, "{text}");
        assert!(bytes.removed > 5 * "gone".len() as u64 && bytes.kept == 0, "{}", bytes.removed);
    }

    #[test]
    fn a_very_large_crd_is_not_copied() {
        let property = |i: usize| (format!("p{i}"), json!({"type": "string", "description": "kept"}));
        let properties: serde_json::Map<_, _> = (0..=MOST_COPIED).map(property).collect();
        let schema = json!({"type": "object", "properties": properties});
        let crd = CustomResourceDefinition::from_value(json!({"spec": {"versions": [
            {"name": "v1", "schema": {"openAPIV3Schema": schema}},
        ]}}));
        let mut bytes = Described::default();
        assert!(matches!(without_descriptions(&crd.unwrap_or_default(), &mut bytes), Cow::Borrowed(_)));
        assert_eq!((bytes.removed, bytes.kept), (0, (MOST_COPIED as u64 + 1) * described_bytes("kept")));
    }
}
