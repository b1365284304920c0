//! Operators: arithmetic, order, equality, membership, size.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crd_go::time::Duration;

use crate::eval::Error;
use crate::eval::data::ListType;
use crate::eval::equal::{self, equal};
use crate::eval::implementation::Comparison;
use crate::eval::implementation::{Implementation, Missing, Outcome};
use crate::eval::key::RawKey;
use crate::eval::list::{List, MOST_ADDED};
use crate::eval::meter::{Meter, work};
use crate::eval::order::{is_number, order};
use crate::eval::raw_key::{element_key, named_key, raw_key, raw_keys, scalar_key};
use crate::eval::retype::retyped;
use crate::eval::time::{duration, nanoseconds, plus};
use crate::eval::value::{Blob, Value};

const IN_ORDER: Missing =
    Missing::Name(|value| is_number(value) || matches!(value, Value::Bool(_) | Value::Bytes(_)));

pub(crate) const ADD: Implementation = Implementation::plain(add)
    .work(0)
    .missing(Missing::Name(|value| is_number(value) || matches!(value, Value::Bytes(_) | Value::List(_))));
pub(crate) const SUBTRACT: Implementation =
    Implementation::plain(subtract).work(0).missing(Missing::Name(is_number));
pub(crate) const MULTIPLY: Implementation =
    Implementation::plain(multiply).work(0).missing(Missing::Name(is_number));
pub(crate) const DIVIDE: Implementation =
    Implementation::plain(divide).work(0).missing(Missing::Name(is_number));
pub(crate) const MODULO: Implementation = Implementation::plain(modulo)
    .work(0)
    .missing(Missing::Name(|value| matches!(value, Value::Int(_) | Value::Uint(_))));
pub(crate) const NEGATE: Implementation = Implementation::plain(negate)
    .missing(Missing::Name(|value| matches!(value, Value::Bool(_) | Value::Int(_) | Value::Double(_))));
pub(crate) const NOT: Implementation = Implementation::plain(not).missing(Missing::Bare);
pub(crate) const EQUAL: Implementation = Implementation::plain(|meter, args| {
    binary(args, |left, right| equal(meter, left, right).map(Value::Bool))
})
.work(0)
.missing(Missing::Bare)
.comparison(Comparison::Equal);
/// `!=`. Values that cannot be compared are different.
pub(crate) const NOT_EQUAL: Implementation = Implementation::plain(|meter, args| {
    binary(args, |left, right| match equal(meter, left, right) {
        Err(error) if error.is_final() => Err(error),
        equal => Ok(Value::Bool(equal != Ok(true))),
    })
})
.work(0)
.missing(Missing::Bare)
.comparison(Comparison::NotEqual);
pub(crate) const LESS: Implementation =
    Implementation::plain(|meter, args| compare(meter, args, Ordering::is_lt))
        .work(0)
        .missing(IN_ORDER)
        .comparison(Comparison::Less);
pub(crate) const LESS_EQUAL: Implementation =
    Implementation::plain(|meter, args| compare(meter, args, Ordering::is_le))
        .work(0)
        .missing(IN_ORDER)
        .comparison(Comparison::LessEqual);
pub(crate) const GREATER: Implementation =
    Implementation::plain(|meter, args| compare(meter, args, Ordering::is_gt))
        .work(0)
        .missing(IN_ORDER)
        .comparison(Comparison::Greater);
pub(crate) const GREATER_EQUAL: Implementation =
    Implementation::plain(|meter, args| compare(meter, args, Ordering::is_ge))
        .work(0)
        .missing(IN_ORDER)
        .comparison(Comparison::GreaterEqual);
pub(crate) const IN: Implementation = Implementation::plain(contains).work(0).missing(Missing::Bare);
pub(crate) const SIZE: Implementation = Implementation::plain(size)
    .work(0)
    .missing(Missing::Name(|value| matches!(value, Value::Bytes(_) | Value::List(_) | Value::Map(_))));

fn binary<'v>(
    args: &[Value<'v>],
    function: impl FnOnce(&Value<'v>, &Value<'v>) -> Outcome<'v>,
) -> Outcome<'v> {
    match args {
        [left, right] => function(left, right),
        _ => Err(Error::no_such_overload()),
    }
}

fn compare<'v>(meter: &mut Meter, args: &[Value<'v>], holds: impl Fn(Ordering) -> bool) -> Outcome<'v> {
    binary(args, |left, right| order(meter, left, right).map(|ordering| Value::Bool(holds(ordering))))
}

pub(super) fn add<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    Ok(match args {
        [Value::Int(left), Value::Int(right)] => left.checked_add(*right).ok_or(Error::INT_OVERFLOW)?.into(),
        [Value::Uint(left), Value::Uint(right)] => {
            Value::Uint(left.checked_add(*right).ok_or(Error::UINT_OVERFLOW)?)
        }
        [Value::Double(left), Value::Double(right)] => Value::Double(left + right),
        [Value::String(left), Value::String(right)] => {
            meter.allocate(left.len() + right.len())?;
            let mut sum = String::with_capacity(left.len() + right.len());
            sum.push_str(left);
            sum.push_str(right);
            sum.into()
        }
        [Value::Bytes(left), Value::Bytes(right)] => {
            meter.allocate(left.len() + right.len())?;
            Value::Bytes(Blob::from([&**left, &**right].concat()))
        }
        [Value::List(left), Value::List(right)] => Value::List(concatenate(meter, left, right)?),
        [Value::Duration(left), Value::Duration(right)] => {
            Value::Duration(duration(i128::from(left.0) + i128::from(right.0))?)
        }
        [Value::Timestamp(time), Value::Duration(duration)]
        | [Value::Duration(duration), Value::Timestamp(time)] => {
            Value::Timestamp(plus(*time, duration.0.into())?)
        }
        _ => return Err(Error::no_such_overload()),
    })
}

/// Concatenates lists, and keeps the schema's list type. A set holds each element once. In a list of type `map`, entries on the right side
/// win.
fn concatenate<'v>(meter: &mut Meter, left: &List<'v>, right: &List<'v>) -> Result<List<'v>, Error> {
    meter.allocate_values(left.len() + right.len())?;
    meter.work_on_list(left)?;
    meter.work_on_list(right)?;
    let mut values = Vec::with_capacity(left.len() + right.len());
    values.extend(left.to_values()?);
    let is_new = meter.server.is_at_least(37);
    let added = |element: Value<'v>| match left.schema() {
        Some((_, items)) if !is_new => retyped(element, items),
        _ => element,
    };
    match left.list_type() {
        Some(ListType::Set) if is_new => add_to_set(meter, &mut values, right)?,
        Some(ListType::Set) => {
            let mut seen: HashSet<RawKey> = raw_keys(meter, left)?.into_iter().collect();
            left.with_added(|added| {
                meter.work_on_each(added.len(), 2 * work::HASH)?;
                seen.extend(added.iter().cloned());
                Ok(())
            })?;
            for element in right.iter() {
                let element = element?;
                // The values of the right side are typed: an integer among numbers is not found in the set of raw values.
                let key = raw_key(meter, &element)?;
                if key == RawKey::Typed || seen.insert(key.clone()) {
                    left.with_added(|added| {
                        if added.len() >= MOST_ADDED {
                            return Err(Error::OUT_OF_WORK);
                        }
                        added.insert(key);
                        Ok(())
                    })?;
                    values.push(added(element));
                }
            }
        }
        Some(ListType::Map(keys)) => {
            let key_of = if is_new { named_key } else { element_key };
            let mut places = HashMap::with_capacity(values.len());
            for (place, element) in values.iter().enumerate() {
                places.insert(key_of(meter, element, keys)?, place);
            }
            for element in right.iter() {
                let element = element?;
                let next = values.len();
                let place = *places.entry(key_of(meter, &element, keys)?).or_insert(next);
                let element = added(element);
                if place < next { values[place] = element } else { values.push(element) }
            }
        }
        _ => values.extend(right.to_values()?.into_iter().map(added)),
    }
    if is_new && left.is_of_schema() && left.list_type().is_none() {
        // The sum of an atomic list is a list without a schema.
        return Ok(values.into());
    }
    Ok(List::sum(values, left, right))
}

/// Adds a list's elements to a set, unless the set has them already. Since Kubernetes 1.37, the original set stays the same.
fn add_to_set<'v>(meter: &mut Meter, values: &mut Vec<Value<'v>>, right: &List<'v>) -> Result<(), Error> {
    let mut seen = HashSet::with_capacity(values.len());
    for element in values.iter() {
        seen.insert(scalar_key(meter, element)?);
    }
    for element in right.iter() {
        let element = element?;
        if seen.insert(scalar_key(meter, &element)?) {
            values.push(element);
        }
    }
    Ok(())
}

fn subtract<'v>(_: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    Ok(match args {
        [Value::Int(left), Value::Int(right)] => left.checked_sub(*right).ok_or(Error::INT_OVERFLOW)?.into(),
        [Value::Uint(left), Value::Uint(right)] => {
            Value::Uint(left.checked_sub(*right).ok_or(Error::UINT_OVERFLOW)?)
        }
        [Value::Double(left), Value::Double(right)] => Value::Double(left - right),
        [Value::Duration(left), Value::Duration(right)] => {
            Value::Duration(duration(i128::from(left.0) - i128::from(right.0))?)
        }
        [Value::Timestamp(time), Value::Duration(duration)] => {
            Value::Timestamp(plus(*time, -i128::from(duration.0))?)
        }
        [Value::Timestamp(left), Value::Timestamp(right)] => {
            Value::Duration(duration(nanoseconds(*left) - nanoseconds(*right))?)
        }
        _ => return Err(Error::no_such_overload()),
    })
}

fn multiply<'v>(_: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    Ok(match args {
        [Value::Int(left), Value::Int(right)] => left.checked_mul(*right).ok_or(Error::INT_OVERFLOW)?.into(),
        [Value::Uint(left), Value::Uint(right)] => {
            Value::Uint(left.checked_mul(*right).ok_or(Error::UINT_OVERFLOW)?)
        }
        [Value::Double(left), Value::Double(right)] => Value::Double(left * right),
        _ => return Err(Error::no_such_overload()),
    })
}

fn divide<'v>(_: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    Ok(match args {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            return Err(Error::new("division by zero"));
        }
        [Value::Int(left), Value::Int(right)] => left.checked_div(*right).ok_or(Error::INT_OVERFLOW)?.into(),
        [Value::Uint(left), Value::Uint(right)] => Value::Uint(left / right),
        [Value::Double(left), Value::Double(right)] => Value::Double(left / right),
        _ => return Err(Error::no_such_overload()),
    })
}

fn modulo<'v>(_: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    Ok(match args {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            return Err(Error::new("modulus by zero"));
        }
        [Value::Int(left), Value::Int(right)] => left.checked_rem(*right).ok_or(Error::INT_OVERFLOW)?.into(),
        [Value::Uint(left), Value::Uint(right)] => Value::Uint(left % right),
        _ => return Err(Error::no_such_overload()),
    })
}

fn negate<'v>(_: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    match args {
        [Value::Int(value)] => value.checked_neg().map(Value::Int).ok_or(Error::INT_OVERFLOW),
        [Value::Double(value)] => Ok(Value::Double(-value)),
        [Value::Duration(value)] => {
            value.0.checked_neg().map(|value| Value::Duration(Duration(value))).ok_or(Error::INT_OVERFLOW)
        }
        _ => Err(Error::no_such_overload()),
    }
}

fn not<'v>(_: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    match args {
        [Value::Bool(value)] => Ok(Value::Bool(!value)),
        _ => Err(Error::no_such_overload()),
    }
}

fn contains<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    match args {
        [needle, Value::List(list)] => equal::contains(meter, list, needle).map(Value::Bool),
        [key, Value::Map(map)] => {
            meter.work_on_key(key)?;
            if let (Some(data), Value::String(name)) = (map.data(), key)
                && let Some(data) = data.member(name)
            {
                meter.work_on_data(data)?;
            }
            map.get(key).transpose().map(|found| Value::Bool(found.is_some()))
        }
        _ => Err(Error::no_such_overload()),
    }
}

fn size<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    match args {
        [value @ (Value::String(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_))] => {
            meter.work_on_size(value)?;
            Ok(Value::Int(value.size().unwrap_or(0) as i64))
        }
        _ => Err(Error::no_such_overload()),
    }
}
