//! URLs, parsed and printed as Go's `net/url` does, with its errors.

use core::fmt;

use crate::ip::parse_address;
use crate::strings::quote;

/// The parts of a URL: `url.URL`. `Display` prints the URL as `URL.String` does, and equal URLs have equal texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Url {
    /// The scheme, in lower case.
    pub scheme: String,
    /// The part after the scheme, if it does not begin with a slash.
    pub opaque: String,
    /// The name and the password before the host.
    pub user: Option<User>,
    /// The host with its port, unescaped.
    pub host: String,
    /// The path as in the input if its escapes are valid; otherwise, escaped again.
    pub escaped_path: String,
    /// The part after the question mark.
    pub query: String,
    /// `true` if there is a question mark with nothing after it.
    pub ends_in_question_mark: bool,
    /// `true` if the scheme is directly followed by a path with a leading slash, without an authority.
    pub omits_host: bool,
    /// The part after the hash, unescaped. Empty in a request URI.
    pub fragment: String,
    /// The fragment as in the input if its escapes are valid; otherwise, escaped again.
    pub escaped_fragment: String,
}

/// The name and the password in a URL, unescaped: `url.Userinfo`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    name: Vec<u8>,
    password: Option<Vec<u8>>,
}

impl User {
    /// Prints name and password, escaped again: `Userinfo.String`.
    #[must_use]
    pub fn escaped(&self) -> String {
        let name = escape(&self.name, is_user);
        match &self.password {
            Some(password) => format!("{name}:{}", escape(password, is_user)),
            None => name,
        }
    }
}

/// `URL.String`.
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        if self.opaque.is_empty() {
            let has_authority = !self.host.is_empty() || self.user.is_some();
            let has_slashes = !self.scheme.is_empty() && !self.omits_host && !self.escaped_path.is_empty();
            if has_authority || has_slashes {
                f.write_str("//")?;
            }
            if let Some(user) = &self.user {
                write!(f, "{}@", user.escaped())?;
            }
            f.write_str(&escape(self.host.as_bytes(), is_host))?;
            f.write_str(&self.escaped_path)?;
        } else {
            f.write_str(&self.opaque)?;
        }
        if self.ends_in_question_mark || !self.query.is_empty() {
            write!(f, "?{}", self.query)?;
        }
        if !self.fragment.is_empty() {
            write!(f, "#{}", self.escaped_fragment)?;
        }
        Ok(())
    }
}

/// Parses a URL: `url.Parse`.
///
/// # Errors
/// - The string is not a URL. The error is the reason, in Go's words.
///
/// ```
/// let url = crd_go::url::parse("HTTPS://[::1]:8080/a b?q#f").unwrap();
/// assert_eq!((&*url.scheme, url.host_and_port()), ("https", ("::1", "8080")));
/// assert_eq!(url.to_string(), "https://[::1]:8080/a%20b?q#f");
///
/// let error = crd_go::url::parse("a b:c").unwrap_err();
/// assert_eq!(error, r#"parse "a b:c": first path segment in URL cannot contain colon"#);
/// ```
pub fn parse(text: &str) -> Result<Url, String> {
    let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
    let mut url = parts(rest, false).map_err(|error| format!("parse {}: {error}", quote(rest)))?;
    let unescaped =
        unescape(fragment, Part::Path).map_err(|error| format!("parse {}: {error}", quote(text)))?;
    url.escaped_fragment = written_or_escaped(fragment, &unescaped, is_fragment);
    url.fragment = String::from_utf8_lossy(&unescaped).into_owned();
    Ok(url)
}

/// Parses the URI of a request: `url.ParseRequestURI`. The URI must be absolute, and a hash has no special meaning.
///
/// # Errors
/// - The string is not the URI of a request. The error is the reason, in Go's words.
///
/// ```
/// use crd_go::url::parse_request_uri;
///
/// assert_eq!(parse_request_uri("/a#b").unwrap().escaped_path, "/a%23b");
/// assert_eq!(parse_request_uri("a").unwrap_err(), r#"parse "a": invalid URI for request"#);
/// ```
pub fn parse_request_uri(text: &str) -> Result<Url, String> {
    parts(text, true).map_err(|error| format!("parse {}: {error}", quote(text)))
}

impl Url {
    /// Returns the host without its brackets, and the port: `URL.Hostname`, `URL.Port`.
    #[must_use]
    pub fn host_and_port(&self) -> (&str, &str) {
        let host = &*self.host;
        let (name, port) = match host.rfind(':') {
            Some(colon) if is_optional_port(&host[colon..]) => (&host[..colon], &host[colon + 1..]),
            _ => (host, ""),
        };
        (name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name), port)
    }
}

/// Unescapes a key or a value of a query: `url.QueryUnescape`.
///
/// # Errors
/// - An escape sequence is broken. The error is the reason, in Go's words.
///
/// ```
/// use crd_go::url::unescape_query;
///
/// assert_eq!(unescape_query("a%20b+c").as_deref(), Ok("a b c"));
/// assert_eq!(unescape_query("%2").unwrap_err(), r#"invalid URL escape "%2""#);
/// ```
pub fn unescape_query(text: &str) -> Result<String, String> {
    unescaped(text, Part::Query)
}

/// Escapes a key or a value of a query: `url.QueryEscape`.
///
/// ```
/// use crd_go::url::escape_query;
///
/// assert_eq!(escape_query("a b&c=é~"), "a+b%26c%3D%C3%A9~");
/// ```
#[must_use]
pub fn escape_query(text: &str) -> String {
    let is_kept = |byte: u8| byte.is_ascii_alphanumeric() || b" -_.~".contains(&byte);
    escape(text.as_bytes(), is_kept).replace(' ', "+")
}

fn parts(text: &str, is_request: bool) -> Result<Url, String> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() && is_request {
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
        if !url.scheme.is_empty() {
            rest.clone_into(&mut url.opaque);
            return Ok(url);
        }
        if is_request {
            return Err("invalid URI for request".to_owned());
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let may_have_authority = !url.scheme.is_empty() || !is_request && !rest.starts_with("///");
    let mut path = rest;
    if let Some(rest) = rest.strip_prefix("//").filter(|_| may_have_authority) {
        let end = rest.find('/').unwrap_or(rest.len());
        path = &rest[end..];
        (url.user, url.host) = authority(&url.scheme, &rest[..end])?;
    } else {
        url.omits_host = !url.scheme.is_empty() && rest.starts_with('/');
    }
    let unescaped = unescape(path, Part::Path)?;
    url.escaped_path = written_or_escaped(path, &unescaped, is_path);
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

fn authority(scheme: &str, text: &str) -> Result<(Option<User>, String), String> {
    let Some((user, host_port)) = text.rsplit_once('@') else {
        return Ok((None, host(scheme, text)?));
    };
    let host = host(scheme, host_port)?;
    let may_stand = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
    if !user.bytes().all(may_stand) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let (name, password) = match user.split_once(':') {
        None => (user, None),
        Some((name, password)) => (name, Some(password)),
    };
    let name = unescape(name, Part::Path)?;
    let password = password.map(|password| unescape(password, Part::Path)).transpose()?;
    Ok((Some(User { name, password }), host))
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

/// Checks the text in brackets, which must be an IPv6 address, with or without a zone.
fn check_bracketed(text: &str) -> Result<(), String> {
    match parse_address(text) {
        Ok((address, _)) if address.is_ipv6() => Ok(()),
        Ok(_) => Err("invalid IP-literal".to_owned()),
        Err(error) => Err(format!("invalid host: {error}")),
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
    /// Path, fragment, name or password.
    Path,
    Query,
}

fn unescaped(text: &str, part: Part) -> Result<String, String> {
    unescape(text, part).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn unescape(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let hex = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'%' {
            if matches!(part, Part::Host | Part::Zone) && byte.is_ascii() && !is_host(byte) {
                let name = quote(&text[at..=at]);
                return Err(format!("invalid character {name} in host name"));
            }
            out.push(if byte == b'+' && part == Part::Query { b' ' } else { byte });
            at += 1;
            continue;
        }
        let sequence = &bytes[at..bytes.len().min(at + 3)];
        let invalid = || Err(format!("invalid URL escape {}", quote_bytes(sequence)));
        let (Some(high), Some(low)) = (hex(at + 1), hex(at + 2)) else { return invalid() };
        let value = (high * 16 + low) as u8;
        let is_rejected = match part {
            Part::Host => high < 8 && sequence != b"%25",
            Part::Zone => sequence != b"%25" && value != b' ' && !is_host(value),
            Part::Path | Part::Query => false,
        };
        if is_rejected {
            return invalid();
        }
        out.push(value);
        at += 3;
    }
    Ok(out)
}

/// Returns `true` if the byte needs no escape in a host.
fn is_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte)
}

/// Returns `true` if Go writes the byte unescaped in a path. In its input, Go accepts more unescaped bytes.
fn is_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~$&+,;=:@/".contains(&byte)
}

/// Returns `true` if Go writes the byte unescaped in a fragment. In its input, Go accepts more unescaped bytes.
fn is_fragment(byte: u8) -> bool {
    is_path(byte) || b"!()*?".contains(&byte)
}

/// Returns `true` if Go writes the byte unescaped in a name or a password.
fn is_user(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~$&+,;=".contains(&byte)
}

/// Returns a path or fragment as in the input if it is valid, and otherwise escaped: `validEncoded`.
fn written_or_escaped(written: &str, unescaped: &[u8], stays: fn(u8) -> bool) -> String {
    if written.bytes().all(|byte| stays(byte) || b"!'()*[]%".contains(&byte)) {
        written.to_owned()
    } else {
        escape(unescaped, stays)
    }
}

fn escape(bytes: &[u8], stays: fn(u8) -> bool) -> String {
    let mut escaped = String::with_capacity(bytes.len());
    for &byte in bytes {
        if stays(byte) {
            escaped.push(char::from(byte));
        } else {
            const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
            escaped.push('%');
            escaped.push(char::from(DIGITS[usize::from(byte >> 4)]));
            escaped.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
    escaped
}

/// Quotes bytes as Go does; parts of a character are quoted byte by byte.
fn quote_bytes(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        let valid = quote(chunk.valid());
        out.push_str(&valid[1..valid.len() - 1]);
        out.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    out.push('"');
    out
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
            ("http://h/(a)", "http", "h", "h", "", "/(a)"),
            ("http://h/( )", "http", "h", "h", "", "/%28%20%29"),
            ("//a/b", "", "", "", "", "//a/b"),
        ] {
            let url = parse_request_uri(text).unwrap();
            let (found_name, found_port) = url.host_and_port();
            let found = (&*url.scheme, &*url.host, found_name, found_port, &*url.escaped_path);
            assert_eq!(found, (scheme, host, name, port, path), "{text}");
        }
        let url = parse("HTTPS://u:p%20@[::1%25eth0]:8/x?q#f%20").unwrap();
        assert_eq!((&*url.scheme, &*url.host), ("https", "[::1%eth0]:8"));
        assert_eq!(url.user.map(|user| user.escaped()).as_deref(), Some("u:p%20"));
        assert_eq!((&*url.query, &*url.fragment), ("q", "f "));
        assert_ne!(parse_request_uri("http://h"), parse_request_uri("http://h/"));
        assert_ne!(parse_request_uri("http://H/a"), parse_request_uri("http://h/a"));
    }

    #[test]
    fn addresses_are_refused() {
        for (text, error) in [
            (":x", "missing protocol scheme"),
            ("https://a b", "invalid character \" \" in host name"),
            ("https://a:b", "invalid port \":b\" after host"),
            ("https://a:1:2", "invalid port \":1:2\" after host"),
            ("https://%41", "invalid URL escape \"%41\""),
            ("https://a/%zz", "invalid URL escape \"%zz\""),
            ("https://a/%a\u{e9}", "invalid URL escape \"%a\\xc3\""),
            ("https://[::1", "missing ']' in host"),
            ("https://[1.2.3.4]", "invalid IP-literal"),
            ("\u{1}", "net/url: invalid control character in URL"),
        ] {
            let error = Err(format!("parse {}: {error}", quote(text)));
            assert_eq!((parse(text), parse_request_uri(text)), (error.clone(), error));
        }
        let colon = "parse \"a b:c\": first path segment in URL cannot contain colon";
        assert_eq!(parse("a b:c"), Err(colon.to_owned()));
    }

    #[test]
    fn requests_go_to_absolute_addresses() {
        for text in ["/a", "http://a", "mailto:x", "//a", "*"] {
            assert!(parse_request_uri(text).is_ok(), "{text}");
        }
        for (text, error) in
            [("", "empty url"), ("a/b", "invalid URI for request"), ("foo.com", "invalid URI for request")]
        {
            assert_eq!(parse_request_uri(text), Err(format!("parse {text:?}: {error}")));
        }
    }
}
