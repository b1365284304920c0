//! Cleans descriptions. Lists and fenced code are kept, indented code becomes fenced, and accidental markup such as links or HTML is
//! escaped.
//!
//! The only purpose of this module is readable documentation. To exclude code, the caller parses the cleaned text again with rustdoc's
//! parser.

use super::inline;
use crate::emit::literal;

/// Returns the cleaned lines of a description.
pub(super) fn lines(description: &str) -> Vec<String> {
    let mut cleaner = Cleaner::default();
    for line in description.split('\n') {
        cleaner.line(&visible(line));
    }
    cleaner.finish()
}

/// Replaces tabs with spaces, and invisible characters with their escapes.
pub(super) fn visible(line: &str) -> String {
    let line = line.trim_end();
    if literal::is_visible_ascii(line) {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\t' => out.push_str("    "),
            c if literal::is_hidden(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

#[derive(Default)]
struct Cleaner {
    done: Vec<String>,
    /// The paragraph that is being read: each line's indentation and text.
    paragraph: Vec<(usize, String)>,
    /// The indentation of the text in the list item that is being read.
    item: Option<usize>,
    code: Option<Code>,
}

/// A block of code that is being read.
enum Code {
    /// A fenced block, with the closing fence.
    Fenced(String),
    /// An indented code block, with its lines.
    Indented(Vec<String>),
}

impl Cleaner {
    fn line(&mut self, line: &str) {
        match self.code.take() {
            Some(Code::Fenced(fence)) => {
                let is_end =
                    line.trim().starts_with(&fence) && line.trim().chars().all(|c| fence.starts_with(c));
                self.done.push(if is_end { fence.clone() } else { line.to_owned() });
                if !is_end {
                    self.code = Some(Code::Fenced(fence));
                }
                return;
            }
            Some(Code::Indented(mut lines)) => {
                if line.is_empty() || indentation(line) >= 4 {
                    lines.push(line.to_owned());
                    self.code = Some(Code::Indented(lines));
                    return;
                }
                self.indented_code(lines);
            }
            None => {}
        }
        self.text(line);
    }

    fn text(&mut self, line: &str) {
        let text = line.trim_start();
        if text.is_empty() {
            self.end_paragraph();
            self.blank();
            return;
        }
        let starts_paragraph = self.paragraph.is_empty();
        if let Some(fence) = fence(text) {
            self.end_paragraph();
            self.item = None;
            self.done.push(format!("{fence}text"));
            self.code = Some(Code::Fenced(fence));
            return;
        }
        if starts_paragraph && self.item.is_none() && indentation(line) >= 4 {
            self.code = Some(Code::Indented(vec![line.to_owned()]));
            return;
        }
        if let Some(marker) = marker(text) {
            // A list may follow its introduction without a blank line, an item its neighbor.
            self.end_paragraph();
            self.item = Some(marker);
            self.paragraph.push((0, text.to_owned()));
            return;
        }
        if starts_paragraph && indentation(line) == 0 {
            self.item = None;
        }
        self.paragraph.push((self.item.unwrap_or(0), text.to_owned()));
    }

    /// Writes the paragraph that has been read. A code span may cross lines, so the paragraph is cleaned as a whole.
    fn end_paragraph(&mut self) {
        let lines = std::mem::take(&mut self.paragraph);
        if lines.is_empty() {
            return;
        }
        let texts: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
        let cleaned = inline::clean(&texts.join("\n"));
        for ((indentation, text), line) in lines.iter().zip(cleaned.split('\n')) {
            let is_item = *indentation == 0 && marker(text).is_some();
            let line = if is_item { line.to_owned() } else { start(line) };
            self.done.push(format!("{:indentation$}{line}", ""));
        }
    }

    fn indented_code(&mut self, mut lines: Vec<String>) {
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let common = lines.iter().filter(|line| !line.is_empty()).map(|line| indentation(line)).min();
        let longest = lines.iter().map(|line| longest_run(line, '`')).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.done.push(format!("{fence}text"));
        let stripped =
            lines.iter().map(|line| line.get(common.unwrap_or(0)..).unwrap_or_default().to_owned());
        self.done.extend(stripped);
        self.done.push(fence);
        self.blank();
    }

    fn blank(&mut self) {
        if self.done.last().is_some_and(|line| !line.is_empty()) {
            self.done.push(String::new());
        }
    }

    fn finish(mut self) -> Vec<String> {
        self.end_paragraph();
        match self.code.take() {
            Some(Code::Fenced(fence)) => self.done.push(fence),
            Some(Code::Indented(lines)) => self.indented_code(lines),
            None => {}
        }
        while self.done.last().is_some_and(String::is_empty) {
            self.done.pop();
        }
        self.done
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns the fence that opens a code block, if the text begins with a fence.
fn fence(text: &str) -> Option<String> {
    ['`', '~'].into_iter().find_map(|c| {
        let length = text.chars().take_while(|&other| other == c).count();
        // Behind backticks, another one makes it a span of code.
        let is_fence = length >= 3 && !(c == '`' && text[length..].contains('`'));
        is_fence.then(|| c.to_string().repeat(length))
    })
}

/// Returns the indentation of a list item's text, if the line starts a list item.
fn marker(text: &str) -> Option<usize> {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let length = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let rest = &text[length..];
    let has_text = rest.starts_with(' ') && !rest.trim_start().is_empty();
    // With more than four spaces, the text behind the marker would be code.
    let blanks = indentation(rest);
    (has_text && blanks <= 4 && !is_rule(text)).then_some(length + blanks)
}

/// Returns `true` for a line that repeats one character, such as a horizontal rule or a heading's underline.
fn is_rule(text: &str) -> bool {
    let marks = text.chars().filter(|c| *c != ' ');
    marks.clone().all(|c| "-*_=".contains(c)) && marks.collect::<std::collections::BTreeSet<_>>().len() == 1
}

/// Returns a line of a paragraph. If the first character would begin another block, it is escaped.
fn start(line: &str) -> String {
    let looks_special = match line.chars().next() {
        Some('#' | '>' | '|') => true,
        Some('-' | '*' | '+' | '=' | '_') => is_rule(line) || line.len() == 1 || marker(line).is_some(),
        _ => false,
    };
    if looks_special {
        return format!("\\{line}");
    }
    // `1.` alone starts an empty item.
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    if digits > 0 && matches!(&line[digits..], "." | ")") {
        return format!("{}\\{}", &line[..digits], &line[digits..]);
    }
    line.to_owned()
}

pub(super) fn longest_run(line: &str, wanted: char) -> usize {
    line.split(|c| c != wanted).map(str::len).max().unwrap_or(0)
}
