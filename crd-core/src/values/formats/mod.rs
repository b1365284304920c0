//! Checks of string formats.
//!
//! Source: `k8s.io/kube-openapi/pkg/validation/strfmt` and `pkg/apiserver/validation/formats.go`.

mod email;
mod net;
mod numbers;

use crd_go::KubeVersion;
use crd_go::formats::{is_base64, is_date, is_date_time, is_uuid, schema_duration};
use crd_go::names::{is_dns_1123_label, is_dns_1123_subdomain};
use crd_go::url::parse_request_uri;

use crate::formats::Format;

impl Format {
    /// Returns `true` if the server of this version implements the format. Defaults are checked for all implemented
    /// formats.
    pub(super) fn is_checked(self, version: KubeVersion) -> bool {
        version.is_at_least(self.since().saturating_sub(1))
    }

    /// Returns `true` if `text` has the format.
    ///
    /// ```
    /// use crd_core::formats::Format;
    ///
    /// assert!(Format::Ipv4.matches("10.0.0.1") && !Format::Ipv4.matches("10.0.0.256"));
    /// ```
    #[must_use]
    pub fn matches(self, text: &str) -> bool {
        match self {
            Self::BsonObjectId => text.len() == 24 && is_hex(text),
            Self::Uri => parse_request_uri(text).is_ok(),
            Self::Email => email::is_email(text),
            Self::Hostname => net::is_hostname(text),
            Self::Ipv4 => text.contains('.') && net::sloppy_ip(text).is_some(),
            Self::Ipv6 => text.contains(':') && text.parse::<core::net::Ipv6Addr>().is_ok(),
            Self::Cidr => net::is_cidr(text),
            Self::Mac => net::is_mac(text),
            Self::Uuid => is_uuid(text, None),
            Self::Uuid3 => is_uuid(text, Some('3')),
            Self::Uuid4 => is_uuid(text, Some('4')),
            Self::Uuid5 => is_uuid(text, Some('5')),
            Self::Isbn => numbers::is_isbn10(text) || numbers::is_isbn13(text),
            Self::Isbn10 => numbers::is_isbn10(text),
            Self::Isbn13 => numbers::is_isbn13(text),
            Self::CreditCard => numbers::is_credit_card(text),
            Self::Ssn => numbers::is_social_security_number(text),
            Self::HexColor => {
                let digits = text.strip_prefix('#').unwrap_or(text);
                matches!(digits.len(), 3 | 6) && is_hex(digits)
            }
            Self::RgbColor => is_rgb_color(text),
            Self::Byte => is_base64(text),
            Self::Password => true,
            Self::Date => is_date(text),
            Self::Duration => schema_duration(text).is_ok(),
            Self::DateTime => is_date_time(text),
            Self::ShortName => is_dns_1123_label(text),
            Self::LongName => is_dns_1123_subdomain(text),
        }
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_rgb_color(text: &str) -> bool {
    let Some(inner) = text.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')')) else { return false };
    let is_space = |c: char| matches!(c, '\t' | '\n' | '\u{c}' | '\r' | ' ');
    let is_part = |part: &str| {
        let part = part.trim_matches(is_space);
        let is_plain = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        is_plain && (part == "0" || !part.starts_with('0')) && part.parse::<u8>().is_ok()
    };
    inner.split(',').count() == 3 && inner.split(',').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: &str, right: &[&str], wrong: &[&str]) {
        let known = Format::from_name(format).unwrap();
        for text in right {
            assert!(known.matches(text), "{format}: {text:?}");
        }
        for text in wrong {
            assert!(!known.matches(text), "{format}: {text:?}");
        }
    }

    #[test]
    fn identifiers() {
        check("bsonobjectid", &["507f1f77bcf86cd799439011"], &["507f1f77bcf86cd79943901", "x"]);
        check(
            "uuid",
            &["a8098c1a-f86e-11da-bd1a-00112444be1e", "A8098C1AF86E11DABD1A00112444BE1E"],
            &["a8098c1a-f86e-11da-bd1a-00112444be1", "a8098c1a--f86e-11da-bd1a-00112444be1e", ""],
        );
        check("uuid3", &["bcd02e22-68f0-3046-a512-327cca9def8f"], &["bcd02e22-68f0-4046-a512-327cca9def8f"]);
        check("uuid4", &["025b0d74-00a2-4048-bf57-227c5111bb34"], &["025b0d74-00a2-4048-cf57-227c5111bb34"]);
        check("uuid5", &["886313e1-3b8a-5372-9b90-0c9aee199e5d"], &["886313e1-3b8a-5372-0b90-0c9aee199e5d"]);
        check("k8s-short-name", &["a-b"], &["a.b", "-a", ""]);
        check("k8s-long-name", &["a.b-c"], &["a..b", "A"]);
    }

    #[test]
    fn texts() {
        check("hexcolor", &["#fff", "CCccCC"], &["#ff", "#ff12FG", ""]);
        check("rgbcolor", &["rgb(0,31,255)", "rgb( 1 , 2,3 )"], &["rgb(01,2,3)", "rgb(1,2,256)", "rgb(1,2)"]);
        check("byte", &["Zm9v", "Zg==", "Zm8="], &["", "Zg=", "Zg", "=Zm9", "Z==="]);
        check("password", &["", "x"], &[]);
        check("uri", &["http://foo.bar/#com", "/abs"], &["", "foo.com", "a b"]);
    }
}
