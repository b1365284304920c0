//! Values in the messages of causes: `field.Error.ErrorBody`.
//!
//! Since 1.34, everything except scalars is printed as JSON; earlier versions use Go syntax.
//!
//! Source: `k8s.io/apimachinery/pkg/util/validation/field/errors.go`.

use crate::KubeVersion;
use crate::number::{Form, shortest};
use crate::strings::{quote, write_json_string};

/// A value, printed for the message of a cause.
pub struct Shown(pub String);

impl Shown {
    /// Formats an absent value.
    pub fn null(version: KubeVersion) -> Self {
        Self(if version.is_at_least(34) { "null" } else { "\"null\"" }.to_owned())
    }

    /// Formats a string that has its own type in Go.
    pub fn named(text: &str, version: KubeVersion) -> Self {
        if !version.is_at_least(34) {
            return text.into();
        }
        let mut out = String::new();
        write_json_string(&mut out, text);
        Self(out)
    }

    /// Formats a pointer to a string.
    pub fn pointer(text: Option<&str>, version: KubeVersion) -> Self {
        text.map_or_else(|| Self::null(version), |text| Self::named(text, version))
    }

    /// Formats a time, which the server prints in RFC 3339 and UTC.
    pub fn time(text: Option<&str>, version: KubeVersion) -> Self {
        match text.and_then(|text| text.strip_suffix('Z')) {
            // `Time.String`
            Some(text) if !version.is_at_least(34) => Self(text.replacen('T', " ", 1) + " +0000 UTC"),
            _ => Self::pointer(text, version),
        }
    }

    /// Formats a list of strings; `None` stands for Go's nil slice.
    pub fn strings(texts: Option<&[String]>, version: KubeVersion) -> Self {
        let is_json = version.is_at_least(34);
        let Some(texts) = texts else {
            return Self(if is_json { "null" } else { "[]string(nil)" }.to_owned());
        };
        let mut out = String::from(if is_json { "[" } else { "[]string{" });
        for (i, text) in texts.iter().enumerate() {
            match (i, is_json) {
                (0, _) => {}
                (_, true) => out.push(','),
                (_, false) => out.push_str(", "),
            }
            let Self(text) = Self::named(text, version);
            out.push_str(&text);
        }
        out.push(if is_json { ']' } else { '}' });
        Self(out)
    }
}

impl From<&str> for Shown {
    fn from(text: &str) -> Self {
        Self(quote(text))
    }
}

impl From<bool> for Shown {
    fn from(value: bool) -> Self {
        Self(value.to_string())
    }
}

impl From<i64> for Shown {
    fn from(value: i64) -> Self {
        Self(value.to_string())
    }
}

impl From<f64> for Shown {
    fn from(value: f64) -> Self {
        Self(shortest(value, Form::General))
    }
}
