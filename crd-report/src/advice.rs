//! Selects advice by name, and limits how much advice is shown.

use std::collections::BTreeMap;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use crd_core::check::advice;

use crate::{Level, Message};

/// The options of a command line. A name takes precedence over `all`, and `deny` over `allow`.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Advice")]
pub struct Choices {
    /// Hide advice with this name; repeatable
    #[arg(long, value_name = "NAME", value_parser = names())]
    allow: Vec<String>,
    /// Treat advice with this name as an error; repeatable
    #[arg(long, value_name = "NAME", value_parser = names())]
    deny: Vec<String>,
}

/// The name that selects all advice, or all lint rules.
pub const ALL: &str = "all";

impl Choices {
    /// Returns the level of advice with this name; `None` if it is hidden.
    #[must_use]
    pub fn level(&self, name: &str) -> Option<Level> {
        let has = |list: &[String], name: &str| list.iter().any(|chosen| chosen == name);
        [name, ALL]
            .into_iter()
            .find_map(|name| match (has(&self.deny, name), has(&self.allow, name)) {
                (true, _) => Some(Some(Level::Error)),
                (false, true) => Some(None),
                (false, false) => None,
            })
            .unwrap_or(Some(Level::Note))
    }
}

/// Maximum number of similar warnings, and of pieces of advice with the same name, in the text output for a file.
const SHOWN: usize = 10;

/// Keeps the first of several similar warnings in each file, and counts the rest. Warnings are similar if they differ only
/// in quoted values and numbers. Errors and advice are kept.
#[must_use]
pub fn group_warnings(messages: Vec<Message>) -> Vec<Message> {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    let keeps = |message: &Message| {
        if message.level != Level::Warning {
            return true;
        }
        let shape = shape(message.text.get(message.path_bytes..).unwrap_or(&message.text));
        let count = counts.entry((message.file.clone(), shape)).or_default();
        *count += 1;
        *count <= SHOWN
    };
    let mut shown: Vec<Message> = Vec::new();
    shown.extend(messages.into_iter().filter(keeps));
    let more = counts.into_iter().filter(|(_, count)| *count > SHOWN);
    shown.extend(more.map(|((file, shape), count)| Message {
        level: Level::Warning,
        file,
        help: Some("`--format json` shows all".to_owned()),
        ..Message::for_run(format!("{} more like this in this file: {shape}", count - SHOWN))
    }));
    shown
}

/// Returns a warning's text without quoted values and numbers.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        shape.push(char);
        if matches!(char, '"' | '`') {
            if chars.by_ref().any(|other| other == char) {
                shape.push_str("...");
                shape.push(char);
            }
        } else if char.is_ascii_digit() {
            shape.pop();
            shape.push('0');
            while chars.next_if(char::is_ascii_digit).is_some() {}
        }
    }
    shape
}

/// Keeps the first pieces of advice with each name in each file, and counts the rest.
#[must_use]
pub fn shorten(messages: Vec<Message>) -> Vec<Message> {
    let mut counts: BTreeMap<(String, &'static str), usize> = BTreeMap::new();
    let mut shown = Vec::new();
    for message in messages {
        let count = counts.entry((message.file.clone(), message.reason)).or_default();
        *count += 1;
        if *count <= SHOWN {
            shown.push(message);
        }
    }
    let more = counts.into_iter().filter(|(_, count)| *count > SHOWN);
    shown.extend(more.map(|((file, reason), count)| Message {
        level: Level::Note,
        file,
        reason,
        is_advice: true,
        text: format!("{} more with this name in this file", count - SHOWN),
        path_bytes: 0,
        help: Some("`--format json` shows all".to_owned()),
        spot: None,
    }));
    shown
}

fn names() -> PossibleValuesParser {
    let named = |name: &'static str| match about(name) {
        Some(about) => PossibleValue::new(name).help(about),
        None => PossibleValue::new(name),
    };
    let all = PossibleValue::new(ALL).help("All advice");
    PossibleValuesParser::new(advice::NAMES.into_iter().map(named).chain([all]))
}

/// Returns the description of the advice with this name, on one line.
fn about(name: &str) -> Option<&'static str> {
    Some(match name {
        advice::COLUMN_WITHOUT_FIELD => "A printer column whose path is not in the schema",
        advice::DROPPED_VALUE => "An empty value that the API server does not keep",
        advice::FIELD_LOST_BETWEEN_VERSIONS => {
            "A field that objects lose when they are stored in another version"
        }
        advice::INERT_FIELD => "A feature that the chosen release accepts but ignores",
        advice::LIST_WITHOUT_TYPE => "Lists without `x-kubernetes-list-type`",
        advice::NAMES_NOT_ACCEPTED => {
            "A new short name that is already another name of the stored CRD, such as its plural"
        }
        advice::SCALE_WITHOUT_FIELD => "A path of the scale subresource that is not in the schema",
        advice::TOO_LARGE_FOR_APPLY => "A CRD that is too large for client-side apply",
        advice::UNKNOWN_FIELD => "A key that is not a field of the API",
        advice::YAML_1_1 => "A plain scalar that kubectl reads as YAML 1.1, not as YAML 1.2: `on`, `017`",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_take_precedence_over_all() {
        let of = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
        let level = |allow: &[&str], deny: &[&str]| {
            Choices { allow: of(allow), deny: of(deny) }.level(advice::UNKNOWN_FIELD)
        };
        assert_eq!(level(&[], &[]), Some(Level::Note));
        assert_eq!(level(&["all"], &[]), None);
        assert_eq!(level(&["all"], &["unknown-field"]), Some(Level::Error));
        assert_eq!(level(&["unknown-field"], &["all"]), None);
        assert_eq!(level(&["unknown-field"], &["dropped-value"]), None);
    }

    #[test]
    fn warnings_of_one_shape_are_counted() {
        assert_eq!(shape("unrecognized format \"a 1\""), "unrecognized format \"...\"");
        assert_eq!(shape("at 12 and `x`, \"open"), "at 0 and `...`, \"");
        let warning = |number: usize| Message {
            level: Level::Warning,
            file: "a.yaml".to_owned(),
            ..Message::for_run(format!("unrecognized format \"x{number}\""))
        };
        let messages: Vec<Message> = (0..13).map(warning).chain([Message::for_run("x".to_owned())]).collect();
        let shown = group_warnings(messages);
        assert_eq!(shown.len(), 12);
        assert_eq!(shown[11].text, "3 more like this in this file: unrecognized format \"...\"");
    }

    #[test]
    fn every_name_is_explained() {
        assert!(advice::NAMES.into_iter().all(|name| about(name).is_some()));
    }
}
