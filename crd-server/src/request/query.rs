//! Parses query parameters.

use std::num::IntErrorKind;

use crd_go::url::unescape_query;

use crate::status::Failure;

/// The query parameters in a URL, in the order of the URL.
#[derive(Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads the part of a URL after `?`. Unreadable parameters are ignored, as in Go.
    pub(crate) fn parse(text: &str) -> Self {
        let pair = |pair: &str| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((unescape_query(key).ok()?, unescape_query(value).ok()?))
        };
        let pairs = text.split('&').filter(|part| !part.is_empty() && !part.contains(';'));
        Self(pairs.filter_map(pair).collect())
    }

    /// Returns the first value of a parameter.
    pub(crate) fn first<'a>(&'a self, key: &'a str) -> Option<&'a str> {
        self.all(key).next()
    }

    /// Returns a parameter's value, or an empty string if the parameter is absent.
    pub(crate) fn text<'a>(&'a self, key: &'a str) -> &'a str {
        self.first(key).unwrap_or_default()
    }

    pub(crate) fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Returns the value of a boolean parameter. Every value except `false` and `0` means `true`, even an empty value.
    ///
    /// Source: `Convert_Slice_string_To_bool` in `k8s.io/apimachinery/pkg/runtime/conversion.go`.
    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        self.first(key).map(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
    }

    /// Returns the value of an integer parameter.
    pub(crate) fn number(&self, key: &str) -> Result<Option<i64>, Failure> {
        let Some(text) = self.first(key) else { return Ok(None) };
        text.parse().map(Some).map_err(|error: std::num::ParseIntError| {
            let problem = match error.kind() {
                IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
                _ => "invalid syntax",
            };
            let text = crd_go::strings::quote(text);
            Failure::bad_request(format!("strconv.ParseInt: parsing {text}: {problem}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_unescaped() {
        let query = Query::parse("a=1&b=x%3Dy+z&a=2&watch&force=False&bad=%zz");
        assert_eq!(query.all("a").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(query.text("b"), "x=y z");
        assert_eq!(
            (query.flag("watch"), query.flag("force"), query.flag("c")),
            (Some(true), Some(false), None)
        );
        assert_eq!(query.first("bad"), None);
        assert!(query.number("b").is_err());
    }
}
