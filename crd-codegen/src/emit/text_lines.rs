//! Splits text into lines with vector instructions, because all generated text is split several times.

use std::iter::once;

/// Returns the same lines as `text.split('\n')`.
pub(super) fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    memchr::memchr_iter(b'\n', text.as_bytes()).chain(once(text.len())).map(move |end| {
        let line = &text[start..end];
        start = end + 1;
        line
    })
}

/// Returns the same lines as `text.split_inclusive('\n')`.
pub(super) fn split_inclusive(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let rest = Some(text.len()).filter(|_| !text.is_empty() && !text.ends_with('\n'));
    memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).chain(rest).map(move |end| {
        let line = &text[start..end];
        start = end;
        line
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_strings() {
        for text in ["", "\n", "a", "a\n", "\na\r\n\nb", "\u{e9}\n\n"] {
            assert_eq!(split(text).collect::<Vec<_>>(), text.split('\n').collect::<Vec<_>>(), "{text:?}");
            let inclusive: Vec<&str> = split_inclusive(text).collect();
            assert_eq!(inclusive, text.split_inclusive('\n').collect::<Vec<_>>(), "{text:?}");
        }
    }
}
