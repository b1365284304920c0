//! Changes blocks so that all Markdown renderers show them alike. Code becomes plain text if a renderer would interpret something in it.

use super::super::description::{Block, Inline, is_web, visible};

/// Syntax that preprocessors interpret even within code. Examples are templates in Jekyll, Hugo and Jinja, and includes in MkDocs.
const READ_WITHIN_CODE: [&str; 7] = ["{{", "{%", "{#", "{!", "8<-", "<!--", "mdx-code-block"];

/// Syntax that code in lists must not contain. Python-Markdown does not support fences in lists, and would interpret this syntax as
/// Markdown.
const READ_IN_LISTS: [&str; 11] = ["\n\n", "<", "{", "[", "`", "@", "!", "&", "~", "\\", "///"];

/// An invisible space that separates double braces. Without it, VitePress evaluates the braces, even if they are written as entities.
const BETWEEN_BRACES: char = '\u{200b}';

/// Returns equivalent blocks, in a form that is safe to write.
pub(super) fn tame(blocks: Vec<Block>, in_list: bool) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    for block in blocks {
        match block {
            Block::Paragraph(inlines) => out.extend(paragraph(inlines)),
            Block::Code(code) => match code_block(&code, in_list) {
                Ok(code) => out.push(Block::Code(code)),
                Err(lines) => out.extend(lines),
            },
            Block::List(items) => {
                let items = items.into_iter().map(|item| tame(item, true)).filter(|item| !item.is_empty());
                match out.last_mut() {
                    // Two lists in a row are read as one.
                    Some(Block::List(before)) => before.extend(items),
                    _ => out.push(Block::List(items.collect())),
                }
            }
        }
    }
    out.retain(|block| !matches!(block, Block::List(items) if items.is_empty()));
    out
}

/// Returns the text in the blocks, as paragraphs without code and links.
pub(super) fn words(blocks: &[Block]) -> Vec<Block> {
    let mut out = Vec::new();
    for block in blocks {
        match block {
            Block::Paragraph(inlines) => out.extend(paragraph(inlines.iter().map(text_of).collect())),
            Block::Code(code) => out.extend(lines(code)),
            Block::List(items) => items.iter().for_each(|item| out.extend(words(item))),
        }
    }
    out
}

fn text_of(inline: &Inline) -> Inline {
    match inline {
        Inline::Text(text) | Inline::Code(text) | Inline::Link { text, .. } => Inline::Text(text.clone()),
        Inline::Break => Inline::Break,
    }
}

fn paragraph(inlines: Vec<Inline>) -> Option<Block> {
    let mut out: Vec<Inline> = Vec::new();
    for inline in inlines {
        let inline = match inline {
            Inline::Code(code) => span(&code),
            Inline::Link { url, text } => link(&url, &text),
            other => other,
        };
        match (out.last_mut(), inline) {
            (Some(Inline::Text(before)), Inline::Text(text)) => before.push_str(&text),
            // Their backticks would be one fence.
            (Some(Inline::Code(_)), code @ Inline::Code(_)) => {
                out.extend([Inline::Text(" ".to_owned()), code]);
            }
            (_, inline) => out.push(inline),
        }
    }
    let ends = |inline: Option<&Inline>| inline.is_none_or(|inline| *inline == Inline::Break);
    let count = out.len();
    for at in 0..count {
        let (starts_line, ends_line) =
            (at == 0 || ends(out.get(at - 1)), at + 1 == count || ends(out.get(at + 1)));
        if let Some(Inline::Text(text)) = out.get_mut(at) {
            *text = one_line(text, starts_line, ends_line);
        }
    }
    out.retain(|inline| !matches!(inline, Inline::Text(text) if text.is_empty()));
    // A break is between two lines.
    out.dedup_by(|a, b| *a == Inline::Break && *b == Inline::Break);
    while out.last() == Some(&Inline::Break) {
        out.pop();
    }
    if out.first() == Some(&Inline::Break) {
        out.remove(0);
    }
    (!out.is_empty()).then_some(Block::Paragraph(out))
}

/// Returns a text with single spaces, and with a separator inside double braces.
fn one_line(text: &str, starts_line: bool, ends_line: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for char in visible(text).chars() {
        let char = if matches!(char, '\n' | '\t') { ' ' } else { char };
        match (out.chars().next_back(), char) {
            (None, ' ') if starts_line => continue,
            (Some(' '), ' ') => continue,
            (Some('{'), '{') => out.push(BETWEEN_BRACES),
            _ => {}
        }
        out.push(char);
    }
    if ends_line {
        out.truncate(out.trim_end_matches(' ').len());
    }
    out
}

/// Returns code within a line. Code that cannot be written as code becomes text in quotes.
fn span(code: &str) -> Inline {
    let code = visible(code).replace(['\n', '\t'], " ");
    let code = code.trim_matches(' ');
    // Three backticks at the start of a line begin a block for some readers.
    if code.trim().is_empty() || code.contains("``") || !is_code(code) {
        return Inline::Text(format!("\"{code}\""));
    }
    Inline::Code(code.to_owned())
}

/// Returns a link. In the address, characters that would end the link are percent-encoded.
fn link(url: &str, text: &str) -> Inline {
    let text = one_line(text, true, true);
    if !is_web(url) {
        return Inline::Text(text);
    }
    let address = |char: char| match char {
        'a'..='z' | 'A'..='Z' | '0'..='9' => char.to_string(),
        _ if "-._~:/?#@!$&+,;=%".contains(char) => char.to_string(),
        other => other.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect(),
    };
    let url: String = url.chars().map(address).collect();
    Inline::Link { url, text }
}

/// Returns a code block's text. If the text cannot be written as code, returns a paragraph in `Err`.
pub(super) fn code_block(code: &str, in_list: bool) -> Result<String, Option<Block>> {
    let code = visible(code).replace('\t', "    ");
    let code: Vec<&str> =
        code.trim_end_matches('\n').split('\n').map(|line| line.trim_end_matches(' ')).collect();
    let code = code.join("\n");
    let is_safe = is_code(&code) && !(in_list && READ_IN_LISTS.iter().any(|sign| code.contains(sign)));
    if is_safe && !code.trim().is_empty() { Ok(code) } else { Err(lines(&code)) }
}

fn is_code(code: &str) -> bool {
    !READ_WITHIN_CODE.iter().any(|sign| code.contains(sign))
}

/// Returns code as a paragraph of lines, including leading spaces.
fn lines(code: &str) -> Option<Block> {
    let mut out = Vec::new();
    for line in code.split('\n') {
        let text = line.trim_start_matches(' ');
        let spaces = "\u{a0}".repeat(line.len() - text.len());
        out.extend([Inline::Text(format!("{spaces}{text}")), Inline::Break]);
    }
    paragraph(out)
}
