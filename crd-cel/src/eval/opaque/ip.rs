//! Addresses and networks, with the errors of Go's `net/netip`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crd_go::ip::parse_address;
use crd_go::strings::quote;

/// An IP address without a zone. An IPv4 address inside an IPv6 address is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip(pub(crate) IpAddr);

/// A network: an address and a prefix length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    pub(crate) address: IpAddr,
    pub(crate) bits: u8,
}

impl Ip {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (address, has_zone) = parse_address(text).map_err(|error| {
            format!("IP Address {} parse error during conversion from string: {error}", quote(text))
        })?;
        if has_zone {
            return Err(format!("IP address {} with zone value is not allowed", quote(text)));
        }
        reject_mapped(address, text).map(Self)
    }

    /// Returns the address's length in bytes.
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
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
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

    pub(crate) fn masked(self) -> Self {
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

    pub(crate) fn contains(self, address: IpAddr) -> bool {
        address.is_ipv4() == self.address.is_ipv4()
            && Self { address, bits: self.bits }.masked().address == self.masked().address
    }

    /// Returns the prefix's length in bytes.
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
