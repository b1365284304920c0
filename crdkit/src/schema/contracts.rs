//! Joins the schemas for reading and for writing a type. A CRD must accept what serde reads and what serde writes, because the API
//! server prunes all other fields.

use serde_json::{Value, json};

use super::marks;
use super::walk::{Node, SchemaLocation};
use crate::{Advice, Error};

/// Completes `read`, the schema for reading, with properties that serde writes but does not read. Adds advice about fields that serde
/// omits and then reads as a different value.
pub(super) fn join(
    read: &mut Value,
    written: &Value,
    place: &SchemaLocation,
    advice: &mut Vec<Advice>,
) -> Result<(), Error> {
    let (Value::Object(read), Value::Object(written)) = (read, written) else { return Ok(()) };
    if read.contains_key("$ref") {
        return Ok(());
    }
    let place = &place.entered(read);
    types(read, written, place)?;
    properties(read, written, place, advice)?;
    for (keyword, place) in [("items", place.items()), ("additionalProperties", place.values())] {
        if let (Some(read), Some(written)) = (read.get_mut(keyword), written.get(keyword)) {
            join(read, written, &place, advice)?;
        }
    }
    for keyword in ["oneOf", "anyOf", "allOf"] {
        if let (Some(Value::Array(read)), Some(Value::Array(written))) =
            (read.get_mut(keyword), written.get(keyword))
        {
            // Untagged variants have no names, but an order: one of their properties can be only read, or only written.
            if keyword == "anyOf" && read.len() == written.len() {
                each(read, written, place, advice)?;
            } else {
                branches(read, written, place, advice)?;
            }
        }
    }
    if let (Some(Value::Array(read)), Some(Value::Array(written))) =
        (read.get_mut("enum"), written.get("enum"))
    {
        let more: Vec<Value> = written.iter().filter(|value| !read.contains(value)).cloned().collect();
        read.extend(more);
    }
    Ok(())
}

/// Sets the type that serde writes. For example, `bytes::Bytes` also reads strings, but only lists are written.
fn types(read: &mut Node, written: &Node, place: &SchemaLocation) -> Result<(), Error> {
    let (reads, writes) = (types_of(read), types_of(written));
    if reads.is_empty() || writes.is_empty() || reads == writes {
        return Ok(());
    }
    if read.contains_key(marks::SCHEMALESS) {
        ["type", "items", "additionalProperties"].iter().for_each(|keyword| drop(read.remove(*keyword)));
        return Ok(());
    }
    if let Some(written) = writes.iter().find(|name| !reads.contains(name)) {
        let text = |name: Option<&Value>| name.and_then(Value::as_str).unwrap_or("nothing").to_owned();
        let message = format!("is read as {} and written as {}", text(reads.first()), text(Some(written)));
        return Err(place.error(
            message,
            "make Deserialize accept what Serialize writes, or put `#[crd(schemaless)]` on the field",
        ));
    }
    let keeps_null = reads.contains(&json!("null")) && !writes.contains(&json!("null"));
    let mut types = writes;
    if keeps_null {
        types.push(json!("null"));
    }
    let types = match types.as_slice() {
        [only] => only.clone(),
        _ => Value::Array(types),
    };
    read.insert("type".to_owned(), types);
    Ok(())
}

/// Returns the names of a schema's types.
fn types_of(node: &Node) -> Vec<Value> {
    match node.get("type") {
        Some(Value::Array(names)) => names.clone(),
        Some(name) => vec![name.clone()],
        None => Vec::new(),
    }
}

fn properties(
    read: &mut Node,
    written: &Node,
    place: &SchemaLocation,
    advice: &mut Vec<Advice>,
) -> Result<(), Error> {
    let none = Node::new();
    let writes = written.get("properties").and_then(Value::as_object).unwrap_or(&none);
    if writes.is_empty() && !types_of(read).iter().any(|name| name == "object") {
        return Ok(());
    }
    // A `Value` or a map takes what its type does not name.
    let is_closed =
        !written.contains_key("additionalProperties") && !written.contains_key("unevaluatedProperties");
    for name in read.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        if !writes.contains_key(name) && is_closed {
            return Err(place.property(name).error(
                "is required by Deserialize but never written by Serialize, so an object that a controller wrote could not be read back",
                "give it a `#[serde(default)]`, or give it the same name for reading and writing",
            ));
        }
    }
    left_out(read, written, place, advice);
    for (name, written) in writes {
        let Value::Object(reads) = read.entry("properties").or_insert_with(|| json!({})) else {
            return Ok(());
        };
        match reads.get_mut(name) {
            Some(read) => join(read, written, &place.property(name), advice)?,
            None => {
                // A property that is only written has no default: the server would write it where serde does not.
                let mut written = written.clone();
                written.as_object_mut().and_then(|written| written.remove("default"));
                reads.insert(name.clone(), written);
            }
        }
    }
    Ok(())
}

/// Adds advice about `skip_serializing_if` on required fields, and on fields that serde then reads as a different default. schemars
/// provides no default if `skip_serializing_if` leaves out the default itself.
fn left_out(read: &Node, written: &Node, place: &SchemaLocation, advice: &mut Vec<Advice>) {
    let requires = |node: &Node, name: &String| {
        node.get("required").and_then(Value::as_array).is_some_and(|all| all.iter().any(|one| one == name))
    };
    let skipped = |name: &&String| !requires(written, name);
    for name in properties_of(written).map(|(name, _)| name).filter(skipped) {
        let Some(own) = properties_of(read).find_map(|(known, own)| (known == name).then_some(own)) else {
            continue;
        };
        let is_left_out = own.as_object().is_some_and(marks::is_skipped);
        let (kind, message, help) = if requires(read, name) || is_left_out && marks::requires(read, name) {
            (
                "required-but-skipped",
                "`skip_serializing_if` can leave out the field, but the field is required: the API server then rejects the object"
                    .to_owned(),
                "add `#[serde(default)]`, or remove `skip_serializing_if`",
            )
        } else if let Some(default) = own.get("default").filter(|value| !value.is_null())
            && is_left_out
        {
            (
                "default-of-skipped",
                format!(
                    "a value that `skip_serializing_if` leaves out is read back as the default {default}: it is lost"
                ),
                "`skip_serializing_if` must be true for the default and false for all other values; otherwise, remove it",
            )
        } else {
            continue;
        };
        advice.push(place.property(name).advice(kind, message, help));
    }
}

fn properties_of(node: &Node) -> impl Iterator<Item = (&String, &Value)> {
    node.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// Joins variants with the same name, and adds variants that serde writes but does not read.
fn branches(
    read: &mut Vec<Value>,
    written: &[Value],
    place: &SchemaLocation,
    advice: &mut Vec<Advice>,
) -> Result<(), Error> {
    let names = |branches: &[Value]| branches.iter().map(variant).collect::<Vec<_>>();
    // The only property of two untagged variants may have the same name: where all agree, the order counts.
    if names(read) == names(written) {
        return each(read, written, place, advice);
    }
    for written in written {
        let Some(name) = variant(written) else { continue };
        match read.iter_mut().find(|read| variant(read).as_ref() == Some(&name)) {
            Some(read) => join(read, written, place, advice)?,
            None => read.push(written.clone()),
        }
    }
    Ok(())
}

/// Joins variants at the same position.
fn each(
    read: &mut [Value],
    written: &[Value],
    place: &SchemaLocation,
    advice: &mut Vec<Advice>,
) -> Result<(), Error> {
    for (read, written) in read.iter_mut().zip(written) {
        join(read, written, place, advice)?;
    }
    Ok(())
}

/// Returns the variant's name: a constant, the tag's constant, or the only property.
fn variant(branch: &Value) -> Option<String> {
    if let Some(value) = branch.get("const") {
        return Some(value.to_string());
    }
    let properties = branch.get("properties")?.as_object()?;
    let tag = properties.iter().find_map(|(name, property)| Some((name, property.get("const")?)));
    match (tag, properties.len()) {
        (Some((name, value)), _) => Some(format!("{name} {value}")),
        (None, 1) => properties.keys().next().cloned(),
        _ => None,
    }
}
