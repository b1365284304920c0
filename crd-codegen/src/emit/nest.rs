//! Combines several files into one file with nested modules.

use super::text_lines::split_inclusive;

/// The text of a file with nested modules. Each line is indented once, when it is added.
pub(crate) struct Nested {
    text: String,
    depth: usize,
    /// `true` if the innermost module is still empty.
    is_empty: bool,
}

impl Nested {
    /// Returns a file that begins with these lines.
    pub(crate) fn new(header: String) -> Self {
        Self { is_empty: header.is_empty(), text: header, depth: 0 }
    }

    /// Begins a module with these attributes. A blank line precedes all modules except the first.
    pub(crate) fn open(&mut self, attributes: &str, name: &str) {
        if !self.is_empty {
            self.text.push('\n');
        }
        self.add(attributes);
        self.add(&format!("pub mod {name} {{"));
        self.depth += 1;
        self.is_empty = true;
    }

    /// Adds lines to the innermost module. No literal contains a line break, so every line can be indented.
    pub(crate) fn add(&mut self, lines: &str) {
        for line in split_inclusive(lines) {
            let line = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
            if !line.is_empty() {
                self.text.extend(std::iter::repeat_n("    ", self.depth));
                self.text.push_str(line);
            }
            self.text.push('\n');
        }
        self.is_empty &= lines.is_empty();
    }

    /// Ends the innermost module.
    pub(crate) fn close(&mut self) {
        self.depth -= 1;
        self.add("}");
    }

    /// Returns the text of the file.
    pub(crate) fn text(self) -> String {
        self.text
    }
}
