//! Implements the functions that rules can call, with one file per library. The table in `crate::functions` refers to these
//! implementations.

pub(crate) mod arithmetic;
pub(crate) mod convert;
pub(crate) mod form;
pub(crate) mod format;
pub(crate) mod ip;
pub(crate) mod lists;
pub(crate) mod optional;
pub(crate) mod patterns;
pub(crate) mod quantity;
pub(crate) mod semver;
pub(crate) mod sets;
mod string_format;
pub(crate) mod strings;
pub(crate) mod times;
pub(crate) mod url;

/// Returns the type with this name.
pub(super) fn type_named(name: &str) -> Option<&'static str> {
    const TYPES: [&str; 15] = [
        "bool",
        "bytes",
        "double",
        "google.protobuf.Duration",
        "google.protobuf.Timestamp",
        "int",
        "list",
        "map",
        "net.CIDR",
        "net.IP",
        "null_type",
        "optional_type",
        "string",
        "type",
        "uint",
    ];
    TYPES.into_iter().find(|known| *known == name)
}
