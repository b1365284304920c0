//! A schema with `allOf`, `anyOf` and `oneOf` -> the schemas without them of which a value has to meet one.
//!
//! Their values are likely to meet the whole schema, and admission decides.

use crd_core::Structural;
use crd_core::schema::{NestedValidation, ValueValidation};
use serde_json::Number;

/// The most alternatives that are followed. Those of several junctors multiply.
const MOST: usize = 256;

/// The alternatives of a node; those of its properties and items stay in them.
pub(super) fn alternatives(schema: &Structural) -> Vec<Structural> {
    match &schema.value_validation {
        Some(validation) => expand(vec![schema.clone()], validation),
        None => vec![schema.clone()],
    }
}

fn expand(mut schemas: Vec<Structural>, validation: &ValueValidation) -> Vec<Structural> {
    for nested in validation.all_of.iter().flatten() {
        schemas = narrow_all(&schemas, nested);
    }
    if let Some(branches) = &validation.any_of {
        schemas = branches.iter().flat_map(|branch| narrow_all(&schemas, branch)).take(MOST).collect();
    }
    if let Some(branches) = &validation.one_of {
        let only = |branch: &NestedValidation| {
            let own = required(branch);
            let others = branches.iter().flat_map(required).filter(|name| !own.contains(name));
            let others: Vec<&String> = others.collect();
            let mut narrowed = narrow_all(&schemas, branch);
            narrowed.iter_mut().for_each(|schema| without(schema, &others));
            narrowed
        };
        schemas = branches.iter().flat_map(only).take(MOST).collect();
    }
    if let Some(not) = &validation.not {
        // `not` one that is required, or any of several, is how the absence of fields is written.
        let any = not.value_validation.any_of.iter().flatten();
        let absent = any.chain([&**not]).map(required).filter(|names| names.len() == 1).flatten();
        let absent: Vec<&String> = absent.collect();
        schemas.iter_mut().for_each(|schema| without(schema, &absent));
    }
    schemas
}

fn required(nested: &NestedValidation) -> Vec<&String> {
    nested.value_validation.required.iter().flatten().collect()
}

fn without(schema: &mut Structural, names: &[&String]) {
    for name in names {
        if !schema.is_required(name) {
            schema.properties.remove(name);
        }
    }
}

fn narrow_all(schemas: &[Structural], nested: &NestedValidation) -> Vec<Structural> {
    schemas.iter().flat_map(|schema| narrow(schema.clone(), nested)).take(MOST).collect()
}

/// The schema with what is nested put on top.
fn narrow(mut schema: Structural, nested: &NestedValidation) -> Vec<Structural> {
    if schema.is_int_or_string() && schema.type_.is_none() {
        // The only place where a nested schema has a type.
        schema.type_ = nested.forbidden.as_ref().and_then(|forbidden| forbidden.type_.clone());
    }
    meet(schema.value_validation.get_or_insert_default(), &nested.value_validation);
    for (name, nested) in nested.properties.iter() {
        if let Some(property) = schema.properties.get_mut(name) {
            put_on(property, nested);
        } else if let Some(values) = schema.map_values() {
            let mut property = values.clone();
            put_on(&mut property, nested);
            schema.properties.insert(name, property);
        }
    }
    if let Some((items, nested)) = schema.items.as_deref_mut().zip(nested.items.as_deref()) {
        put_on(items, nested);
    }
    expand(vec![schema], &nested.value_validation)
}

/// The alternatives of a property are for when it is made.
fn put_on(schema: &mut Structural, nested: &NestedValidation) {
    schema.value_validation.get_or_insert_default().all_of.get_or_insert_default().push(nested.clone());
}

/// Puts keywords together. Of two patterns or formats the first is kept.
fn meet(own: &mut ValueValidation, other: &ValueValidation) {
    let higher = |a: &Option<Number>, b: &Option<Number>| match (a, b) {
        (Some(a), Some(b)) => b.as_f64() > a.as_f64(),
        (a, b) => a.is_none() && b.is_some(),
    };
    let lower = |a: &Option<Number>, b: &Option<Number>| match (a, b) {
        (Some(a), Some(b)) => b.as_f64() < a.as_f64(),
        (a, b) => a.is_none() && b.is_some(),
    };
    if higher(&own.minimum, &other.minimum) {
        (own.minimum, own.exclusive_minimum) = (other.minimum.clone(), other.exclusive_minimum);
    }
    if lower(&own.maximum, &other.maximum) {
        (own.maximum, own.exclusive_maximum) = (other.maximum.clone(), other.exclusive_maximum);
    }
    let most = |a: Option<i64>, b: Option<i64>| a.max(b);
    let least = |a: Option<i64>, b: Option<i64>| a.into_iter().chain(b).min();
    own.min_length = most(own.min_length, other.min_length);
    own.max_length = least(own.max_length, other.max_length);
    own.min_items = most(own.min_items, other.min_items);
    own.max_items = least(own.max_items, other.max_items);
    own.min_properties = most(own.min_properties, other.min_properties);
    own.max_properties = least(own.max_properties, other.max_properties);
    own.pattern = own.pattern.take().or_else(|| other.pattern.clone());
    own.format = own.format.take().or_else(|| other.format.clone());
    own.multiple_of = own.multiple_of.take().or_else(|| other.multiple_of.clone());
    if let Some(names) = &other.required {
        own.required.get_or_insert_default().extend(names.iter().cloned());
    }
    own.enum_ = match (own.enum_.take(), &other.enum_) {
        (Some(own), Some(other)) => Some(own.into_iter().filter(|value| other.contains(value)).collect()),
        (own, other) => own.or_else(|| other.clone()),
    };
}
