//! Errors about functions that have no overload for their arguments.

use super::Error;
use super::implementation::Missing;
use super::node::Call;
use super::value::Value;

/// Adds the function's name and the arguments' types to an error, if the API server's message contains them.
///
/// In cel-go, values that are strings, timestamps or durations look up their own methods. The error from this lookup comes first, and
/// contains no types.
pub(super) fn labelled(error: Error, call: &Call, values: &[Value<'_>]) -> Error {
    // If the pattern is a literal, the server replaces the call by one that does not check the types.
    let is_checked = call.pattern.is_none() && error == Error::no_such_overload();
    let Some(first) = values.first().filter(|_| is_checked) else { return error };
    let is_receiver = matches!(first, Value::String(_) | Value::Duration(_) | Value::Timestamp(_));
    match call.implementation.missing {
        Missing::Bare => error,
        Missing::Name(is_known) if is_receiver || is_known(first) => error,
        Missing::Name(_) => Error::no_such_overload_of(&call.name),
        Missing::Types(is_bare) if is_bare(values) => error,
        Missing::Types(_) => {
            let types: Vec<&str> = values.iter().map(Value::type_name).collect();
            Error::no_such_overload_of(format_args!("{}({})", call.name, types.join(", ")))
        }
        Missing::Method => {
            let of = if let Value::Map(_) = first { "map(dyn, dyn)" } else { first.type_name() };
            Error::no_such_overload_of(format_args!("{of}.{}()", call.name))
        }
    }
}
