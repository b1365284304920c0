//! Turns hostile text into text that a terminal only shows.

use std::borrow::Cow;

/// The text with every character escaped that a terminal would act upon or that would turn the order of others.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
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

/// Controls, line and paragraph separators, and the marks of bidirectional text.
fn acts(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}
