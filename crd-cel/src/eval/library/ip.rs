//! Addresses and networks, with the errors of Go's `net/netip`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crd_go::ip::parse_address;
use crd_go::strings::quote;

use super::{Implementation, Missing, Outcome};
use crate::eval::Error;
use crate::eval::opaque::Opaque;
use crate::eval::value::Value;

/// An address without a zone, and no version 4 address in one of version 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip(IpAddr);

/// A network: an address and the length of its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    address: IpAddr,
    bits: u8,
}

pub(crate) const IS_IP: Implementation =
    Implementation::plain(|_, args| text(args).map(|text| Value::Bool(Ip::parse(text).is_ok())));
pub(crate) const IP: Implementation = Implementation::plain(|_, args| match args {
    [Value::String(text)] => Ip::parse(text).map(ip).map_err(Error::text),
    _ => on_cidr(args, |cidr| ip(Ip(cidr.address))),
});
pub(crate) const IS_CANONICAL: Implementation = Implementation::plain(|_, args| {
    let text = text(args)?;
    Ip::parse(text).map(|ip| Value::Bool(ip.to_string() == text)).map_err(Error::text)
});
pub(crate) const IS_CIDR: Implementation =
    Implementation::plain(|_, args| text(args).map(|text| Value::Bool(Cidr::parse(text).is_ok())));
pub(crate) const CIDR: Implementation = Implementation::plain(|_, args| network(text(args)?).map(cidr));
pub(crate) const FAMILY: Implementation =
    Implementation::plain(|_, args| on_ip(args, |ip| Value::Int(if ip.is_ipv4() { 4 } else { 6 })));
pub(crate) const IS_UNSPECIFIED: Implementation =
    Implementation::plain(|_, args| on_ip(args, |ip| Value::Bool(ip.is_unspecified())));
pub(crate) const IS_LOOPBACK: Implementation =
    Implementation::plain(|_, args| on_ip(args, |ip| Value::Bool(ip.is_loopback())));
pub(crate) const IS_LINK_LOCAL_MULTICAST: Implementation =
    Implementation::plain(|_, args| on_ip(args, |ip| Value::Bool(is_link_local_multicast(ip))));
pub(crate) const IS_LINK_LOCAL_UNICAST: Implementation =
    Implementation::plain(|_, args| on_ip(args, |ip| Value::Bool(is_link_local_unicast(ip))));
pub(crate) const IS_GLOBAL_UNICAST: Implementation =
    Implementation::plain(|_, args| on_ip(args, |ip| Value::Bool(is_global_unicast(ip))));
pub(crate) const CONTAINS_IP: Implementation =
    Implementation::plain(contains_ip).missing(Missing::Types(is_network_and_text));
pub(crate) const CONTAINS_CIDR: Implementation = Implementation::plain(contains_cidr);
pub(crate) const PREFIX_LENGTH: Implementation =
    Implementation::plain(|_, args| on_cidr(args, |cidr| Value::Int(cidr.bits.into())));
pub(crate) const MASKED: Implementation =
    Implementation::plain(|_, args| on_cidr(args, |network| cidr(network.masked())));

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
    // The API server repeats the text.
    Cidr::parse(text).map_err(|error| {
        Error::text(format!("network address parse error during conversion from string: {error}"))
    })
}

/// The server names no types where the second argument is a text that is not an address.
fn is_network_and_text(args: &[Value<'_>]) -> bool {
    matches!(args, [Value::Opaque(network), Value::String(_)] if matches!(**network, Opaque::Cidr(_)))
}

fn contains_ip<'v>(_: &mut crate::eval::meter::Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Opaque(network), other] = args else { return Err(Error::no_such_overload()) };
    let Opaque::Cidr(network) = **network else { return Err(Error::no_such_overload()) };
    let address = match other {
        // A string that is not an address is reported as a missing overload.
        Value::String(text) => Ip::parse(text).map_err(|_| Error::no_such_overload())?.0,
        Value::Opaque(other) => match **other {
            Opaque::Ip(Ip(address)) => address,
            _ => return Err(Error::no_such_overload()),
        },
        _ => return Err(Error::no_such_overload()),
    };
    Ok(Value::Bool(network.contains(address)))
}

fn contains_cidr<'v>(meter: &mut crate::eval::meter::Meter, args: &[Value<'v>]) -> Outcome<'v> {
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
    // Up to 1.31, the address of the other network was not masked.
    let is_inside = if meter.server.is_at_least(32) {
        outer.contains(inner.masked().address)
    } else {
        outer.masked().address == inner.address
    };
    Ok(Value::Bool(is_inside && outer.bits <= inner.bits))
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
        reject_mapped(address, text).map(Self)
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

fn reject_mapped(address: IpAddr, text: &str) -> Result<IpAddr, String> {
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
        reject_mapped(address, text).map(|address| Self { address, bits })
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
