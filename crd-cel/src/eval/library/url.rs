//! Addresses of the web, read as Go's `url.ParseRequestURI` reads them.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{Outcome, Plain};
use crate::eval::Error;
use crate::eval::map::Entries;
use crate::eval::number::quoted;
use crate::eval::opaque::Opaque;
use crate::eval::value::Value;

/// An address. Equal addresses are printed alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Url {
    scheme: String,
    /// What follows a scheme without a slash.
    opaque: String,
    /// Name and password, unescaped.
    user: Option<(Vec<u8>, Option<Vec<u8>>)>,
    host: String,
    escaped_path: String,
    query: String,
    ends_in_question_mark: bool,
}

pub(super) fn find(name: &str) -> Option<Plain> {
    Some(match name {
        "isURL" => |_, args| match args {
            [Value::String(text)] => Ok(Value::Bool(parse(text).is_ok())),
            _ => Err(Error::no_such_overload()),
        },
        "url" => |_, args| match args {
            [Value::String(text)] => {
                parse(text).map(|url| Value::Opaque(Opaque::Url(url).into())).map_err(|error| {
                    Error::text(format!("URL parse error during conversion from string: {error}"))
                })
            }
            _ => Err(Error::no_such_overload()),
        },
        "getScheme" => |_, args| part(args, |url| url.scheme.clone().into()),
        "getHost" => |_, args| part(args, |url| url.host.clone().into()),
        "getHostname" => |_, args| part(args, |url| host_and_port(&url.host).0.to_owned().into()),
        "getPort" => |_, args| part(args, |url| host_and_port(&url.host).1.to_owned().into()),
        "getEscapedPath" => |_, args| part(args, |url| url.escaped_path.clone().into()),
        "getQuery" => |meter, args| {
            // The parts of a query are never longer than the address.
            meter.allocate_values(args.first().and_then(Value::size).unwrap_or(0) as usize)?;
            match args {
                [Value::Opaque(opaque)] => match &**opaque {
                    Opaque::Url(url) => query(&url.query),
                    _ => Err(Error::no_such_overload()),
                },
                _ => Err(Error::no_such_overload()),
            }
        },
        _ => return None,
    })
}

fn part<'v>(args: &[Value<'v>], part: impl Fn(&Url) -> Value<'v>) -> Outcome<'v> {
    match args {
        [Value::Opaque(opaque)] => match &**opaque {
            Opaque::Url(url) => Ok(part(url)),
            _ => Err(Error::no_such_overload()),
        },
        _ => Err(Error::no_such_overload()),
    }
}

/// The host without brackets, and the port.
fn host_and_port(host: &str) -> (&str, &str) {
    let (name, port) = match host.rfind(':') {
        Some(colon) if is_optional_port(&host[colon..]) => (&host[..colon], &host[colon + 1..]),
        _ => (host, ""),
    };
    (name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name), port)
}

/// The values of each key; what is no key with a value is passed over.
fn query<'v>(text: &str) -> Outcome<'v> {
    let mut values: Vec<(String, Vec<Value<'v>>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for part in text.split('&').filter(|part| !part.is_empty() && !part.contains(';')) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let unescaped = |text: &str| {
            unescape(text, Part::Query).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        let (Ok(key), Ok(value)) = (unescaped(key), unescaped(value)) else { continue };
        let next = values.len();
        let place = *places.entry(key.clone()).or_insert(next);
        if place == next {
            values.push((key, Vec::new()));
        }
        values[place].1.push(value.into());
    }
    let mut entries = Entries::default();
    for (key, values) in values {
        entries.insert(key.into(), values.into())?;
    }
    Ok(Value::Map(entries.into()))
}

/// `url.ParseRequestURI`.
pub(super) fn parse(text: &str) -> Result<Url, String> {
    parts(text).map_err(|error| format!("parse {}: {error}", quoted(text)))
}

fn parts(text: &str) -> Result<Url, String> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() {
        return Err("empty url".to_owned());
    }
    let mut url = Url::default();
    if text == "*" {
        url.escaped_path = text.to_owned();
        return Ok(url);
    }
    let (scheme, rest) = scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    query.clone_into(&mut url.query);
    url.ends_in_question_mark = query.is_empty() && text.ends_with('?');
    if !rest.starts_with('/') {
        if url.scheme.is_empty() {
            return Err("invalid URI for request".to_owned());
        }
        rest.clone_into(&mut url.opaque);
        return Ok(url);
    }
    let mut path = rest;
    if let Some(rest) = rest.strip_prefix("//").filter(|_| !url.scheme.is_empty()) {
        let end = rest.find('/').unwrap_or(rest.len());
        path = &rest[end..];
        (url.user, url.host) = authority(&url.scheme, &rest[..end])?;
    }
    let unescaped = unescape(path, Part::Path)?;
    let is_valid = path.bytes().all(|byte| is_path(byte) || b"[]%".contains(&byte));
    url.escaped_path = if is_valid { path.to_owned() } else { escape_path(&unescaped) };
    Ok(url)
}

fn scheme(text: &str) -> Result<(&str, &str), String> {
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if i > 0 => {}
            b':' if i == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok((&text[..i], &text[i + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

type User = Option<(Vec<u8>, Option<Vec<u8>>)>;

fn authority(scheme: &str, text: &str) -> Result<(User, String), String> {
    let Some((user, host_port)) = text.rsplit_once('@') else {
        return Ok((None, host(scheme, text)?));
    };
    let host = host(scheme, host_port)?;
    let is_user = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
    if !user.bytes().all(is_user) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let user = match user.split_once(':') {
        None => (unescape(user, Part::Path)?, None),
        Some((name, password)) => (unescape(name, Part::Path)?, Some(unescape(password, Part::Path)?)),
    };
    Ok((Some(user), host))
}

fn host(scheme: &str, text: &str) -> Result<String, String> {
    let invalid_port = |port: &str| Err(format!("invalid port {} after host", quoted(port)));
    let unescaped =
        |text: &str, part| unescape(text, part).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    match text.rfind('[') {
        Some(0) => {
            let Some(end) = text.rfind(']') else { return Err("missing ']' in host".to_owned()) };
            let port = &text[end + 1..];
            if !is_optional_port(port) {
                return invalid_port(port);
            }
            let name = &text[1..end];
            let zone = name.find("%25").unwrap_or(name.len());
            let address = unescaped(&name[..zone], Part::Host)? + &unescaped(&name[zone..], Part::Zone)?;
            check_bracketed(&address)?;
            Ok(format!("[{address}]{port}"))
        }
        Some(_) => Err("invalid IP-literal".to_owned()),
        None => {
            let is_strict = scheme == "http" || scheme == "https";
            let colon = if is_strict { text.find(':') } else { text.rfind(':') };
            match colon.map(|at| &text[at..]) {
                Some(port) if !is_optional_port(port) => invalid_port(port),
                _ => unescaped(text, Part::Host),
            }
        }
    }
}

/// Only an address of version 6, with a zone or without, may stand in brackets.
fn check_bracketed(text: &str) -> Result<(), String> {
    let (address, zone) = text.split_once('%').map_or((text, None), |(address, zone)| (address, Some(zone)));
    if address.parse::<Ipv6Addr>().is_ok() && zone != Some("") {
        Ok(())
    } else if zone.is_none() && address.parse::<Ipv4Addr>().is_ok() {
        Err("invalid IP-literal".to_owned())
    } else {
        Err(format!("invalid host: ParseAddr({}): unable to parse IP", quoted(text)))
    }
}

fn is_optional_port(text: &str) -> bool {
    text.is_empty()
        || text.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Host,
    Zone,
    Path,
    Query,
}

fn unescape(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let hex = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'%' {
            if matches!(part, Part::Host | Part::Zone) && byte.is_ascii() && !is_host(byte) {
                let name = quoted(&char::from(byte).to_string());
                return Err(format!("invalid character {name} in host name"));
            }
            out.push(if byte == b'+' && part == Part::Query { b' ' } else { byte });
            at += 1;
            continue;
        }
        let sequence = &bytes[at..bytes.len().min(at + 3)];
        let invalid = || Err(format!("invalid URL escape {}", quoted(&String::from_utf8_lossy(sequence))));
        let (Some(high), Some(low)) = (hex(at + 1), hex(at + 2)) else { return invalid() };
        let value = (high * 16 + low) as u8;
        let is_refused = match part {
            Part::Host => high < 8 && sequence != b"%25",
            Part::Zone => sequence != b"%25" && value != b' ' && !is_host(value),
            Part::Path | Part::Query => false,
        };
        if is_refused {
            return invalid();
        }
        out.push(value);
        at += 3;
    }
    Ok(out)
}

/// Whether the byte stands for itself in a host.
fn is_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte)
}

/// Whether the byte stands for itself in a path.
fn is_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:@/".contains(&byte)
}

fn escape_path(bytes: &[u8]) -> String {
    let mut escaped = String::with_capacity(bytes.len());
    for &byte in bytes {
        // Go escapes these where it has to escape at all.
        if is_path(byte) && !b"!'()*".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_parts() {
        for (text, scheme, host, name, port, path) in [
            ("HTTPS://A.example", "https", "A.example", "A.example", "", ""),
            ("http://User:pw@Host.example:8080/x", "http", "Host.example:8080", "Host.example", "8080", "/x"),
            ("https://[2001:db8::1]:443/", "https", "[2001:db8::1]:443", "2001:db8::1", "443", "/"),
            ("https://[::1]/", "https", "[::1]", "::1", "", "/"),
            ("/path", "", "", "", "", "/path"),
            ("urn:a:b", "urn", "", "", "", ""),
            ("http://h/a%20b/c?x", "http", "h", "h", "", "/a%20b/c"),
            ("http://h/a b", "http", "h", "h", "", "/a%20b"),
            ("http://h/\u{fc}", "http", "h", "h", "", "/%C3%BC"),
            ("//a/b", "", "", "", "", "//a/b"),
        ] {
            let url = parse(text).unwrap();
            let (found_name, found_port) = host_and_port(&url.host);
            let found = (&*url.scheme, &*url.host, found_name, found_port, &*url.escaped_path);
            assert_eq!(found, (scheme, host, name, port, path), "{text}");
        }
    }

    #[test]
    fn addresses_are_refused() {
        for (text, error) in [
            ("", "empty url"),
            ("a/b", "invalid URI for request"),
            ("://x", "missing protocol scheme"),
            ("http://a b/", "invalid character \" \" in host name"),
            ("http://a/%g1", "invalid URL escape \"%g1\""),
            ("http://a:b", "invalid port \":b\" after host"),
            ("https://[::1", "missing ']' in host"),
        ] {
            assert_eq!(parse(text), Err(format!("parse {text:?}: {error}")));
        }
        assert_ne!(parse("http://h"), parse("http://h/"));
        assert_ne!(parse("http://H/a"), parse("http://h/a"));
    }
}
