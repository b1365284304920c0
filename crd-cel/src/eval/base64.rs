//! Base64 to bytes, with Go's errors, and back.

/// Decodes base64 with the alphabet for URLs and with padding, as `base64.URLEncoding` does.
pub(crate) fn decode_url(text: &str) -> Result<Vec<u8>, String> {
    let wrong = |at: usize| format!("illegal base64 data at input byte {at}");
    let bytes: Vec<(usize, u8)> =
        text.bytes().enumerate().filter(|(_, byte)| !matches!(byte, b'\r' | b'\n')).collect();
    let mut decoded = Vec::with_capacity(bytes.len() / 4 * 3);
    let mut groups = bytes.chunks(4).peekable();
    while let Some(group) = groups.next() {
        let mut bits = 0u32;
        let mut sextets = 0;
        for &(at, byte) in group {
            let sextet = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'-' => 62,
                b'_' => 63,
                b'=' if sextets >= 2 => {
                    // After padding, nothing may follow.
                    let padded = group[sextets..].iter().position(|(_, byte)| *byte != b'=');
                    match (padded, group.len(), groups.peek()) {
                        (Some(stray), ..) => return Err(wrong(group[sextets + stray].0)),
                        (None, 4, None) => break,
                        (None, 4, Some(next)) => return Err(wrong(next[0].0)),
                        _ => return Err(wrong(text.len())),
                    }
                }
                _ => return Err(wrong(at)),
            };
            bits |= u32::from(sextet) << (18 - 6 * sextets);
            sextets += 1;
        }
        if group.len() < 4 {
            // Go points at the beginning of a group that is cut off.
            return Err(wrong(group[0].0));
        }
        decoded.extend_from_slice(&bits.to_be_bytes()[1..sextets]);
    }
    Ok(decoded)
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
