//! Escapes characters that would control a terminal.

use std::borrow::Cow;

/// Escapes all characters that control terminals or reorder other characters.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if acts(char) {
            out.extend(char.escape_default());
        } else {
            out.push(char);
        }
    }
    Cow::Owned(out)
}

/// Returns `true` for control characters, line and paragraph separators, and control characters for bidirectional text.
fn acts(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// Maximum length of a text that is shown completely. The API server's errors quote strings from CRDs, and a string can be several
/// megabytes long.
const LONGEST_TEXT: usize = 1_000;

/// Removes the middle of a long text.
#[must_use]
pub fn shortened(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST_TEXT {
        return Cow::Borrowed(text);
    }
    let head = boundary(text, LONGEST_TEXT * 3 / 4);
    let tail = boundary(text, text.len() - LONGEST_TEXT / 4);
    Cow::Owned(format!("{} [... {} bytes ...] {}", &text[..head], tail - head, &text[tail..]))
}

/// Returns the last character boundary at or before `byte`.
fn boundary(text: &str, byte: usize) -> usize {
    (0..=byte).rev().find(|byte| text.is_char_boundary(*byte)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(shortened("short"), "short");
        let long = shortened(&"é".repeat(10_000)).into_owned();
        assert!(
            long.starts_with("éé") && long.ends_with("éé") && long.contains(" [... 19000 bytes ...] "),
            "{long}"
        );
    }
}
