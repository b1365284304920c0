//! `sets.contains`, `sets.intersects`, `sets.equivalent`.

use super::{Outcome, Plain};
use crate::eval::Error;
use crate::eval::equal::{element, equal};
use crate::eval::list::List;
use crate::eval::meter::Meter;
use crate::eval::value::Value;

pub(super) fn find(name: &str) -> Option<Plain> {
    Some(match name {
        "sets.contains" => {
            |meter, args| on_lists(meter, args, |meter, left, right| has_all(meter, left, right))
        }
        "sets.intersects" => |meter, args| {
            on_lists(meter, args, |meter, left, right| {
                let mut shared = false;
                for index in 0..right.len() {
                    let element = element(meter, right, index)?;
                    shared |= has(meter, left, &element)?;
                }
                Ok(shared)
            })
        },
        "sets.equivalent" => |meter, args| {
            on_lists(meter, args, |meter, left, right| {
                Ok(has_all(meter, left, right)? && has_all(meter, right, left)?)
            })
        },
        _ => return None,
    })
}

fn on_lists<'v>(
    meter: &mut Meter,
    args: &[Value<'v>],
    function: impl Fn(&mut Meter, &List<'v>, &List<'v>) -> Result<bool, Error>,
) -> Outcome<'v> {
    match args {
        [Value::List(left), Value::List(right)] => function(meter, left, right).map(Value::Bool),
        _ => Err(Error::no_such_overload()),
    }
}

fn has_all(meter: &mut Meter, set: &List<'_>, elements: &List<'_>) -> Result<bool, Error> {
    for index in 0..elements.len() {
        let element = element(meter, elements, index)?;
        if !has(meter, set, &element)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn has(meter: &mut Meter, set: &List<'_>, needle: &Value<'_>) -> Result<bool, Error> {
    for index in 0..set.len() {
        let element = element(meter, set, index)?;
        if equal(meter, &element, needle)? {
            return Ok(true);
        }
    }
    Ok(false)
}
