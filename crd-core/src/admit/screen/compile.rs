//! Prepares schemas for screening, the quick check of objects.

use std::collections::HashSet;

use crd_go::KubeVersion;
use foldhash::fast::RandomState;

use super::Screen;
use super::defaults::Reach;
use super::node::{Required, ScreenDefaults, ScreenNode};
use crate::Structural;
use crate::defaults::default_of;
use crate::schema::{NestedValidation, ValueValidation};
use crate::values::probe::NodeChecks;

impl Screen {
    /// Prepares a schema for screening. Returns `None` if the schema restricts metadata, because screening does not examine metadata.
    pub(in crate::admit) fn new(schema: &Structural, has_status: bool, version: KubeVersion) -> Option<Self> {
        if !is_open(schema, version) {
            return None;
        }
        // The default of the status is filled in after all checks.
        let late = has_status.then_some("status");
        let root = ScreenNode::new(schema, version, Reach::default(), late);
        Some(Self { version, has_status, root })
    }
}

impl ScreenNode {
    /// Prepares a schema node for screening. `reach` contains the restrictions of the enclosing values. The default of the property `late`
    /// is ignored.
    fn new<'s>(schema: &'s Structural, version: KubeVersion, reach: Reach<'s>, late: Option<&str>) -> Self {
        let reach = reach.with(schema);
        let property = |(name, property): (&str, &'s Structural)| {
            Self::new(property, version, reach.property(name), None)
        };
        let mut properties: Box<[Self]> = schema.properties.iter().map(property).collect();
        if let Some((position, _)) = late.and_then(|late| schema.properties.position(late)) {
            properties[position].has_default = false;
        }
        let below = |schema: &'s Structural, reach| Box::new(Self::new(schema, version, reach, None));
        let required = required(schema, &mut properties);
        let list_type = schema.extensions.list_type.as_deref();
        let keeps_items = schema.extensions.preserve_unknown_fields && schema.items.is_some();
        // Lists in fields with both are compared twice.
        let has_both = schema.map_values().is_some() && !properties.is_empty();
        Self {
            checks: NodeChecks::new(schema, version),
            is_nullable: schema.is_nullable(),
            is_required: false,
            has_default: default_of(schema).is_some(),
            default_bit: 0,
            is_left: schema.is_embedded_resource() || keeps_items || has_both,
            has_unique_items: matches!(list_type, Some("set" | "map")),
            values: schema.map_values().map(|values| below(values, reach.values())),
            items: schema.items.as_deref().map(|items| below(items, reach.items(schema))),
            defaults: ScreenDefaults::new(schema, &mut properties, &reach),
            properties,
            required,
        }
    }
}

/// Marks the properties that the schema requires, and returns the required fields.
fn required(schema: &Structural, properties: &mut [ScreenNode]) -> Required {
    let names = schema.value_validation.as_deref().and_then(|validation| validation.required.as_deref());
    let names = names.unwrap_or_default();
    let mut others: HashSet<&str, RandomState> = HashSet::default();
    for name in names {
        match schema.properties.position(name) {
            Some((index, _)) => properties[index].is_required = true,
            None => drop(others.insert(name)),
        }
    }
    let marked = properties.iter().map(|property| u32::from(property.is_required)).sum();
    let mut others: Box<[Box<str>]> = others.into_iter().map(Box::from).collect();
    others.sort_unstable();
    Required { names: names.len(), properties: marked, others }
}

/// Returns `true` if the schema accepts all metadata. Of the metadata, a schema can restrict only `name` and `generateName`.
fn is_open(schema: &Structural, version: KubeVersion) -> bool {
    let validation = schema.value_validation.as_deref();
    let is_compared =
        validation.is_some_and(|validation| validation.enum_.is_some() || reads_metadata(validation));
    if is_compared || schema.additional_properties.is_some() || schema.is_embedded_resource() {
        return false;
    }
    let Some(metadata) = schema.properties.get("metadata") else { return true };
    let is_open_name = |(name, property): (&str, &Structural)| {
        matches!(name, "name" | "generateName")
            && default_of(property).is_none()
            && NodeChecks::new(property, version).allows_every_string()
    };
    let requires = metadata.value_validation.as_deref().and_then(|validation| validation.required.as_ref());
    NodeChecks::new(metadata, version).allows_every_object()
        && metadata.additional_properties.is_none()
        && !metadata.is_embedded_resource()
        // An object has a name when it is validated.
        && requires.into_iter().flatten().all(|name| name == "name")
        && metadata.properties.iter().all(is_open_name)
}

/// Returns `true` if a schema in `allOf`, `anyOf`, `oneOf` or `not` reads the metadata of an object.
fn reads_metadata(validation: &ValueValidation) -> bool {
    let branches =
        [&validation.all_of, &validation.any_of, &validation.one_of].into_iter().flatten().flatten();
    branches.chain(validation.not.as_deref()).any(|branch: &NestedValidation| {
        branch.properties.contains("metadata")
            || branch.additional_properties.is_some()
            || branch.value_validation.enum_.is_some()
            || reads_metadata(&branch.value_validation)
    })
}
