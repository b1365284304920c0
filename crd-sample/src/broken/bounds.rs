//! Finds values that just reach a keyword's bound.

use crd_core::Structural;
use crd_core::schema::ValueValidation;
use serde_json::{Value, json};

use super::Fault;
use crate::constraints::Constraints;
use crate::maker::Maker;
use crate::numbers;

/// Strings, lists and maps with this length or more are not built.
const LONGEST: usize = 10_000;

/// Returns values that just reach the keyword's bound. The API server probably accepts these values.
pub(super) fn values(fault: &Fault, schema: &Structural, value: &Value, maker: &mut Maker) -> Vec<Value> {
    let none = ValueValidation::default();
    let validation = schema.value_validation.as_deref().unwrap_or(&none);
    let size = |limit: Option<i64>| {
        limit.and_then(|limit| usize::try_from(limit).ok()).filter(|size| *size < LONGEST)
    };
    let one = |made: Option<Value>| made.into_iter().collect::<Vec<Value>>();
    match (fault, value) {
        (Fault::Enum, _) => validation.enum_.iter().flatten().cloned().collect(),
        (Fault::Maximum, Value::Number(number)) if number.is_i64() => {
            vec![extreme(schema, true)]
        }
        (Fault::Minimum, Value::Number(number)) if number.is_i64() => {
            vec![extreme(schema, false)]
        }
        (Fault::Maximum, _) => one(validation.maximum.clone().map(Value::from)),
        (Fault::Minimum, _) => one(validation.minimum.clone().map(Value::from)),
        (Fault::MaxLength, _) => one(size(validation.max_length)
            .and_then(|size| maker.text_of_length(schema, size))
            .map(Value::from)),
        (Fault::MinLength, _) => one(size(validation.min_length)
            .and_then(|size| maker.text_of_length(schema, size))
            .map(Value::from)),
        (Fault::MaxItems, Value::Array(items)) => {
            let most = size(validation.max_items);
            one(most.and_then(|most| super::wrong::more_items(schema, items, most, maker)))
        }
        (Fault::MinItems, Value::Array(items)) => {
            one(size(validation.min_items).map(|least| items.iter().take(least).cloned().collect()))
        }
        (Fault::MaxProperties, Value::Object(fields)) => {
            let most = size(validation.max_properties);
            one(most.and_then(|most| super::wrong::more_fields(schema, fields, most, maker)))
        }
        (Fault::MinProperties, Value::Object(fields)) => {
            one(size(validation.min_properties)
                .map(|least| super::wrong::fewer_fields(schema, fields, least)))
        }
        (Fault::Type, Value::Bool(truth)) => vec![json!(truth), json!(!truth)],
        _ => Vec::new(),
    }
}

/// Returns the largest or the smallest integer that the schema allows.
fn extreme(schema: &Structural, is_largest: bool) -> Value {
    let constraints = Constraints::new(schema, &[], &mut |_| 0);
    let wanted = if is_largest { i64::MAX } else { i64::MIN };
    numbers::integer(&constraints, wanted, None)
}
