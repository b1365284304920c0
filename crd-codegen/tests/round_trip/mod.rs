//! Values that go through generated types.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Reads a value as the type and writes it again: the same must come out.
pub(crate) fn keeps<T: Serialize + DeserializeOwned>(value: Value) {
    let text = value.to_string();
    let read: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let written: Value = serde_json::from_str(&serde_json::to_string(&read).unwrap()).unwrap();
    assert_eq!(written, value);
}

/// Returns the message with which the type refuses a value.
pub(crate) fn refuses<T: DeserializeOwned>(value: &Value) -> String {
    match serde_json::from_value::<T>(value.clone()) {
        Ok(_) => panic!("taken: {value}"),
        Err(error) => error.to_string(),
    }
}

/// Returns a whole object.
pub(crate) fn object(api_version: &str, kind: &str, spec: Value) -> Value {
    json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "sample"}, "spec": spec})
}
