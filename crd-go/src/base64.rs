//! Base64, decoded and encoded as Go's `encoding/base64` does, with its errors.
//!
//! Padding is required unless a function says otherwise, line breaks are ignored, and unused bits before the padding may be nonzero.

/// Decodes base64 with the alphabet for URLs: `base64.URLEncoding.DecodeString`.
///
/// # Errors
/// - The string is not base64. The error is Go's message, with the byte offset.
///
/// ```
/// use crd_go::base64::decode_url;
///
/// assert_eq!(decode_url("-_8=").as_deref(), Ok(&b"\xfb\xff"[..]));
/// assert_eq!(decode_url("+/8="), Err("illegal base64 data at input byte 0".to_owned()));
/// ```
pub fn decode_url(text: &str) -> Result<Vec<u8>, String> {
    decode(text, &URL, Padding::Required)
}

/// Decodes base64 with the alphabet for URLs and without padding: `base64.RawURLEncoding.DecodeString`.
///
/// # Errors
/// - The string is not base64. The error is Go's message, with the byte offset.
///
/// ```
/// use crd_go::base64::decode_raw_url;
///
/// assert_eq!(decode_raw_url("-_8").as_deref(), Ok(&b"\xfb\xff"[..]));
/// assert_eq!(decode_raw_url("-_8="), Err("illegal base64 data at input byte 3".to_owned()));
/// ```
pub fn decode_raw_url(text: &str) -> Result<Vec<u8>, String> {
    decode(text, &URL, Padding::Absent)
}

/// Decodes base64 with the standard alphabet: `base64.StdEncoding.DecodeString`.
///
/// # Errors
/// - The string is not base64. The error is Go's message, with the byte offset.
///
/// ```
/// assert_eq!(crd_go::base64::decode_std("+/8=").as_deref(), Ok(&b"\xfb\xff"[..]));
/// ```
pub fn decode_std(text: &str) -> Result<Vec<u8>, String> {
    decode(text, &STD, Padding::Required)
}

fn decode(text: &str, alphabet: &Digits, padding: Padding) -> Result<Vec<u8>, String> {
    check(text, alphabet, padding)?;
    let digits = text.bytes().map(|byte| alphabet[usize::from(byte)]).filter(|digit| *digit < 64);
    let digits: Vec<u8> = digits.collect();
    let mut decoded = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let digit = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let [_, bytes @ ..] = (digit(0) << 18 | digit(1) << 12 | digit(2) << 6 | digit(3)).to_be_bytes();
        decoded.extend_from_slice(&bytes[..group.len() - 1]);
    }
    Ok(decoded)
}

/// Checks base64 with the standard alphabet: `base64.StdEncoding`, for its error only.
///
/// # Errors
/// - The string is not base64. The error is Go's message, with the byte offset.
///
/// ```
/// use crd_go::base64::check_std;
///
/// assert_eq!(check_std("Zm8=\n"), Ok(()));
/// assert_eq!(check_std("not base64!"), Err("illegal base64 data at input byte 3".to_owned()));
/// ```
pub fn check_std(text: &str) -> Result<(), String> {
    check(text, &STD, Padding::Required)
}

/// Encodes base64 with the standard alphabet and padding: `base64.StdEncoding.EncodeToString`.
///
/// ```
/// assert_eq!(crd_go::base64::encode_std(b"\xfb\xff"), "+/8=");
/// ```
#[must_use]
pub fn encode_std(bytes: &[u8]) -> String {
    encode(bytes, STD_ALPHABET, "=")
}

/// Encodes base64 with the alphabet for URLs and without padding: `base64.RawURLEncoding.EncodeToString`.
///
/// ```
/// assert_eq!(crd_go::base64::encode_raw_url(b"\xfb\xff"), "-_8");
/// ```
#[must_use]
pub fn encode_raw_url(bytes: &[u8]) -> String {
    encode(bytes, URL_ALPHABET, "")
}

fn encode(bytes: &[u8], alphabet: &[u8; 64], padding: &str) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            match digit > group.len() {
                true => text.push_str(padding),
                false => text.push(char::from(alphabet[(bits >> (18 - 6 * digit)) as usize & 63])),
            }
        }
    }
    text
}

const STD_ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The value of each byte as a digit. Bytes that are not digits have a value above 63.
type Digits = [u8; 256];

static STD: Digits = digits(STD_ALPHABET);
static URL: Digits = digits(URL_ALPHABET);

const fn digits(alphabet: &[u8; 64]) -> Digits {
    let mut digits = [u8::MAX; 256];
    let mut value = 0;
    while value < alphabet.len() {
        digits[alphabet[value] as usize] = value as u8;
        value += 1;
    }
    digits
}

/// The padding at the end of a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Padding {
    Required,
    Absent,
}

fn check(text: &str, digits: &Digits, padding: Padding) -> Result<(), String> {
    match corrupt(text.as_bytes(), digits, padding) {
        None => Ok(()),
        Some(offset) => Err(format!("illegal base64 data at input byte {offset}")),
    }
}

/// Returns the offset in a `base64.CorruptInputError`: `Encoding.decodeQuantum`, group after group.
fn corrupt(text: &[u8], digits: &Digits, padding: Padding) -> Option<usize> {
    let is_break = |byte: u8| byte == b'\n' || byte == b'\r';
    let mut at = 0;
    loop {
        // One group of four.
        let mut filled = 0;
        while filled < 4 {
            let Some(&byte) = text.get(at) else {
                // The end, or an incomplete group.
                let is_complete = filled == 0 || (filled > 1 && padding == Padding::Absent);
                return (!is_complete).then(|| at - filled);
            };
            at += 1;
            if is_break(byte) {
                continue;
            }
            if digits[usize::from(byte)] < 64 {
                filled += 1;
                continue;
            }
            if byte != b'=' || filled < 2 || padding == Padding::Absent {
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
    use super::*;

    #[test]
    fn padding_may_be_absent() {
        for (text, expected) in [
            ("", Ok(&b""[..])),
            ("YQ", Ok(b"a")),
            ("YWE", Ok(b"aa")),
            ("YWFh", Ok(b"aaa")),
            ("x", Err(0)),
            ("YWFhx", Err(4)),
            ("YQ==", Err(2)),
            ("YQ+", Err(2)),
        ] {
            let expected = expected.map_err(|offset| format!("illegal base64 data at input byte {offset}"));
            assert_eq!(decode_raw_url(text).as_deref().map_err(Clone::clone), expected, "{text}");
        }
    }

    /// Every offset was verified with Go.
    #[test]
    fn gives_up_where_go_does() {
        for (text, offset) in [
            ("", None),
            ("Zg==", None),
            ("Zm8=\n", None),
            ("Zm9v\r\nYmFy", None),
            ("YWJjZA=\r=\n", None),
            ("YWJjZA=\r=\n\rA", Some(11)),
            ("not base64!", Some(3)),
            ("!", Some(0)),
            ("Zg", Some(0)),
            ("Zm9vZg", Some(4)),
            ("Zm9vZ\ng", Some(5)),
            ("aG\n\nk", Some(2)),
            ("Zg=", Some(3)),
            ("Zg=\n", Some(4)),
            ("Zg=x", Some(2)),
            ("Zg=\n\nx", Some(4)),
            ("Zg==x", Some(4)),
            ("Z\n=", Some(2)),
            ("aGVsaG=x", Some(6)),
            ("aGk=\n====", Some(5)),
            ("=", Some(0)),
        ] {
            for digits in [&STD, &URL] {
                assert_eq!(corrupt(text.as_bytes(), digits, Padding::Required), offset, "{text:?}");
            }
        }
    }

    #[test]
    fn decodes_and_encodes() {
        for (text, decoded) in [
            ("", &b""[..]),
            ("aGk=", b"hi"),
            ("aGVsbG8=", b"hello"),
            ("YWJj", b"abc"),
            ("-_8=", b"\xfb\xff"),
            ("aG\nk\r=", b"hi"),
            // The last digit has bits that nothing holds.
            ("YR==", b"a"),
        ] {
            assert_eq!(decode_url(text).as_deref(), Ok(decoded), "{text}");
        }
        for text in ["+/8=", "a", "aGk=x", "aGVsaG8"] {
            assert!(decode_url(text).is_err(), "{text}");
        }
        for (bytes, text) in [("", ""), ("a", "YQ=="), ("hi", "aGk="), ("abc", "YWJj")] {
            assert_eq!(encode_std(bytes.as_bytes()), text);
        }
        assert_eq!(encode_std(b"\xfb\xff"), "+/8=");
    }
}
