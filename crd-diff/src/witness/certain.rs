//! Classes that single values at the place of a change decide, without an object of the whole definition.

use crd_core::Structural;
use crd_core::admit::{FieldValidation, Rejection, Validator};
use crd_core::schema::SchemaType;
use crd_sample::Sampler;
use serde_json::{Value, json};

use super::side::Pair;
use crate::change::{Change, Probe};
use crate::finding::Class;

/// The values that are asked for one change.
const MOST_VALUES: usize = 40;
/// The characters of the longest string that is made for a limit.
const LONGEST: u64 = 4096;

/// Returns the classes that follow because one schema at the place accepts a value which the other refuses by a keyword of the change.
/// Only scalars are decided: the parts of other values may see each other.
pub(crate) fn by_values(pair: &Pair, change: &Change) -> Vec<Class> {
    let found = change.version.as_deref().and_then(|version| pair.schemas(version, &change.place));
    let Some((old, new)) = found.filter(|(old, new)| is_scalar(old) && is_scalar(new)) else {
        return Vec::new();
    };
    if change.row.keywords.is_empty() || change.rules.0.is_some() || change.rules.1.is_some() {
        return Vec::new();
    }
    let sampler = |schema| pair.old.sampler_of(schema, pair.work.allowance());
    let (Some(old), Some(new)) = (sampler(old), sampler(new)) else { return Vec::new() };
    let answers = |sampler: &Sampler, value: &Value| {
        let judge = sampler.validator().with_field_validation(FieldValidation::Ignore);
        answer(&judge, value)
    };
    let is_of_change = |refusal: &Rejection| {
        let mut keywords = refusal.causes.iter().filter_map(|cause| cause.keyword);
        keywords.any(|keyword| change.row.keywords.contains(&keyword))
    };
    let mut found = Vec::new();
    for value in values(change) {
        match (answers(&old, &value), answers(&new, &value)) {
            (Ok(_), Err(refusal)) if is_of_change(&refusal) => found.push(Class::Write),
            (Err(refusal), Ok(_)) if is_of_change(&refusal) => found.extend([Class::Read, Class::Rollback]),
            _ => {}
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

fn answer(judge: &Validator, value: &Value) -> Result<Value, Rejection> {
    let object = json!({
        "apiVersion": "example.com/v1", "kind": "Value", "metadata": {"name": "example"}, "spec": value,
    });
    judge.create(&object).result
}

/// The values that a change names, and strings near its limits.
fn values(change: &Change) -> Vec<Value> {
    let named = change.probes.iter().filter_map(|probe| match probe {
        Probe::Value(at, value) if *at == change.place && !value.is_null() => Some(value.clone()),
        _ => None,
    });
    let limits = [&change.old, &change.new].into_iter().filter_map(Value::as_u64);
    let near = limits.flat_map(|limit| [limit, limit.saturating_add(1), limit.saturating_sub(1)]);
    let strings = near
        .filter(|length| *length <= LONGEST)
        .map(|length| json!("a".repeat(usize::try_from(length).unwrap_or_default())));
    let plain = ["a", "a b", "1", "x-y.z"].map(Value::from);
    named.chain(strings).chain(plain).take(MOST_VALUES).collect()
}

fn is_scalar(schema: &Structural) -> bool {
    let is_none =
        schema.properties.is_empty() && schema.items.is_none() && schema.additional_properties.is_none();
    is_none
        && !matches!(schema.type_, Some(SchemaType::Object | SchemaType::Array))
        && schema.validations.is_empty()
}
