//! Cleans the text of paragraphs: code spans are kept, web addresses become links, and other markup is escaped.

use std::collections::BTreeMap;

/// The bytes that `clean` cannot simply copy.
const SIGNS: [bool; 256] = table(b"`[!h]<\\");

/// Returns a table that contains `true` at the index of each of `bytes`.
pub(super) const fn table(bytes: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
}

/// Cleans the text of a paragraph; line breaks are kept.
pub(super) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    let mut closers = Closers::count(text);
    loop {
        // All signs are ASCII, so that no character is cut.
        let plain = rest.bytes().position(|byte| SIGNS[usize::from(byte)]).unwrap_or(rest.len());
        out.push_str(&rest[..plain]);
        rest = &rest[plain..];
        let Some(c) = rest.chars().next() else { break };
        let taken = match c {
            '`' => code(rest, &mut closers, &mut out),
            '[' => link(rest, &mut out),
            // An image is fetched by whoever opens the page; a link is not.
            '!' if is_link(&rest[1..]) => escape('!', &mut out),
            'h' if rest.starts_with("http://") || rest.starts_with("https://") => address(rest, &mut out),
            ']' | '<' => escape(c, &mut out),
            '\\' if rest[1..].starts_with(|next: char| next.is_ascii_punctuation()) => escape(c, &mut out),
            '\\' if rest[1..].is_empty() || rest[1..].starts_with('\n') => escape(c, &mut out),
            c => {
                out.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    out
}

fn escape(c: char, out: &mut String) -> usize {
    out.push('\\');
    out.push(c);
    c.len_utf8()
}

/// For each length, the number of backtick runs that follow. Without these numbers, many unmatched runs would take quadratic time.
struct Closers(BTreeMap<usize, usize>);

impl Closers {
    fn count(text: &str) -> Self {
        let mut runs = BTreeMap::new();
        let mut rest = text;
        while let Some(start) = rest.find('`') {
            let length = run(&rest[start..]);
            *runs.entry(length).or_default() += 1;
            rest = &rest[start + length..];
        }
        Self(runs)
    }

    /// Subtracts one run of this length, and returns `true` if another run of the same length follows.
    fn pass(&mut self, length: usize) -> bool {
        self.0.get_mut(&length).is_some_and(|left| {
            *left = left.saturating_sub(1);
            *left > 0
        })
    }
}

/// Writes a span of code unchanged, or escapes unmatched backticks. Returns the number of bytes read.
fn code(text: &str, closers: &mut Closers, out: &mut String) -> usize {
    let length = run(text);
    if closers.pass(length) {
        let mut at = length;
        while let Some(next) = text[at..].find('`') {
            let start = at + next;
            let found = run(&text[start..]);
            closers.pass(found);
            at = start + found;
            if found == length {
                out.push_str(&text[..at]);
                return at;
            }
        }
    }
    for _ in 0..length {
        out.push_str("\\`");
    }
    length
}

fn run(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// Returns `true` if the text begins with a link that can be kept.
fn is_link(text: &str) -> bool {
    text.starts_with('[') && link_length(text).is_some()
}

/// Writes `[text](https://...)` unchanged, and escapes any other bracket. Returns the number of bytes read.
fn link(text: &str, out: &mut String) -> usize {
    let Some(length) = link_length(text) else { return escape('[', out) };
    out.push_str(&text[..length]);
    length
}

/// Returns the length of the link at the beginning of the text.
fn link_length(text: &str) -> Option<usize> {
    // No link has a longer text, and looking further from every bracket would take forever.
    let end = text.bytes().take(300).skip(1).position(|byte| matches!(byte, b'[' | b']' | b'\n'));
    let (shown, rest) = end.and_then(|end| Some((&text[1..=end], text[end + 1..].strip_prefix("](")?)))?;
    let rest = rest.char_indices().nth(1000).map_or(rest, |(end, _)| &rest[..end]);
    let is_plain = |text: &str| !text.is_empty() && !text.contains(['[', ']', '`', '<', '>', '\\']);
    let is_address = |address: &str| address.starts_with("http://") || address.starts_with("https://");
    let (address, _) = rest.split_once(')')?;
    let is_link = is_plain(shown)
        && !shown.contains("http")
        && is_address(address)
        && is_plain(address)
        && !address.contains([' ', '(', '"', '\'']);
    is_link.then_some(1 + shown.len() + 2 + address.len() + 1)
}

/// Writes an address in angle brackets, as a link. Returns the number of bytes read.
fn address(text: &str, out: &mut String) -> usize {
    let ends =
        |c: char| c.is_whitespace() || c.is_control() || "<>\"'`()[]{}|\\^".contains(c) || !c.is_ascii();
    let end = text.find(ends).unwrap_or(text.len());
    let address = text[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_']);
    // `http://` alone is not an address.
    if address.ends_with("//") {
        out.push('h');
        return 1;
    }
    out.push('<');
    out.push_str(address);
    out.push('>');
    address.len()
}
