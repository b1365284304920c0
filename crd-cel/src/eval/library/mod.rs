//! The functions that rules can call, by name: one file for each library.

mod arithmetic;
mod convert;
pub(super) mod format;
pub(super) mod ip;
pub(super) mod lists;
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
use super::meter::Meter;
use super::pattern::{Compiled, Pattern};
use super::value::Value;

/// What a function makes of its arguments.
pub(super) type Outcome<'v> = Result<Value<'v>, Error>;
type Plain = for<'v> fn(&mut Meter, &[Value<'v>]) -> Outcome<'v>;
type OnPattern = for<'v> fn(&mut Meter, &[Value<'v>], &Compiled) -> Outcome<'v>;

/// A function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Function {
    Plain(Plain),
    /// Its second argument is a pattern.
    Pattern(OnPattern),
}

impl Function {
    pub(super) fn call<'v>(
        self,
        meter: &mut Meter,
        args: &[Value<'v>],
        pattern: Option<&Pattern>,
    ) -> Outcome<'v> {
        let pattern = match (self, pattern, args) {
            (Self::Plain(function), ..) => return function(meter, args),
            (Self::Pattern(_), Some(pattern), _) => pattern.compiled(meter)?,
            (Self::Pattern(_), None, [_, Value::String(pattern), ..]) => meter.pattern(pattern)?,
            _ => return Err(Error::no_such_overload()),
        };
        match self {
            Self::Pattern(function) => function(meter, args, &pattern),
            Self::Plain(_) => Err(Error::no_such_overload()),
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

/// The work that a function takes for every byte of its arguments, in eighths of a nanosecond. Operators and functions
/// that charge for themselves have none.
pub(super) fn work_of_bytes(name: &str) -> u64 {
    match name {
        "size" | "dyn" | "type" | "bool" | "startsWith" | "endsWith" | "first" | "last" | "hasValue"
        | "value" => 0,
        _ if name.starts_with('_') || name.starts_with('@') || name.starts_with("optional.") => 0,
        "bytes" | "charAt" | "substring" | "indexOf" | "lastIndexOf" | "lowerAscii" | "upperAscii"
        | "trim" | "join" | "matches" | "find" | "findAll" => 8,
        "contains" | "validate" => 16,
        "isURL" | "url" | "getQuery" | "strings.quote" | "format" | "replace" | "split" | "isSemver"
        | "semver" => 128,
        _ => 32,
    }
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
