//! Wraps and indents lines like kubectl.
//!
//! Source: `github.com/mitchellh/go-wordwrap` and `kubectl/pkg/explain/v2/funcs.go`.

/// Breaks lines before words that end beyond `width` characters. Longer words stay whole.
pub(super) fn wrap(text: &str, width: usize) -> String {
    let mut lines = Lines { out: String::with_capacity(text.len()), width, ..Lines::default() };
    for c in text.chars() {
        match c {
            '\n' => lines.end(),
            '\u{a0}' => lines.letter(c),
            c if is_space(c) => lines.space(c),
            c => lines.letter(c),
        }
    }
    if lines.word.1 > 0 || lines.current + lines.spaces.1 <= width {
        lines.flush();
    }
    lines.out
}

/// Puts spaces before each line.
pub(super) fn indent(text: &str, amount: usize) -> String {
    let pad = " ".repeat(amount);
    format!("{pad}{}", text.replace('\n', &format!("\n{pad}")))
}

/// Returns `true` for whitespace, like Go's `unicode.IsSpace`.
fn is_space(c: char) -> bool {
    c.is_whitespace()
}

#[derive(Default)]
struct Lines {
    out: String,
    width: usize,
    /// The number of characters in the line so far.
    current: usize,
    /// The spaces that are not written yet, with their number. The next field has the word after them, with its length.
    spaces: (String, usize),
    word: (String, usize),
}

impl Lines {
    fn letter(&mut self, c: char) {
        self.word.0.push(c);
        self.word.1 += 1;
        if self.current + self.word.1 + self.spaces.1 > self.width && self.word.1 < self.width {
            self.out.push('\n');
            self.current = 0;
            self.spaces = (String::new(), 0);
        }
    }

    fn space(&mut self, c: char) {
        if self.spaces.1 == 0 || self.word.1 > 0 {
            self.flush();
        }
        self.spaces.0.push(c);
        self.spaces.1 += 1;
    }

    fn end(&mut self) {
        if self.word.1 == 0 && self.current + self.spaces.1 > self.width {
            self.spaces = (String::new(), 0);
        }
        self.flush();
        self.out.push('\n');
        self.current = 0;
    }

    fn flush(&mut self) {
        self.current += self.spaces.1 + self.word.1;
        for part in [&mut self.spaces, &mut self.word] {
            self.out.push_str(&part.0);
            part.0.clear();
            part.1 = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{indent, wrap};

    #[test]
    fn lines_break_as_in_go() {
        for (text, expected) in [
            ("aa bb cc", "aa bb\ncc"),
            ("aaaaaaaa b", "aaaaaaaa\nb"),
            ("a\u{a0}b cc", "a\u{a0}b\ncc"),
            ("aa  \n  bb", "aa  \n  bb"),
            ("aaaaa \nb", "aaaaa\nb"),
            ("a     ", "a"),
            ("a    ", "a    "),
        ] {
            assert_eq!(wrap(text, 5), expected, "{text:?}");
        }
        assert_eq!(indent("a\n\nb", 2), "  a\n  \n  b");
    }
}
