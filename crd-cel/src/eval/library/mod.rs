//! The functions that rules can call, by name: one file for each library.

mod arithmetic;
mod convert;
pub(super) mod format;
pub(super) mod ip;
mod lists;
mod optional;
mod patterns;
pub(super) mod quantity;
pub(super) mod semver;
mod sets;
mod string_format;
mod strings;
mod times;
pub(super) mod url;

use super::Error;
use super::cost::Meter;
use super::value::Value;
use crate::re2::Regex;

/// What a function makes of its arguments.
pub(super) type Outcome<'v> = Result<Value<'v>, Error>;
type Plain = for<'v> fn(&mut Meter, &[Value<'v>]) -> Outcome<'v>;
type Pattern = for<'v> fn(&mut Meter, &[Value<'v>], &Regex) -> Outcome<'v>;

/// A function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Function {
    Plain(Plain),
    /// Its second argument is a pattern.
    Pattern(Pattern),
}

impl Function {
    pub(super) fn call<'v>(
        self,
        meter: &mut Meter,
        args: &[Value<'v>],
        regex: Option<&Regex>,
    ) -> Outcome<'v> {
        match (self, regex, args) {
            (Self::Plain(function), ..) => function(meter, args),
            (Self::Pattern(function), Some(regex), _) => function(meter, args, regex),
            (Self::Pattern(function), None, [_, Value::String(pattern), ..]) => {
                let regex = Regex::new(pattern).map_err(|error| Error::text(error.to_string()))?;
                function(meter, args, &regex)
            }
            _ => Err(Error::no_such_overload()),
        }
    }
}

/// The function of that name. Of the overloads, only that of `sum` says more than the arguments do.
pub(super) fn find(name: &str, overload: Option<&str>) -> Option<Function> {
    if name == "sum" {
        return Some(Function::Plain(lists::sum_of(overload)));
    }
    if let Some(function) = patterns::find(name) {
        return Some(Function::Pattern(function));
    }
    let libraries = [
        arithmetic::find,
        strings::find,
        lists::find,
        convert::find,
        times::find,
        optional::find,
        sets::find,
        quantity::find,
        url::find,
        ip::find,
        semver::find,
        format::find,
    ];
    libraries.iter().find_map(|library| library(name)).map(Function::Plain)
}

/// The type that a name stands for.
pub(super) fn type_named(name: &str) -> Option<&'static str> {
    const TYPES: [&str; 13] = [
        "bool",
        "bytes",
        "double",
        "google.protobuf.Duration",
        "google.protobuf.Timestamp",
        "int",
        "list",
        "map",
        "null_type",
        "optional_type",
        "string",
        "type",
        "uint",
    ];
    TYPES.into_iter().find(|known| *known == name)
}

/// Whether a function converts, so that it is run once where its argument is constant.
pub(super) fn is_conversion(name: &str) -> bool {
    matches!(
        name,
        "bool" | "bytes" | "double" | "duration" | "dyn" | "int" | "string" | "timestamp" | "type" | "uint"
    )
}
