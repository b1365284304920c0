//! Addresses -> their parts, or why they are none, as `net/url` says it.

use core::net::{Ipv4Addr, Ipv6Addr};

use super::quote;

/// What the API server looks at in an address.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: String,
    /// Name and password, escaped again.
    pub(crate) user: Option<String>,
    pub(crate) host: String,
    pub(crate) query: String,
    pub(crate) fragment: String,
}

/// `url.Parse`.
pub(crate) fn parse(text: &str) -> Result<Url, String> {
    let (rest, fragment) = cut(text, '#');
    let failed = |error: String| format!("parse {}: {error}", quote(text));
    let mut url =
        parse_without_fragment(rest, false).map_err(|error| format!("parse {}: {error}", quote(rest)))?;
    url.fragment = unescape(fragment, Part::Other).map_err(failed)?;
    Ok(url)
}

/// `url.ParseRequestURI`: absolute, without a fragment.
pub(crate) fn parse_request_uri(text: &str) -> Result<Url, String> {
    parse_without_fragment(text, true).map_err(|error| format!("parse {}: {error}", quote(text)))
}

fn parse_without_fragment(text: &str, via_request: bool) -> Result<Url, String> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() && via_request {
        return Err("empty url".to_owned());
    }
    let mut url = Url::default();
    if text == "*" {
        return Ok(url);
    }
    let (scheme, rest) = scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (rest, query) = cut(rest, '?');
    query.clone_into(&mut url.query);
    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            return Ok(url);
        }
        if via_request {
            return Err("invalid URI for request".to_owned());
        }
        if cut(rest, '/').0.contains(':') {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let may_have_authority = !url.scheme.is_empty() || !via_request && !rest.starts_with("///");
    let mut path = rest;
    if let Some(rest) = rest.strip_prefix("//").filter(|_| may_have_authority) {
        let end = rest.find('/').unwrap_or(rest.len());
        path = &rest[end..];
        (url.user, url.host) = authority(&url.scheme, &rest[..end])?;
    }
    unescape(path, Part::Other)?;
    Ok(url)
}

/// The text before the first `separator` and the text after it.
fn cut(text: &str, separator: char) -> (&str, &str) {
    text.split_once(separator).unwrap_or((text, ""))
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

fn authority(scheme: &str, text: &str) -> Result<(Option<String>, String), String> {
    let Some((user, host_port)) = text.rsplit_once('@') else {
        return Ok((None, host(scheme, text)?));
    };
    let host = host(scheme, host_port)?;
    let is_user = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
    if !user.bytes().all(is_user) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let shown = match user.split_once(':') {
        None => escape_user(&unescape_bytes(user, Part::Other)?),
        Some((name, password)) => {
            let name = escape_user(&unescape_bytes(name, Part::Other)?);
            format!("{name}:{}", escape_user(&unescape_bytes(password, Part::Other)?))
        }
    };
    Ok((Some(shown), host))
}

fn host(scheme: &str, text: &str) -> Result<String, String> {
    let invalid_port = |port: &str| Err(format!("invalid port {} after host", quote(port)));
    match text.rfind('[') {
        Some(0) => {
            let Some(end) = text.rfind(']') else { return Err("missing ']' in host".to_owned()) };
            let port = &text[end + 1..];
            if !is_optional_port(port) {
                return invalid_port(port);
            }
            let name = &text[1..end];
            let zone = name.find("%25").unwrap_or(name.len());
            let address = unescape(&name[..zone], Part::Host)? + &unescape(&name[zone..], Part::Zone)?;
            is_bracketed_address(&address)?;
            Ok(format!("[{address}]{port}"))
        }
        Some(_) => Err("invalid IP-literal".to_owned()),
        None => {
            let strict = scheme == "http" || scheme == "https";
            let colon = if strict { text.find(':') } else { text.rfind(':') };
            match colon.map(|at| &text[at..]) {
                Some(port) if !is_optional_port(port) => invalid_port(port),
                _ => unescape(text, Part::Host),
            }
        }
    }
}

/// Only an address of IP version 6, with a zone or without, may stand in brackets.
fn is_bracketed_address(text: &str) -> Result<(), String> {
    let (address, zone) = text.split_once('%').map_or((text, None), |(address, zone)| (address, Some(zone)));
    if address.parse::<Ipv6Addr>().is_ok() && zone != Some("") {
        Ok(())
    } else if zone.is_none() && address.parse::<Ipv4Addr>().is_ok() {
        Err("invalid IP-literal".to_owned())
    } else {
        Err(format!("invalid host: ParseAddr({}): unable to parse IP", quote(text)))
    }
}

fn is_optional_port(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Host,
    Zone,
    Other,
}

fn unescape(text: &str, part: Part) -> Result<String, String> {
    unescape_bytes(text, part).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn unescape_bytes(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let hex = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'%' {
            if part != Part::Other && byte.is_ascii() && !is_host(byte) {
                let name = quote(&text[at..=at]);
                return Err(format!("invalid character {name} in host name"));
            }
            out.push(byte);
            at += 1;
            continue;
        }
        let sequence = &bytes[at..bytes.len().min(at + 3)];
        let invalid = || Err(format!("invalid URL escape {}", quote(&String::from_utf8_lossy(sequence))));
        let (Some(high), Some(low)) = (hex(at + 1), hex(at + 2)) else { return invalid() };
        let value = (high * 16 + low) as u8;
        let refused = match part {
            Part::Host => high < 8 && sequence != b"%25",
            Part::Zone => sequence != b"%25" && value != b' ' && !is_host(value),
            Part::Other => false,
        };
        if refused {
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

fn escape_user(bytes: &[u8]) -> String {
    let mut out = String::new();
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-_.~$&+,;=".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        let url = parse("HTTPS://u:p%20@[::1%25eth0]:8/x?q#f%20").unwrap();
        assert_eq!(url.scheme, "https");
        assert_eq!(url.user.as_deref(), Some("u:p%20"));
        assert_eq!(url.host, "[::1%eth0]:8");
        assert_eq!((url.query.as_str(), url.fragment.as_str()), ("q", "f "));
    }

    #[test]
    fn errors() {
        for (text, error) in [
            ("a b:c", "first path segment in URL cannot contain colon"),
            (":x", "missing protocol scheme"),
            ("https://a b", "invalid character \" \" in host name"),
            ("https://a:b", "invalid port \":b\" after host"),
            ("https://a:1:2", "invalid port \":1:2\" after host"),
            ("https://%41", "invalid URL escape \"%41\""),
            ("https://a/%zz", "invalid URL escape \"%zz\""),
            ("https://[::1", "missing ']' in host"),
            ("https://[1.2.3.4]", "invalid IP-literal"),
            ("\u{1}", "net/url: invalid control character in URL"),
        ] {
            assert_eq!(parse(text), Err(format!("parse {}: {error}", quote(text))));
        }
    }

    #[test]
    fn request_uris() {
        for text in ["/a", "http://a", "mailto:x", "//a", "*"] {
            assert!(parse_request_uri(text).is_ok(), "{text}");
        }
        for text in ["", "a", "./a", "foo.com"] {
            assert!(parse_request_uri(text).is_err(), "{text}");
        }
    }
}
