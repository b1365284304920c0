//! `sets.contains`, `sets.intersects`, `sets.equivalent`.

use super::{Outcome, Plain};
use crate::eval::Error;
use crate::eval::cost::Meter;
use crate::eval::equal::equal;
use crate::eval::list::List;
use crate::eval::value::Value;

pub(super) fn find(name: &str) -> Option<Plain> {
    Some(match name {
        "sets.contains" => |meter, args| on_lists(meter, args, |left, right| has_all(left, right)),
        "sets.intersects" => |meter, args| {
            on_lists(meter, args, |left, right| {
                let mut shared = false;
                for element in right.iter() {
                    shared |= has(left, &element?)?;
                }
                Ok(shared)
            })
        },
        "sets.equivalent" => |meter, args| {
            on_lists(meter, args, |left, right| Ok(has_all(left, right)? && has_all(right, left)?))
        },
        _ => return None,
    })
}

fn on_lists<'v>(
    _: &mut Meter,
    args: &[Value<'v>],
    function: impl Fn(&List<'v>, &List<'v>) -> Result<bool, Error>,
) -> Outcome<'v> {
    match args {
        [Value::List(left), Value::List(right)] => function(left, right).map(Value::Bool),
        _ => Err(Error::no_such_overload()),
    }
}

fn has_all(set: &List<'_>, elements: &List<'_>) -> Result<bool, Error> {
    for element in elements.iter() {
        if !has(set, &element?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn has(set: &List<'_>, needle: &Value<'_>) -> Result<bool, Error> {
    for element in set.iter() {
        if equal(&element?, needle)? {
            return Ok(true);
        }
    }
    Ok(false)
}
