//! Parses the Markdown in a CRD's descriptions. A description can contain anything.
//!
//! Paragraphs, lists, code, and `http` and `https` links are kept. Everything else becomes text: headings and quotations become paragraphs,
//! emphasis and images become plain text, and HTML is shown as source.

use crd_core::markdown::is_cheap;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Lists nested deeper than this are joined with their parent list.
const DEEPEST: usize = 6;

/// A block in a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Paragraph(Vec<Inline>),
    Code(String),
    List(Vec<Vec<Block>>),
}

/// A piece of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inline {
    Text(String),
    Code(String),
    Link {
        url: String,
        text: String,
    },
    /// A line break within a paragraph.
    Break,
}

/// Parses a description. If parsing would take too long, the description becomes plain text.
pub(super) fn read(text: &str) -> Vec<Block> {
    if !is_cheap(text.lines()) {
        return vec![Block::Paragraph(vec![Inline::Text(text.to_owned())])];
    }
    let mut reader = Reader::default();
    Parser::new_ext(text, Options::empty()).for_each(|event| reader.event(event));
    reader.finish()
}

/// Parses Markdown that this crate has written, as CommonMark and with GitHub's extensions. Returns `None` if one of these parsers finds
/// anything that [`Block`] cannot represent, if their results differ, or if MDX would find code.
pub(super) fn read_again(markdown: &str) -> Option<Vec<Block>> {
    let mut found = [Options::empty(), GITHUB].map(|options| {
        let mut reader = Reader { is_ours: true, ..Reader::default() };
        let (mut is_harmless, mut in_code, mut line_end) = (true, false, 0);
        for (event, range) in Parser::new_ext(markdown, options).into_offset_iter() {
            match &event {
                Event::Start(Tag::CodeBlock(_)) => in_code = true,
                Event::End(TagEnd::CodeBlock) => in_code = false,
                Event::Text(_) if !in_code => {
                    let source = markdown.get(range.clone()).unwrap_or_default();
                    is_harmless &= !source.contains(['{', '<']);
                    // The first text of a line, whatever is before it.
                    let line = markdown.get(line_end..range.start).unwrap_or_default();
                    let is_start = line_end == 0 || line.contains('\n');
                    is_harmless &= !(is_start && begins_esm(source));
                    line_end = range.end;
                }
                Event::Start(Tag::Paragraph | Tag::List(None) | Tag::Item | Tag::Link { .. })
                | Event::End(_)
                | Event::Text(_)
                | Event::Code(_)
                | Event::HardBreak => {}
                _ => is_harmless = false,
            }
            reader.event(event);
        }
        is_harmless.then(|| reader.finish())
    });
    let [plain, github] = &mut found;
    if plain == github { plain.take() } else { None }
}

/// Extensions to CommonMark in GitHub and other renderers.
const GITHUB: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_HEADING_ATTRIBUTES)
    .union(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS)
    .union(Options::ENABLE_MATH)
    .union(Options::ENABLE_GFM);

/// Returns `true` if a line begins with a word that begins code in MDX. Spaces and punctuation before the word do not matter.
pub(super) fn begins_esm(line: &str) -> bool {
    let words = line.trim_start_matches(|char: char| !char.is_alphanumeric());
    ["import", "export"].iter().any(|word| words.starts_with(word))
}

/// Returns the code blocks, including those in lists.
pub(super) fn code_blocks(text: &str) -> Vec<String> {
    let (mut open, mut out) = (read(text), Vec::new());
    while let Some(block) = open.pop() {
        match block {
            Block::Code(code) => out.push(code),
            Block::List(items) => open.extend(items.into_iter().flatten()),
            Block::Paragraph(_) => {}
        }
    }
    out.reverse();
    out
}

/// Returns the first paragraph as text.
pub(super) fn first_paragraph(text: &str) -> String {
    let plain = |inline: &Inline| match inline {
        Inline::Text(text) | Inline::Code(text) | Inline::Link { text, .. } => text.clone(),
        Inline::Break => " ".to_owned(),
    };
    let blocks = read(text);
    let first = blocks.iter().find_map(|block| match block {
        Block::Paragraph(inlines) => Some(inlines.iter().map(plain).collect()),
        Block::Code(_) | Block::List(_) => None,
    });
    first.unwrap_or_default()
}

/// Returns `true` for addresses that may become links.
pub(super) fn is_web(url: &str) -> bool {
    let is = |scheme: &str| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    (is("https://") || is("http://")) && !url.chars().any(|char| char.is_control() || char.is_whitespace())
}

/// Turns web addresses in a text into links. Punctuation after an address is not part of the link.
fn link_addresses(text: &str, out: &mut Vec<Inline>) {
    let (mut rest, mut before) = (text, 0);
    while let Some(at) = rest[before..].find("http").map(|at| before + at) {
        let is_word = rest[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let url = if is_word { "" } else { address(&rest[at..]) };
        if is_web(url) {
            if at > 0 {
                out.push(Inline::Text(rest[..at].to_owned()));
            }
            out.push(Inline::Link { url: url.to_owned(), text: url.to_owned() });
            (rest, before) = (&rest[at + url.len()..], 0);
        } else {
            before = at + "http".len();
        }
    }
    if !rest.is_empty() {
        out.push(Inline::Text(rest.to_owned()));
    }
}

/// Returns the address at the start of a text, or an empty string if there is none.
fn address(text: &str) -> &str {
    let scheme = ["https://", "http://"].into_iter().find(|scheme| text.starts_with(scheme));
    let Some(scheme) = scheme else { return "" };
    let end = text.find(|c: char| c.is_whitespace() || "<>\"'`|\\^{}".contains(c)).unwrap_or(text.len());
    let mut url = &text[..end];
    // Closing brackets without an opening one belong to the text around.
    let unmatched =
        |open: char, close: char| url.matches(close).count().saturating_sub(url.matches(open).count());
    let (mut round, mut square) = (unmatched('(', ')'), unmatched('[', ']'));
    while let Some(last) = url.chars().next_back() {
        match last {
            ')' if round > 0 => round -= 1,
            ']' if square > 0 => square -= 1,
            '.' | ',' | ';' | ':' | '!' | '?' | '*' | '_' => {}
            _ => break,
        }
        url = &url[..url.len() - 1];
    }
    if url.len() > scheme.len() { url } else { "" }
}

/// Replaces control characters, and marks that change the direction of text.
pub(super) fn visible(text: &str) -> String {
    let shown = |char: char| match char {
        '\n' | '\t' => char,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        _ if char.is_control() => char::REPLACEMENT_CHARACTER,
        _ => char,
    };
    text.replace("\r\n", "\n").chars().map(shown).collect()
}

#[derive(Default)]
struct Reader {
    /// `true` for Markdown that this crate has written. Line breaks are then kept, and addresses are not turned into links.
    is_ours: bool,
    /// The description's blocks, followed by the blocks of each open list item.
    open: Vec<Vec<Block>>,
    /// The number of open lists, including lists beyond the maximum depth.
    lists: usize,
    paragraph: Vec<Inline>,
    code: Option<String>,
    link: Option<(String, String)>,
}

impl Reader {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) => match &mut self.link {
                Some((_, inside)) => inside.push_str(&text),
                None => self.paragraph.push(Inline::Code(visible(&text))),
            },
            Event::HardBreak if self.is_ours => self.paragraph.push(Inline::Break),
            Event::SoftBreak | Event::HardBreak => self.text(" "),
            _ => {}
        }
    }

    fn finish(mut self) -> Vec<Block> {
        self.end_paragraph();
        while self.open.len() > 1 {
            self.end_item();
        }
        self.open.pop().unwrap_or_default()
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::CodeBlock(_) => {
                self.end_paragraph();
                self.code = Some(String::new());
            }
            Tag::List(_) => {
                self.end_paragraph();
                self.lists += 1;
                if self.lists <= DEEPEST {
                    self.blocks().push(Block::List(Vec::new()));
                }
            }
            Tag::Item => {
                self.end_paragraph();
                if self.lists <= DEEPEST {
                    self.open.push(Vec::new());
                }
            }
            Tag::Link { dest_url, .. } => self.link = Some((dest_url.into_string(), String::new())),
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Image { .. } => {}
            _ => self.end_paragraph(),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                self.blocks().push(Block::Code(visible(code.trim_end_matches('\n'))));
            }
            TagEnd::Item if self.lists <= DEEPEST => self.end_item(),
            TagEnd::List(_) => self.lists -= 1,
            TagEnd::Link => self.end_link(),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Image => {}
            _ => self.end_paragraph(),
        }
    }

    fn text(&mut self, text: &str) {
        match (&mut self.code, &mut self.link) {
            (Some(code), _) => code.push_str(text),
            (None, Some((_, inside))) => inside.push_str(text),
            (None, None) => match self.paragraph.last_mut() {
                Some(Inline::Text(last)) => last.push_str(&visible(text)),
                _ => self.paragraph.push(Inline::Text(visible(text))),
            },
        }
    }

    fn end_link(&mut self) {
        let Some((url, mut text)) = self.link.take() else { return };
        if text.trim().is_empty() {
            text.clone_from(&url);
        }
        match is_web(&url) {
            true => self.paragraph.push(Inline::Link { url, text: visible(&text) }),
            // One text with what is next to it, so that the whole line is judged later.
            false if text == url => self.text(&text),
            false => self.text(&format!("{text} ({url})")),
        }
    }

    fn end_paragraph(&mut self) {
        let mut paragraph = Vec::new();
        for inline in self.paragraph.drain(..) {
            match inline {
                Inline::Text(text) if !self.is_ours => link_addresses(&text, &mut paragraph),
                other => paragraph.push(other),
            }
        }
        if !paragraph.is_empty() {
            self.blocks().push(Block::Paragraph(paragraph));
        }
    }

    fn end_item(&mut self) {
        self.end_paragraph();
        let Some(item) = self.open.pop() else { return };
        match self.blocks().last_mut() {
            Some(Block::List(items)) => items.push(item),
            _ => self.blocks().push(Block::List(vec![item])),
        }
    }

    fn blocks(&mut self) -> &mut Vec<Block> {
        if self.open.is_empty() {
            self.open.push(Vec::new());
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, Inline, read};

    #[test]
    fn addresses_are_links_without_the_punctuation_around_them() {
        for (text, expected) in [
            ("See https://a.example/b_c_d.", vec!["https://a.example/b_c_d"]),
            (
                "(see https://a.example/x(y)), http://b.example",
                vec!["https://a.example/x(y)", "http://b.example"],
            ),
            ("xhttps://a.example `https://b.example` https:// https://.", vec![]),
            (
                "[a](https://a.example) https://b.example/?q=1&r=[2]!",
                vec!["https://a.example", "https://b.example/?q=1&r=[2]"],
            ),
        ] {
            let mut links = Vec::new();
            for block in read(text) {
                let Block::Paragraph(inlines) = block else { continue };
                links.extend(inlines.into_iter().filter_map(|inline| match inline {
                    Inline::Link { url, .. } => Some(url),
                    Inline::Text(_) | Inline::Code(_) | Inline::Break => None,
                }));
            }
            assert_eq!(links, expected, "{text}");
        }
    }
}
