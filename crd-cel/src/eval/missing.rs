//! The text of an error that says that a function has no overload for its arguments.

use super::Error;
use super::library::lists::is_summable;
use super::opaque::Opaque;
use super::order::has_order;
use super::value::Value;

/// Names the function and the types of its arguments in an error, where the API server names them.
///
/// Values that have functions of their own, which are strings, timestamps and durations, are asked before the operator is
/// said to be missing, and their answer is bare.
pub(super) fn labelled(error: Error, name: &str, has_pattern: bool, values: &[Value<'_>]) -> Error {
    use Value as V;
    let Some(first) = values.first().filter(|_| error == Error::no_such_overload()) else { return error };
    let is_receiver = matches!(first, V::String(_) | V::Duration(_) | V::Timestamp(_));
    let is_known = match name {
        "size" => matches!(first, V::Bytes(_) | V::List(_) | V::Map(_)),
        "_+_" => matches!(first, V::Int(_) | V::Uint(_) | V::Double(_) | V::Bytes(_) | V::List(_)),
        "_-_" | "_*_" | "_/_" => matches!(first, V::Int(_) | V::Uint(_) | V::Double(_)),
        "_%_" => matches!(first, V::Int(_) | V::Uint(_)),
        "-_" => matches!(first, V::Bool(_) | V::Int(_) | V::Double(_)),
        "_<_" | "_<=_" | "_>_" | "_>=_" => {
            matches!(first, V::Bool(_) | V::Int(_) | V::Uint(_) | V::Double(_) | V::Bytes(_))
        }
        "sort" => matches!(first, V::List(_)),
        "startsWith" | "endsWith" | "contains" => true,
        // A literal pattern is compiled with the rule, which takes the check of types away.
        "matches" => has_pattern,
        "find" | "findAll" if has_pattern => true,
        _ => return with_types(error, name, values),
    };
    if is_known || is_receiver { error } else { Error::text(format!("no such overload: {name}")) }
}

fn with_types(error: Error, name: &str, values: &[Value<'_>]) -> Error {
    let is_bare = match (name, values) {
        // A text that is no address, and elements of lists.
        ("containsIP", [Value::Opaque(network), Value::String(_)]) => matches!(**network, Opaque::Cidr(_)),
        ("sum", [Value::List(list)]) => matches!(list.get(0), Some(Ok(first)) if is_summable(&first)),
        ("min" | "max" | "isSorted", [Value::List(list)]) => {
            matches!(list.get(0), Some(Ok(first)) if has_order(&first))
        }
        _ => name.starts_with(['_', '@', '!', '-']) || name.starts_with("cel."),
    };
    if is_bare {
        return error;
    }
    if let ("flatten", [value]) = (name, values) {
        let of = if let Value::Map(_) = value { "map(dyn, dyn)" } else { value.type_name() };
        return Error::text(format!("no such overload: {of}.flatten()"));
    }
    let types: Vec<&str> = values.iter().map(Value::type_name).collect();
    Error::text(format!("no such overload: {name}({})", types.join(", ")))
}
