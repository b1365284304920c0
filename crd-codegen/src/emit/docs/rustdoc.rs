//! Parses documentation with two versions of rustdoc's parser: the version in use, and a newer version that a later rustdoc may use. The
//! newer version finds code in some texts in which the older one finds none.

use crd_core::markdown::is_cheap;

use super::inline::table;
use crate::emit::literal;
use crate::emit::text_lines::split;

/// The bytes that may begin markup within a line.
const INLINE: [bool; 256] = table(b"`~<>[]!&\\*_|\t\r");
/// The bytes that may begin a link, an image or HTML within a line, and the bytes that may split a line.
const LINKS_AND_HTML: [bool; 256] = table(b"<[\t\r");
/// Punctuation that can begin a line of a paragraph, but no other block.
const PARAGRAPH: [bool; 256] = table(b"\\\"'(){}$%&,./;?@^!");

/// Returns `true` if rustdoc finds only prose in an item's lines: no test, no HTML, and no address except web addresses.
pub(super) fn is_prose(lines: &[String]) -> bool {
    if lines.iter().all(|line| is_plain(line)) {
        return true;
    }
    if !is_cheap(lines.iter().map(String::as_str)) {
        return false;
    }
    if lines.iter().all(|line| is_paragraph(line)) {
        return true;
    }
    let text = unindented(lines);
    current::is_harmless(&text) && next::is_harmless(&text)
}

/// Returns `true` for a line without Markdown that is part of a paragraph, whatever precedes it. Most lines are like this, and need no
/// Markdown parser.
///
/// All other blocks begin with a space, a digit or a punctuation character. All inline markup contains such a character.
fn is_plain(line: &str) -> bool {
    line.is_empty()
        || line.starts_with(|first: char| first.is_ascii_alphabetic())
            && !line.bytes().any(|byte| INLINE[usize::from(byte)])
}

/// Returns `true` for a line without links, images and HTML that is part of a paragraph or a list item, whatever precedes it. Most lines of
/// cleaned Markdown are like this, and need no Markdown parser.
fn is_paragraph(line: &str) -> bool {
    if line.is_empty() {
        return true;
    }
    // Code is indented by at least four spaces, which are counted from the text of the item in a list.
    let text = line.trim_start_matches(' ');
    line.len() - text.len() < 4
        && (begins_paragraph(text) || behind_marker(text).is_some_and(begins_paragraph))
        && is_without_links_and_html(text)
}

/// Returns `true` if this text begins or continues a paragraph.
fn begins_paragraph(text: &str) -> bool {
    let begins_word = |text: &str| text.starts_with(|first: char| first.is_ascii_alphanumeric());
    match text.bytes().next() {
        Some(b'0'..=b'9') => {
            let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
            // `1.` alone is a list item, and so is `1. a`.
            behind.strip_prefix(['.', ')']).is_none_or(begins_word)
        }
        Some(b'`') => !text.starts_with("```"),
        // A rule or an underline consists of marks and spaces, and a space ends the marker of an item.
        Some(mark @ (b'-' | b'+' | b'*' | b'_')) => begins_word(text.trim_start_matches(char::from(mark))),
        Some(first) => first.is_ascii_alphabetic() || PARAGRAPH[usize::from(first)],
        None => false,
    }
}

/// Returns the text of a list item. The text follows the marker and a space.
fn behind_marker(text: &str) -> Option<&str> {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks: &[char] = if number.len() < text.len() { &['.', ')'] } else { &['-', '*', '+'] };
    number.strip_prefix(marks)?.strip_prefix(' ')
}

/// Returns `true` if each bracket is escaped or begins a web address, so that there is no other link, no image and no HTML.
///
/// A backslash in a code span escapes nothing, but no link or HTML begins there either.
fn is_without_links_and_html(text: &str) -> bool {
    let mut signs = text.bytes().enumerate().filter(|(_, byte)| LINKS_AND_HTML[usize::from(*byte)]);
    signs.all(|(at, byte)| {
        let before = text[..at].trim_end_matches('\\');
        let is_escaped = (at - before.len()) % 2 == 1;
        // The name of a tag has no colon, so this is text if it is not an address.
        let is_web = || ["http://", "https://"].iter().any(|scheme| text[at + 1..].starts_with(scheme));
        match byte {
            b'<' => is_escaped || is_web(),
            b'[' => is_escaped,
            _ => false,
        }
    })
}

/// Returns the lines of a description that needs no cleaning, because it contains no Markdown. Most descriptions contain none.
pub(super) fn plain_lines(description: &str) -> Option<Vec<String>> {
    let mut lines: Vec<String> = Vec::new();
    for line in split(description.trim_end_matches('\n')) {
        let is_double_blank = line.is_empty() && lines.last().is_none_or(String::is_empty);
        let is_address = line.contains(':') && line.contains("://");
        let is_changed = line.ends_with(' ') || is_address || !literal::is_visible_ascii(line);
        if is_double_blank || is_changed || !is_plain(line) {
            return None;
        }
        lines.push(line.to_owned());
    }
    Some(lines)
}

/// Declares a module that parses Markdown with one version of the parser.
macro_rules! parser {
    ($module:ident, $parser:ident) => {
        mod $module {
            use $parser::{CodeBlockKind, Event, Options, Parser, Tag};

            pub(super) fn is_harmless(text: &str) -> bool {
                // Markdown alone, which some tools read documentation as, and what rustdoc adds to it: `html/markdown.rs`.
                let rustdoc = Options::ENABLE_TABLES
                    | Options::ENABLE_FOOTNOTES
                    | Options::ENABLE_STRIKETHROUGH
                    | Options::ENABLE_TASKLISTS
                    | Options::ENABLE_SMART_PUNCTUATION;
                [rustdoc, Options::empty()]
                    .into_iter()
                    .all(|options| Parser::new_ext(text, options).all(|event| is_harmless_event(&event)))
            }

            fn is_harmless_event(event: &Event<'_>) -> bool {
                match event {
                    // Any other tag, or another one next to it, may be one that makes it a test: `LangString` in
                    // `html/markdown.rs`.
                    Event::Start(Tag::CodeBlock(kind)) => {
                        matches!(kind, CodeBlockKind::Fenced(tags) if **tags == *"text")
                    }
                    Event::Start(Tag::Link { dest_url, .. }) => crate::emit::docs::rustdoc::is_address(dest_url),
                    // An image is fetched by whoever opens the page.
                    Event::Start(Tag::Image { .. } | Tag::HtmlBlock)
                    | Event::Html(_)
                    | Event::InlineHtml(_) => false,
                    _ => true,
                }
            }
        }
    };
}
parser!(current, pulldown_cmark);
parser!(next, pulldown_cmark_next);

/// Returns `false` for addresses with a scheme other than `http`, `https` and `mailto`: an address with `javascript:` is code.
fn is_address(address: &str) -> bool {
    match address.split_once(':') {
        Some((scheme, _)) => {
            ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
        }
        None => true,
    }
}

/// Removes the lines' common indentation, as rustdoc's `unindent_doc_fragments` does.
fn unindented(lines: &[String]) -> String {
    let is_blank = |line: &str| line.chars().all(char::is_whitespace);
    let indentation = |line: &String| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = lines.iter().filter(|line| !is_blank(line)).map(indentation).min().unwrap_or_default();
    let mut text = String::new();
    for line in lines {
        text.push_str(if is_blank(line) { line } else { &line[shared..] });
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{current, is_paragraph, is_plain, is_prose, next, plain_lines, unindented};
    use crate::emit::docs::clean;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn plain_lines_are_harmless_in_any_order(lines in prop::collection::vec("[ a1:/().#=+$%^'\"{}?;,-]{0,12}", 1..6)) {
            let plain: Vec<&str> = lines.iter().map(String::as_str).filter(|line| is_plain(line)).collect();
            let text = plain.join("\n");
            prop_assert!(current::is_harmless(&text) && next::is_harmless(&text), "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn lines_of_paragraphs_are_harmless_in_any_order(lines in prop::collection::vec(line(), 1..6)) {
            let lines: Vec<String> = lines.into_iter().filter(|line| is_paragraph(line)).collect();
            let text = unindented(&lines);
            prop_assert!(current::is_harmless(&text) && next::is_harmless(&text), "{text:?}");
        }
    }

    /// Pieces with a meaning in Markdown.
    const PIECES: &[&str] = &[
        " ",
        "  ",
        "    ",
        "a",
        "b c",
        "1",
        "12",
        "-",
        "--",
        "*",
        "**",
        "_",
        "+",
        "=",
        "`",
        "``",
        "```",
        "~~~",
        "\\",
        "\\\\",
        "<",
        "<b>",
        "\\<b>",
        "</b>",
        "<!--",
        "-->",
        "<https://a.io>",
        "<https://a",
        "<http:",
        ">",
        "<javascript:a>",
        "[",
        "\\[",
        "]",
        "](b)",
        "](javascript:b)",
        "[a]: b",
        "[^a]",
        "![",
        "!",
        "(",
        ")",
        ".",
        "1. ",
        "1) ",
        "- ",
        "* ",
        "&lt;",
        "&",
        "#",
        "# ",
        "> ",
        "|",
        "|-|",
        ":",
        "\"",
        "'",
        "...",
        "\u{e9}",
    ];

    /// Lines of pieces.
    fn line() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(PIECES);
        prop::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn descriptions_without_markdown_are_not_changed(text in "([ aB1:.#=+$%'\"(){}?;,\t\u{e9}_<*`-]|https?://|\n){0,12}") {
            if let Some(lines) = plain_lines(&text) {
                prop_assert_eq!(&lines, &clean::lines(&text));
                prop_assert!(is_prose(&lines));
            }
        }
    }

    #[test]
    fn descriptions_with_markdown_are_not_plain() {
        for text in ["", "\na", "a\n\n\nb", "a ", "see http://a.io", "a\n- b", "a `b`", "\u{e9}"] {
            assert_eq!(plain_lines(text), None, "{text:?}");
        }
        assert_eq!(plain_lines("A server.\n\nIts name: a\n").map(|lines| lines.len()), Some(3));
    }

    #[test]
    fn paragraphs_have_no_links_and_no_html() {
        for line in [
            "",
            "a `b` of *c*",
            "- a <https://a.io>",
            "1. a",
            "   1.5 & more",
            "\\[a\\] and \\<b>",
            "`a`",
            "**Note** b_c",
            "-1 or --all",
            "`a\\` \\<b>",
            "\\- a",
            "(a | b)!",
        ] {
            assert!(is_paragraph(line), "{line}");
        }
        for line in [
            "    a",
            "-",
            "- ",
            "-  a",
            "- - a",
            "---",
            "* * *",
            "1.",
            "# a",
            "> a",
            "```",
            "~~~",
            "<b>",
            "a <b>",
            "a \\\\<b>",
            "`a\\`\\\\<b>",
            "[a](b)",
            "![a](b)",
            "a\tb",
            "a\rb",
            "<https://a.io>",
            "<javascript:a>",
            "|-|",
            "= =",
            "\u{e9}",
        ] {
            assert!(!is_paragraph(line), "{line}");
        }
    }

    #[test]
    fn lines_with_markdown_are_not_plain() {
        for line in [
            "    code", "1. a", "- a", "# a", "> a", "=", "a `b`", "a <b>", "![a](b)", "a | b", "a\tb",
            "a & b",
        ] {
            assert!(!is_plain(line), "{line}");
        }
        assert!(is_plain("") && is_plain("Replicas of the server, such as 3 (default: 1)."));
    }
}
