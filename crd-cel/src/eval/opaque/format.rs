//! Kubernetes' named formats, such as `dns1123Label`.

use crd_go::KubeVersion;
use crd_go::formats::{is_base64, is_date, is_date_time, is_uuid};
use crd_go::names::{
    dns_1035_label, dns_1123_label, dns_1123_subdomain, label_value, masked_prefix, qualified_name,
};
use crd_go::url::parse_request_uri;

/// A named format, which a rule gets with `format.named` or `format.dns1123Label()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names are those by which rules ask for them")]
pub enum NamedFormat {
    Dns1123Label { is_prefix: bool },
    Dns1123Subdomain { is_prefix: bool },
    Dns1035Label { is_prefix: bool },
    QualifiedName,
    LabelValue,
    Uri,
    Uuid,
    Byte,
    Date,
    DateTime,
}

impl NamedFormat {
    /// Returns the length of the format's pattern. This length determines the cost of validating a string.
    pub(crate) fn pattern_length(self) -> u64 {
        match self {
            Self::Dns1123Label { .. } | Self::Dns1035Label { .. } => 30,
            Self::Dns1123Subdomain { .. } | Self::QualifiedName => 60,
            Self::LabelValue => 40,
            // The patterns that other checks have for these.
            Self::Uri => 1_103,
            Self::Uuid => 70,
            Self::Byte => 84,
            Self::Date | Self::DateTime => 71,
        }
    }

    /// Returns the server's errors for a string, or none if the string has the format.
    pub(crate) fn wrong(self, text: &str, server: KubeVersion) -> Vec<String> {
        let one = |is_right: bool, wrong: &str| if is_right { Vec::new() } else { vec![wrong.to_owned()] };
        match self {
            Self::Dns1123Label { is_prefix } => dns_1123_label(&masked(text, is_prefix)),
            Self::Dns1123Subdomain { is_prefix } => dns_1123_subdomain(&masked(text, is_prefix)),
            Self::Dns1035Label { is_prefix } => dns_1035_label(&masked(text, is_prefix)),
            Self::QualifiedName => qualified_name(text),
            Self::LabelValue => label_value(text, server),
            Self::Uri => parse_request_uri(text).err().into_iter().collect(),
            Self::Uuid => one(is_uuid(text, None), "does not match the UUID format"),
            Self::Byte => one(is_base64(text), "invalid base64"),
            Self::Date => one(is_date(text), "invalid date"),
            Self::DateTime => one(is_date_time(text), "invalid datetime"),
        }
    }
}

/// Returns the string to check instead of a prefix: see [`masked_prefix`].
fn masked(name: &str, is_prefix: bool) -> String {
    if is_prefix { masked_prefix(name) } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        use NamedFormat as F;
        let label = F::Dns1123Label { is_prefix: false };
        for (format, right, wrong) in [
            (label, "abc-1", "a_b"),
            (F::Dns1123Subdomain { is_prefix: false }, "a.b-c", "a_b"),
            (F::Dns1035Label { is_prefix: false }, "a1", "1a"),
            (F::Dns1123Label { is_prefix: true }, "abc-", "Abc"),
            (F::Dns1123Subdomain { is_prefix: true }, "a.b-", "a."),
            (F::QualifiedName, "example.com/name", "a/b/c"),
            (F::LabelValue, "", "a/b"),
            (F::Uri, "/a", "a b"),
            (F::Uuid, "0f8fad5b-d9cb-469f-a165-70867728950e", "0f8f"),
            (F::Byte, "aGk=", "a"),
            (F::Date, "2020-02-29", "2021-02-29"),
            (F::DateTime, "2020-02-29T00:00:00Z", "2020-02-29"),
        ] {
            assert_eq!(format.wrong(right, KubeVersion::default()), Vec::<String>::new(), "{right}");
            assert!(!format.wrong(wrong, KubeVersion::default()).is_empty(), "{wrong}");
        }
        assert_eq!(label.wrong("a.b", KubeVersion::default()), ["must not contain dots"]);
        // The check of the format, not the conversion of a value to CEL.
        assert_eq!(
            (
                F::DateTime.wrong("2020-01-01t00:00:00z", KubeVersion::default()).len(),
                F::DateTime.wrong("", KubeVersion::default()).len()
            ),
            (0, 1)
        );
        let long = "A".repeat(64);
        let found = label.wrong(&long, KubeVersion::default());
        assert_eq!(found[0], "must be no more than 63 characters");
        assert!(found[1].starts_with("a lowercase RFC 1123 label must consist of"), "{found:?}");
    }
}
