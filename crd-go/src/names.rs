//! Names and labels of Kubernetes objects, checked with the API server's messages.
//!
//! Functions that return a list return the server's messages; the list is empty for a valid name. Lengths are counted in
//! bytes, even if the message says characters.
//!
//! Source: `k8s.io/apimachinery/pkg/api/validate/content`, and `k8s.io/apimachinery/pkg/util/validation` for the format
//! `qualifiedName` of CEL.
//!
//! ```
//! use crd_go::KubeVersion;
//! use crd_go::names::{dns_1123_subdomain, label_key};
//!
//! assert_eq!(dns_1123_subdomain("example.com"), [""; 0]);
//! assert_eq!(label_key("/name", KubeVersion::default()), ["prefix part must be non-empty"]);
//! ```

use crate::KubeVersion;

const DNS_1035_LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with \
     an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
     validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const DNS_1123_SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, \
     '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation \
     is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const DNS_1123_LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', \
     and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation \
     is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const KEY_NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
     alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or \
     '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex \
     used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const LABEL_BYTES: usize = 63;
const SUBDOMAIN_BYTES: usize = 253;
// Bytes are counted in any case. The older checks of names call them characters.
const CHARACTERS: &str = "characters";
const BYTES: &str = "bytes";

/// Checks a label of RFC 1035: `IsDNS1035Label`.
#[must_use]
pub fn dns_1035_label(name: &str) -> Vec<String> {
    let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
    bounded(name, LABEL_BYTES, CHARACTERS, starts && is_dns_1123_label_text(name), DNS_1035_LABEL)
}

/// Checks a subdomain of RFC 1123, labels with dots between them: `IsDNS1123Subdomain`.
#[must_use]
pub fn dns_1123_subdomain(name: &str) -> Vec<String> {
    bounded(name, SUBDOMAIN_BYTES, CHARACTERS, is_subdomain_text(name), DNS_1123_SUBDOMAIN)
}

/// Checks a label of RFC 1123: `IsDNS1123Label`.
#[must_use]
pub fn dns_1123_label(name: &str) -> Vec<String> {
    let is_label = is_dns_1123_label_text(name);
    let detail = if is_subdomain_text(name) { "must not contain dots" } else { DNS_1123_LABEL };
    bounded(name, LABEL_BYTES, CHARACTERS, is_label, detail)
}

/// Returns `true` if the string is a label of RFC 1123.
#[must_use]
pub fn is_dns_1123_label(name: &str) -> bool {
    name.len() <= LABEL_BYTES && is_dns_1123_label_text(name)
}

/// Returns `true` if the string is a subdomain of RFC 1123.
#[must_use]
pub fn is_dns_1123_subdomain(name: &str) -> bool {
    name.len() <= SUBDOMAIN_BYTES && is_subdomain_text(name)
}

/// Checks the key of a label or an annotation, or the name of a finalizer, such as `example.com/MyName`: `IsLabelKey`.
#[must_use]
pub fn label_key(key: &str, version: KubeVersion) -> Vec<String> {
    if version.is_at_least(35) { prefixed_name(key, "a valid label key", BYTES) } else { qualified_name(key) }
}

/// Performs the same check as [`label_key`], but with the messages of CEL's format `qualifiedName`: `IsQualifiedName`.
#[must_use]
pub fn qualified_name(name: &str) -> Vec<String> {
    prefixed_name(name, "a qualified name", CHARACTERS)
}

fn prefixed_name(text: &str, what: &str, unit: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let name = match text.split_once('/') {
        None => text,
        Some((_, name)) if name.contains('/') => {
            return vec![format!(
                "{what} {KEY_NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
        Some(("", name)) => {
            wrong.push("prefix part must be non-empty".to_owned());
            name
        }
        Some((prefix, name)) => {
            let details =
                bounded(prefix, SUBDOMAIN_BYTES, unit, is_subdomain_text(prefix), DNS_1123_SUBDOMAIN);
            wrong.extend(details.iter().map(|text| format!("prefix part {text}")));
            name
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    } else if name.len() > LABEL_BYTES {
        wrong.push(format!("name part {}", too_long(LABEL_BYTES, unit)));
    }
    if !is_key_name(name) {
        wrong.push(format!("name part {KEY_NAME}"));
    }
    wrong
}

/// Checks the value of a label: `IsLabelValue`.
#[must_use]
pub fn label_value(value: &str, version: KubeVersion) -> Vec<String> {
    let unit = if version.is_at_least(35) { BYTES } else { CHARACTERS };
    bounded(value, LABEL_BYTES, unit, value.is_empty() || is_key_name(value), LABEL_VALUE)
}

/// Checks a name that is one segment of a path: `IsPathSegmentName`.
#[must_use]
pub fn path_segment(name: &str) -> Vec<String> {
    if name == "." || name == ".." {
        return vec![format!("may not be '{name}'")];
    }
    path_segment_prefix(name)
}

/// Checks the prefix of a name that is one segment of a path: `IsPathSegmentPrefix`.
#[must_use]
pub fn path_segment_prefix(name: &str) -> Vec<String> {
    let forbidden = ["/", "%"].into_iter().filter(|text| name.contains(text));
    forbidden.map(|text| format!("may not contain '{text}'")).collect()
}

/// Returns the string that is checked instead of a prefix for generated names: `maskTrailingDash`.
///
/// ```
/// assert_eq!(crd_go::names::masked_prefix("web-"), "wea");
/// ```
#[must_use]
pub fn masked_prefix(name: &str) -> String {
    match name.strip_suffix('-') {
        // Go removes two bytes and appends one letter, so that the byte before the hyphen is not checked.
        Some(stem) if !stem.is_empty() => {
            // Go cuts a longer character in the middle. No rule accepts that, nor the whole character.
            stem.get(..stem.len() - 1).map_or_else(|| name.to_owned(), |kept| [kept, "a"].concat())
        }
        _ => name.to_owned(),
    }
}

fn bounded(text: &str, most: usize, unit: &str, matches: bool, otherwise: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > most {
        wrong.push(too_long(most, unit));
    }
    if !matches {
        wrong.push(otherwise.to_owned());
    }
    wrong
}

fn too_long(most: usize, unit: &str) -> String {
    format!("must be no more than {most} {unit}")
}

fn is_dns_1123_label_text(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(&first), Some(&last)) => {
            is_inner(first) && is_inner(last) && bytes.iter().all(|&byte| is_inner(byte) || byte == b'-')
        }
        _ => false,
    }
}

/// Returns `true` if all parts between dots are labels, which neither begin nor end with a hyphen.
fn is_subdomain_text(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut before = b'.';
    for &byte in text.as_bytes() {
        let is_allowed = match byte {
            b'-' => before != b'.',
            b'.' => is_inner(before),
            other => is_inner(other),
        };
        if !is_allowed {
            return false;
        }
        before = byte;
    }
    is_inner(before)
}

fn is_key_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(first), Some(last)) => {
            first.is_ascii_alphanumeric()
                && last.is_ascii_alphanumeric()
                && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_subdomains() {
        assert_eq!(dns_1035_label("a-1"), [""; 0]);
        assert_eq!(dns_1035_label("1a"), [DNS_1035_LABEL]);
        assert_eq!(dns_1035_label(&"a".repeat(64)), ["must be no more than 63 characters"]);
        assert_eq!(dns_1035_label(&"A".repeat(64)), ["must be no more than 63 characters", DNS_1035_LABEL]);
        assert_eq!(dns_1123_subdomain("a.b-c.1"), [""; 0]);
        assert_eq!(dns_1123_subdomain("a..b"), [DNS_1123_SUBDOMAIN]);
        assert_eq!(dns_1123_label("a.b"), ["must not contain dots"]);
        assert_eq!(dns_1123_label("a_b"), [DNS_1123_LABEL]);
    }

    #[test]
    fn label_keys() {
        const NEW: KubeVersion = KubeVersion::new(35);
        let old = KubeVersion::new(34);
        assert_eq!(label_key(&"a".repeat(64), old), ["name part must be no more than 63 characters"]);
        assert_eq!(label_value(&"a".repeat(64), old), ["must be no more than 63 characters"]);
        assert!(label_key("a/b/c", old)[0].starts_with("a qualified name must consist of"));
        assert_eq!(label_key("example.com/MyName", NEW), [""; 0]);
        assert_eq!(label_key("/a", NEW), ["prefix part must be non-empty"]);
        assert_eq!(label_key("a/", NEW).len(), 2);
        assert_eq!(label_key("a/b/c", NEW).len(), 1);
        assert_eq!(label_key(&"a".repeat(64), NEW), ["name part must be no more than 63 bytes"]);
        assert_eq!(qualified_name(&"a".repeat(64)), ["name part must be no more than 63 characters"]);
        assert!(qualified_name("a/b/c")[0].starts_with("a qualified name must consist of"));
        assert_eq!(label_value("", NEW), [""; 0]);
        assert_eq!(label_value("-", NEW).len(), 1);
    }

    #[test]
    fn prefixes() {
        assert_eq!(masked_prefix("a_-"), "aa");
        assert_eq!(masked_prefix("ab"), "ab");
        assert_eq!(masked_prefix("-"), "-");
    }
}
