//! The text of an error that says that a function has no overload for its arguments.

use super::Error;
use super::library::Missing;
use super::node::Call;
use super::value::Value;

/// Names the function and the types of its arguments in an error, where the API server names them.
///
/// Values that have functions of their own, which are strings, timestamps and durations, are asked before the operator is
/// said to be missing, and their answer is bare.
pub(super) fn labelled(error: Error, call: &Call, values: &[Value<'_>]) -> Error {
    // A literal pattern is compiled with the rule, which takes the check of types away.
    let is_checked = call.pattern.is_none() && error == Error::no_such_overload();
    let Some(first) = values.first().filter(|_| is_checked) else { return error };
    let is_receiver = matches!(first, Value::String(_) | Value::Duration(_) | Value::Timestamp(_));
    match call.implementation.missing {
        Missing::Bare => error,
        Missing::Name(is_known) if is_receiver || is_known(first) => error,
        Missing::Name(_) => Error::text(format!("no such overload: {}", call.name)),
        Missing::Types(is_bare) if is_bare(values) => error,
        Missing::Types(_) => {
            let types: Vec<&str> = values.iter().map(Value::type_name).collect();
            Error::text(format!("no such overload: {}({})", call.name, types.join(", ")))
        }
        Missing::Method => {
            let of = if let Value::Map(_) = first { "map(dyn, dyn)" } else { first.type_name() };
            Error::text(format!("no such overload: {of}.{}()", call.name))
        }
    }
}
