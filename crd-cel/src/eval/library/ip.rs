//! Functions for IP addresses and networks.

use std::net::{IpAddr, Ipv4Addr};

use crate::eval::Error;
use crate::eval::implementation::{Implementation, Missing, Outcome};
use crate::eval::opaque::{Cidr, Ip, Opaque};
use crate::eval::value::Value;

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

/// Returns `true` if the arguments are a network and a string. If the string is not an address, the server's error contains no types.
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
