//! Formats of strings: formats that the API server knows are kept, `ip` becomes `ipv4` or `ipv6`, others are removed.

use crd_core::formats::Format;
use serde_json::json;

use super::walk::{Node, SchemaLocation};
use crate::Error;

pub(super) fn strings(node: &mut Node, _: &SchemaLocation) -> Result<(), Error> {
    if node.get("type").is_none_or(|name| name != "string") {
        return Ok(());
    }
    let Some(format) = node.get("format").and_then(|format| format.as_str()) else { return Ok(()) };
    if Format::from_name(format).is_some() {
        return Ok(());
    }
    let is_ip = format == "ip";
    node.remove("format");
    if is_ip && !node.contains_key("anyOf") {
        node.insert("anyOf".to_owned(), json!([{"format": "ipv4"}, {"format": "ipv6"}]));
    }
    Ok(())
}
