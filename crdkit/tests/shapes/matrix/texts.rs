//! Texts, and types that serde writes as texts.

use std::borrow::Cow;
use std::ffi::CString;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use semver::Version;
use url::Url;
use uuid::Uuid;

use super::{compare, row};

#[test]
fn texts() {
    compare(
        "texts",
        &[
            row("String", [String::new(), "a\n\u{1f600}".to_owned()]),
            row("char", ['a', '\u{1f600}', '\0']),
            row("Box<str>", [Box::<str>::from("a")]),
            row("Cow<str>", [Cow::Borrowed("a")]),
            row("PathBuf", [PathBuf::from("/etc/a")]),
            row("IpAddr", [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::UNSPECIFIED)]),
            row("Ipv4Addr", [Ipv4Addr::BROADCAST]),
            row("Ipv6Addr", [Ipv6Addr::LOCALHOST]),
            row(
                "SocketAddr",
                [SocketAddr::from((Ipv4Addr::LOCALHOST, 80)), SocketAddr::from((Ipv6Addr::LOCALHOST, 80))],
            ),
            row("SocketAddrV6", [SocketAddrV6::new(Ipv6Addr::LOCALHOST, 80, 0, 0)]),
            row("Uuid", [Uuid::nil(), Uuid::max()]),
            row("Url", [Url::parse("https://example.com/a?b=c#d").unwrap()]),
            row("semver::Version", [Version::new(1, 2, 3), Version::parse("1.0.0-rc.1+build").unwrap()]),
            row("Box<String>", [Box::new("a".to_owned())]),
            row("Mutex<String>", [Mutex::new("a".to_owned())]),
            row("Option<Arc<str>>", [Some("a".to_owned()), None]),
            row("CString", [CString::new("a").unwrap()]),
            row("bytes::Bytes", [bytes::Bytes::from_static(b"a\xff"), bytes::Bytes::new()]),
        ],
    );
    // serde writes `Rc` and `Arc` with its feature `rc` only; their schema is that of what they hold.
    assert_eq!(crate::schema_of::<Rc<u8>>(), crate::schema_of::<u8>());
    assert_eq!(crate::schema_of::<Arc<str>>(), crate::schema_of::<String>());
}
