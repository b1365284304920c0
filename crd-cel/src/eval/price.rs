//! The cost of a call at run time. See cel-go's `runtimecost.go`, Kubernetes' `library/cost.go`, and the lists and sets libraries.

use super::Error;
use super::meter::{Meter, work};
use super::opaque::{NamedFormat, Opaque};
use super::value::{Value, code_points};

/// The cost of a call at run time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Price {
    /// The cost depends only on the name of the function.
    OfFunction(Charge),
    /// The cost depends on the overload. A call with several possible overloads costs 1.
    OfOverload(Charge),
}

/// The cost of most overloads.
pub(crate) const ONE: Price = Price::OfOverload(Charge::One);

impl Price {
    /// Returns the cost of a call if this is the only possible overload.
    pub(crate) fn charge(self) -> Charge {
        match self {
            Self::OfFunction(charge) | Self::OfOverload(charge) => charge,
        }
    }

    /// Returns the cost of a call with several possible overloads.
    pub(crate) fn undecided(overloads: impl Iterator<Item = Self>) -> Charge {
        let mut of_function = overloads.filter_map(|price| match price {
            Self::OfFunction(charge) => Some(charge),
            Self::OfOverload(_) => None,
        });
        of_function.next().unwrap_or(Charge::One)
    }

    /// Returns the cost of an unchecked call: the cost of the first overload that does not cost 1.
    pub(crate) fn likely(overloads: impl Iterator<Item = Self>) -> Charge {
        let is_priced = |charge: &Charge| !matches!(charge, Charge::One | Charge::PatternFunction);
        overloads.map(Self::charge).find(is_priced).unwrap_or(Charge::One)
    }
}

/// A formula for the cost of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Charge {
    /// 1
    One,
    /// A tenth of the first argument's size, times a factor.
    Traversal(u64),
    /// The second argument's size.
    Size,
    /// A tenth of the smaller argument's size.
    Smaller,
    /// Like [`Charge::Smaller`], but 1 for values of Kubernetes' libraries.
    Equal,
    /// A tenth of the arguments' total size.
    Both,
    /// A tenth of the prefix's or suffix's size. Before Kubernetes 1.37, a tenth of the searched string's size.
    Affix,
    /// Matching a string with a pattern.
    Pattern,
    /// Matching with the function `matches(string, pattern)`, which costs 1 before Kubernetes 1.37.
    PatternFunction,
    /// Finding one string in another.
    Contains,
    /// Visiting every value in the first argument once.
    Values,
    /// A fifth of the result's size.
    Join,
    /// Checking a string against a named format.
    Validate,
    /// Comparing a network with an address. The address may be a string.
    ContainsIp { text: bool },
    /// Comparing two networks, of which the second may be a string.
    ContainsCidr { text: bool },
    /// Comparing two sets, times a factor.
    Sets(u64),
    /// The size of the resulting list.
    Result,
    /// `flatten`
    Flatten,
    /// Comparing all elements of a list with each other, times 2, or times 2.1 for strings and bytes. The value is the index of the list
    /// argument.
    Square(usize),
}

impl Charge {
    /// Returns `true` if the cost depends on the result.
    pub(crate) fn is_priced_by_result(self) -> bool {
        matches!(self, Self::Join | Self::Result)
    }

    /// Returns the server's panic for a call whose argument `arg` failed, if the server's cost function assumes that this argument is a
    /// list or an integer.
    pub(crate) fn fault_without(self, arg: usize) -> Option<Error> {
        match self {
            Self::Square(list) if list == arg => Some(Error::NO_LIST),
            Self::Flatten if arg == 1 => Some(Error::not_an_int("*types.Err")),
            _ => None,
        }
    }

    /// Returns the cost of comparing two strings. Returns `None` for a formula that is not for comparisons.
    pub(crate) fn cost_of_strings(self, left: &str, right: &str) -> Option<u64> {
        match self {
            Self::One => Some(1),
            Self::Smaller | Self::Equal => {
                let least_bytes = left.len().min(right.len());
                // There are at most as many code points.
                if least_bytes <= 10 {
                    return Some(u64::from(least_bytes > 0));
                }
                Some(tenth(code_points(left).min(code_points(right))))
            }
            _ => None,
        }
    }

    /// Returns the cost of a call. Null stands for an argument that failed.
    ///
    /// # Errors
    /// - Computing the cost exceeds the remaining CPU work.
    /// - The server assumes that an argument is an integer, but it is not.
    pub(crate) fn cost(
        self,
        meter: &mut Meter,
        args: &[Value<'_>],
        result: Option<&Value<'_>>,
    ) -> Result<u64, Error> {
        for value in args.iter().chain(result) {
            meter.work_on_size(value)?;
        }
        let size = |index: usize| args.get(index).and_then(Value::size).unwrap_or(1);
        Ok(match self {
            Self::One => 1,
            Self::Traversal(factor) => tenth(size(0).saturating_mul(factor)),
            Self::Affix => tenth(size(usize::from(meter.server.is_at_least(37)))),
            Self::PatternFunction if !meter.server.is_at_least(37) => 1,
            Self::Size => size(1),
            Self::Equal if matches!(args, [Value::Opaque(_), ..]) => 1,
            Self::Smaller | Self::Equal => {
                // Up to 1.32, an optional has no size.
                let is_seen = meter.server.is_at_least(33);
                let size_of = |value| if is_seen { size_in_optional(value) } else { Value::size(value) };
                let size = |index: usize| args.get(index).and_then(size_of).unwrap_or(1);
                tenth(size(0).min(size(1)))
            }
            Self::Both => tenth(size(0).saturating_add(size(1))),
            // An empty string has a cost too; a part of a pattern is taken to have four bytes.
            Self::Pattern | Self::PatternFunction => tenth(size(0) + 1) * size(1).div_ceil(4),
            Self::Contains => tenth(size(0)) * tenth(size(1)),
            Self::Values => match args.first() {
                Some(value) => elements(meter, value, 0)?,
                None => 1,
            },
            Self::Join => tenth(result.and_then(Value::size).unwrap_or(1).saturating_mul(2)),
            Self::Validate => {
                let Some(Value::Opaque(opaque)) = args.first() else { return Ok(1) };
                let Opaque::Format(format) = **opaque else { return Ok(1) };
                tenth(size(1) + 1) * NamedFormat::pattern_length(format).div_ceil(4)
            }
            Self::ContainsIp { text } => tenth(size(0) * 2) + if text { tenth(size(1)) } else { 0 },
            Self::ContainsCidr { text } => {
                tenth(size(0) * 2) + tenth(size(0)) + 1 + if text { tenth(size(1)) } else { 0 }
            }
            Self::Sets(factor) => size(0).saturating_mul(size(1)).saturating_mul(factor).saturating_add(1),
            Self::Result => list_call(result.and_then(Value::size).unwrap_or(1)),
            Self::Flatten => list_call(size(0).saturating_mul(flatten_depth(args.get(1))?)),
            Self::Square(arg) => square(args.get(arg), size(arg)),
        })
    }
}

/// Returns the depth for `flatten`.
fn flatten_depth(depth: Option<&Value<'_>>) -> Result<u64, Error> {
    match depth {
        Some(Value::Int(depth)) => Ok(u64::try_from(*depth).unwrap_or(0)),
        Some(other) => Err(Error::not_an_int(other.go_type())),
        None => Ok(1),
    }
}

/// Returns the cost of comparing all `size` elements of a list with each other.
fn square(list: Option<&Value<'_>>, size: u64) -> u64 {
    let first = match list {
        Some(Value::List(list)) => list.get(0),
        _ => None,
    };
    let factor = if let Some(Ok(Value::String(_) | Value::Bytes(_))) = first { 2.1 } else { 2.0 };
    list_call((size.saturating_mul(size) as f64 * factor) as u64)
}

/// Returns a value's size. For an optional, this is the size of the contained value.
fn size_in_optional(value: &Value<'_>) -> Option<u64> {
    match value {
        Value::Optional(Some(value)) => size_in_optional(value),
        other => other.size(),
    }
}

fn tenth(size: u64) -> u64 {
    // As floats, 10 * 0.1 is 1, but 70 * 0.1 is more than 7. The API server computes with floats.
    if size <= 10 {
        return u64::from(size > 0);
    }
    (size as f64 * 0.1).ceil() as u64
}

/// Returns the cost of a call that creates a list.
fn list_call(size: u64) -> u64 {
    size.saturating_add(11)
}

/// Maximum depth to which a value is traversed.
const MAX_DEPTH: u32 = 500;

/// Returns the cost of traversing a value. The cost of each string is rounded down separately.
fn elements(meter: &mut Meter, value: &Value<'_>, depth: u32) -> Result<u64, Error> {
    let inner = |meter: &mut Meter, value: Result<Value<'_>, Error>| match value {
        Ok(value) if depth < MAX_DEPTH => elements(meter, &value, depth + 1),
        _ => Ok(1),
    };
    meter.work(work::ELEMENT)?;
    let mut sum = 0u64;
    match value {
        Value::String(text) => sum = (text.len() as f64 * 0.1) as u64,
        Value::Bytes(bytes) => sum = (bytes.len() as f64 * 0.1) as u64,
        Value::List(list) => {
            meter.work_on_list(list)?;
            for element in list.iter() {
                sum = sum.saturating_add(inner(meter, element)?);
            }
        }
        Value::Map(map) => {
            meter.work_on_keys(map)?;
            for key in map.keys() {
                sum = sum.saturating_add(inner(meter, Ok(key.clone()))?);
                sum = sum.saturating_add(match map.get(&key) {
                    Some(value) => inner(meter, value)?,
                    None => 1,
                });
            }
        }
        _ => sum = 1,
    }
    Ok(sum)
}
