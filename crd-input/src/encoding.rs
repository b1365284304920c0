//! Encodings of texts: UTF-8, and UTF-16 with a byte order mark, as kubectl accepts them.

use super::error::{Fault, Position};

/// Decodes a text, and removes its byte order mark.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String, Fault> {
    match *bytes {
        [0xEF, 0xBB, 0xBF, ..] => decode_utf8(bytes[3..].to_vec()),
        [0xFF, 0xFE, ..] => decode_utf16(&bytes[2..], u16::from_le_bytes),
        [0xFE, 0xFF, ..] => decode_utf16(&bytes[2..], u16::from_be_bytes),
        _ => decode_utf8(bytes),
    }
}

fn decode_utf8(bytes: Vec<u8>) -> Result<String, Fault> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..at]).into_owned();
        not_text("UTF-8").with_position(Position::from_span(&before, at..at))
    })
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Fault> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(not_text("UTF-16"));
    }
    let units = pairs.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).collect::<Result<String, _>>().map_err(|_| not_text("UTF-16"))
}

fn not_text(encoding: &str) -> Fault {
    Fault::new(format!("the text is not {encoding}")).help("save the file as UTF-8")
}
