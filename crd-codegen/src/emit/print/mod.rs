//! Formats tokens, with a blank line between items, and parses the result.

mod lines;
mod plain;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::TokenStreamExt as _;

use super::text_lines::split_inclusive;
use super::{docs, literal};
use plain::Plain;

/// Returns the formatted text of the items in these tokens.
pub(super) fn items(tokens: TokenStream) -> Result<String, String> {
    let mut text = String::new();
    let mut after_import = false;
    for item in split_items(tokens) {
        if let [TokenTree::Ident(name), TokenTree::Punct(mark), TokenTree::Group(tokens)] = &*item
            && mark.as_char() == '!'
        {
            // It belongs to the enum before it.
            text += &list(name, tokens.stream());
            continue;
        }
        let is_import = is_import(&item);
        if !(text.is_empty() || is_import && after_import) {
            text.push('\n');
        }
        after_import = is_import;
        match Plain::from_tokens(item) {
            Ok(item) => item.write(&mut text)?,
            Err(item) => text += &formatted(with_single_lines(item))?,
        }
    }
    Ok(text)
}

/// Returns the tokens of each item. An item ends with a semicolon or a closing brace. Imports and values always end with the semicolon,
/// even if they contain braces.
fn split_items(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let (mut items, mut item) = (Vec::new(), Vec::new());
    for token in tokens {
        let ends = match &token {
            TokenTree::Punct(mark) => mark.as_char() == ';',
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !ends_with_semicolon(&item),
            _ => false,
        };
        item.push(token);
        if ends {
            items.push(std::mem::take(&mut item));
        }
    }
    items.extend(Some(item).filter(|item| !item.is_empty()));
    items
}

/// Returns `true` for the beginning of an item that ends with a semicolon even if it contains braces.
fn ends_with_semicolon(item: &[TokenTree]) -> bool {
    let mut words = item.iter().filter_map(|token| match token {
        TokenTree::Ident(word) => Some(word),
        _ => None,
    });
    let first = words.find(|word| *word != "pub");
    first.is_some_and(|word| word == "use" || word == "static" || word == "type" || word == "const")
        && words.all(|word| word != "fn")
}

fn is_import(item: &[TokenTree]) -> bool {
    let words = item.iter().filter(|token| matches!(token, TokenTree::Ident(word) if word != "pub"));
    matches!(words.clone().next(), Some(TokenTree::Ident(word)) if word == "use")
}

/// Splits doc comments into one attribute for each line, as the formatter expects.
fn with_single_lines(tokens: impl IntoIterator<Item = TokenTree>) -> TokenStream {
    let mut single = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let inner = with_single_lines(group.stream());
                single.append(Group::new(Delimiter::Brace, inner));
            }
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                let text = tokens.peek().and_then(raw_documentation);
                let Some(text) = text else {
                    single.append(token);
                    continue;
                };
                tokens.next();
                single.append_all(text.split('\n').flat_map(docs::attribute));
            }
            _ => single.append(token),
        }
    }
    single
}

/// Returns the text of a doc comment, if `attribute` is the bracketed part of `#[doc = ...]`.
fn raw_documentation(attribute: &TokenTree) -> Option<String> {
    let TokenTree::Group(group) = attribute else { return None };
    let mut tokens = group.stream().into_iter();
    match (tokens.next()?, tokens.next()?, tokens.next()?) {
        (TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Literal(value)) if name == "doc" => {
            literal::raw_text(&value.to_string()).map(str::to_owned)
        }
        _ => None,
    }
}

/// Returns an item as the formatter prints it.
fn formatted(item: TokenStream) -> Result<String, String> {
    let item: syn::Item = syn::parse2(item).map_err(|error| error.to_string())?;
    let (shebang, frontmatter, attrs) = (None, None, Vec::new());
    Ok(prettyplease::unparse(&syn::File { shebang, frontmatter, attrs, items: vec![item] }))
}

/// Maximum width of a line in a list.
const WIDTH: usize = 92;

/// Formats a macro call with a name and a list, such as `string_enum! { Size { Small = "S", Large = "L" } }`. The formatter cannot break
/// such lists into lines.
fn list(name: &Ident, tokens: TokenStream) -> String {
    let (mut head, mut entries) = (Vec::new(), Vec::new());
    for token in tokens {
        match token {
            TokenTree::Group(group) => entries = split(group.stream()),
            other => head.push(other.to_string()),
        }
    }
    let head = head.join(" ");
    let one_line = format!("{name}! {{ {head} {{ {} }} }}\n", entries.join(", "));
    if one_line.len() <= WIDTH {
        return one_line;
    }
    let mut text = format!("{name}! {{ {head} {{\n");
    let mut line = String::new();
    for (i, entry) in entries.iter().enumerate() {
        let entry = if i + 1 < entries.len() { format!("{entry},") } else { entry.clone() };
        if !line.is_empty() && line.len() + entry.len() >= WIDTH {
            text += &format!("    {}\n", std::mem::take(&mut line));
        }
        line += if line.is_empty() { "" } else { " " };
        line += &entry;
    }
    text + &format!("    {line}\n}} }}\n")
}

/// Returns the entries between the commas.
fn split(list: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = list.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
    let entry = |tokens: &[TokenTree]| tokens.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    tokens.split(is_comma).filter(|tokens| !tokens.is_empty()).map(entry).collect()
}

/// Returns the text unchanged if it is valid Rust.
pub(super) fn checked(text: String) -> Result<String, String> {
    let code = without_documentation(&text);
    if lines::others(&code).into_iter().any(|other| parse(other).is_err()) {
        // The message is that for the whole text.
        parse(&code).map_err(|error| error.to_string())?;
    }
    Ok(text)
}

fn parse(text: &str) -> syn::Result<()> {
    for item in split_items(text.parse()?) {
        match Plain::from_tokens(item) {
            Ok(item) => item.parse()?,
            Err(item) => drop(syn::parse2::<syn::Item>(item.into_iter().collect())?),
        }
    }
    Ok(())
}

/// Replaces each doc comment with an empty comment. Most of the text is documentation, and the parser reads documentation more slowly
/// than code. In a doc comment, only a carriage return can be invalid, so lines with a carriage return are kept.
fn without_documentation(text: &str) -> String {
    let has_returns = text.contains('\r');
    let mut code = String::with_capacity(text.len() / 2);
    let mut last = None;
    for line in split_inclusive(text) {
        let sign =
            Some(line).filter(|line| !(has_returns && line.contains('\r'))).and_then(documentation_sign);
        match sign {
            None => code.push_str(line),
            Some(sign) if last != Some(sign) => code.extend(['/', '/', sign, '\n']),
            Some(_) => {}
        }
        last = sign;
    }
    code
}

/// Returns the third character of a doc comment's line: `/` or `!`.
fn documentation_sign(line: &str) -> Option<char> {
    match line.trim_start().as_bytes() {
        [b'/', b'/', b'!', ..] => Some('!'),
        // Four slashes are a comment of another kind.
        [b'/', b'/', b'/', rest @ ..] if rest.first() != Some(&b'/') => Some('/'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_documentation_becomes_one_empty_comment() {
        let text = "//! a\n//! b\n\n/// c\n/// d\nstruct A {\n    /// e\n    b: u8, // f\n}\n";
        assert_eq!(without_documentation(text), "//!\n\n///\nstruct A {\n///\n    b: u8, // f\n}\n");
    }

    #[test]
    fn text_that_is_no_rust_is_refused() {
        let wrong = [
            "/// a\n",
            "struct A {\n    /// a\n}\n",
            "/// a\rb\nstruct A;\n",
            "/// a\n//! b\nstruct A;\n",
            "/// a\nstruct A {\n",
            "const A: &str = \"\n/// \"; }\n",
        ];
        for text in wrong {
            assert!(checked(text.to_owned()).is_err(), "{text}");
        }
        let right = "/// a\nstruct A;\n";
        assert_eq!(checked(right.to_owned()).as_deref(), Ok(right));
    }
}
