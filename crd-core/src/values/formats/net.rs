//! Checks host names and network addresses.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use crd_go::re2::Regex;

const NAME_BYTES: usize = 255;
const LABEL_BYTES: usize = 63;

/// Returns `true` for a host name: one label, or several labels separated by dots, of which the last label consists of letters. A host
/// name may contain symbols and letters of all scripts.
pub(super) fn is_hostname(text: &str) -> bool {
    let labels: Vec<&str> = text.split('.').collect();
    let has_form = match labels.as_slice() {
        [only] => is_single_label(only),
        [labels @ .., last] => {
            let letters = last.chars().count();
            labels.iter().all(|label| is_label(label))
                && (2..=63).contains(&letters)
                && last.chars().all(|c| c.is_ascii_alphabetic() || !c.is_ascii() && is_letter(c))
        }
        [] => false,
    };
    has_form && text.len() <= NAME_BYTES && labels.iter().all(|label| label.len() <= LABEL_BYTES)
}

/// Returns `true` for a character, an optional hyphen, and up to 62 further characters.
fn is_single_label(label: &str) -> bool {
    let mut chars = label.chars();
    let starts = chars.next().is_some_and(is_name_char);
    let rest = chars.as_str();
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    starts && rest.chars().count() <= 62 && rest.chars().all(is_name_char)
}

/// Returns `true` for up to 63 characters, which hyphens can separate.
fn is_label(label: &str) -> bool {
    let ends = |c: Option<char>| c.is_some_and(is_name_char);
    ends(label.chars().next())
        && ends(label.chars().next_back())
        && label.chars().count() <= 63
        && label.chars().all(|c| c == '-' || is_name_char(c))
}

fn is_name_char(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || "$+<=>^`|~".contains(c)
    } else {
        is_letter(c) || is_symbol(c)
    }
}

fn is_letter(c: char) -> bool {
    static LETTER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\pL").ok());
    matches(&LETTER, c)
}

fn is_symbol(c: char) -> bool {
    static SYMBOL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\pS").ok());
    matches(&SYMBOL, c)
}

fn matches(class: &Option<Regex>, c: char) -> bool {
    class.as_ref().is_some_and(|class| class.is_match(c.encode_utf8(&mut [0; 4])))
}

/// Matches an address whose numbers can have leading zeros, as in old versions of Go.
pub(super) fn sloppy_ip(text: &str) -> Option<IpAddr> {
    match text.find(['.', ':']).map(|at| text.as_bytes()[at]) {
        Some(b'.') => sloppy_ipv4(text).map(IpAddr::V4),
        Some(b':') => sloppy_ipv6(text).map(IpAddr::V6),
        _ => None,
    }
}

fn sloppy_ipv4(text: &str) -> Option<Ipv4Addr> {
    let mut octets = [0; 4];
    let mut parts = text.split('.');
    for octet in &mut octets {
        let part = parts.next()?;
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        *octet = if is_number {
            part.trim_start_matches('0').parse().or_else(|_| zero(part)).ok()?
        } else {
            return None;
        };
    }
    parts.next().is_none().then(|| octets.into())
}

/// Returns zero if the digits are all zeros.
fn zero(digits: &str) -> Result<u8, ()> {
    if digits.bytes().all(|byte| byte == b'0') { Ok(0) } else { Err(()) }
}

fn sloppy_ipv6(text: &str) -> Option<Ipv6Addr> {
    match text.rsplit_once(':') {
        Some((start, end)) if end.contains('.') => format!("{start}:{}", sloppy_ipv4(end)?).parse().ok(),
        _ => text.parse().ok(),
    }
}

/// Returns `true` for an address, a slash, and the length of the prefix.
pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let is_number = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
    let most = match sloppy_ip(address) {
        Some(IpAddr::V4(_)) => 32,
        Some(IpAddr::V6(_)) => 128,
        None => return false,
    };
    let digits = length.trim_start_matches('0');
    is_number && (digits.is_empty() || digits.parse::<u32>().is_ok_and(|length| length <= most))
}

/// Matches six, eight or twenty bytes, with a separator after every byte, a dot after every second byte, or no
/// separators.
pub(super) fn is_mac(text: &str) -> bool {
    if text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return matches!(text.len(), 12 | 16 | 40);
    }
    let separator = match text.as_bytes() {
        [_, _, separator @ (b':' | b'-'), ..] => *separator,
        [_, _, _, _, b'.', ..] => b'.',
        _ => return false,
    };
    let digits = if separator == b'.' { 4 } else { 2 };
    let groups: Vec<&str> = text.split(char::from(separator)).collect();
    let is_group = |group: &&str| group.len() == digits && group.bytes().all(|byte| byte.is_ascii_hexdigit());
    matches!(groups.len() * digits / 2, 6 | 8 | 20) && groups.iter().all(is_group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostnames() {
        for text in ["a", "a-", "a-b", "example.com", "1.example.london", "\u{1f642}.com", "m\u{fc}nchen.de"]
        {
            assert!(is_hostname(text), "{text}");
        }
        for text in ["", "a-b-c", "a_b.com", "-a", "a.c", "a..com", "a.com.", "example.c0m", "a-.com"] {
            assert!(!is_hostname(text), "{text}");
        }
        assert!(!is_hostname(&format!("{}.com", "a".repeat(64))));
    }

    #[test]
    fn addresses() {
        assert!(sloppy_ip("010.0.0.1").is_some() && sloppy_ip("::ffff:01.2.3.4").is_some());
        for text in ["1.2.3", "1.2.3.256", "1.2.3.4.5", "1..2.3", "", "1.2.3.4%0"] {
            assert_eq!(sloppy_ip(text), None, "{text}");
        }
        assert!(is_cidr("10.0.0.0/08") && is_cidr("::/128") && is_cidr("1.2.3.4/0"));
        for text in ["10.0.0.0", "10.0.0.0/33", "::/129", "/8", "1.2.3.4/", "1.2.3.4/-1"] {
            assert!(!is_cidr(text), "{text}");
        }
        assert!(is_mac("00005e005301") && !is_mac("00005e0053010"));
        assert!(is_mac("00:00:5e:00:53:01") && is_mac("0000.5e00.5301") && is_mac("02-00-5e-10-00-00-00-01"));
        assert!(!is_mac("00:00:5e:00:53") && !is_mac("00:00-5e:00:53:01") && !is_mac("0000.5e00.53"));
    }
}
