//! A cursor in a text, with the character classes of YAML 1.1.

/// The scanner's position. After the end of the text, the byte is NUL, which no text contains.
pub(super) struct Cursor<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// The start of the line.
    pub(super) line: usize,
}

const BLANK: u8 = 1;
const BREAK: u8 = 2;
/// A byte that can be the first of NEL, LS or PS, which needs a further check.
const MAYBE_BREAK: u8 = 4;
const END: u8 = 8;
const FLOW: u8 = 16;
const COLON: u8 = 32;
/// A byte that ends a quoted scalar, or begins an escape in it.
const QUOTE: u8 = 64;

const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    class[b' ' as usize] = BLANK;
    class[b'\t' as usize] = BLANK;
    class[b'\n' as usize] = BREAK;
    class[b'\r' as usize] = BREAK;
    class[0xC2] = MAYBE_BREAK;
    class[0xE2] = MAYBE_BREAK;
    class[0] = END;
    class[b':' as usize] = COLON;
    class[b'"' as usize] = QUOTE;
    class[b'\'' as usize] = QUOTE;
    class[b'\\' as usize] = QUOTE;
    let mut flow = 0;
    while flow < 6 {
        class[b",?[]{}"[flow] as usize] = FLOW;
        flow += 1;
    }
    class
};

const SPACES: u64 = u64::from_ne_bytes([b' '; 8]);

/// Maximum number of bytes that one search in a line of prose examines. Every word of the line can begin a search.
const PROSE: usize = 256;

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        Self { text, at, line: at }
    }

    pub(super) fn byte(&self) -> u8 {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, by: usize) -> u8 {
        self.text.as_bytes().get(self.at + by).copied().unwrap_or(0)
    }

    /// Returns the column in bytes. Wherever columns matter, only ASCII characters precede the cursor.
    pub(super) fn column(&self) -> usize {
        self.at - self.line
    }

    pub(super) fn is_blank(&self) -> bool {
        CLASS[self.byte() as usize] & BLANK != 0
    }

    pub(super) fn is_end(&self) -> bool {
        self.byte() == 0
    }

    pub(super) fn is_break(&self) -> bool {
        self.break_length(0) != 0
    }

    pub(super) fn is_break_or_end(&self) -> bool {
        self.is_end() || self.is_break()
    }

    /// Returns `true` if the byte `by` bytes ahead is a blank, a line break or the end.
    pub(super) fn ends_word(&self, by: usize) -> bool {
        let class = CLASS[self.ahead(by) as usize];
        class & (BLANK | BREAK | END) != 0 || (class & MAYBE_BREAK != 0 && self.break_length(by) != 0)
    }

    /// Returns the length in bytes of the line break that is `by` bytes ahead, or 0.
    pub(super) fn break_length(&self, by: usize) -> usize {
        match self.ahead(by) {
            b'\n' => 1,
            b'\r' => 1 + usize::from(self.ahead(by + 1) == b'\n'),
            0xC2 if self.ahead(by + 1) == 0x85 => 2,
            0xE2 if self.ahead(by + 1) == 0x80 && matches!(self.ahead(by + 2), 0xA8 | 0xA9) => 3,
            _ => 0,
        }
    }

    /// Returns `true` at `---` or `...` at the beginning of a line.
    pub(super) fn is_document_indicator(&self) -> bool {
        self.column() == 0
            && matches!([self.byte(), self.ahead(1), self.ahead(2)], [b'-', b'-', b'-'] | [b'.', b'.', b'.'])
            && self.ends_word(3)
    }

    /// Skips a line break, and returns the text that it becomes in a scalar: LS and PS are kept, and all others become `\n`.
    pub(super) fn take_break(&mut self) -> &'t str {
        let length = self.break_length(0);
        let text = &self.text[self.at..self.at + length];
        self.at += length;
        self.line = self.at;
        if length == 3 { text } else { "\n" }
    }

    /// Skips a line break, if there is one.
    pub(super) fn take_break_or_end(&mut self) -> &'t str {
        if self.is_break() { self.take_break() } else { "" }
    }

    /// Skips to the end of the line, and returns the skipped text.
    pub(super) fn take_line(&mut self) -> &'t str {
        let start = self.at;
        let rest = self.rest();
        let line = &rest[..memchr::memchr2(b'\n', 0, rest).unwrap_or(rest.len())];
        if memchr::memchr3(b'\r', 0xC2, 0xE2, line).is_none() {
            self.at += line.len();
        } else {
            self.skip_until(BREAK | END, |_| true);
        }
        &self.text[start..self.at]
    }

    /// Skips a part of a plain scalar. The part contains no blanks except between ordinary characters.
    pub(super) fn take_plain(&mut self, in_flow: bool) -> &'t str {
        let start = self.at;
        let stops = BLANK | BREAK | END | if in_flow { FLOW } else { 0 };
        loop {
            self.skip_until(stops | COLON, |cursor| cursor.byte() != b':' || cursor.ends_word(1));
            // Most scalars are prose: the next word of the line follows at once.
            let next = self.ahead(1);
            let is_ordinary = CLASS[next as usize] & !QUOTE == 0 && next != b'#';
            let goes_on = self.at > start && self.byte() == b' ' && is_ordinary;
            if !goes_on {
                return &self.text[start..self.at];
            }
            self.at += if in_flow { 2 } else { self.prose() };
        }
    }

    /// Returns the length of the next part of the line, without blanks at its end, if any words there would belong to a plain
    /// scalar in a block; otherwise 2. The cursor is at a blank followed by an ordinary character.
    fn prose(&self) -> usize {
        let rest = self.rest();
        let near = &rest[..PROSE.min(rest.len())];
        let line = &near[..memchr::memchr2(b'\n', 0, near).unwrap_or(near.len())];
        let is_prose = memchr::memchr3(b':', b'#', b'\t', line).is_none()
            && memchr::memchr3(b'\r', 0xC2, 0xE2, line).is_none();
        if is_prose { line.trim_ascii_end().len() } else { 2 }
    }

    /// Skips the part of a quoted scalar without escapes, blanks and line breaks.
    pub(super) fn take_quoted(&mut self, quote: u8) -> &'t str {
        let start = self.at;
        self.skip_until(BLANK | BREAK | END | QUOTE, |cursor| match cursor.byte() {
            b'\\' => quote == b'"',
            mark @ (b'"' | b'\'') => mark == quote,
            _ => true,
        });
        &self.text[start..self.at]
    }

    /// Skips at most this many spaces.
    pub(super) fn skip_spaces(&mut self, most: usize) {
        let rest = self.rest();
        let rest = &rest[..most.min(rest.len())];
        // Half of a definition is indentation: eight bytes at once.
        let (words, _) = rest.as_chunks();
        let full = words.iter().take_while(|word| u64::from_ne_bytes(**word) == SPACES).count() * 8;
        self.at += full + rest[full..].iter().position(|byte| *byte != b' ').unwrap_or(rest.len() - full);
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.is_blank() {
            self.at += 1;
        }
    }

    /// Skips bytes up to a byte in these classes for which `stops` returns `true`, to a line break of several bytes, or to the end.
    fn skip_until(&mut self, classes: u8, stops: impl Fn(&Self) -> bool) {
        let classes = classes | MAYBE_BREAK;
        loop {
            let rest = self.rest();
            let is_of_classes = |byte: &u8| CLASS[*byte as usize] & classes != 0;
            self.at += rest.iter().position(is_of_classes).unwrap_or(rest.len());
            let class = CLASS[self.byte() as usize];
            let is_stop = if class & MAYBE_BREAK == 0 { stops(self) } else { self.is_break() };
            if is_stop || self.is_end() {
                return;
            }
            self.at += 1;
        }
    }

    /// Returns the bytes after the cursor.
    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }
}
