//! Text in base64, which Go decodes while it reads.

use serde_json::Value;

use super::wire::{Decoder, kind};

/// The text as it is, once it is known to be standard base64.
pub(super) fn decode(value: Value, decoder: &mut Decoder) -> Option<String> {
    let Value::String(text) = value else {
        let message = match &value {
            // A list is read as one of bytes.
            Value::Array(items) => {
                items.iter().find_map(no_byte).map(|found| decoder.type_error(&found, "uint8"))
            }
            other => Some(decoder.type_error(kind(other), "[]uint8")),
        };
        message.into_iter().for_each(|message| decoder.fail(message));
        return None;
    };
    if let Some(offset) = corrupt(text.as_bytes()) {
        decoder.fail(format!("illegal base64 data at input byte {offset}"));
    }
    Some(text)
}

/// What a value is that is no byte.
fn no_byte(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Number(number) if number.as_u64().is_some_and(|number| number < 256) => None,
        Value::Number(number) => Some(format!("number {number}")),
        other => Some(kind(other).to_owned()),
    }
}

/// Where `encoding/base64` (standard alphabet, padded, line breaks ignored) gives up, if it does.
fn corrupt(text: &[u8]) -> Option<usize> {
    let is_break = |byte: u8| byte == b'\n' || byte == b'\r';
    let mut at = 0;
    loop {
        // One group of four.
        let mut filled = 0;
        while filled < 4 {
            let Some(&byte) = text.get(at) else {
                // The end, or a group that was broken off.
                return (filled > 0).then(|| at - filled);
            };
            at += 1;
            if is_break(byte) {
                continue;
            }
            if byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/' {
                filled += 1;
                continue;
            }
            if byte != b'=' || filled < 2 {
                return Some(at - 1);
            }
            if filled == 2 {
                while text.get(at).is_some_and(|byte| is_break(*byte)) {
                    at += 1;
                }
                match text.get(at) {
                    None => return Some(text.len()),
                    Some(b'=') => at += 1,
                    Some(_) => return Some(at - 1),
                }
            }
            // Nothing may come after the padding.
            while text.get(at).is_some_and(|byte| is_break(*byte)) {
                at += 1;
            }
            return (at < text.len()).then_some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::corrupt;

    #[test]
    fn gives_up_where_go_does() {
        for (text, offset) in [
            ("", None),
            ("Zg==", None),
            ("Zm8=\n", None),
            ("Zm9v\r\nYmFy", None),
            ("not base64!", Some(3)),
            ("!", Some(0)),
            ("Zg", Some(0)),
            ("Zm9vZg", Some(4)),
            ("Zg=", Some(3)),
            ("Zg=x", Some(2)),
            ("Zg==x", Some(4)),
            ("=", Some(0)),
        ] {
            assert_eq!(corrupt(text.as_bytes()), offset, "{text:?}");
        }
    }
}
