//! Addresses and networks, with the errors of Go's `net/netip`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{Outcome, Plain};
use crate::eval::Error;
use crate::eval::opaque::Opaque;
use crate::eval::value::Value;
use crate::go::quote;

/// An address without a zone, and no version 4 address in one of version 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip(IpAddr);

/// A network: an address and the length of its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    address: IpAddr,
    bits: u8,
}

pub(super) fn find(name: &str) -> Option<Plain> {
    Some(match name {
        "isIP" => |_, args| text(args).map(|text| Value::Bool(Ip::parse(text).is_ok())),
        "ip" => |_, args| match args {
            [Value::String(text)] => Ip::parse(text).map(ip).map_err(Error::text),
            _ => on_cidr(args, |cidr| ip(Ip(cidr.address))),
        },
        "ip.isCanonical" => |_, args| {
            let text = text(args)?;
            Ip::parse(text).map(|ip| Value::Bool(ip.to_string() == text)).map_err(Error::text)
        },
        "isCIDR" => |_, args| text(args).map(|text| Value::Bool(Cidr::parse(text).is_ok())),
        "cidr" => |_, args| network(text(args)?).map(cidr),
        "family" => |_, args| on_ip(args, |ip| Value::Int(if ip.is_ipv4() { 4 } else { 6 })),
        "isUnspecified" => |_, args| on_ip(args, |ip| Value::Bool(ip.is_unspecified())),
        "isLoopback" => |_, args| on_ip(args, |ip| Value::Bool(ip.is_loopback())),
        "isLinkLocalMulticast" => |_, args| on_ip(args, |ip| Value::Bool(is_link_local_multicast(ip))),
        "isLinkLocalUnicast" => |_, args| on_ip(args, |ip| Value::Bool(is_link_local_unicast(ip))),
        "isGlobalUnicast" => |_, args| on_ip(args, |ip| Value::Bool(is_global_unicast(ip))),
        "containsIP" => contains_ip,
        "containsCIDR" => contains_cidr,
        "prefixLength" => |_, args| on_cidr(args, |cidr| Value::Int(cidr.bits.into())),
        "masked" => |_, args| on_cidr(args, |network| cidr(network.masked())),
        _ => return None,
    })
}

fn ip<'v>(ip: Ip) -> Value<'v> {
    Value::Opaque(Opaque::Ip(ip).into())
}

fn cidr<'v>(cidr: Cidr) -> Value<'v> {
    Value::Opaque(Opaque::Cidr(cidr).into())
}

fn text<'a>(args: &'a [Value<'_>]) -> Result<&'a str, Error> {
    match args {
        [Value::String(text)] => Ok(text),
        _ => Err(Error::no_such_overload()),
    }
}

fn on_ip<'v>(args: &[Value<'v>], function: impl Fn(IpAddr) -> Value<'v>) -> Outcome<'v> {
    match args {
        [Value::Opaque(opaque)] => match **opaque {
            Opaque::Ip(Ip(ip)) => Ok(function(ip)),
            _ => Err(Error::no_such_overload()),
        },
        _ => Err(Error::no_such_overload()),
    }
}

fn on_cidr<'v>(args: &[Value<'v>], function: impl Fn(Cidr) -> Value<'v>) -> Outcome<'v> {
    match args {
        [Value::Opaque(opaque)] => match **opaque {
            Opaque::Cidr(cidr) => Ok(function(cidr)),
            _ => Err(Error::no_such_overload()),
        },
        _ => Err(Error::no_such_overload()),
    }
}

fn network(text: &str) -> Result<Cidr, Error> {
    // The API server says it twice.
    Cidr::parse(text).map_err(|error| {
        Error::text(format!("network address parse error during conversion from string: {error}"))
    })
}

fn contains_ip<'v>(_: &mut crate::eval::meter::Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Opaque(network), other] = args else { return Err(Error::no_such_overload()) };
    let Opaque::Cidr(network) = **network else { return Err(Error::no_such_overload()) };
    let address = match other {
        // A text that is no address is told as an overload that is missing.
        Value::String(text) => Ip::parse(text).map_err(|_| Error::no_such_overload())?.0,
        Value::Opaque(other) => match **other {
            Opaque::Ip(Ip(address)) => address,
            _ => return Err(Error::no_such_overload()),
        },
        _ => return Err(Error::no_such_overload()),
    };
    Ok(Value::Bool(network.contains(address)))
}

fn contains_cidr<'v>(_: &mut crate::eval::meter::Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Opaque(outer), other] = args else { return Err(Error::no_such_overload()) };
    let Opaque::Cidr(outer) = **outer else { return Err(Error::no_such_overload()) };
    let inner = match other {
        Value::String(text) => network(text)?,
        Value::Opaque(other) => match **other {
            Opaque::Cidr(inner) => inner,
            _ => return Err(Error::no_such_overload()),
        },
        _ => return Err(Error::no_such_overload()),
    };
    Ok(Value::Bool(outer.contains(inner.masked().address) && outer.bits <= inner.bits))
}

fn is_link_local_multicast(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.octets()[..3] == [224, 0, 0],
        IpAddr::V6(ip) => ip.segments()[0] & 0xff0f == 0xff02,
    }
}

fn is_link_local_unicast(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.segments()[0] & 0xffc0 == 0xfe80,
    }
}

fn is_global_unicast(ip: IpAddr) -> bool {
    ip != IpAddr::V4(Ipv4Addr::BROADCAST)
        && !ip.is_unspecified()
        && !ip.is_loopback()
        && !ip.is_multicast()
        && !is_link_local_unicast(ip)
}

impl Ip {
    fn parse(text: &str) -> Result<Self, String> {
        let (address, has_zone) = parse_address(text).map_err(|error| {
            format!("IP Address {} parse error during conversion from string: {error}", quote(text))
        })?;
        if has_zone {
            return Err(format!("IP address {} with zone value is not allowed", quote(text)));
        }
        refuse_mapped(address, text).map(Self)
    }

    /// The number of its bytes.
    pub(crate) fn size(self) -> u64 {
        if self.0.is_ipv4() { 4 } else { 16 }
    }
}

impl fmt::Display for Ip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn refuse_mapped(address: IpAddr, text: &str) -> Result<IpAddr, String> {
    match address {
        IpAddr::V6(ip) if ip.to_ipv4_mapped().is_some() => {
            Err(format!("IPv4-mapped IPv6 address {} is not allowed", quote(text)))
        }
        address => Ok(address),
    }
}

impl Cidr {
    fn parse(text: &str) -> Result<Self, String> {
        let failed = |error: String| {
            let text = quote(text);
            format!(
                "network address parse error during conversion from string: netip.ParsePrefix({text}): {error}"
            )
        };
        let (address, bits) = text.rsplit_once('/').ok_or_else(|| failed("no '/'".to_owned()))?;
        let (address, has_zone) = parse_address(address).map_err(failed)?;
        if has_zone {
            return Err(failed("IPv6 zones cannot be present in a prefix".to_owned()));
        }
        let starts_badly = bits.len() > 1 && !bits.starts_with(|c: char| ('1'..='9').contains(&c));
        let length: Option<u64> = bits.parse().ok().filter(|_| !starts_badly && !bits.starts_with('+'));
        let length = length.ok_or_else(|| failed(format!("bad bits after slash: {}", quote(bits))))?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = u8::try_from(length).ok().filter(|bits| *bits <= most);
        let bits = bits.ok_or_else(|| failed("prefix length out of range".to_owned()))?;
        refuse_mapped(address, text).map(|address| Self { address, bits })
    }

    fn masked(self) -> Self {
        let address = match self.address {
            IpAddr::V4(ip) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V4(Ipv4Addr::from_bits(ip.to_bits() & mask))
            }
            IpAddr::V6(ip) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & mask))
            }
        };
        Self { address, bits: self.bits }
    }

    fn contains(self, address: IpAddr) -> bool {
        address.is_ipv4() == self.address.is_ipv4()
            && Self { address, bits: self.bits }.masked().address == self.masked().address
    }

    /// The number of bytes of its prefix.
    pub(crate) fn size(self) -> u64 {
        u64::from(self.bits).div_ceil(8)
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// Reads an address as `netip.ParseAddr` does; says whether it has a zone.
fn parse_address(text: &str) -> Result<(IpAddr, bool), String> {
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

/// What is wrong, and the rest of the text there.
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
            if ellipsis.is_none() && filled != 12 {
                return Err(("embedded IPv4 address must replace the final 2 fields of the address", rest));
            }
            if filled + 4 > 16 {
                return Err(("too many hex fields to fit an embedded IPv4 at the end of the address", rest));
            }
            bytes[filled..filled + 4].copy_from_slice(&fields(rest)?);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, printed) in [
            ("10.0.0.1", "10.0.0.1"),
            ("::1", "::1"),
            ("::", "::"),
            ("2001:0DB8:0:0:0:0:0:1", "2001:db8::1"),
            ("1::", "1::"),
            ("64:ff9b::1.2.3.4", "64:ff9b::102:304"),
        ] {
            assert_eq!(Ip::parse(text).map(|ip| ip.to_string()).as_deref(), Ok(printed));
        }
        for (text, error) in [
            ("10.0.0.01", "ParseAddr(\"10.0.0.01\"): IPv4 field has octet with leading zero"),
            ("1.2.3", "ParseAddr(\"1.2.3\"): IPv4 address too short"),
            ("x", "ParseAddr(\"x\"): unable to parse IP"),
            ("1:2", "ParseAddr(\"1:2\"): address string too short"),
            ("::g", "ParseAddr(\"::g\"): each colon-separated field must have at least one digit (at \"g\")"),
            ("1::2::3", "ParseAddr(\"1::2::3\"): multiple :: in address (at \":3\")"),
        ] {
            let error = format!("IP Address {text:?} parse error during conversion from string: {error}");
            assert_eq!(Ip::parse(text), Err(error));
        }
        assert_eq!(
            Ip::parse("fe80::1%eth0"),
            Err("IP address \"fe80::1%eth0\" with zone value is not allowed".into())
        );
        assert_eq!(
            Ip::parse("::ffff:10.0.0.1"),
            Err("IPv4-mapped IPv6 address \"::ffff:10.0.0.1\" is not allowed".into())
        );
    }

    #[test]
    fn networks() {
        let read = |text: &str| Cidr::parse(text).unwrap();
        assert_eq!(read("10.1.2.3/8").masked().to_string(), "10.0.0.0/8");
        assert_eq!(read("2001:db8:1::5/32").masked().to_string(), "2001:db8::/32");
        assert!(read("0.0.0.0/0").contains(Ipv4Addr::LOCALHOST.into()));
        assert!(!read("0.0.0.0/0").contains(Ipv6Addr::LOCALHOST.into()));
        for (text, error) in [
            ("x", "no '/'"),
            ("10.0.0.0/33", "prefix length out of range"),
            ("10.0.0.0/08", "bad bits after slash: \"08\""),
            ("10.0.0.0/+8", "bad bits after slash: \"+8\""),
            ("fe80::%eth0/64", "IPv6 zones cannot be present in a prefix"),
        ] {
            let error = format!(
                "network address parse error during conversion from string: netip.ParsePrefix({text:?}): {error}"
            );
            assert_eq!(Cidr::parse(text), Err(error));
        }
    }
}
