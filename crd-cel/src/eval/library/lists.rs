//! Lists: List functions: Kubernetes' own, and version 3 of cel-go's lists library.

use std::cmp::Ordering;

use crd_go::time::Duration;

use super::strings;
use crate::eval::Error;
use crate::eval::equal::{element, is_equal};
use crate::eval::implementation::{Implementation, Missing, Outcome};
use crate::eval::list::{List, held};
use crate::eval::meter::{Meter, work};
use crate::eval::order::{has_order, is_number, order};
use crate::eval::value::Value;

pub(crate) const IS_SORTED: Implementation =
    Implementation::plain(is_sorted).missing(Missing::Types(begins_with_order));
pub(crate) const MIN: Implementation =
    Implementation::plain(|meter, args| extreme(meter, args, "min", Ordering::Less))
        .missing(Missing::Types(begins_with_order));
pub(crate) const MAX: Implementation =
    Implementation::plain(|meter, args| extreme(meter, args, "max", Ordering::Greater))
        .missing(Missing::Types(begins_with_order));
pub(crate) const INDEX_OF: Implementation = Implementation::plain(index_of).work(8);
pub(crate) const LAST_INDEX_OF: Implementation = Implementation::plain(last_index_of).work(8);
pub(crate) const INCLUDES: Implementation = Implementation::plain(includes).work(8);
pub(crate) const SLICE: Implementation = Implementation::plain(slice);
pub(crate) const FLATTEN: Implementation = Implementation::plain(flatten).missing(Missing::Method);
pub(crate) const SORT: Implementation = Implementation::plain(|meter, args| match args {
    [list @ Value::List(_)] => sort(meter, list, list),
    _ => Err(Error::no_such_overload()),
})
.missing(Missing::Name(|value| matches!(value, Value::List(_))));
pub(crate) const SORT_BY_KEYS: Implementation = Implementation::plain(|meter, args| match args {
    [list, keys] => sort(meter, list, keys),
    _ => Err(Error::no_such_overload()),
})
.work(0)
.missing(Missing::Bare);
pub(crate) const RANGE: Implementation = Implementation::plain(range);
pub(crate) const REVERSE: Implementation = Implementation::plain(reverse);
pub(crate) const DISTINCT: Implementation = Implementation::plain(distinct);
pub(crate) const SUM_OF_INTS: Implementation =
    Implementation::plain(|meter, args| sum(meter, args, Value::Int(0)))
        .missing(Missing::Types(begins_with_sum));
pub(crate) const SUM_OF_UINTS: Implementation =
    Implementation::plain(|meter, args| sum(meter, args, Value::Uint(0)))
        .missing(Missing::Types(begins_with_sum));
pub(crate) const SUM_OF_DOUBLES: Implementation =
    Implementation::plain(|meter, args| sum(meter, args, Value::Double(0.0)))
        .missing(Missing::Types(begins_with_sum));
pub(crate) const SUM_OF_DURATIONS: Implementation =
    Implementation::plain(|meter, args| sum(meter, args, Value::Duration(Duration(0))))
        .missing(Missing::Types(begins_with_sum));

fn is_sorted<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let list = ordered(meter, args)?;
    let mut previous: Option<Value<'v>> = None;
    for element in list.iter() {
        let element = element?;
        if let Some(previous) = &previous
            && is_ordered(meter, previous, &element, Ordering::Greater)?
        {
            return Ok(Value::Bool(false));
        }
        previous = Some(element);
    }
    Ok(Value::Bool(true))
}

/// Reads all elements of a list, and checks that the first element has an ordered type. The server checks only the first
/// element.
fn ordered<'a, 'v>(meter: &mut Meter, args: &'a [Value<'v>]) -> Result<&'a List<'v>, Error> {
    let [Value::List(list)] = args else { return Err(Error::no_such_overload()) };
    meter.work_on_list(list)?;
    match list.get(0) {
        Some(Ok(first)) if !has_order(&first) => Err(Error::no_such_overload()),
        _ => Ok(list),
    }
}

/// Returns `true` if two elements are in order. Returns `false` if the elements cannot be compared, because the server ignores such errors.
///
/// # Errors
/// - The second element's type has no order.
fn is_ordered(
    meter: &mut Meter,
    left: &Value<'_>,
    right: &Value<'_>,
    wanted: Ordering,
) -> Result<bool, Error> {
    match order(meter, left, right) {
        Ok(order) => Ok(order == wanted),
        Err(error) if error.ends_run() || !has_order(right) => Err(error),
        Err(_) => Ok(false),
    }
}

/// Returns the sum of a list. An empty list has the sum zero, in the type of its elements.
fn sum<'v>(meter: &mut Meter, args: &[Value<'v>], zero: Value<'v>) -> Outcome<'v> {
    let [Value::List(list)] = args else { return Err(Error::no_such_overload()) };
    meter.work_on_list(list)?;
    let mut total: Option<Value<'v>> = None;
    for element in list.iter() {
        let element = element?;
        total = Some(match (total, element) {
            (Some(total), element) => super::arithmetic::add(meter, &[total, element])?,
            (None, element) if is_summable(&element) => element,
            (None, _) => return Err(Error::no_such_overload()),
        });
    }
    Ok(total.unwrap_or(zero))
}

/// Returns `true` if the first element's type can be summed. The server's error for a missing overload then contains no types.
fn begins_with_sum(args: &[Value<'_>]) -> bool {
    matches!(args, [Value::List(list)] if matches!(list.get(0), Some(Ok(first)) if is_summable(&first)))
}

/// Returns `true` if the first element's type is ordered. The server's error for a missing overload then contains no types.
fn begins_with_order(args: &[Value<'_>]) -> bool {
    matches!(args, [Value::List(list)] if matches!(list.get(0), Some(Ok(first)) if has_order(&first)))
}

fn extreme<'v>(meter: &mut Meter, args: &[Value<'v>], name: &str, wanted: Ordering) -> Outcome<'v> {
    let list = ordered(meter, args)?;
    let mut best: Option<Value<'v>> = None;
    for element in list.iter() {
        let element = element?;
        best = Some(match best {
            Some(best) if !is_ordered(meter, &best, &element, wanted.reverse())? => best,
            _ => element,
        });
    }
    best.ok_or_else(|| Error::text(format!("{name} called on empty list")))
}

fn index_of<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    match args {
        [Value::String(text), Value::String(other)] => strings::index_of(meter.server, text, other, None),
        [Value::String(text), Value::String(other), Value::Int(from)] => {
            strings::index_of(meter.server, text, other, Some(*from))
        }
        [Value::List(list), needle] => place_of(meter, list, needle, 0..list.len()),
        _ => Err(Error::no_such_overload()),
    }
}

fn last_index_of<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    match args {
        [Value::String(text), Value::String(other)] => {
            strings::last_index_of(meter.server, text, other, None)
        }
        [Value::String(text), Value::String(other), Value::Int(until)] => {
            strings::last_index_of(meter.server, text, other, Some(*until))
        }
        [Value::List(list), needle] => place_of(meter, list, needle, (0..list.len()).rev()),
        _ => Err(Error::no_such_overload()),
    }
}

/// Returns `true` if the first argument is a list that contains the second argument, or if both arguments are equal. A failed
/// comparison counts as a difference.
fn includes<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let found = match args {
        [Value::List(list), needle] => {
            matches!(place_of(meter, list, needle, 0..list.len())?, Value::Int(place) if place >= 0)
        }
        [value, needle] => is_equal(meter, value, needle)?,
        _ => return Err(Error::no_such_overload()),
    };
    Ok(Value::Bool(found))
}

fn place_of<'v>(
    meter: &mut Meter,
    list: &List<'v>,
    needle: &Value<'v>,
    places: impl Iterator<Item = usize>,
) -> Outcome<'v> {
    for place in places {
        match element(meter, list, place) {
            Ok(element) if is_equal(meter, &element, needle)? => return Ok(Value::Int(place as i64)),
            Err(error) if error.is_final() => return Err(error),
            _ => {}
        }
    }
    Ok(Value::Int(-1))
}

fn slice<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let [Value::List(list), Value::Int(start), Value::Int(end)] = args else {
        return Err(Error::no_such_overload());
    };
    let wrong = |why: String| Err(Error::text(format!("cannot slice({start}, {end}), {why}")));
    let (Ok(from), Ok(to)) = (usize::try_from(*start), usize::try_from(*end)) else {
        return wrong("negative indexes not supported".to_owned());
    };
    if from > to {
        return wrong("start index must be less than or equal to end index".to_owned());
    }
    if list.len() < to {
        return wrong(format!("list is length {}", list.len()));
    }
    meter.allocate_values(to - from)?;
    (from..to).try_for_each(|index| meter.work_on_element(list, index))?;
    (from..to).filter_map(|index| list.get(index).map(held)).collect::<Result<Vec<_>, _>>().map(Value::from)
}

fn flatten<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let (list, depth) = match args {
        [Value::List(list)] => (list, 1),
        [Value::List(list), Value::Int(depth)] => (list, *depth),
        _ => return Err(Error::no_such_overload()),
    };
    if depth < 0 {
        return Err(Error::new("level must be non-negative"));
    }
    let mut values = Vec::new();
    // The lists that are being traversed, each with its next index.
    let mut stack = vec![(list.clone(), 0usize)];
    while let Some((list, next)) = stack.last_mut() {
        meter.work_on_element(list, *next)?;
        let Some(element) = list.get(*next) else {
            stack.pop();
            continue;
        };
        *next += 1;
        meter.work(work::ELEMENT)?;
        meter.allocate_pushed()?;
        match held(element)? {
            Value::List(inner) if (stack.len() as u64) <= depth.unsigned_abs() => stack.push((inner, 0)),
            other => values.push(other),
        }
    }
    Ok(values.into())
}

fn sort<'v>(meter: &mut Meter, list: &Value<'v>, keys: &Value<'v>) -> Outcome<'v> {
    let (Value::List(list), Value::List(keys)) = (list, keys) else { return Err(Error::no_such_overload()) };
    if list.len() != keys.len() {
        let text = format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} elements respectively",
            list.len(),
            keys.len()
        );
        return Err(Error::text(text));
    }
    if list.is_empty() {
        return Ok(Value::List(list.clone()));
    }
    meter.allocate_values(list.len() * 3)?;
    meter.work_on_list(list)?;
    meter.work_on_list(keys)?;
    let keys = keys.to_values()?;
    if let Some(first) = keys.first() {
        if !has_order(first) {
            return Err(Error::new("list elements must be comparable"));
        }
        if keys.iter().any(|key| key.type_name() != first.type_name()) {
            return Err(Error::new("list elements must have the same type"));
        }
    }
    let mut pairs: Vec<_> = keys.into_iter().zip(list.to_values()?).collect();
    let mut failed = None;
    pairs.sort_by(|left, right| {
        if failed.is_some() {
            return Ordering::Equal;
        }
        order(meter, &left.0, &right.0).unwrap_or_else(|error| {
            // Numbers that cannot be compared keep their order.
            failed = Some(error).filter(Error::ends_run);
            Ordering::Equal
        })
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(pairs.into_iter().map(|(_, value)| value).collect::<Vec<_>>().into()),
    }
}

/// Maximum length of a list from `lists.range`, since Kubernetes 1.37.
const MOST_RANGE: i64 = 1_000_000;

fn range<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Int(end)] = args else { return Err(Error::no_such_overload()) };
    if meter.server.is_at_least(37) {
        let refused = match *end {
            ..0 => Some(format!("size must be non-negative, got {end}")),
            0..=MOST_RANGE => None,
            _ => Some(format!("size {end} exceeds maximum allowed ({MOST_RANGE})")),
        };
        if let Some(why) = refused {
            return Err(Error::text(format!("lists.range: {why}")));
        }
    }
    meter.allocate_values(usize::try_from(*end).unwrap_or(0))?;
    Ok((0..*end).map(Value::Int).collect::<Vec<_>>().into())
}

fn reverse<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let [Value::List(list)] = args else { return Err(Error::no_such_overload()) };
    meter.allocate_values(list.len())?;
    meter.work_on_list(list)?;
    let mut values = list.to_values()?;
    values.reverse();
    Ok(values.into())
}

fn distinct<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let list = match args {
        [Value::List(list)] => list,
        [other] => return Err(Error::not_a_list(other.go_type(), has_sum(other))),
        _ => return Err(Error::no_such_overload()),
    };
    if list.is_empty() {
        return Ok(Value::List(list.clone()));
    }
    // Each element is compared with all elements that are kept. The cost covers the comparisons.
    meter.allocate_values(list.len())?;
    let mut kept: Vec<Value<'v>> = Vec::new();
    for index in 0..list.len() {
        let element = held(element(meter, list, index))?;
        let mut is_new = true;
        for other in &kept {
            match is_equal(meter, &element, other) {
                Ok(true) => {
                    is_new = false;
                    break;
                }
                Err(error) if error.is_final() => return Err(error),
                // Elements that cannot be compared are not the same.
                Ok(false) | Err(_) => {}
            }
        }
        if is_new {
            kept.push(element);
        }
    }
    Ok(kept.into())
}

/// Returns `true` if `sum` accepts the value's type.
fn is_summable(value: &Value<'_>) -> bool {
    is_number(value) || matches!(value, Value::Duration(_))
}

/// Returns `true` for a value that can be added to another value.
fn has_sum(value: &Value<'_>) -> bool {
    is_summable(value) || matches!(value, Value::String(_) | Value::Bytes(_) | Value::Timestamp(_))
}

#[cfg(test)]
mod tests {
    use crate::eval::Program;
    use crate::eval::value::Value;

    fn run(rule: &str) -> String {
        let ast = crate::parse(rule).unwrap();
        let program = Program::unchecked(&ast, &[]).unwrap();
        match program.run(Vec::<Option<Value<'_>>>::new(), 1_000_000).result {
            Ok(Value::Bool(value)) => value.to_string(),
            Ok(other) => format!("{other:?}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn lists() {
        for (rule, result) in [
            ("[1, 2, 2].isSorted() && ![2, 1].isSorted() && [].isSorted()", "true"),
            (
                "[1, 2, 3].sum() == 6 && [0.5].sum() == 0.5 && [duration('1m'), duration('1s')].sum() == duration('61s')",
                "true",
            ),
            ("[9223372036854775807, 1].sum()", "integer overflow"),
            ("['b', 'a', 'C'].min() == 'C' && [3, -1].max() == 3", "true"),
            ("[].min()", "min called on empty list"),
            (
                "['x', 'a', 'a'].indexOf('a') == 1 && ['a', 'a'].lastIndexOf('a') == 1 && [1].indexOf(2) == -1",
                "true",
            ),
            ("[1, 2, 3, 4].slice(1, 3) == [2, 3]", "true"),
            ("[1, 2].slice(1, 3)", "cannot slice(1, 3), list is length 2"),
            ("[1].slice(-1, 1)", "cannot slice(-1, 1), negative indexes not supported"),
            ("[1].slice(1, 0)", "cannot slice(1, 0), start index must be less than or equal to end index"),
            ("[[[1], [2]], [[3]]].flatten() == [[1], [2], [3]] && [[[1]]].flatten(2) == [1]", "true"),
            ("[[1]].flatten(-1)", "level must be non-negative"),
            ("[3, 1, 2].sort() == [1, 2, 3] && ['b', 'A'].sort() == ['A', 'b']", "true"),
            ("[{'n': 'x', 'w': 3}, {'n': 'y', 'w': 1}].sortBy(e, e.w).map(e, e.n) == ['y', 'x']", "true"),
            ("[[1], [2]].sort()", "list elements must be comparable"),
            ("[dyn(1), 'a'].sort()", "list elements must have the same type"),
            ("lists.range(3) == [0, 1, 2]", "true"),
            ("lists.range(-1)", "lists.range: size must be non-negative, got -1"),
            ("[1, 2].reverse() == [2, 1] && [3, 1, 3, 1].distinct() == [3, 1]", "true"),
            (
                "sets.contains([1, 2], [1]) && sets.intersects([1], [2, 1]) && sets.equivalent([1, 1], [1])",
                "true",
            ),
            ("lists.range(1000000000)", "lists.range: size 1000000000 exceeds maximum allowed (1000000)"),
        ] {
            assert_eq!(run(rule), result, "{rule}");
        }
    }
}
