//! Index of a text's lines and columns. The time for a lookup depends neither on the length of the text nor on the length of the line.

use std::ops::Range;

/// The number of bytes between two recorded character counts.
const BLOCK: usize = 4096;

/// The start of each line, and the number of characters before each block of a text.
#[derive(Clone, Debug)]
pub struct Lines {
    /// The offsets of lines in bytes.
    starts: Vec<u32>,
    /// The number of characters before each block.
    characters: Vec<u32>,
}

impl Lines {
    /// Creates the index of a text. The text must be shorter than 4 GiB.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let short = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let newlines = memchr::memchr_iter(b'\n', text.as_bytes());
        let starts = std::iter::once(0).chain(newlines.map(|at| short(at + 1))).collect();
        let mut count = 0;
        let mut characters = Vec::with_capacity(text.len() / BLOCK + 1);
        for block in text.as_bytes().chunks(BLOCK) {
            characters.push(short(count));
            count += characters_in(block);
        }
        Self { starts, characters }
    }

    /// Returns a byte's line, and its column in characters, both from 1.
    #[must_use]
    pub fn position(&self, text: &str, byte: usize) -> (usize, usize) {
        let byte = byte.min(text.len());
        let line = self.starts.partition_point(|start| *start as usize <= byte);
        let start = self.starts[line - 1] as usize;
        (line, self.before(text, byte) - self.before(text, start) + 1)
    }

    /// Returns the bytes of the line that contains a byte, without its line end.
    #[must_use]
    pub fn line(&self, text: &str, byte: usize) -> Range<usize> {
        let line = self.starts.partition_point(|start| *start as usize <= byte);
        let start = self.starts[line - 1] as usize;
        let end = self.starts.get(line).map_or(text.len(), |next| *next as usize - 1);
        let end = if end > start && text.as_bytes().get(end - 1) == Some(&b'\r') { end - 1 } else { end };
        start..end
    }

    /// Returns the number of characters that begin before a byte.
    fn before(&self, text: &str, byte: usize) -> usize {
        let block = (byte / BLOCK).min(self.characters.len().saturating_sub(1));
        let counted = self.characters.get(block).map_or(0, |count| *count as usize);
        counted + characters_in(&text.as_bytes()[block * BLOCK..byte])
    }
}

/// Returns the number of characters that begin in these bytes.
fn characters_in(bytes: &[u8]) -> usize {
    // A sum of bytes takes many at once, and that of 255 numbers up to 1 is a byte.
    let count = |part: &[u8]| part.iter().map(|byte| u8::from(byte & 0xC0 != 0x80)).sum::<u8>();
    bytes.chunks(255).map(|part| usize::from(count(part))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_counting() {
        for text in ["", "a\n", "a\nbé\r\n\nc", &"é\n".repeat(5000), &"xé".repeat(9000)] {
            let lines = Lines::new(text);
            let bytes = (0..=text.len()).filter(|byte| text.is_char_boundary(*byte));
            for byte in bytes.step_by(1 + text.len() / 300) {
                let before = &text[..byte];
                let start = before.rfind('\n').map_or(0, |newline| newline + 1);
                let expected = (before.matches('\n').count() + 1, before[start..].chars().count() + 1);
                assert_eq!(lines.position(text, byte), expected);
                let line = text[start..].lines().next().unwrap_or_default();
                assert_eq!(&text[lines.line(text, byte)], line);
            }
        }
    }
}
