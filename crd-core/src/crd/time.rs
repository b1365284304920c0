//! Times in RFC 3339, as Go's `metav1.Time` decodes them.

use crd_go::time::{Layout, parse};
use serde_json::Value;

use super::wire::{Decoder, kind};

/// Returns the string, unchanged, if it is a valid time.
pub(super) fn decode(value: Value, decoder: &mut Decoder) -> Option<String> {
    let Value::String(text) = value else {
        let message = decoder.type_error(kind(&value), "string");
        decoder.abort(message);
        return None;
    };
    match parse(&text, Layout::Rfc3339) {
        Ok(_) => Some(text),
        Err(message) => {
            decoder.abort(message);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, parse};

    fn check(text: &str) -> Result<(), String> {
        parse(text, Layout::Rfc3339).map(|_| ())
    }

    #[test]
    fn says_what_go_says() {
        for text in [
            "2024-02-29T00:00:00Z",
            "2024-01-01T1:02:03Z",
            "2024-01-01T01:02:03.5+24:60",
            "2024-01-01T01:02:03,25-01:00",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        let layout = "as \"2006-01-02T15:04:05Z07:00\": cannot parse";
        for (text, message) in [
            ("", format!("parsing time \"\" {layout} \"\" as \"2006\"")),
            ("zz", format!("parsing time \"zz\" {layout} \"zz\" as \"2006\"")),
            ("2024-1-01", format!("parsing time \"2024-1-01\" {layout} \"1-01\" as \"01\"")),
            ("2024-13-01T00:00:00Z", "parsing time \"2024-13-01T00:00:00Z\": month out of range".into()),
            ("2023-02-29T00:00:00Z", "parsing time \"2023-02-29T00:00:00Z\": day out of range".into()),
            ("2023-02-01 00", format!("parsing time \"2023-02-01 00\" {layout} \" 00\" as \"T\"")),
            ("2024-01-01T00:00:00Zx", "parsing time \"2024-01-01T00:00:00Zx\": extra text: \"x\"".into()),
            (
                "2024-01-01T00:00:00",
                format!("parsing time \"2024-01-01T00:00:00\" {layout} \"\" as \"Z07:00\""),
            ),
            ("\u{e9}", format!("parsing time \"\\xc3\\xa9\" {layout} \"\\xc3\\xa9\" as \"2006\"")),
        ] {
            assert_eq!(check(text), Err(message), "{text}");
        }
    }
}
