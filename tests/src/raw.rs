//! Definitions as raw JSON, without the differences that are allowed between a definition and that of its derived types.
//!
//! These differences are allowed, and no others:
//!
//! - fields that the API server fills in: `singular`, `listKind`, `conversion.strategy`, the port of a webhook's service, the
//!   priority of a printer column (`defaults.go` of `apiextensions/v1`), and `1` for `1.0` (`encoding/json`);
//! - fields that the API server sets: `status`, and metadata other than name, labels and annotations;
//! - the order of keys and of `required`.

use serde_json::{Map, Value, json};

/// Returns the definition without the allowed differences.
#[must_use]
pub fn raw(definition: &Value) -> Value {
    let mut definition = definition.clone();
    if let Some(root) = definition.as_object_mut() {
        root.remove("status");
    }
    if let Some(metadata) = definition["metadata"].as_object_mut() {
        metadata.retain(|key, _| matches!(key.as_str(), "name" | "labels" | "annotations"));
    }
    if let Some(spec) = definition["spec"].as_object_mut() {
        filled_in(spec);
    }
    everywhere(&mut definition);
    definition
}

/// Removes the fields of a specification that the API server fills in.
fn filled_in(spec: &mut Map<String, Value>) {
    if let Some(Value::Object(names)) = spec.get_mut("names") {
        let kind = names.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        for (key, default) in [("listKind", format!("{kind}List")), ("singular", kind.to_lowercase())] {
            names.retain(|name, value| name != key || *value != default && *value != "");
        }
    }
    if spec.get("conversion") == Some(&json!({"strategy": "None"})) {
        spec.remove("conversion");
    }
    if let Some(Value::Object(service)) = spec
        .get_mut("conversion")
        .and_then(|conversion| conversion.pointer_mut("/webhook/clientConfig/service"))
    {
        service.retain(|key, value| key != "port" || *value != 443);
    }
    for version in spec.get_mut("versions").and_then(Value::as_array_mut).into_iter().flatten() {
        let columns = version.get_mut("additionalPrinterColumns").and_then(Value::as_array_mut);
        for column in columns.into_iter().flatten().filter_map(Value::as_object_mut) {
            column.retain(|key, value| key != "priority" || *value != 0);
        }
    }
}

/// Sorts every `required`, and writes whole numbers without a fraction.
fn everywhere(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0);
            if let Some(integer) = whole.and_then(|float| format!("{float:.0}").parse::<i64>().ok()) {
                *value = json!(integer);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(everywhere),
        Value::Object(fields) => {
            if let Some(Value::Array(required)) = fields.get_mut("required") {
                required.sort_by_key(ToString::to_string);
            }
            fields.values_mut().for_each(everywhere);
        }
        _ => {}
    }
}
