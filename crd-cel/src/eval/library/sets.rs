//! The functions `sets.contains`, `sets.intersects` and `sets.equivalent`.

use crate::eval::Error;
use crate::eval::equal::{contains, element};
use crate::eval::implementation::{Implementation, Outcome};
use crate::eval::list::List;
use crate::eval::meter::Meter;
use crate::eval::value::Value;

pub(crate) const CONTAINS: Implementation = Implementation::plain(|meter, args| {
    on_lists(meter, args, |meter, left, right| has_all(meter, left, right))
});
pub(crate) const INTERSECTS: Implementation =
    Implementation::plain(|meter, args| on_lists(meter, args, intersects));
pub(crate) const EQUIVALENT: Implementation = Implementation::plain(|meter, args| {
    on_lists(meter, args, |meter, left, right| {
        Ok(has_all(meter, left, right)? && has_all(meter, right, left)?)
    })
});

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

/// Returns `true` if all elements are in the set. An element that does not have its schema's type is an error if the set has a schema.
/// Otherwise, such an element counts as missing.
fn has_all(meter: &mut Meter, set: &List<'_>, elements: &List<'_>) -> Result<bool, Error> {
    for index in 0..elements.len() {
        let element = match element(meter, elements, index) {
            Err(error) if !error.is_final() && !set.is_of_schema() => return Ok(false),
            element => element?,
        };
        if !contains(meter, set, &element)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns `true` if the lists share an element. Elements that cannot be read or compared are ignored.
fn intersects(meter: &mut Meter, left: &List<'_>, right: &List<'_>) -> Result<bool, Error> {
    for index in 0..left.len() {
        match element(meter, left, index).and_then(|element| contains(meter, right, &element)) {
            Ok(true) => return Ok(true),
            Err(error) if error.is_final() => return Err(error),
            _ => {}
        }
    }
    Ok(false)
}
