//! Formats of texts: those that the API server knows stay, `ip` becomes what it means, others go.

use serde_json::json;

use super::walk::{Node, Place};
use crate::Error;

/// What API servers check or, for the last two, document; a format outside it is ignored with a warning.
const KNOWN: &[&str] = &[
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "date-time",
    "datetime",
    "k8s-short-name",
    "k8s-long-name",
];

pub(super) fn strings(node: &mut Node, _: &Place) -> Result<(), Error> {
    if node.get("type").is_none_or(|name| name != "string") {
        return Ok(());
    }
    let Some(format) = node.get("format").and_then(|format| format.as_str()) else { return Ok(()) };
    if KNOWN.contains(&format) {
        return Ok(());
    }
    let is_ip = format == "ip";
    node.remove("format");
    if is_ip && !node.contains_key("anyOf") {
        node.insert("anyOf".to_owned(), json!([{"format": "ipv4"}, {"format": "ipv6"}]));
    }
    Ok(())
}
