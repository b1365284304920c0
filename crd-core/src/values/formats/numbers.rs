//! Numbers with a checksum or a fixed format: ISBN, credit cards, social security numbers.

/// Matches ten digits, the last of which may be an `X`.
pub(super) fn is_isbn10(text: &str) -> bool {
    let digits = without_spaces(text);
    let [start @ .., last] = digits.as_slice() else { return false };
    let last = match last {
        b'X' => 10,
        digit if digit.is_ascii_digit() => u32::from(digit - b'0'),
        _ => return false,
    };
    start.len() == 9
        && start.iter().all(u8::is_ascii_digit)
        && (weigh(start, |i| i as u32 + 1) + 10 * last).is_multiple_of(11)
}

/// Matches an ISBN of thirteen digits.
pub(super) fn is_isbn13(text: &str) -> bool {
    let digits = without_spaces(text);
    digits.len() == 13
        && digits.iter().all(u8::is_ascii_digit)
        && weigh(&digits, |i| if i.is_multiple_of(2) { 1 } else { 3 }).is_multiple_of(10)
}

fn weigh(digits: &[u8], weight: impl Fn(usize) -> u32) -> u32 {
    digits.iter().enumerate().map(|(i, digit)| weight(i) * u32::from(digit - b'0')).sum()
}

fn without_spaces(text: &str) -> Vec<u8> {
    text.bytes().filter(|byte| !matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ' | b'-')).collect()
}

/// Matches card numbers of a few companies: checks prefixes, lengths and the Luhn checksum.
pub(super) fn is_credit_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| digits.starts_with(prefix));
    let is_issued = match digits.len() {
        13 => starts(&["4"]),
        14 => starts(&["300", "301", "302", "303", "304", "305", "36", "38"]),
        15 => starts(&["34", "37", "2131", "1800"]),
        16 => starts(&["4", "51", "52", "53", "54", "55", "6011", "65", "35"]),
        _ => false,
    };
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let digit = |c: char| c.to_digit(10).unwrap_or(0);
    let sum: u32 = digits
        .chars()
        .rev()
        .enumerate()
        .map(|(i, c)| if i.is_multiple_of(2) { digit(c) } else { doubled(digit(c)) })
        .sum();
    is_issued && sum.is_multiple_of(10)
}

/// Matches three, two and four digits. Strings of eleven characters have both separators.
pub(super) fn is_social_security_number(text: &str) -> bool {
    let is_separator = |i: usize| i == 3 || i == 6;
    text.len() == 11
        && text.bytes().enumerate().all(|(i, byte)| match is_separator(i) {
            true => byte == b'-' || byte == b' ',
            false => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums() {
        for text in ["3836221195", "1-61729-085-8", "3 401 01319 X"] {
            assert!(is_isbn10(text), "{text}");
        }
        for text in ["3423214121", "", "X836221195"] {
            assert!(!is_isbn10(text), "{text}");
        }
        assert!(is_isbn13("978-4-87311-368-5") && !is_isbn13("978 3 8362 2119 0"));
        for text in ["4220855426222389", "5139288802098206", "374953669708156", "6011 4643-55444102"] {
            assert!(is_credit_card(text), "{text}");
        }
        for text in ["4220855426213389", "30190239451016", ""] {
            assert!(!is_credit_card(text), "{text}");
        }
        assert!(is_social_security_number("111-11-1111") && !is_social_security_number("111111111"));
    }
}
