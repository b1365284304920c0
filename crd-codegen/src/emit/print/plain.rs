//! Structs and enums, line by line. Nearly all of the generated code are fields that fit on one line, for which neither a parser nor
//! a formatter is needed: they are written here in the layout of the formatter, which lays out only what does not fit.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::quote;
use syn::Lit;

/// The greatest length of a line in the layout of the formatter.
const MARGIN: usize = 89;
const INDENT: &str = "    ";

/// A struct with named fields, or an enum, without generics.
pub(super) struct Plain {
    attributes: Vec<Group>,
    is_public: bool,
    keyword: Ident,
    name: Ident,
    body: TokenStream,
}

impl Plain {
    /// The item, or its tokens if it is another one.
    pub(super) fn of(mut item: Vec<TokenTree>) -> Result<Self, Vec<TokenTree>> {
        let start = attributes_end(&item);
        let is_public = is_word(item.get(start), "pub");
        let [keyword, name, TokenTree::Group(body)] = &item[start + usize::from(is_public)..] else {
            return Err(item);
        };
        let (TokenTree::Ident(keyword), TokenTree::Ident(name)) = (keyword, name) else { return Err(item) };
        let is_plain = (keyword == "struct" || keyword == "enum") && body.delimiter() == Delimiter::Brace;
        let (keyword, name, body) = (keyword.clone(), name.clone(), body.stream());
        if !is_plain || body.is_empty() {
            return Err(item);
        }
        item.truncate(start);
        let attributes = item.into_iter().filter_map(|token| match token {
            TokenTree::Group(group) => Some(group),
            _ => None,
        });
        Ok(Self { attributes: attributes.collect(), is_public, keyword, name, body })
    }

    /// Appends the lines of the item.
    ///
    /// # Errors
    /// A part of it is not Rust.
    pub(super) fn write(self, text: &mut String) -> Result<(), String> {
        let Self { attributes, is_public, keyword, name, body } = self;
        let start = text.len();
        if attributes.iter().any(|attribute| !write_attribute(attribute, "", text)) {
            text.truncate(start);
            text.push_str(&formatted(quote!(#(# #attributes)* struct A { a: u8 }), "", FIELD)?);
        }
        let public = if is_public { "pub " } else { "" };
        text.push_str(&format!("{public}{keyword} {name} {{\n"));
        for part in parts(body) {
            let start = text.len();
            if !write_part(&part, text) {
                text.truncate(start);
                let part: TokenStream = part.into_iter().collect();
                let before = format!("{keyword} A {{\n");
                text.push_str(&formatted(quote!(#keyword A { #part }), &before, "}\n")?);
            }
        }
        text.push_str("}\n");
        Ok(())
    }
}

/// The end of a struct with one field.
const FIELD: &str = "struct A {\n    a: u8,\n}\n";

/// The formatter's layout of an item, without the lines around the part in question.
fn formatted(item: TokenStream, before: &str, after: &str) -> Result<String, String> {
    let text = super::formatted(item)?;
    let part = text.strip_prefix(before).and_then(|text| text.strip_suffix(after));
    part.map(str::to_owned).ok_or_else(|| format!("unexpected layout: {text}"))
}

/// The index of the first token after the attributes.
fn attributes_end(tokens: &[TokenTree]) -> usize {
    let pairs = tokens.chunks_exact(2);
    2 * pairs.take_while(|pair| matches!(pair, [TokenTree::Punct(_), TokenTree::Group(_)])).count()
}

fn is_word(token: Option<&TokenTree>, word: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(ident)) if ident == word)
}

/// The fields or variants between the commas. The commas of generics are not among them.
fn parts(body: TokenStream) -> Vec<Vec<TokenTree>> {
    let (mut parts, mut part, mut depth) = (Vec::new(), Vec::new(), 0_usize);
    for token in body {
        let sign = if let TokenTree::Punct(punct) = &token { punct.as_char() } else { ' ' };
        match sign {
            ',' if depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        part.push(token);
    }
    parts.extend(Some(part).filter(|part| !part.is_empty()));
    parts
}

/// Appends the lines of a field or variant. Returns `false` if they do not fit, or if it is another one than most.
fn write_part(part: &[TokenTree], text: &mut String) -> bool {
    let end = attributes_end(part);
    let attributes = part[..end].iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    });
    for attribute in attributes {
        if !write_attribute(attribute, INDENT, text) {
            return false;
        }
    }
    let start = text.len();
    text.push_str(INDENT);
    let is_written = match &part[end..] {
        [TokenTree::Ident(public), TokenTree::Ident(name), TokenTree::Punct(colon), type_ @ ..]
            if public == "pub" && colon.as_char() == ':' =>
        {
            text.push_str("pub ");
            text.push_str(&name.to_string());
            text.push_str(": ");
            write_type(type_, text)
        }
        [TokenTree::Ident(variant)] => {
            text.push_str(&variant.to_string());
            true
        }
        _ => false,
    };
    text.push_str(",\n");
    is_written && text.len() - 1 - start <= MARGIN
}

/// Appends the path of a type, with generics. Returns `false` for other types.
fn write_type(type_: &[TokenTree], text: &mut String) -> bool {
    let mut last = ' ';
    for token in type_ {
        match token {
            TokenTree::Ident(ident) if last != 'a' => {
                text.push_str(&ident.to_string());
                last = 'a';
            }
            TokenTree::Punct(punct) => {
                let sign = punct.as_char();
                match (last, sign) {
                    ('a' | '>', '<' | '>') | ('a' | ':', ':') => text.push(sign),
                    ('a' | '>', ',') => text.push_str(", "),
                    _ => return false,
                }
                last = sign;
            }
            _ => return false,
        }
    }
    matches!(last, 'a' | '>')
}

/// Appends the line of an attribute, or the lines of a documentation. Returns `false` if it does not fit, or is another one than most.
fn write_attribute(attribute: &Group, indent: &str, text: &mut String) -> bool {
    let tokens: Vec<TokenTree> = attribute.stream().into_iter().collect();
    match &*tokens {
        [TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Literal(value)] if name == "doc" => {
            let Lit::Str(value) = Lit::new(value.clone()) else { return false };
            let line = value.value();
            // The formatter would choose another form for these.
            if line.contains('\n') || line.starts_with('/') {
                return false;
            }
            for piece in [indent, "///", line.trim_end_matches(' '), "\n"] {
                text.push_str(piece);
            }
            true
        }
        [TokenTree::Ident(name), TokenTree::Group(list)] if list.delimiter() == Delimiter::Parenthesis => {
            let start = text.len();
            for piece in [indent, "#[", &name.to_string(), "("] {
                text.push_str(piece);
            }
            let is_written = write_list(list.stream(), text);
            text.push_str(")]\n");
            is_written && text.len() - 1 - start <= MARGIN
        }
        _ => false,
    }
}

/// Appends the arguments of an attribute. Returns `false` if there are brackets in them.
fn write_list(list: TokenStream, text: &mut String) -> bool {
    let mut is_after_word = false;
    let mut tokens = list.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_word = match &token {
            TokenTree::Punct(punct) => {
                match punct.as_char() {
                    ',' if tokens.peek().is_none() => {}
                    ',' => text.push_str(", "),
                    '=' if is_after_word => text.push_str(" = "),
                    '=' => text.push_str("= "),
                    sign => text.push(sign),
                }
                false
            }
            TokenTree::Group(_) => return false,
            word => {
                if is_after_word {
                    text.push(' ');
                }
                text.push_str(&word.to_string());
                true
            }
        };
        is_after_word = is_word;
    }
    true
}
