//! The documentation of Rust source, as rustdoc collects it: the text of each item.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Returns the texts of documentation in Rust source, one for each item that has some. The text of `#[crd(doc = "...")]`, of which
/// a derive makes documentation, is one.
pub(crate) fn texts(source: &str) -> Vec<String> {
    let tokens: TokenStream = source.parse().expect("what is generated is Rust");
    let mut texts = Vec::new();
    collect(tokens, &mut texts);
    texts
}

fn collect(tokens: TokenStream, texts: &mut Vec<String>) {
    let mut lines = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let attribute = match (&token, tokens.peek()) {
            (TokenTree::Punct(punct), Some(TokenTree::Group(group)))
                if punct.as_char() == '#' && group.delimiter() == Delimiter::Bracket =>
            {
                Some(group.clone())
            }
            _ => None,
        };
        if let Some(attribute) = attribute {
            tokens.next();
            match doc(&attribute) {
                Some(text) => lines.extend(text.split('\n').map(str::to_owned)),
                None => collect(attribute.stream(), texts),
            }
            continue;
        }
        if !lines.is_empty() {
            texts.push(unindented(&std::mem::take(&mut lines)));
        }
        match token {
            TokenTree::Ident(name) if name == "doc" => texts.extend(value(tokens.clone())),
            TokenTree::Group(group) => collect(group.stream(), texts),
            _ => {}
        }
    }
}

/// Returns the text of `[doc = "..."]`.
fn doc(attribute: &Group) -> Option<String> {
    let mut tokens = attribute.stream().into_iter();
    matches!(tokens.next()?, TokenTree::Ident(name) if name == "doc").then(|| value(tokens)).flatten()
}

/// Returns the string of `= "..."`.
fn value(mut tokens: impl Iterator<Item = TokenTree>) -> Option<String> {
    match (tokens.next()?, tokens.next()?) {
        (TokenTree::Punct(punct), TokenTree::Literal(literal)) if punct.as_char() == '=' => {
            Some(syn::parse_str::<syn::LitStr>(&literal.to_string()).ok()?.value())
        }
        _ => None,
    }
}

/// Without the blanks that all lines begin with.
fn unindented(lines: &[String]) -> String {
    let is_blank = |line: &str| line.chars().all(char::is_whitespace);
    let blanks = |line: &String| line.chars().take_while(|c| matches!(c, ' ' | '\t')).count();
    let shared = lines.iter().filter(|line| !is_blank(line)).map(blanks).min().unwrap_or_default();
    let line = |line: &String| if is_blank(line) { line.clone() } else { line[shared..].to_owned() };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}
