//! Converts enums that may be null. In the API server, null never matches an `enum`, even if the schema is `nullable`.

use serde_json::{Value, json};

use super::walk::{Node, SchemaLocation};
use crate::Error;

pub(super) fn enums(node: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    if node.get("nullable") != Some(&Value::Bool(true)) || !node.contains_key("enum") {
        return Ok(());
    }
    // A pattern restricts strings as the `enum` does, and allows null.
    let Some(Value::Array(values)) = node.get("enum") else { return Ok(()) };
    let Some(names) = values.iter().map(Value::as_str).collect::<Option<Vec<_>>>() else {
        return Err(place.error(
            "is an enum of numbers that may be null",
            "skip null with `#[serde(skip_serializing_if = \"Option::is_none\")]`, or use `#[crd(schemaless)]`",
        ));
    };
    let pattern = pattern(names);
    node.remove("enum");
    node.insert("pattern".to_owned(), json!(pattern));
    Ok(())
}

/// Returns the pattern that matches exactly these strings.
pub(super) fn pattern<'a, T: IntoIterator<Item = &'a str>>(names: T) -> String {
    let names: Vec<String> = names.into_iter().map(escaped).collect();
    format!("^(?:{})$", names.join("|"))
}

/// Returns a regular expression that matches only this string.
fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|c| ("\\.+*?()|[]{}^$".contains(c)).then_some('\\').into_iter().chain([c]))
        .collect()
}
