//! Rejects requests that other websites can send from a browser.
//!
//! A web page can send simple requests, such as a `POST` of plain text, to any address without the server's consent. The headers `Origin`
//! and `Sec-Fetch-Site` reveal such requests, and the page cannot change these headers. With DNS rebinding, the page's host name resolves
//! to the server's address. The page then has the same origin as the server, and only the host name reveals the request.

use std::net::IpAddr;

use http::HeaderName;
use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::uri::{Authority, Uri};

use crate::status::Failure;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Checks a request's origin and host.
pub(super) fn check(head: &Parts, allowed: &[String]) -> Result<(), Failure> {
    let values = |name: HeaderName| head.headers.get_all(name).into_iter().map(|value| value.as_bytes());
    let forbidden = |message: String| Failure::new(403, "Forbidden", message);
    let mut hosts = Vec::new();
    for host in values(HOST) {
        hosts.push(
            Authority::try_from(host).map_err(|_| forbidden("the header Host is not valid".to_owned()))?,
        );
    }
    hosts.extend(head.uri.authority().cloned());
    if let Some(host) = hosts.iter().find(|host| !is_allowed(host.host(), allowed)) {
        let host = host.host();
        return Err(forbidden(format!(
            "requests to the host `{host}` are not allowed; allow them with `--allow-host {host}` of `crdkit serve`, or with `Config::allow_host`"
        )));
    }
    let is_own = |origin: &[u8]| !hosts.is_empty() && hosts.iter().all(|host| is_origin_of(origin, host));
    if !values(ORIGIN).all(is_own)
        || !values(SEC_FETCH_SITE).all(|site| site == b"none" || site == b"same-origin")
    {
        return Err(forbidden("requests from pages of another origin are not allowed".to_owned()));
    }
    Ok(())
}

fn is_allowed(host: &str, allowed: &[String]) -> bool {
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let is_named = |name: &str| host.eq_ignore_ascii_case(name);
    address.parse::<IpAddr>().is_ok() || is_named("localhost") || allowed.iter().any(|name| is_named(name))
}

/// Returns `true` if an origin, such as `http://localhost:8001`, has this host and port. A missing port in the origin or the host means the
/// default port of the origin's scheme, because a proxy that terminates TLS passes the host name without a port.
fn is_origin_of(origin: &[u8], host: &Authority) -> bool {
    let Ok(origin) = Uri::try_from(origin) else { return false };
    let default = match origin.scheme_str() {
        Some("http") => 80,
        Some("https") => 443,
        _ => return false,
    };
    let port = |authority: &Authority| authority.port_u16().unwrap_or(default);
    origin
        .authority()
        .is_some_and(|origin| origin.host().eq_ignore_ascii_case(host.host()) && port(origin) == port(host))
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::check;

    fn is_answered(headers: &[(&str, &str)]) -> bool {
        let mut request = Request::get("/version");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).expect("the headers are valid").into_parts();
        check(&head, &["kube.test".to_owned()]).is_ok()
    }

    #[test]
    fn requests_of_foreign_pages_are_rejected() {
        for (origin, host, expected) in [
            ("http://localhost:8001", "localhost:8001", true),
            ("http://LOCALHOST:8001", "localhost:8001", true),
            ("http://localhost", "localhost:80", true),
            ("https://kube.test", "kube.test", true),
            ("http://[::1]:8001", "[::1]:8001", true),
            ("http://localhost:3000", "localhost:8001", false),
            ("http://localhost", "localhost:8001", false),
            ("http://127.0.0.1:8001", "localhost:8001", false),
            ("http://page.example", "127.0.0.1:8001", false),
            ("null", "127.0.0.1:8001", false),
            ("", "127.0.0.1:8001", false),
            ("file://", "127.0.0.1:8001", false),
            ("localhost:8001", "localhost:8001", false),
        ] {
            assert_eq!(is_answered(&[("host", host), ("origin", origin)]), expected, "{origin} {host}");
        }
        assert!(!is_answered(&[("origin", "http://localhost")]));
        let twice =
            [("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://page.example")];
        assert!(!is_answered(&twice));
        for (site, expected) in [
            ("none", true),
            ("same-origin", true),
            ("same-site", false),
            ("cross-site", false),
            ("", false),
            ("none, cross-site", false),
        ] {
            assert_eq!(is_answered(&[("host", "localhost"), ("sec-fetch-site", site)]), expected, "{site}");
        }
    }

    #[test]
    fn only_known_host_names_are_answered() {
        for (host, expected) in [
            ("localhost:80", true),
            ("127.0.0.1", true),
            ("10.0.0.1:8001", true),
            ("[::1]:80", true),
            ("kube.test", true),
            ("Kube.Test:8001", true),
            ("example.com", false),
            ("127.0.0.1.page.example", false),
            ("sub.kube.test", false),
            ("a b", false),
            ("", false),
        ] {
            assert_eq!(is_answered(&[("host", host)]), expected, "{host}");
        }
        assert!(is_answered(&[]));
        assert!(!is_answered(&[("host", "localhost"), ("host", "page.example")]));
    }
}
