//! Cursor over a text, with the character classes of YAML 1.1.

/// The position of the scanner. The byte beyond the end is NUL, which no text contains.
pub(super) struct Cursor<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// The start of the line.
    pub(super) line: usize,
}

const BLANK: u8 = 1;
const BREAK: u8 = 2;
/// A byte that can be the first of NEL, LS or PS, which needs a closer look.
const MAYBE_BREAK: u8 = 4;
const END: u8 = 8;
const FLOW: u8 = 16;
const COLON: u8 = 32;

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
    let mut flow = 0;
    while flow < 6 {
        class[b",?[]{}"[flow] as usize] = FLOW;
        flow += 1;
    }
    class
};

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

    /// The column in bytes. Wherever columns matter, only ASCII characters precede.
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

    /// Returns `true` if a blank, a line break or the end is `by` bytes ahead.
    pub(super) fn ends_word(&self, by: usize) -> bool {
        let class = CLASS[self.ahead(by) as usize];
        class & (BLANK | BREAK | END) != 0 || (class & MAYBE_BREAK != 0 && self.break_length(by) != 0)
    }

    /// The length in bytes of the line break that is `by` bytes ahead, or 0.
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

    /// Skips a line break, and returns its form in a scalar: LS and PS stay, the others become `\n`.
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
        self.skip_while(|class, _| class & (BREAK | END) == 0);
        &self.text[start..self.at]
    }

    /// Skips the part of a plain scalar up to the next blank.
    pub(super) fn take_plain(&mut self, in_flow: bool) -> &'t str {
        let start = self.at;
        let stops = BLANK | BREAK | END | if in_flow { FLOW } else { 0 };
        self.skip_while(|class, cursor| class & stops == 0 && (class & COLON == 0 || !cursor.ends_word(1)));
        &self.text[start..self.at]
    }

    /// Skips the part of a quoted scalar without escapes, blanks and line breaks.
    pub(super) fn take_quoted(&mut self, quote: u8) -> &'t str {
        let start = self.at;
        self.skip_while(|class, cursor| {
            class & (BLANK | BREAK | END) == 0
                && cursor.byte() != quote
                && (quote == b'\'' || cursor.byte() != b'\\')
        });
        &self.text[start..self.at]
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.is_blank() {
            self.at += 1;
        }
    }

    /// Skips bytes while `goes_on` is `true` for their class, up to a line break of several bytes at most.
    fn skip_while(&mut self, goes_on: impl Fn(u8, &Self) -> bool) {
        loop {
            let class = CLASS[self.byte() as usize];
            if !goes_on(class, self) || (class & MAYBE_BREAK != 0 && self.is_break()) {
                return;
            }
            self.at += 1;
        }
    }
}
