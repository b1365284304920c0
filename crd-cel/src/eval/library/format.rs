//! Named formats: `format.dns1123Label().validate('...')`.

use crd_go::KubeVersion;
use crd_go::formats::{is_base64, is_date, is_date_time, is_uuid};
use crd_go::names::{
    dns_1035_label, dns_1123_label, dns_1123_subdomain, label_value, masked_prefix, qualified_name,
};
use crd_go::url::parse_request_uri;

use super::{Implementation, Outcome};
use crate::eval::Error;
use crate::eval::opaque::Opaque;
use crate::eval::value::Value;

/// A named format.
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

/// A function without arguments for each name.
macro_rules! constants {
    ($($constant:ident $name:literal $format:expr;)*) => {
        $(
            pub(crate) const $constant: Implementation =
                Implementation::plain(|_, _| Ok(Value::Opaque(Opaque::Format($format).into())));
        )*

        impl NamedFormat {
            /// The format of that name.
            fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some($format),)*
                    _ => None,
                }
            }
        }
    };
}

use NamedFormat as F;
constants! {
    DNS1123_LABEL "dns1123Label" F::Dns1123Label { is_prefix: false };
    DNS1123_LABEL_PREFIX "dns1123LabelPrefix" F::Dns1123Label { is_prefix: true };
    DNS1123_SUBDOMAIN "dns1123Subdomain" F::Dns1123Subdomain { is_prefix: false };
    DNS1123_SUBDOMAIN_PREFIX "dns1123SubdomainPrefix" F::Dns1123Subdomain { is_prefix: true };
    DNS1035_LABEL "dns1035Label" F::Dns1035Label { is_prefix: false };
    DNS1035_LABEL_PREFIX "dns1035LabelPrefix" F::Dns1035Label { is_prefix: true };
    QUALIFIED_NAME "qualifiedName" F::QualifiedName;
    LABEL_VALUE "labelValue" F::LabelValue;
    URI "uri" F::Uri;
    UUID "uuid" F::Uuid;
    BYTE "byte" F::Byte;
    DATE "date" F::Date;
    DATE_TIME "datetime" F::DateTime;
}

pub(crate) const NAMED: Implementation = Implementation::plain(|_, args| match args {
    [Value::String(name)] => {
        let value = |format| Value::Opaque(Opaque::Format(format).into());
        Ok(NamedFormat::named(name).map_or(Value::Optional(None), |format| value(format).some()))
    }
    _ => Err(Error::no_such_overload()),
});
pub(crate) const VALIDATE: Implementation = Implementation::plain(validate).work(16);

fn validate<'v>(meter: &mut crate::eval::meter::Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Opaque(opaque), Value::String(text)] = args else { return Err(Error::no_such_overload()) };
    let Opaque::Format(format) = &**opaque else { return Err(Error::no_such_overload()) };
    let wrong = format.wrong(text, meter.server);
    if wrong.is_empty() {
        return Ok(Value::Optional(None));
    }
    let wrong: Vec<Value<'v>> = wrong.into_iter().map(Value::from).collect();
    Ok(Value::from(wrong).some())
}

impl NamedFormat {
    /// The length of the pattern that determines the cost of a check.
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

    /// The server's errors for a string; empty if the string has the format.
    fn wrong(self, text: &str, server: KubeVersion) -> Vec<String> {
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

/// The string to be checked in the place of a prefix: see [`masked_prefix`].
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
