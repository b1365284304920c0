//! Orders values. Numbers of different types are comparable, as in CEL.

use std::cmp::Ordering;

use super::Error;
use super::meter::Meter;
use super::number::{int_with_double, int_with_uint, uint_with_double};
use super::time;
use super::value::Value;

/// Returns the order of two numbers, whose types may differ. Returns `None` for other values, and for NaN.
pub(super) fn numeric_order(left: &Value<'_>, right: &Value<'_>) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Uint(left), Value::Uint(right)) => Some(left.cmp(right)),
        (Value::Double(left), Value::Double(right)) => left.partial_cmp(right),
        (Value::Int(left), Value::Uint(right)) => Some(int_with_uint(*left, *right)),
        (Value::Uint(left), Value::Int(right)) => Some(int_with_uint(*right, *left).reverse()),
        (Value::Int(left), Value::Double(right)) => int_with_double(*left, *right),
        (Value::Double(left), Value::Int(right)) => int_with_double(*right, *left).map(Ordering::reverse),
        (Value::Uint(left), Value::Double(right)) => uint_with_double(*left, *right),
        (Value::Double(left), Value::Uint(right)) => uint_with_double(*right, *left).map(Ordering::reverse),
        _ => None,
    }
}

pub(crate) fn is_number(value: &Value<'_>) -> bool {
    matches!(value, Value::Int(_) | Value::Uint(_) | Value::Double(_))
}

/// Returns `true` if a value has an ordered type.
pub(crate) fn has_order(value: &Value<'_>) -> bool {
    use Value as V;
    is_number(value)
        || matches!(value, V::Bool(_) | V::String(_) | V::Bytes(_) | V::Timestamp(_) | V::Duration(_))
}

/// Returns the order of two values.
///
/// # Errors
/// - The values cannot be ordered: different types, unordered types, NaN.
/// - The comparison exceeds the remaining CPU work.
pub(crate) fn order(meter: &mut Meter, left: &Value<'_>, right: &Value<'_>) -> Result<Ordering, Error> {
    meter.work(2)?;
    Ok(match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::String(left), Value::String(right)) => {
            meter.work_on_copy(left.len().min(right.len()))?;
            (**left).cmp(right)
        }
        (Value::Bytes(left), Value::Bytes(right)) => {
            meter.work_on_copy(left.len().min(right.len()))?;
            (**left).cmp(right)
        }
        (Value::Timestamp(left), Value::Timestamp(right)) => {
            time::nanoseconds(*left).cmp(&time::nanoseconds(*right))
        }
        (Value::Duration(left), Value::Duration(right)) => left.cmp(right),
        _ if is_number(left) && is_number(right) => {
            return numeric_order(left, right).ok_or(Error::new("NaN values cannot be ordered"));
        }
        _ => return Err(Error::no_such_overload()),
    })
}
