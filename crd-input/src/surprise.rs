//! Finds plain scalars that have one value in YAML 1.1, which kubectl reads, and another value in YAML 1.2.

use crd_core::FieldPath;
use crd_core::check::{CrdAdvice, advice};
use serde_json::Value;

use super::scalar;
use super::yaml::Tag;

/// A scalar that kubectl reads differently from YAML 1.2 parsers.
#[derive(Clone, Debug, PartialEq)]
pub struct Surprise {
    /// The field.
    pub field: FieldPath,
    /// The text of the scalar.
    pub written: String,
    /// The value that kubectl reads, as JSON.
    pub read: String,
    /// `true` for a key of a map.
    pub is_key: bool,
}

/// The scalars in an object that kubectl reads differently from YAML 1.2.
#[derive(Clone, Debug, Default)]
pub struct Surprises {
    /// The first of these scalars, up to a limit.
    pub noted: Vec<Surprise>,
    /// The number of further such scalars in the document. It is 0 for all objects of the document but the first.
    pub more: usize,
}

/// Maximum number of such scalars that are kept for a document. Further scalars are only counted.
pub(super) const MOST: usize = 100;

impl Surprises {
    /// Returns the advice on these scalars.
    pub fn advice(&self) -> impl Iterator<Item = CrdAdvice> {
        let noted = self.noted.iter().map(|surprise| {
            CrdAdvice::new(
                advice::YAML_1_1,
                surprise.field.clone(),
                surprise.message(),
                Some(surprise.help()),
            )
        });
        let more = (self.more > 0).then(|| {
            let message = format!(
                "kubectl reads {} more scalars of this document differently: it reads YAML 1.1",
                self.more
            );
            CrdAdvice::new(advice::YAML_1_1, FieldPath::root(), message, None)
        });
        noted.chain(more)
    }
}

impl Surprise {
    /// Returns the message, on one line.
    #[must_use]
    pub fn message(&self) -> String {
        let what = if self.is_key { "the key " } else { "" };
        format!("kubectl reads {what}`{}` as `{}`: it reads YAML 1.1", self.written, self.read)
    }

    /// Returns the remedy.
    #[must_use]
    pub fn help(&self) -> String {
        format!("write `\"{}\"` for the string, or `{}`", self.written, self.read)
    }
}

/// Returns the value that kubectl reads, if it differs from the value in YAML 1.2.
pub(super) fn reading(text: &str, plain: bool, tag: Tag) -> Option<String> {
    // Few scalars begin with one of these characters, so most return here.
    let may_differ = match text.as_bytes() {
        [b'y' | b'Y' | b'n' | b'N' | b'o' | b'O', ..] => text.len() <= 3,
        [b'+' | b'-', b'0', _, ..] | [b'0', _, ..] => true,
        [b'+' | b'-' | b'.' | b'0'..=b'9', ..] => text.contains('_'),
        _ => false,
    };
    if !may_differ || !plain || tag != Tag::None {
        return None;
    }
    let read = scalar::value(text.into(), plain, tag).ok()?;
    if read.is_string() || in_core_schema(text) == Some(read.clone()) { None } else { Some(read.to_string()) }
}

/// Returns a scalar's integer in the core schema of YAML 1.2. All other scalars at this point have different values in the two versions.
fn in_core_schema(text: &str) -> Option<Value> {
    let digits = |digits: &str, base| {
        let has_sign = digits.starts_with(['+', '-']);
        (!has_sign).then(|| i64::from_str_radix(digits, base).ok()).flatten()
    };
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        return digits(hexadecimal, 16).map(Value::from);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return digits(octal, 8).map(Value::from);
    }
    if text.contains('_') {
        return None;
    }
    match text.parse::<i64>() {
        Ok(int) => Some(Value::from(int)),
        // A float with a leading zero is the same in both.
        Err(_)
            if text.contains(['.', 'e', 'E'])
                && text.contains(|c: char| c.is_ascii_digit())
                && !text.contains(['x', 'X']) =>
        {
            scalar::value(text.into(), true, Tag::None).ok()
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Source};

    #[test]
    fn readings_that_differ() {
        let differ = [
            ("y", "true"),
            ("N", "false"),
            ("on", "true"),
            ("OFF", "false"),
            ("No", "false"),
            ("yes", "true"),
            ("017", "15"),
            ("-017", "-15"),
            ("1_000", "1000"),
            ("0b11", "3"),
            ("-0x1F", "-31"),
            ("0X1F", "31"),
            ("1_0.5", "10.5"),
            ("0_1", "1"),
        ];
        for (text, read) in differ {
            assert_eq!(reading(text, true, Tag::None).as_deref(), Some(read), "{text}");
            assert_eq!(reading(text, false, Tag::None), None, "in quotes");
            assert_eq!(reading(text, true, Tag::Str), None, "with a tag");
        }
        let same = [
            "true",
            "False",
            "null",
            "~",
            "0",
            "00",
            "-0",
            "07",
            "0o17",
            "0x1F",
            "089",
            "0.5",
            "00.5",
            "0e3",
            "1e3",
            "12",
            "12:30",
            "2020-01-01",
            "nope",
            "once",
            "yEs",
            "_1",
            "0x",
            "0z",
            "-",
            "1.",
            "a_b",
        ];
        for text in same {
            assert_eq!(reading(text, true, Tag::None), None, "{text}");
        }
    }

    #[test]
    fn those_beyond_the_first_are_counted() {
        let source = Source::from_string("a.yaml", format!("x:\n{}", "- on\n".repeat(MOST + 30)));
        let (objects, errors) = crate::objects(&source, &Limits::default());
        assert!(errors.is_empty());
        let [object] = &*objects else { panic!("one document") };
        assert_eq!((object.surprises.noted.len(), object.surprises.more), (MOST, 30));
    }
}
