//! Server errors that can occur both when a program is compiled and when it runs.

/// Returns Go's name for a type whose values cannot be indices. Returns `None` for other types.
pub(crate) fn no_qualifier(type_name: &str) -> Option<&'static str> {
    Some(match type_name {
        "null_type" => "types.Null",
        "bytes" => "types.Bytes",
        "google.protobuf.Duration" => "types.Duration",
        "google.protobuf.Timestamp" => "types.Timestamp",
        "list" => "*types.baseList",
        "map" => "*types.baseMap",
        "type" => "*types.Type",
        _ => return None,
    })
}

/// The panic for a map whose keys are bytes, because Go's maps cannot hold such keys.
pub(crate) const UNHASHABLE_BYTES: &str =
    "internal error: runtime error: hash of unhashable type types.Bytes";
