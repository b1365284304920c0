//! Functions for Kubernetes quantities.

use std::cmp::Ordering;

use crate::eval::Error;
use crate::eval::implementation::{Implementation, Outcome};
use crate::eval::meter::Meter;
use crate::eval::opaque::quantity::{DIGIT, MAX_LENGTH};
use crate::eval::opaque::{Opaque, Quantity};
use crate::eval::value::Value;

pub(crate) const IS_QUANTITY: Implementation =
    Implementation::plain(|meter, args| read(meter, args).map(|quantity| Value::Bool(quantity.is_ok())));
pub(crate) const QUANTITY: Implementation =
    Implementation::plain(|meter, args| read(meter, args)?.map(quantity).map_err(Error::new));
pub(crate) const SIGN: Implementation =
    Implementation::plain(|meter, args| on_one(meter, args, |quantity| Ok(Value::Int(quantity.sign()))));
pub(crate) const IS_INTEGER: Implementation = Implementation::plain(|meter, args| {
    on_one(meter, args, |quantity| Ok(Value::Bool(quantity.as_integer().is_some())))
});
pub(crate) const AS_INTEGER: Implementation = Implementation::plain(|meter, args| {
    on_one(meter, args, |quantity| {
        quantity.as_integer().map(Value::Int).ok_or(Error::new("cannot convert value to integer"))
    })
});
pub(crate) const AS_APPROXIMATE_FLOAT: Implementation = Implementation::plain(|meter, args| {
    on_one(meter, args, |quantity| Ok(Value::Double(quantity.as_float())))
});
pub(crate) const ADD: Implementation =
    Implementation::plain(|meter, args| on_two(meter, args, |left, right| left.add(right).map(sum)));
pub(crate) const SUB: Implementation = Implementation::plain(|meter, args| {
    on_two(meter, args, |left, right| left.add(&right.negated()).map(sum))
});
pub(crate) const IS_LESS_THAN: Implementation =
    Implementation::plain(|meter, args| compare(meter, args, |order| Value::Bool(order.is_lt())));
pub(crate) const IS_GREATER_THAN: Implementation =
    Implementation::plain(|meter, args| compare(meter, args, |order| Value::Bool(order.is_gt())));
pub(crate) const COMPARE_TO: Implementation =
    Implementation::plain(|meter, args| compare(meter, args, |order| Value::Int(order as i64)));

fn quantity<'v>(quantity: Quantity) -> Value<'v> {
    Value::Opaque(Opaque::Quantity(quantity).into())
}

fn sum<'v>(quantity: Quantity) -> Value<'v> {
    Value::Opaque(Opaque::Sum(quantity).into())
}

/// Parses the only argument, a string, as a quantity. The length of the string is limited, and the CPU work is proportional to it.
fn read(meter: &mut Meter, args: &[Value<'_>]) -> Result<Result<Quantity, &'static str>, Error> {
    let [Value::String(text)] = args else { return Err(Error::no_such_overload()) };
    if text.len() <= MAX_LENGTH {
        meter.work(DIGIT * text.len() as u64)?;
        meter.allocate(text.len())?;
    }
    Ok(Quantity::parse(text))
}

fn on_one<'v>(
    meter: &mut Meter,
    args: &[Value<'v>],
    function: impl Fn(&Quantity) -> Outcome<'v>,
) -> Outcome<'v> {
    match args {
        [Value::Opaque(opaque)] => {
            meter.work(opaque.work())?;
            opaque.quantity().map_or(Err(Error::no_such_overload()), function)
        }
        _ => Err(Error::no_such_overload()),
    }
}

fn on_two<'v>(
    meter: &mut Meter,
    args: &[Value<'v>],
    function: impl Fn(&Quantity, &Quantity) -> Outcome<'v>,
) -> Outcome<'v> {
    let [Value::Opaque(left), right] = args else { return Err(Error::no_such_overload()) };
    let Some(left) = left.quantity() else { return Err(Error::no_such_overload()) };
    let other = match right {
        Value::Opaque(right) => right.quantity().map_or(0, Quantity::digits),
        _ => 0,
    };
    // The sum of numbers with distant exponents has the digits between them, too.
    meter.work(DIGIT * (left.digits() + other))?;
    meter.allocate((left.digits() + other) as usize)?;
    match right {
        Value::Int(value) => function(left, &Quantity::from(*value)),
        Value::Opaque(right) => match right.quantity() {
            Some(right) => function(left, right),
            None => Err(Error::no_such_overload()),
        },
        _ => Err(Error::no_such_overload()),
    }
}

/// Compares two quantities or two versions, and passes the order to `result`.
fn compare<'v>(meter: &mut Meter, args: &[Value<'v>], result: impl Fn(Ordering) -> Value<'v>) -> Outcome<'v> {
    let [Value::Opaque(left), Value::Opaque(right)] = args else { return Err(Error::no_such_overload()) };
    meter.work(left.work() + right.work())?;
    if let (Some(left), Some(right)) = (left.quantity(), right.quantity()) {
        return Ok(result(left.order(right)));
    }
    match (&**left, &**right) {
        (Opaque::Semver(left), Opaque::Semver(right)) => Ok(result(left.cmp(right))),
        _ => Err(Error::no_such_overload()),
    }
}
