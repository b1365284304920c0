//! Named formats: `format.dns1123Label().validate('...')`.

use super::{Outcome, Plain, url};
use crate::eval::Error;
use crate::eval::base64;
use crate::eval::opaque::Opaque;
use crate::eval::time::{self, Layout};
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

pub(super) fn find(name: &str) -> Option<Plain> {
    /// A function without arguments for each name.
    macro_rules! constants {
        ($($name:literal => $format:expr),* $(,)?) => {
            match name {
                $(concat!("format.", $name) => |_, _| Ok(Value::Opaque(Opaque::Format($format).into())),)*
                "format.named" => |_, args| match args {
                    [Value::String(name)] => {
                        let format = match &**name {
                            $($name => Some($format),)*
                            _ => None,
                        };
                        let value = |format| Value::Opaque(Opaque::Format(format).into());
                        Ok(format.map_or(Value::Optional(None), |format| value(format).some()))
                    }
                    _ => Err(Error::no_such_overload()),
                },
                "validate" => validate,
                _ => return None,
            }
        };
    }
    use NamedFormat as F;
    Some(constants! {
        "dns1123Label" => F::Dns1123Label { is_prefix: false },
        "dns1123LabelPrefix" => F::Dns1123Label { is_prefix: true },
        "dns1123Subdomain" => F::Dns1123Subdomain { is_prefix: false },
        "dns1123SubdomainPrefix" => F::Dns1123Subdomain { is_prefix: true },
        "dns1035Label" => F::Dns1035Label { is_prefix: false },
        "dns1035LabelPrefix" => F::Dns1035Label { is_prefix: true },
        "qualifiedName" => F::QualifiedName,
        "labelValue" => F::LabelValue,
        "uri" => F::Uri,
        "uuid" => F::Uuid,
        "byte" => F::Byte,
        "date" => F::Date,
        "datetime" => F::DateTime,
    })
}

fn validate<'v>(_: &mut crate::eval::cost::Meter, args: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Opaque(opaque), Value::String(text)] = args else { return Err(Error::no_such_overload()) };
    let Opaque::Format(format) = &**opaque else { return Err(Error::no_such_overload()) };
    let wrong = format.wrong(text);
    if wrong.is_empty() {
        return Ok(Value::Optional(None));
    }
    let wrong: Vec<Value<'v>> = wrong.into_iter().map(Value::from).collect();
    Ok(Value::from(wrong).some())
}

const DNS_1123_LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', \
     and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation \
     is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const DNS_1123_SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, \
     '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation \
     is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const DNS_1035_LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with \
     an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
     validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const KEY_NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
     alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or \
     '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex \
     used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

impl NamedFormat {
    /// The length of the pattern that a check is priced as.
    pub(crate) fn pattern_length(self) -> u64 {
        match self {
            Self::Dns1123Label { .. } | Self::Dns1035Label { .. } => 30,
            Self::Dns1123Subdomain { .. } | Self::QualifiedName => 60,
            Self::LabelValue => 40,
            // The patterns that other checks have for these.
            Self::Uri => 1_120,
            Self::Uuid => 70,
            Self::Byte => 84,
            Self::Date | Self::DateTime => 71,
        }
    }

    /// What is wrong with a text, nothing if it has the format.
    fn wrong(self, text: &str) -> Vec<String> {
        let one = |is_right: bool, wrong: &str| if is_right { Vec::new() } else { vec![wrong.to_owned()] };
        match self {
            Self::Dns1123Label { is_prefix } => {
                let text = masked(text, is_prefix);
                bounded(&text, 63, "characters", is_label(&text), DNS_1123_LABEL)
            }
            Self::Dns1123Subdomain { is_prefix } => {
                let text = masked(text, is_prefix);
                bounded(&text, 253, "characters", text.split('.').all(is_label), DNS_1123_SUBDOMAIN)
            }
            Self::Dns1035Label { is_prefix } => {
                let text = masked(text, is_prefix);
                let starts = text.starts_with(|c: char| c.is_ascii_lowercase());
                bounded(&text, 63, "characters", starts && is_label(&text), DNS_1035_LABEL)
            }
            Self::QualifiedName => qualified_name(text),
            Self::LabelValue => bounded(text, 63, "bytes", text.is_empty() || is_key_name(text), LABEL_VALUE),
            Self::Uri => url::parse(text).err().into_iter().collect(),
            Self::Uuid => one(is_uuid(text), "does not match the UUID format"),
            Self::Byte => {
                let is_base64 =
                    !text.is_empty() && !text.contains(['\r', '\n']) && base64::decode_std(text).is_ok();
                one(is_base64, "invalid base64")
            }
            Self::Date => one(time::parse(text, Layout::Date).is_ok(), "invalid date"),
            Self::DateTime => one(time::schema_date_time(text).is_ok(), "invalid datetime"),
        }
    }
}

/// A prefix as it is checked where a name is: what follows a hyphen will be letters.
fn masked(name: &str, is_prefix: bool) -> String {
    match name.strip_suffix('-').filter(|_| is_prefix) {
        // Go cuts two bytes and puts one letter, so the byte before the hyphen goes unchecked.
        Some(stem) if !stem.is_empty() => {
            stem.get(..stem.len() - 1).map_or_else(|| name.to_owned(), |kept| format!("{kept}a"))
        }
        _ => name.to_owned(),
    }
}

fn bounded(text: &str, most: usize, unit: &str, is_right: bool, wrong: &str) -> Vec<String> {
    let mut found = Vec::new();
    if text.len() > most {
        found.push(format!("must be no more than {most} {unit}"));
    }
    if !is_right {
        found.push(wrong.to_owned());
    }
    found
}

fn is_label(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(&first), Some(&last)) => {
            is_inner(first) && is_inner(last) && bytes.iter().all(|&byte| is_inner(byte) || byte == b'-')
        }
        _ => false,
    }
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

fn qualified_name(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let name = match text.split_once('/') {
        None => text,
        Some((_, name)) if name.contains('/') => {
            return vec![format!(
                "a qualified name {KEY_NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
        Some(("", name)) => {
            wrong.push("prefix part must be non-empty".to_owned());
            name
        }
        Some((prefix, name)) => {
            let details =
                bounded(prefix, 253, "characters", prefix.split('.').all(is_label), DNS_1123_SUBDOMAIN);
            wrong.extend(details.iter().map(|detail| format!("prefix part {detail}")));
            name
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        wrong.push("name part must be no more than 63 characters".to_owned());
    }
    if !is_key_name(name) {
        wrong.push(format!("name part {KEY_NAME}"));
    }
    wrong
}

/// Hexadecimal digits in groups of 8, 4, 4, 4 and 12, with hyphens between them or without.
fn is_uuid(text: &str) -> bool {
    let mut rest = text.as_bytes();
    for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix(b"-").unwrap_or(rest);
        }
        match rest.split_at_checked(length) {
            Some((group, after)) if group.iter().all(u8::is_ascii_hexdigit) => rest = after,
            _ => return false,
        }
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        use NamedFormat as F;
        let label = F::Dns1123Label { is_prefix: false };
        for (format, right, wrong) in [
            (label, "abc-1", "a.b"),
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
            assert_eq!(format.wrong(right), Vec::<String>::new(), "{right}");
            assert!(!format.wrong(wrong).is_empty(), "{wrong}");
        }
        let long = "A".repeat(64);
        assert_eq!(label.wrong(&long), ["must be no more than 63 characters", DNS_1123_LABEL]);
    }
}
