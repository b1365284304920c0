//! Builds objects with combinations of the fields that a rule or a keyword refers to. In each object, each of these fields is absent, or
//! has one of a few values.

use crd_core::Structural;
use crd_core::cel::{ReadStep, Reads};
use crd_core::crd::ValidationRule;
use crd_core::schema::{NestedValidation, SchemaType};
use crd_sample::Sampler;
use serde_json::{Map, Value, json};

use super::edits::values;

/// Maximum number of fields that are combined.
const MOST_FIELDS: usize = 5;
/// Maximum number of values of one field.
const MOST_VALUES: usize = 4;
/// Maximum number of combinations that are tried.
const MOST: usize = 240;
/// Maximum number of items from which lists of two items are built.
const MOST_ITEMS: usize = 16;
/// Maximum number of validations to build one object.
const BUILD: usize = 60;

/// Returns values for a schema. The sampler must generate objects whose field `spec` has this schema.
pub(super) fn combinations(
    schema: &Structural,
    rule: Option<&ValidationRule>,
    sampler: &Sampler,
) -> Vec<Value> {
    let (paths, constants) = match rule.and_then(|rule| Reads::from_rule(&rule.rule)) {
        Some(reads) => (reads.paths, reads.constants),
        None => (keyword_paths(schema), Vec::new()),
    };
    let spec = ["spec".to_owned()];
    let Some(items) = schema.items.as_deref() else {
        return objects(schema, &named(&paths, 0), &constants, sampler, &spec);
    };
    let item = ["spec".to_owned(), "0".to_owned()];
    let mut made = objects(items, &named(&paths, 1), &constants, sampler, &item);
    made.extend(scalars(items, &constants));
    let one = made.iter().take(MOST).map(|item| json!([item]));
    // Two items that differ in one field come first, then those with the first values of several.
    let likely = |item: &&Value| made.first().is_none_or(|first| differ_in_one(first, item));
    let mut few: Vec<&Value> = made.iter().filter(likely).take(MOST_ITEMS).collect();
    few.extend(made.iter().filter(|item| !likely(item)).take(MOST_ITEMS - few.len()));
    let few = || few.iter();
    let two = few().flat_map(|one| few().map(move |two| json!([one, two])));
    std::iter::once(json!([])).chain(one).chain(two).collect()
}

/// Returns `true` for objects that differ in at most one field.
fn differ_in_one(one: &Value, two: &Value) -> bool {
    let (Some(one), Some(two)) = (one.as_object(), two.as_object()) else { return false };
    let others = two.keys().filter(|name| !one.contains_key(*name)).count();
    let differing = one.iter().filter(|(name, value)| two.get(*name) != Some(*value)).count();
    differing + others <= 1
}

/// Returns the field names at one depth in these paths.
fn named(paths: &[Vec<ReadStep>], depth: usize) -> Vec<String> {
    let mut names = Vec::new();
    for path in paths {
        if let Some(ReadStep::Field(name)) = path.get(depth)
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }
    names
}

/// Returns the paths of the fields that `allOf` and similar keywords refer to.
fn keyword_paths(schema: &Structural) -> Vec<Vec<ReadStep>> {
    fn of(part: &NestedValidation, out: &mut Vec<Vec<ReadStep>>) {
        let keywords = &part.value_validation;
        let names = part.properties.keys().map(str::to_owned);
        let names = names.chain(keywords.required.iter().flatten().cloned());
        out.extend(names.map(|name| vec![ReadStep::Field(name)]));
        let parts = [&keywords.all_of, &keywords.any_of, &keywords.one_of];
        parts.into_iter().flatten().flatten().chain(keywords.not.as_deref()).for_each(|part| of(part, out));
    }
    let mut paths = Vec::new();
    if let Some(keywords) = schema.value_validation.as_deref() {
        let parts = [&keywords.all_of, &keywords.any_of, &keywords.one_of];
        let parts = parts.into_iter().flatten().flatten().chain(keywords.not.as_deref());
        parts.for_each(|part| of(part, &mut paths));
    }
    paths
}

/// Returns objects with combinations of the fields `names`, as values for the path `at` in the sampler's objects.
fn objects(
    schema: &Structural,
    names: &[String],
    constants: &[Value],
    sampler: &Sampler,
    at: &[String],
) -> Vec<Value> {
    let at_place = |object: Value| {
        at.iter().try_fold(object, |value, step| match value {
            Value::Object(mut fields) => fields.remove(step),
            Value::Array(items) => items.into_iter().next(),
            _ => None,
        })
    };
    let empty = || Some(Value::Object(Map::new()));
    let base = sampler.containing(at, None, BUILD).and_then(at_place).or_else(empty);
    let Some(Value::Object(base)) = base else { return Vec::new() };
    let fields: Vec<(&String, Vec<Option<Value>>)> = names
        .iter()
        .filter_map(|name| {
            let field = schema.properties.get(name)?;
            let mut values = vec![None];
            values.extend(scalars(field, constants).into_iter().map(Some));
            let full: Vec<String> = at.iter().cloned().chain([name.clone()]).collect();
            let made = sampler.containing(&full, None, BUILD).and_then(at_place);
            let made = made.and_then(|mut object| crd_go::json::remove(object.as_object_mut()?, name));
            values.extend(made.filter(|made| !values.contains(&Some(made.clone()))).map(Some));
            Some((name, values))
        })
        .take(MOST_FIELDS)
        .collect();
    let all: usize = fields.iter().map(|(_, values)| values.len()).product();
    let combined = |mut number: usize| {
        let mut object = base.clone();
        for (name, values) in &fields {
            match &values[number % values.len()] {
                Some(value) => _ = object.insert((*name).clone(), value.clone()),
                None => _ = crd_go::json::remove(&mut object, name),
            }
            number /= values.len();
        }
        Value::Object(object)
    };
    // With too many combinations, some from the whole range.
    let step = all.div_ceil(MOST) | 1;
    (0..all).step_by(step).map(combined).collect()
}

/// Returns values for a scalar: enum values, constants in the rule, and a few others.
fn scalars(schema: &Structural, constants: &[Value]) -> Vec<Value> {
    let is_type = |value: &&Value| match &schema.type_ {
        Some(SchemaType::String) => value.is_string(),
        Some(SchemaType::Integer | SchemaType::Number) => value.is_number(),
        _ => false,
    };
    let allowed = schema.value_validation.as_deref().and_then(|all| all.enum_.as_ref());
    let is_allowed = |value: &&Value| allowed.is_none_or(|values| values.contains(value));
    let named: Vec<Value> = constants.iter().filter(is_type).filter(is_allowed).cloned().collect();
    let empty = (schema.type_ == Some(SchemaType::String)).then(|| json!(""));
    let is_scalar = !matches!(schema.type_, Some(SchemaType::Object | SchemaType::Array) | None);
    let others = if is_scalar { values(schema) } else { Vec::new() };
    let mut all: Vec<Value> = Vec::new();
    for value in named.into_iter().take(2).chain(others).chain(empty) {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all.truncate(MOST_VALUES);
    all
}
