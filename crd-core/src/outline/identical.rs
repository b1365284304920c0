//! Compares parts of versions, as `apiequality.Semantic.DeepEqual` does on the API server's internal form. Values that the internal form
//! does not distinguish are equal, such as absent and empty lists, or `false` and an absent boolean. 1 equals 1.0 in schema keywords, but
//! not in values.

use crd_go::json::{Num, deep_equal};
use serde_json::Number;

use crate::OrderedMap;
use crate::crd::{
    Dependency, Items, JsonSchemaProps, JsonSchemaPropsOrBool, PrinterColumn, SelectableField, Subresources,
    Validation, ValidationRule,
};

/// Returns `true` if two `subresources` are equal.
pub(super) fn subresources(a: Option<&Subresources>, b: Option<&Subresources>) -> bool {
    both(a, b, |a, b| {
        a.status.is_some() == b.status.is_some()
            && both(a.scale.as_ref(), b.scale.as_ref(), |a, b| {
                a.spec_replicas_path == b.spec_replicas_path
                    && a.status_replicas_path == b.status_replicas_path
                    && a.label_selector_path == b.label_selector_path
            })
    })
}

/// Returns `true` if two lists of columns are equal.
pub(super) fn columns(a: Option<&[PrinterColumn]>, b: Option<&[PrinterColumn]>) -> bool {
    all(a, b, |a, b| {
        a.name == b.name
            && a.type_ == b.type_
            && a.format == b.format
            && a.description == b.description
            && a.priority.unwrap_or(0) == b.priority.unwrap_or(0)
            && a.json_path == b.json_path
    })
}

/// Returns `true` if two lists of selectable fields are equal.
pub(super) fn selectable(a: Option<&[SelectableField]>, b: Option<&[SelectableField]>) -> bool {
    all(a, b, |a, b| a.json_path == b.json_path)
}

/// Returns `true` if two `schema`s of versions are equal.
pub(crate) fn validations(a: Option<&Validation>, b: Option<&Validation>) -> bool {
    both(a, b, |a, b| both(a.open_api_v3_schema.as_deref(), b.open_api_v3_schema.as_deref(), schemas))
}

fn both<T: ?Sized>(a: Option<&T>, b: Option<&T>, same: impl Fn(&T, &T) -> bool) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        _ => false,
    }
}

/// Returns `true` if two lists are equal. An absent list equals an empty one.
fn all<T>(a: Option<&[T]>, b: Option<&[T]>, same: impl Fn(&T, &T) -> bool) -> bool {
    let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

/// Returns `true` if two maps are equal. An absent map equals an empty one.
fn maps<T>(a: Option<&OrderedMap<T>>, b: Option<&OrderedMap<T>>, same: impl Fn(&T, &T) -> bool) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        (Some(map), None) | (None, Some(map)) => map.is_empty(),
        (None, None) => true,
    }
}

fn text(text: Option<&String>) -> &str {
    text.map_or("", String::as_str)
}

fn numbers(a: Option<&Number>, b: Option<&Number>) -> bool {
    both(a, b, |a, b| Num::from(a).as_float() == Num::from(b).as_float())
}

fn schemas(a: &JsonSchemaProps, b: &JsonSchemaProps) -> bool {
    let flag = |flag: Option<bool>| flag == Some(true);
    a.id == b.id
        && a.schema == b.schema
        && a.reference == b.reference
        && text(a.description.as_ref()) == text(b.description.as_ref())
        && text(a.type_.as_ref()) == text(b.type_.as_ref())
        && text(a.format.as_ref()) == text(b.format.as_ref())
        && text(a.title.as_ref()) == text(b.title.as_ref())
        && text(a.pattern.as_ref()) == text(b.pattern.as_ref())
        && flag(a.nullable) == flag(b.nullable)
        && flag(a.exclusive_maximum) == flag(b.exclusive_maximum)
        && flag(a.exclusive_minimum) == flag(b.exclusive_minimum)
        && flag(a.unique_items) == flag(b.unique_items)
        && flag(a.x_embedded_resource) == flag(b.x_embedded_resource)
        && flag(a.x_int_or_string) == flag(b.x_int_or_string)
        && a.x_preserve_unknown_fields == b.x_preserve_unknown_fields
        && a.x_list_type == b.x_list_type
        && a.x_map_type == b.x_map_type
        && (a.max_length, a.min_length) == (b.max_length, b.min_length)
        && (a.max_items, a.min_items) == (b.max_items, b.min_items)
        && (a.max_properties, a.min_properties) == (b.max_properties, b.min_properties)
        && numbers(a.maximum.as_ref(), b.maximum.as_ref())
        && numbers(a.minimum.as_ref(), b.minimum.as_ref())
        && numbers(a.multiple_of.as_ref(), b.multiple_of.as_ref())
        && both(a.default.as_deref(), b.default.as_deref(), deep_equal)
        && both(a.example.as_deref(), b.example.as_deref(), deep_equal)
        && all(a.enum_.as_deref(), b.enum_.as_deref(), deep_equal)
        && all(a.required.as_deref(), b.required.as_deref(), |a, b| a == b)
        && all(a.x_list_map_keys.as_deref(), b.x_list_map_keys.as_deref(), |a, b| a == b)
        && all(a.x_validations.as_deref(), b.x_validations.as_deref(), rules)
        && both(a.external_docs.as_ref(), b.external_docs.as_ref(), |a, b| {
            (&a.description, &a.url) == (&b.description, &b.url)
        })
        && subschemas(a, b)
}

fn subschemas(a: &JsonSchemaProps, b: &JsonSchemaProps) -> bool {
    all(a.all_of.as_deref(), b.all_of.as_deref(), schemas)
        && all(a.one_of.as_deref(), b.one_of.as_deref(), schemas)
        && all(a.any_of.as_deref(), b.any_of.as_deref(), schemas)
        && both(a.not.as_deref(), b.not.as_deref(), schemas)
        && both(a.items.as_ref(), b.items.as_ref(), |a, b| match (a, b) {
            (Items::Schema(a), Items::Schema(b)) => schemas(a, b),
            (Items::Schema(_), _) | (_, Items::Schema(_)) => false,
            (a, b) => all(Some(item_list(a)), Some(item_list(b)), schemas),
        })
        && maps(a.properties.as_ref(), b.properties.as_ref(), schemas)
        && maps(a.pattern_properties.as_ref(), b.pattern_properties.as_ref(), schemas)
        && maps(a.definitions.as_ref(), b.definitions.as_ref(), schemas)
        && maps(a.dependencies.as_ref(), b.dependencies.as_ref(), |a, b| match (a, b) {
            (Dependency::Schema(a), Dependency::Schema(b)) => schemas(a, b),
            (Dependency::Properties(a), Dependency::Properties(b)) => a == b,
            _ => false,
        })
        && both(a.additional_properties.as_ref(), b.additional_properties.as_ref(), additional)
        && both(a.additional_items.as_ref(), b.additional_items.as_ref(), additional)
}

fn item_list(items: &Items) -> &[JsonSchemaProps] {
    match items {
        Items::Schemas(schemas) => schemas,
        Items::Schema(_) | Items::Neither(_) => &[],
    }
}

fn additional(a: &JsonSchemaPropsOrBool, b: &JsonSchemaPropsOrBool) -> bool {
    match (a, b) {
        (JsonSchemaPropsOrBool::Schema(a), JsonSchemaPropsOrBool::Schema(b)) => schemas(a, b),
        (JsonSchemaPropsOrBool::Allowed(a), JsonSchemaPropsOrBool::Allowed(b)) => a == b,
        _ => false,
    }
}

fn rules(a: &ValidationRule, b: &ValidationRule) -> bool {
    (&a.rule, &a.message, &a.message_expression) == (&b.rule, &b.message, &b.message_expression)
        && (&a.reason, &a.field_path, a.optional_old_self) == (&b.reason, &b.field_path, b.optional_old_self)
}
