//! Finds the path to a cursor within braces and brackets, in YAML and JSON.

use std::ops::Range;

use super::lines::quoted_end;
use super::place::{Cursor, CursorPart, CursorStep};

/// An open map or list.
enum Frame {
    /// A map, with the key of the current value.
    Map(Option<String>),
    /// A list, with the number of preceding items.
    List(usize),
}

/// Maximum nesting depth. The parser also rejects deeper texts.
const MOST_DEPTH: usize = 500;

/// Returns the cursor for the byte `at` in a value that begins at the byte `open`. `path` is the path to this value.
pub(super) fn find(text: &str, open: usize, at: usize, path: Vec<CursorStep>) -> Option<Cursor> {
    let mut frames: Vec<Frame> = Vec::new();
    let mut from = open;
    // The last scalar, which is a key if a colon follows.
    let mut scalar: Option<Range<usize>> = None;
    while from < text.len() {
        if from >= at && !frames.is_empty() && scalar.is_none() && !begins_scalar(text, from) {
            return Some(place(&frames, path, at..at, false));
        }
        let rest = &text[from..];
        let next = rest.chars().next()?;
        match next {
            '{' | '[' | '}' | ']' | ',' | ':' => punctuation(next, text, &mut frames, &mut scalar)?,
            '#' if text[..from].ends_with([' ', '\n']) => {
                let end = rest.find('\n').unwrap_or(rest.len());
                if at > from && at <= from + end {
                    return None;
                }
                from += end;
                continue;
            }
            _ if next.is_whitespace() => {}
            _ => {
                let end = scalar_end(text, from);
                if (from..=end).contains(&at) {
                    let is_key = text[end..].trim_start().starts_with(':');
                    return Some(place(&frames, path, from..end, is_key));
                }
                scalar = Some(from..end);
                from = end;
                continue;
            }
        }
        from += next.len_utf8();
        if from > at && frames.is_empty() {
            return None;
        }
    }
    (!frames.is_empty()).then(|| place(&frames, path, at..at, false))
}

/// Handles a character that opens, closes or continues a map or a list. Returns `None` at the end of the outermost map or list, and outside
/// of it.
fn punctuation(
    next: char,
    text: &str,
    frames: &mut Vec<Frame>,
    scalar: &mut Option<Range<usize>>,
) -> Option<()> {
    match (next, scalar.take()) {
        ('{', _) => frames.push(Frame::Map(None)),
        ('[', _) => frames.push(Frame::List(0)),
        ('}' | ']', _) => {
            frames.pop();
            frames.last()?;
        }
        (',', _) => match frames.last_mut()? {
            Frame::Map(key) => *key = None,
            Frame::List(count) => *count += 1,
        },
        (_, Some(bytes)) => {
            if let Frame::Map(key) = frames.last_mut()? {
                *key = Some(text[bytes].trim_matches(['\'', '"']).to_owned());
            }
        }
        (_, None) => {}
    }
    (frames.len() <= MOST_DEPTH).then_some(())
}

fn begins_scalar(text: &str, at: usize) -> bool {
    text[at..].starts_with(|next: char| !next.is_whitespace() && !",}]:{[#".contains(next))
}

fn scalar_end(text: &str, start: usize) -> usize {
    if text[start..].starts_with(['\'', '"']) {
        return quoted_end(text, start);
    }
    let rest = &text[start..];
    let is_end = |(at, next): &(usize, char)| match next {
        ',' | '}' | ']' | '{' | '[' | '\n' | '\r' => true,
        ':' => rest[at + 1..].is_empty() || rest[at + 1..].starts_with([' ', ',', '}', ']', '\n', '\r']),
        '#' => rest[..*at].ends_with(' '),
        _ => false,
    };
    let end = rest.char_indices().find(is_end).map_or(rest.len(), |(at, _)| at);
    start + rest[..end].trim_end().len().max(1)
}

fn place(frames: &[Frame], mut path: Vec<CursorStep>, bytes: Range<usize>, is_key: bool) -> Cursor {
    let (last, above) = frames.split_last().map_or((None, frames), |(last, above)| (Some(last), above));
    for frame in above {
        path.push(match frame {
            Frame::Map(key) => CursorStep::Key(key.clone().unwrap_or_default()),
            Frame::List(count) => CursorStep::Item(*count),
        });
    }
    let part = match last {
        Some(Frame::Map(Some(key))) if !is_key => {
            path.push(CursorStep::Key(key.clone()));
            CursorPart::Value
        }
        Some(Frame::List(count)) => {
            path.push(CursorStep::Item(*count));
            CursorPart::Value
        }
        _ => CursorPart::Key,
    };
    Cursor { path, part, bytes, column: None }
}
