//! Converts a CRD to its Go type after an apply or a strategic merge patch.
//!
//! Source: `pkg/runtime/converter.go` of apimachinery.

use crd_core::crd::JsonSchemaProps;
use crd_go::base64::check_std;
use crd_go::time::{Layout, parse};
use serde_json::{Value, json};

use super::{CRD, Field, GoType, MANAGER};
use crate::json::json_type;

/// Checks the types of a CRD's values, and truncates numbers whose Go type has 32 bits.
///
/// # Errors
/// - A value does not have its field's Go type. The message is the same as in Kubernetes.
pub(crate) fn convert(crd: &mut Value) -> Result<(), String> {
    convert_field("", &GoType::Struct(&CRD), crd)
}

/// Returns `true` if an object has `managedFields` and all entries are readable. The API server ignores all entries if one is unreadable.
///
/// Source: `GetManagedFields` in `pkg/apis/meta/v1/unstructured/unstructured.go` of apimachinery.
pub(crate) fn has_managed_fields(object: &Value) -> bool {
    let is_readable = |entry: &Value| {
        entry.is_object() && convert_field("", &GoType::Struct(&MANAGER), &mut entry.clone()).is_ok()
    };
    let entries = object.pointer("/metadata/managedFields").and_then(Value::as_array);
    entries.is_some_and(|entries| entries.iter().all(is_readable))
}

/// Converts the value of a field.
fn convert_field(name: &str, go_type: &GoType, value: &mut Value) -> Result<(), String> {
    match (go_type, value) {
        (_, Value::Null) | (GoType::Any, _) => Ok(()),
        (GoType::Struct(fields), Value::Object(values)) => {
            fields.iter().try_for_each(|Field(name, go_type, _)| match values.get_mut(*name) {
                Some(value) => convert_field(name, go_type, value),
                None => Ok(()),
            })
        }
        (GoType::Struct(_), other) => Err(format!("cannot restore struct from: {}", kind(other))),
        (GoType::List(item), Value::Array(items)) => {
            items.iter_mut().try_for_each(|value| convert_field(name, item, value))
        }
        (GoType::Keyed(fields, _), Value::Array(items)) => {
            items.iter_mut().try_for_each(|value| convert_field(name, &GoType::Struct(fields), value))
        }
        (GoType::Bytes, Value::String(text)) => {
            check_std(text).map(drop).map_err(|error| format!("error decoding from json: {error}"))
        }
        (GoType::List(_) | GoType::Keyed(..) | GoType::Bytes, other) => {
            Err(format!("cannot restore slice from {}", kind(other)))
        }
        (GoType::Map(of), Value::Object(values)) => {
            values.values_mut().try_for_each(|value| convert_field(name, of, value))
        }
        (GoType::Map(_), other) => Err(format!("cannot restore map from {}", kind(other))),
        (GoType::Time, value) => time(value),
        (GoType::SchemaOr, value) => schema(name, value),
        (scalar, value) => convert_scalar(scalar, value),
    }
}

/// Converts a string, a number or a boolean.
fn convert_scalar(go_type: &GoType, value: &mut Value) -> Result<(), String> {
    // Go converts an integer to a string: to the character with this number. Only because of that, the message differs.
    let to_string = |value: &Value, name: &str| match kind(value) {
        "string" => Ok(()),
        "int64" => Err(format!("cannot convert int64 to {name}")),
        _ => Err("unrecognized type: string".to_owned()),
    };
    match go_type {
        GoType::Named(name) => to_string(value, name),
        GoType::Flag if !value.is_boolean() => Err("unrecognized type: bool".to_owned()),
        GoType::Numeric => whole(value, "int64"),
        GoType::Small => {
            whole(value, "int32")?;
            if let Some(number) = value.as_i64() {
                #[expect(clippy::cast_possible_truncation, reason = "Go cuts the number, too")]
                let cut = number as i32;
                *value = cut.into();
            }
            Ok(())
        }
        GoType::Float if !value.is_number() => Err("unrecognized type: float64".to_owned()),
        GoType::Flag | GoType::Float => Ok(()),
        _ => to_string(value, "string"),
    }
}

/// Returns a value's kind in Go's terms.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
    }
}

fn whole(value: &Value, name: &str) -> Result<(), String> {
    match value.as_f64() {
        None => Err(format!("unrecognized type: {name}")),
        Some(number) if number.fract() != 0.0 => Err(format!("cannot convert float64 to {name}")),
        Some(_) => Ok(()),
    }
}

fn time(value: &Value) -> Result<(), String> {
    match value {
        Value::Null => Ok(()),
        Value::String(text) => parse(text, Layout::Rfc3339).map(drop),
        other => Err(format!("json: cannot unmarshal {} into Go value of type string", json_type(other))),
    }
}

/// Checks a value whose Go type has its own decoder: `UnmarshalJSON` in `pkg/apis/apiextensions/v1/marshal.go` of apiextensions-apiserver.
fn schema(name: &str, value: &Value) -> Result<(), String> {
    let read =
        |schema: Value| JsonSchemaProps::from_value(schema).map(drop).map_err(|error| error.to_string());
    match value {
        Value::Object(_) => read(value.clone()),
        Value::Array(items) if name == "items" => items.iter().cloned().try_for_each(read),
        Value::Array(names) if name == "dependencies" => names.iter().try_for_each(|name| match name {
            Value::Null | Value::String(_) => Ok(()),
            other => Err(format!("json: cannot unmarshal {} into Go value of type string", json_type(other))),
        }),
        _ if name == "dependencies" => read(json!({name: {"x": value}})),
        _ => read(json!({name: value})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unreadable_entry_hides_all_managed_fields() {
        let has = |entries: Value| has_managed_fields(&json!({"metadata": {"managedFields": entries}}));
        let entry = json!({"manager": "m", "time": "2020-01-01T00:00:00+01:00", "fieldsV1": 1, "other": 1});
        for readable in [json!([]), json!([{}]), json!([{"manager": null, "time": null}]), json!([entry])] {
            assert!(has(readable.clone()), "{readable}");
        }
        let odd = [
            json!("x"),
            json!(null),
            json!([]),
            json!({"manager": 1}),
            json!({"time": 1}),
            json!({"time": "x"}),
        ];
        for entries in
            odd.into_iter().map(|odd| json!([entry, odd])).chain([json!(null), json!({}), json!("x")])
        {
            assert!(!has(entries.clone()), "{entries}");
        }
    }

    #[test]
    fn errors_are_those_of_the_converter() {
        let check = |mut crd: Value, expected: &str| assert_eq!(convert(&mut crd), Err(expected.to_owned()));
        check(json!({"metadata": {"generation": 1.5}}), "cannot convert float64 to int64");
        for (field, value, error) in [
            ("labels", json!("x"), "cannot restore map from string"),
            ("labels", json!({"a": 1}), "cannot convert int64 to string"),
            ("labels", json!({"a": 1.5}), "unrecognized type: string"),
            ("finalizers", json!({}), "cannot restore slice from map"),
            ("ownerReferences", json!([true]), "cannot restore struct from: bool"),
            ("uid", json!(1), "cannot convert int64 to types.UID"),
            ("generation", json!("1"), "unrecognized type: int64"),
        ] {
            check(json!({"metadata": {field: value}}), error);
        }
        check(
            json!({"metadata": {"creationTimestamp": true}}),
            "json: cannot unmarshal bool into Go value of type string",
        );
        let client = |client: Value| json!({"spec": {"conversion": {"webhook": {"clientConfig": client}}}});
        check(client(json!({"service": {"port": -1.5}})), "cannot convert float64 to int32");
        check(
            client(json!({"caBundle": "?"})),
            "error decoding from json: illegal base64 data at input byte 0",
        );
        let schema = |schema: Value| json!({"spec": {"versions": [{"schema": {"openAPIV3Schema": schema}}]}});
        check(schema(json!({"properties": {"a": {"maxLength": -1.5}}})), "cannot convert float64 to int64");
        check(
            schema(json!({"items": {"maxLength": -1.5}})),
            "json: cannot unmarshal number -1.5 into Go struct field JSONSchemaProps.maxLength of type int64",
        );
        check(schema(json!({"not": {"additionalProperties": ["x"]}})), "boolean or JSON schema expected");
        check(
            schema(json!({"items": ["x"]})),
            "json: cannot unmarshal string into Go value of type v1.JSONSchemaProps",
        );
        check(
            schema(json!({"dependencies": {"a": ["x", 1]}})),
            "json: cannot unmarshal number into Go value of type string",
        );
        let mut crd = schema(json!({"maximum": 1.5, "maxLength": 1.0, "default": 1.5, "items": true}));
        assert_eq!(convert(&mut crd), Ok(()));
        let mut crd = client(json!({"service": {"port": 99_999_999_999_u64}}));
        assert_eq!(convert(&mut crd), Ok(()));
        assert_eq!(crd, client(json!({"service": {"port": 1_215_752_191}})));
    }
}
