//! Base64 to bytes, with Go's errors, and back.

/// Decodes base64 with the alphabet for URLs and with padding, as `base64.URLEncoding` does.
pub(crate) fn decode_url(text: &str) -> Result<Vec<u8>, String> {
    let is_break = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let decoded = if text.bytes().any(|byte| is_break(&byte)) {
        decode(&text.bytes().filter(|byte| !is_break(byte)).collect::<Vec<u8>>())
    } else {
        decode(text.as_bytes())
    };
    decoded.ok_or_else(|| format!("illegal base64 data at input byte {}", place_of_error(text)))
}

/// The number of six bits that each byte stands for; bytes of no number have more bits.
const SEXTETS: [u8; 256] = {
    let mut sextets = [u8::MAX; 256];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut place = 0;
    while place < alphabet.len() {
        sextets[alphabet[place] as usize] = place as u8;
        place += 1;
    }
    sextets
};

fn decode(bytes: &[u8]) -> Option<Vec<u8>> {
    let padding = bytes.iter().rev().take(2).take_while(|byte| **byte == b'=').count();
    let (groups, last) = bytes.split_at(bytes.len().saturating_sub(4));
    let mut decoded = Vec::with_capacity(bytes.len() / 4 * 3);
    for group in groups.chunks(4) {
        decoded.extend_from_slice(&triple(group)?);
    }
    if !last.is_empty() {
        let mut group = [b'A'; 4];
        let kept = last.len() - padding;
        group[..kept].copy_from_slice(&last[..kept]);
        decoded.extend_from_slice(triple(&group).filter(|_| last.len() == 4)?.get(..3 - padding)?);
    }
    Some(decoded)
}

fn triple(group: &[u8]) -> Option<[u8; 3]> {
    let &[a, b, c, d] = group else { return None };
    let [a, b, c, d] = [a, b, c, d].map(|byte| u32::from(SEXTETS[usize::from(byte)]));
    let [_, first, second, third] = (a << 18 | b << 12 | c << 6 | d).to_be_bytes();
    ((a | b | c | d) < 64).then_some([first, second, third])
}

/// The place that Go names for a text that cannot be decoded.
fn place_of_error(text: &str) -> usize {
    let (mut start, mut count, mut is_padded) = (0, 0, false);
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| !matches!(byte, b'\r' | b'\n')) {
        if count == 0 {
            start = at;
        }
        if is_padded {
            // After padding, nothing may follow.
            if count == 0 || byte != b'=' {
                return at;
            }
        } else if byte == b'=' && count >= 2 {
            is_padded = true;
        } else if SEXTETS[usize::from(byte)] > 63 {
            return at;
        }
        count = (count + 1) % 4;
    }
    // Go points at the beginning of a group that is cut off, and behind a padded one.
    if is_padded { text.len() } else { start }
}

/// Encodes with the usual alphabet and with padding, as `base64.StdEncoding` does.
pub(crate) fn encode_std(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for sextet in 0..4 {
            let is_padding = sextet > group.len();
            text.push(if is_padding {
                '='
            } else {
                char::from(ALPHABET[(bits >> (18 - 6 * sextet)) as usize & 63])
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes() {
        for (text, decoded) in [
            ("", Ok(&b""[..])),
            ("aGk=", Ok(b"hi")),
            ("aGVsbG8=", Ok(b"hello")),
            ("YWJj", Ok(b"abc")),
            ("-_8=", Ok(b"\xfb\xff")),
            ("+/8=", Err(0)),
            ("/wA=", Err(0)),
            ("a", Err(0)),
            ("aGk=x", Err(4)),
            ("aG\nk\r=", Ok(b"hi")),
            ("aG\nk=x", Err(5)),
            ("aGk=\n====", Err(5)),
            ("aGVs====", Err(4)),
            ("aGVsaG=", Err(7)),
            ("aGVsaG=x", Err(7)),
            ("aGVsaG8", Err(4)),
            ("=", Err(0)),
        ] {
            let expected = decoded
                .map(<[u8]>::to_vec)
                .map_err(|at: i32| format!("illegal base64 data at input byte {at}"));
            assert_eq!(decode_url(text), expected, "{text}");
        }
        for (bytes, text) in [("", ""), ("hi", "aGk="), ("abc", "YWJj")] {
            assert_eq!(encode_std(bytes.as_bytes()), text);
        }
        assert_eq!(encode_std(b"\xfb\xff"), "+/8=");
    }
}
