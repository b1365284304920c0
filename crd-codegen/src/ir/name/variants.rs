//! Assigns names to variants: the values of an enum in `UpperCamelCase`.

use std::collections::{HashMap, HashSet};

use serde_json::Number;

use super::{Wish, assign, case};
use crate::ir::{Enum, Values};

/// The variant of an open enum for all other values.
pub(crate) const UNKNOWN: &str = "Unknown";

/// Names the variants of an enum, in the order of its values.
pub(crate) fn variants(enum_: &Enum) -> Vec<String> {
    let taken = if enum_.is_open { HashSet::from([UNKNOWN.to_owned()]) } else { HashSet::new() };
    let texts: Vec<String> = match &enum_.values {
        Values::Strings(values) => values.iter().map(ToString::to_string).collect(),
        Values::Booleans(values) => values.iter().map(bool::to_string).collect(),
        Values::Integers(values) => values.iter().map(i64::to_string).collect(),
        Values::Numbers(values) => values.iter().map(Number::to_string).collect(),
    };
    let is_text = matches!(enum_.values, Values::Strings(_) | Values::Booleans(_));
    let plain: Vec<String> =
        texts.iter().map(|text| if is_text { wish(text) } else { number(text) }).collect();
    let mut askers: HashMap<&str, usize> = HashMap::new();
    for name in &plain {
        *askers.entry(name).or_default() += 1;
    }
    // `a+` and `a-` differ in their symbols only, so these are spelled out.
    let wishes = texts.iter().zip(&plain).map(|(text, name)| {
        let is_apart = askers[name.as_str()] == 1 || text.chars().all(char::is_alphanumeric);
        let name = if is_apart { name.clone() } else { identifier(case::camel(&case::spelled(text))) };
        Wish { text, name }
    });
    assign(&wishes.collect::<Vec<_>>(), &taken, "")
}

/// A `rename_all` rule of serde for variants (`internals/case.rs` of `serde_derive`).
#[derive(Clone, Copy)]
pub(crate) struct RenameRule {
    pub(crate) name: &'static str,
    apply: fn(&str) -> String,
}

impl RenameRule {
    const ALL: [Self; 7] = [
        Self { name: "lowercase", apply: str::to_ascii_lowercase },
        Self { name: "UPPERCASE", apply: str::to_ascii_uppercase },
        Self { name: "camelCase", apply: |name| name[..1].to_ascii_lowercase() + &name[1..] },
        Self { name: "snake_case", apply: snake },
        Self { name: "SCREAMING_SNAKE_CASE", apply: |name| snake(name).to_ascii_uppercase() },
        Self { name: "kebab-case", apply: |name| snake(name).replace('_', "-") },
        Self {
            name: "SCREAMING-KEBAB-CASE",
            apply: |name| snake(name).replace('_', "-").to_ascii_uppercase(),
        },
    ];

    /// Returns the rule with which the fewest variants need a `rename`. Returns `None` if no rule would save a line.
    pub(crate) fn choose(names: &[String], values: &[impl AsRef<str>]) -> Option<Self> {
        let renamed = |value_of: fn(&str) -> String| {
            names.iter().zip(values).filter(|(name, value)| value_of(name) != value.as_ref()).count()
        };
        let rules = Self::ALL.map(|rule| (renamed(rule.apply), rule));
        let (fewest, rule) = rules.into_iter().min_by_key(|(count, _)| *count)?;
        (1 + fewest < renamed(str::to_owned)).then_some(rule)
    }

    /// Returns the value of a variant that has no `rename`.
    pub(crate) fn value(self, name: &str) -> String {
        (self.apply)(name)
    }
}

/// Returns the name in lower case, with `_` before each upper-case letter except the first character.
fn snake(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_ascii_uppercase() {
            words.push('_');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

fn wish(value: &str) -> String {
    if value.is_empty() {
        return "Empty".to_owned();
    }
    let name = words(value);
    if name.is_empty() { identifier(case::camel(&case::spelled(value))) } else { identifier(name) }
}

fn number(text: &str) -> String {
    let digits = text.trim_start_matches('-');
    let sign = if digits.len() < text.len() { "Minus" } else { "" };
    identifier(format!("{sign}{}", words(digits)))
}

/// Returns a value in `UpperCamelCase`, but with `_` between digits: `1.2` becomes `1_2`, not `12`.
fn words(value: &str) -> String {
    let bytes = value.as_bytes();
    let is_digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let mut name = String::new();
    let mut start = 0;
    for i in 1..bytes.len() {
        if !bytes[i].is_ascii_alphanumeric() && bytes[i].is_ascii() && is_digit(i - 1) && is_digit(i + 1) {
            name += &case::camel(&value[start..i]);
            name.push('_');
            start = i + 1;
        }
    }
    name + &case::camel(&value[start..])
}

fn identifier(name: String) -> String {
    match name.as_str() {
        "" => "Other".to_owned(),
        // The one name in this case that is a keyword, and it cannot be written with `r#`.
        "Self" => "SelfValue".to_owned(),
        _ if name.starts_with(|c: char| c.is_ascii_digit()) => format!("V{name}"),
        _ => name,
    }
}
