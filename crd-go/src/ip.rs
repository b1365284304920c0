//! IP addresses, parsed with the errors of Go's `net/netip`.

use std::net::{IpAddr, Ipv6Addr};

use crate::strings::quote;

/// Parses an address: `netip.ParseAddr`. The flag is `true` if the address has a zone.
///
/// # Errors
/// - The string is not an address. The error is the reason, in Go's words.
///
/// ```
/// use crd_go::ip::parse_address;
///
/// assert_eq!(parse_address("fe80::1%eth0"), Ok(("fe80::1".parse().unwrap(), true)));
/// let error = parse_address("10.0.0.01").unwrap_err();
/// assert_eq!(error, r#"ParseAddr("10.0.0.01"): IPv4 field has octet with leading zero"#);
/// ```
pub fn parse_address(text: &str) -> Result<(IpAddr, bool), String> {
    let failed = |(message, at): Wrong<'_>| match at {
        "" => format!("ParseAddr({}): {message}", quote(text)),
        at => format!("ParseAddr({}): {message} (at {})", quote(text), quote(at)),
    };
    match text.find(['.', ':', '%']).map(|at| text.as_bytes()[at]) {
        Some(b'.') => fields(text).map(|octets| (IpAddr::V4(octets.into()), false)).map_err(failed),
        Some(b':') => {
            let (address, zone) =
                text.split_once('%').map_or((text, None), |(address, zone)| (address, Some(zone)));
            if zone == Some("") {
                return Err(failed(("zone must be a non-empty string", "")));
            }
            version_6(address).map(|ip| (IpAddr::V6(ip), zone.is_some())).map_err(failed)
        }
        Some(_) => Err(failed(("missing IPv6 address", ""))),
        None => Err(failed(("unable to parse IP", ""))),
    }
}

/// A message, and the rest of the string starting at the mistake.
type Wrong<'t> = (&'static str, &'t str);

fn fields(text: &str) -> Result<[u8; 4], Wrong<'_>> {
    let mut octets = [0u8; 4];
    let (mut value, mut place, mut digits) = (0u32, 0, 0);
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return Err(("IPv4 field has octet with leading zero", ""));
                }
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                octets[place] = u8::try_from(value).map_err(|_| ("IPv4 field has value >255", ""))?;
            }
            b'.' => {
                if at == 0 || at + 1 == bytes.len() || bytes[at - 1] == b'.' {
                    return Err(("IPv4 field must have at least one digit", &text[at..]));
                }
                if place == 3 {
                    return Err(("IPv4 address too long", ""));
                }
                (place, value, digits) = (place + 1, 0, 0);
            }
            _ => return Err(("unexpected character", text.get(at..).unwrap_or_default())),
        }
    }
    if place < 3 { Err(("IPv4 address too short", "")) } else { Ok(octets) }
}

fn version_6(text: &str) -> Result<Ipv6Addr, Wrong<'_>> {
    let mut rest = text;
    let mut bytes = [0u8; 16];
    let mut filled = 0;
    let mut ellipsis = None;
    if let Some(after) = rest.strip_prefix("::") {
        ellipsis = Some(0);
        rest = after;
        if rest.is_empty() {
            return Ok(Ipv6Addr::UNSPECIFIED);
        }
    }
    while filled < 16 {
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        if digits > 4 {
            return Err(("each group must have 4 or less digits", rest));
        }
        if digits == 0 {
            return Err(("each colon-separated field must have at least one digit", rest));
        }
        if rest[digits..].starts_with('.') {
            bytes[filled..filled + 4].copy_from_slice(&embedded(rest, filled, ellipsis.is_some())?);
            filled += 4;
            rest = "";
            break;
        }
        // Four digits are sixteen bits.
        let group = u16::from_str_radix(&rest[..digits], 16).unwrap_or(0);
        bytes[filled..filled + 2].copy_from_slice(&group.to_be_bytes());
        filled += 2;
        rest = &rest[digits..];
        if rest.is_empty() {
            break;
        }
        rest = match rest.strip_prefix(':') {
            None => return Err(("unexpected character, want colon", rest)),
            Some("") => return Err(("colon must be followed by more characters", rest)),
            Some(after) => after,
        };
        if let Some(after) = rest.strip_prefix(':') {
            if ellipsis.is_some() {
                return Err(("multiple :: in address", rest));
            }
            ellipsis = Some(filled);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return Err(("trailing garbage after address", rest));
    }
    expanded(bytes, filled, ellipsis)
}

/// Parses the IPv4 address at the start of `rest`: the end of an IPv6 address whose first `filled` bytes are known.
fn embedded(rest: &str, filled: usize, has_ellipsis: bool) -> Result<[u8; 4], Wrong<'_>> {
    if !has_ellipsis && filled != 12 {
        return Err(("embedded IPv4 address must replace the final 2 fields of the address", rest));
    }
    if filled + 4 > 16 {
        return Err(("too many hex fields to fit an embedded IPv4 at the end of the address", rest));
    }
    fields(rest)
}

/// Returns the complete address, in which zeros replace the `::`.
fn expanded(mut bytes: [u8; 16], filled: usize, ellipsis: Option<usize>) -> Result<Ipv6Addr, Wrong<'static>> {
    match ellipsis {
        None if filled < 16 => return Err(("address string too short", "")),
        Some(_) if filled == 16 => return Err(("the :: must expand to at least one field of zeros", "")),
        Some(at) => {
            bytes.copy_within(at..filled, 16 - (filled - at));
            bytes[at..16 - (filled - at)].fill(0);
        }
        None => {}
    }
    Ok(bytes.into())
}
