//! Fields of a CRD that a server drops before its checks, because a feature gate is off.
//!
//! Source: `dropDisabledFields` in `registry/customresourcedefinition/strategy.go`.

use std::borrow::Cow;

use crate::CustomResourceDefinition;
use crate::crd::{Items, JsonSchemaProps, JsonSchemaPropsOrBool, Version};
use crate::options::{FeatureGate, ServerOptions};

/// Returns the CRD without the fields that the server drops when the CRD replaces `old`. The server keeps the fields of features that `old`
/// already uses.
pub(crate) fn without_disabled<'c>(
    crd: &'c CustomResourceDefinition,
    old: Option<&CustomResourceDefinition>,
    options: ServerOptions,
) -> Cow<'c, CustomResourceDefinition> {
    let is_dropped = |gate, has: fn(&CustomResourceDefinition) -> bool| {
        !options.is_enabled(gate) && has(crd) && !old.is_some_and(has)
    };
    let mut kept = Cow::Borrowed(crd);
    if is_dropped(FeatureGate::CustomResourceFieldSelectors, has_selectable_fields) {
        kept.to_mut().spec.versions.iter_mut().for_each(|version| version.selectable_fields = None);
    }
    if is_dropped(FeatureGate::CrdValidationRatcheting, has_optional_old_self) {
        let versions = kept.to_mut().spec.versions.iter_mut();
        versions.filter_map(schema_of).for_each(drop_optional_old_self);
    }
    kept
}

fn has_selectable_fields(crd: &CustomResourceDefinition) -> bool {
    crd.spec.versions.iter().any(|version| version.selectable_fields.is_some())
}

fn has_optional_old_self(crd: &CustomResourceDefinition) -> bool {
    fn is_in(schema: &JsonSchemaProps) -> bool {
        let mut rules = schema.x_validations.iter().flatten();
        rules.any(|rule| rule.optional_old_self.is_some()) || schema.spine().any(|(_, schema)| is_in(schema))
    }
    crd.spec.versions.iter().filter_map(Version::open_api_v3_schema).any(is_in)
}

fn schema_of(version: &mut Version) -> Option<&mut JsonSchemaProps> {
    version.schema.as_mut()?.open_api_v3_schema.as_deref_mut()
}

fn drop_optional_old_self(schema: &mut JsonSchemaProps) {
    schema.x_validations.iter_mut().flatten().for_each(|rule| rule.optional_old_self = None);
    schema
        .properties
        .iter_mut()
        .flat_map(|properties| properties.values_mut())
        .for_each(drop_optional_old_self);
    if let Some(JsonSchemaPropsOrBool::Schema(values)) = &mut schema.additional_properties {
        drop_optional_old_self(values);
    }
    if let Some(Items::Schema(items)) = &mut schema.items {
        drop_optional_old_self(items);
    }
}
