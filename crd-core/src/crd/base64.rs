//! Base64 strings. Go decodes them while it reads a CRD.

use crd_go::base64::check_std;
use serde_json::Value;

use super::wire::{Decoder, kind};

/// Checks that a string is standard base64, and returns the string unchanged. Otherwise, reports an error.
pub(super) fn decode(value: Value, decoder: &mut Decoder) -> Option<String> {
    let Value::String(text) = value else {
        let message = match &value {
            // A list is read as a list of bytes.
            Value::Array(items) => {
                items.iter().find_map(other_than_byte).map(|found| decoder.type_error(&found, "uint8"))
            }
            other => Some(decoder.type_error(kind(other), "[]uint8")),
        };
        message.into_iter().for_each(|message| decoder.fail(message));
        return None;
    };
    if let Err(message) = check_std(&text) {
        decoder.fail(message);
    }
    Some(text)
}

/// Describes a value that is not a byte.
fn other_than_byte(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Number(number) if number.as_u64().is_some_and(|number| number < 256) => None,
        Value::Number(number) => Some(format!("number {number}")),
        other => Some(kind(other).to_owned()),
    }
}
