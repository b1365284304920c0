//! The string formats for the keyword `format`.
//!
//! Source: `k8s.io/kube-openapi/pkg/validation/strfmt` and `pkg/apiserver/validation/formats.go`.

use std::borrow::Cow;

use crd_go::KubeVersion;

use crate::schema::SchemaType;

/// A format that the API server checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the variants are named after the formats")]
pub enum Format {
    BsonObjectId,
    Uri,
    Email,
    Hostname,
    Ipv4,
    Ipv6,
    Cidr,
    Mac,
    Uuid,
    Uuid3,
    Uuid4,
    Uuid5,
    Isbn,
    Isbn10,
    Isbn13,
    CreditCard,
    Ssn,
    HexColor,
    RgbColor,
    Byte,
    Password,
    Date,
    Duration,
    DateTime,
    ShortName,
    LongName,
}

impl Format {
    /// Returns the format with that name. Hyphens in format names are ignored.
    ///
    /// ```
    /// use crd_core::formats::Format;
    ///
    /// assert_eq!(Format::from_name("date-time"), Some(Format::DateTime));
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        // A fast path: most names of formats have no hyphen, and this is called for each string with a format.
        let name = if name.contains('-') { Cow::Owned(name.replace('-', "")) } else { Cow::Borrowed(name) };
        Some(match &*name {
            "bsonobjectid" => Self::BsonObjectId,
            "uri" => Self::Uri,
            "email" => Self::Email,
            "hostname" => Self::Hostname,
            "ipv4" => Self::Ipv4,
            "ipv6" => Self::Ipv6,
            "cidr" => Self::Cidr,
            "mac" => Self::Mac,
            "uuid" => Self::Uuid,
            "uuid3" => Self::Uuid3,
            "uuid4" => Self::Uuid4,
            "uuid5" => Self::Uuid5,
            "isbn" => Self::Isbn,
            "isbn10" => Self::Isbn10,
            "isbn13" => Self::Isbn13,
            "creditcard" => Self::CreditCard,
            "ssn" => Self::Ssn,
            "hexcolor" => Self::HexColor,
            "rgbcolor" => Self::RgbColor,
            "byte" => Self::Byte,
            "password" => Self::Password,
            "date" => Self::Date,
            "duration" => Self::Duration,
            "datetime" => Self::DateTime,
            "k8sshortname" => Self::ShortName,
            "k8slongname" => Self::LongName,
            _ => return None,
        })
    }

    /// Returns `true` if the API server knows the format for this type. The API server ignores unknown formats.
    #[must_use]
    pub fn is_known(format: &str, type_: Option<&SchemaType>) -> bool {
        Self::is_known_at(format, type_, KubeVersion::default())
    }

    /// Returns `true` if this version of the API server knows the format for the type.
    #[must_use]
    pub fn is_known_at(format: &str, type_: Option<&SchemaType>, version: KubeVersion) -> bool {
        // Up to 1.35, the type does not matter.
        let type_ = type_.filter(|_| version.is_at_least(36));
        match type_ {
            None | Some(SchemaType::String) => {
                Self::from_name(format).is_some_and(|format| version.is_at_least(format.since()))
            }
            Some(SchemaType::Integer) => matches!(format, "int32" | "int64"),
            Some(SchemaType::Number) => matches!(format, "float" | "double"),
            Some(_) => false,
        }
    }

    /// Returns the minor version of the first server that checks the format in objects. A server uses only formats that the previous
    /// version already had.
    pub(crate) const fn since(self) -> u32 {
        match self {
            Self::ShortName | Self::LongName => 35,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_hyphens() {
        assert_eq!(Format::from_name("date-time"), Some(Format::DateTime));
        assert_eq!(Format::from_name("i-p-v4"), Some(Format::Ipv4));
        assert_eq!(Format::from_name("Date"), None);
        assert!(Format::is_known("int32", Some(&SchemaType::Integer)));
        assert!(!Format::is_known("int32", Some(&SchemaType::Number)));
        assert!(!Format::is_known("date", Some(&SchemaType::Boolean)));
    }
}
