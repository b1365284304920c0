//! The wording of messages for mistakes in YAML.

use super::super::error::{Fault, too_deep};

/// A mistake with its byte offset.
#[derive(Debug)]
pub(super) struct Mistake {
    pub(super) at: usize,
    pub(super) fault: Fault,
}

fn new(at: usize, message: &str, help: &str) -> Mistake {
    Mistake { at, fault: Fault::new(message).help(help) }
}

pub(super) fn tab(at: usize) -> Mistake {
    new(at, "a tab where YAML requires spaces", "indent with spaces")
}

pub(super) fn start_of_value(at: usize, char: char) -> Mistake {
    if char == '\t' {
        return tab(at);
    }
    new(at, &format!("a value cannot begin with `{char}`"), "put the value into quotes")
}

pub(super) fn unclosed_quote(at: usize) -> Mistake {
    new(at, "this quoted string has no end", "close the quote")
}

pub(super) fn escape(at: usize) -> Mistake {
    new(at, "an unknown escape in double quotes", "write `\\\\` for a backslash, or use single quotes")
}

pub(super) fn code_point(at: usize) -> Mistake {
    new(
        at,
        "this escape does not represent a character",
        "give the digits of one character, such as `\\u00e9`",
    )
}

pub(super) fn block_header(at: usize) -> Mistake {
    new(at, "only a sign and a digit from 1 to 9 may follow `|` or `>`", "begin the text on the next line")
}

pub(super) fn key_without_value(at: usize) -> Mistake {
    new(
        at,
        "a key without `: ` after it",
        "add `:` and a value, or indent the line more than the previous one",
    )
}

pub(super) fn entry_not_allowed(at: usize) -> Mistake {
    new(at, "a `- ` where a list cannot begin", "begin the list on a new line")
}

pub(super) fn key_not_allowed(at: usize) -> Mistake {
    new(at, "a `? ` where a map cannot begin", "begin the map on a new line")
}

pub(super) fn value_not_allowed(at: usize) -> Mistake {
    new(at, "a `: ` where a map cannot begin", "put the text into quotes, or begin the map on a new line")
}

pub(super) fn directive(at: usize) -> Mistake {
    new(
        at,
        "kubectl does not support YAML directives",
        "remove the line, or put it into quotes if it is text",
    )
}

pub(super) fn anchor_name(at: usize) -> Mistake {
    new(
        at,
        "an anchor name consists of letters, digits, `-` and `_`",
        "put the value into quotes if it is a string",
    )
}

pub(super) fn unknown_anchor(at: usize, name: &str) -> Mistake {
    new(at, &format!("no anchor `{name}` precedes this alias"), "put the value into quotes if it is a string")
}

pub(super) fn tag(at: usize) -> Mistake {
    new(at, "an invalid tag", "put the value into quotes if it is a string")
}

pub(super) fn list_indentation(at: usize) -> Mistake {
    new(at, "the line does not belong to a list or map above", "align the line with the other entries")
}

pub(super) fn map_indentation(at: usize) -> Mistake {
    new(at, "the line does not belong to a map or list above", "align the line with the other entries")
}

pub(super) fn flow_sequence(at: usize) -> Mistake {
    new(at, "expected `,` or `]` in this list", "close the list, or put the text into quotes")
}

pub(super) fn flow_mapping(at: usize) -> Mistake {
    new(at, "expected `,` or `}` in this map", "close the map, or put the text into quotes")
}

pub(super) fn node(at: usize) -> Mistake {
    new(at, "a value is missing here", "write a value, or `null`")
}

pub(super) fn document(at: usize) -> Mistake {
    new(at, "the document ends before this line", "begin a new document with `---`, or indent the line")
}

pub(super) fn depth(at: usize, limit: usize) -> Mistake {
    Mistake { at, fault: too_deep(limit) }
}
