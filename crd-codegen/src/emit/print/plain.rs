//! Writes structs and enums field by field and variant by variant. Nearly all of them fit on one line. This module writes these lines in
//! the formatter's layout, and checks that they are valid Rust. Everything else is left to the formatter and the parser.

use std::fmt::{Display, Write as _};

use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree};
use quote::quote;
use syn::Attribute;
use syn::parse::Parser as _;

use crate::emit::literal;
use crate::emit::text_lines::split;
use crate::ir::name::is_keyword;

/// The maximum length of a line in the formatter's layout.
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
    /// Returns the item, or its tokens if it is neither a struct with named fields nor an enum.
    pub(super) fn from_tokens(mut item: Vec<TokenTree>) -> Result<Self, Vec<TokenTree>> {
        let start = attributes_end(&item);
        let is_public = matches!(item.get(start), Some(TokenTree::Ident(word)) if word == "pub");
        let [keyword, name, TokenTree::Group(body)] = &item[start + usize::from(is_public)..] else {
            return Err(item);
        };
        let (TokenTree::Ident(keyword), TokenTree::Ident(name)) = (keyword, name) else { return Err(item) };
        let is_plain = (keyword == "struct" || keyword == "enum")
            && !is_keyword(&name.to_string())
            && body.delimiter() == Delimiter::Brace;
        let (keyword, name, body) = (keyword.clone(), name.clone(), body.stream());
        if !is_plain || body.is_empty() {
            return Err(item);
        }
        item.truncate(start);
        Ok(Self { attributes: groups(item), is_public, keyword, name, body })
    }

    /// Appends the lines of the item.
    ///
    /// # Errors
    /// A part of the item is not valid Rust.
    pub(super) fn write(self, text: &mut String) -> Result<(), String> {
        let Self { attributes, is_public, keyword, name, body } = self;
        for attribute in attributes {
            if let Err(attribute) = write_attribute(attribute, "", text) {
                let item = quote!(# #attribute struct A { a: u8 });
                text.push_str(&formatted(item, "", "struct A {\n    a: u8,\n}\n")?);
            }
        }
        let public = if is_public { "pub " } else { "" };
        let _ = writeln!(text, "{public}{keyword} {name} {{");
        for mut part in parts(body) {
            let declaration = part.split_off(attributes_end(&part));
            for attribute in groups(part) {
                if let Err(attribute) = write_attribute(attribute, INDENT, text) {
                    let item = quote!(struct A { # #attribute a: u8 });
                    text.push_str(&formatted(item, "struct A {\n", "    a: u8,\n}\n")?);
                }
            }
            let start = text.len();
            if !write_declaration(&keyword, &declaration, text) {
                text.truncate(start);
                let declaration: TokenStream = declaration.into_iter().collect();
                let before = format!("{keyword} A {{\n");
                text.push_str(&formatted(quote!(#keyword A { #declaration, }), &before, "}\n")?);
            }
        }
        text.push_str("}\n");
        Ok(())
    }

    /// Parses the item.
    ///
    /// # Errors
    /// A part of the item is not valid Rust.
    pub(super) fn parse(self) -> syn::Result<()> {
        for attribute in self.attributes {
            parse_attribute(attribute)?;
        }
        let mut declared = String::new();
        for mut part in parts(self.body) {
            let declaration = part.split_off(attributes_end(&part));
            for attribute in groups(part) {
                parse_attribute(attribute)?;
            }
            declared.clear();
            if !write_declaration(&self.keyword, &declaration, &mut declared) {
                let (keyword, declaration) =
                    (&self.keyword, declaration.into_iter().collect::<TokenStream>());
                syn::parse2::<syn::Item>(quote!(#keyword A { #declaration, }))?;
            }
        }
        Ok(())
    }
}

/// Formats an item, and returns the part of the text that is between `before` and `after`.
fn formatted(item: TokenStream, before: &str, after: &str) -> Result<String, String> {
    let text = super::formatted(item)?;
    let part = text.strip_prefix(before).and_then(|text| text.strip_suffix(after));
    part.map(str::to_owned).ok_or_else(|| format!("unexpected layout: {text}"))
}

/// Returns the index of the first token after the attributes.
fn attributes_end(tokens: &[TokenTree]) -> usize {
    let is_attribute = |pair: &&[TokenTree]| match pair {
        [TokenTree::Punct(sign), TokenTree::Group(group)] => {
            sign.as_char() == '#' && group.delimiter() == Delimiter::Bracket
        }
        _ => false,
    };
    2 * tokens.chunks_exact(2).take_while(is_attribute).count()
}

/// Returns the bracketed part of each attribute, without the `#`.
fn groups(attributes: Vec<TokenTree>) -> Vec<Group> {
    let groups = attributes.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    });
    groups.collect()
}

/// Splits fields or variants at the commas, except commas within generics.
fn parts(body: TokenStream) -> Vec<Vec<TokenTree>> {
    let (mut parts, mut part, mut depth, mut last) = (Vec::new(), Vec::new(), 0_usize, ' ');
    for token in body {
        let sign = if let TokenTree::Punct(punct) = &token { punct.as_char() } else { ' ' };
        match (last, sign) {
            (_, ',') if depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            (_, '<') => depth += 1,
            // The arrow of a function's type.
            ('-', '>') => {}
            (_, '>') => depth = depth.saturating_sub(1),
            _ => {}
        }
        last = sign;
        part.push(token);
    }
    parts.extend(Some(part).filter(|part| !part.is_empty()));
    parts
}

/// Returns the tokens of a group, without copying them if possible.
fn tokens(group: Group) -> Vec<TokenTree> {
    let stream = group.stream();
    drop(group);
    stream.into_iter().collect()
}

/// Appends the line for a field or variant. Returns `false` if the line would be too long, or if the field or variant has an unusual form.
fn write_declaration(keyword: &Ident, declaration: &[TokenTree], text: &mut String) -> bool {
    let start = text.len();
    text.push_str(INDENT);
    let is_written = match declaration {
        [TokenTree::Ident(public), TokenTree::Ident(name), TokenTree::Punct(colon), type_ @ ..]
            if keyword == "struct" && public == "pub" && colon.as_char() == ':' =>
        {
            text.push_str("pub ");
            let is_written = write_name(name, text);
            text.push_str(": ");
            is_written && write_type(type_, text)
        }
        [TokenTree::Ident(variant)] if keyword == "enum" => write_name(variant, text),
        _ => false,
    };
    text.push_str(",\n");
    is_written && text.len() - 1 - start <= MARGIN
}

/// Appends a name to the text. Returns `false` for a keyword.
fn write_name(name: &Ident, text: &mut String) -> bool {
    let start = text.len();
    append(text, name);
    !is_keyword(&text[start..])
}

/// Appends a token without allocating a string for it.
fn append(text: &mut String, token: &impl Display) {
    // A string takes everything.
    let _ = write!(text, "{token}");
}

/// Appends the path of a type, with generics. Returns `false` for all other types.
fn write_type(type_: &[TokenTree], text: &mut String) -> bool {
    // The end of what is written: a name (`a`), two colons (`;`), or the sign itself.
    let (mut last, mut depth) = (',', 0_usize);
    for token in type_ {
        last = match token {
            TokenTree::Ident(ident) if matches!(last, ',' | '<' | ';') => {
                if !write_name(ident, text) {
                    return false;
                }
                'a'
            }
            TokenTree::Punct(punct) => match (last, punct.as_char()) {
                ('a', ':') => ':',
                (':', ':') => {
                    text.push_str("::");
                    ';'
                }
                ('a', '<') => {
                    depth += 1;
                    text.push('<');
                    '<'
                }
                ('a' | '>', '>') if depth > 0 => {
                    depth -= 1;
                    text.push('>');
                    '>'
                }
                ('a' | '>', ',') if depth > 0 => {
                    text.push_str(", ");
                    ','
                }
                _ => return false,
            },
            _ => return false,
        };
    }
    depth == 0 && matches!(last, 'a' | '>')
}

/// Appends the line for an attribute. Returns the attribute if the line would be too long, or if the attribute has an unusual form.
fn write_attribute(attribute: Group, indent: &str, text: &mut String) -> Result<(), Group> {
    let start = text.len();
    let tokens = tokens(attribute);
    let is_written = match &*tokens {
        [TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Literal(value)] if name == "doc" => {
            write_documentation(value, indent, text)
        }
        [TokenTree::Ident(name), TokenTree::Group(list)] if list.delimiter() == Delimiter::Parenthesis => {
            text.push_str(indent);
            text.push_str("#[");
            append(text, name);
            text.push('(');
            let is_written = write_list(list.stream(), text);
            text.push_str(")]\n");
            is_written && text.len() - 1 - start <= MARGIN
        }
        _ => false,
    };
    if is_written {
        return Ok(());
    }
    text.truncate(start);
    Err(Group::new(Delimiter::Bracket, tokens.into_iter().collect()))
}

/// Appends the lines of a doc comment. Returns `false` if the formatter would print the comment in another form.
fn write_documentation(value: &Literal, indent: &str, text: &mut String) -> bool {
    let value = value.to_string();
    let Some(lines) = literal::raw_text(&value) else {
        let Some(line) = value.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
            return false;
        };
        return !line.contains('\\') && write_line(line, indent, text);
    };
    split(lines).all(|line| write_line(line, indent, text))
}

fn write_line(line: &str, indent: &str, text: &mut String) -> bool {
    for piece in [indent, "///", line.trim_end_matches(' '), "\n"] {
        text.push_str(piece);
    }
    // A fourth slash would make it another comment.
    !line.starts_with('/')
}

/// Appends the arguments of an attribute. Returns `false` if the arguments contain brackets.
fn write_list(list: TokenStream, text: &mut String) -> bool {
    let mut is_after_word = false;
    let mut tokens = list.into_iter().peekable();
    while let Some(token) = tokens.next() {
        is_after_word = match &token {
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
                append(text, word);
                true
            }
        };
    }
    true
}

fn parse_attribute(attribute: Group) -> syn::Result<()> {
    let tokens = tokens(attribute);
    match &*tokens {
        [TokenTree::Ident(name), TokenTree::Group(_)] if !is_keyword(&name.to_string()) => Ok(()),
        [TokenTree::Ident(name), TokenTree::Punct(equals), TokenTree::Literal(_)]
            if name == "doc" && equals.as_char() == '=' =>
        {
            Ok(())
        }
        _ => {
            let tokens: TokenStream = tokens.into_iter().collect();
            Attribute::parse_outer.parse2(quote!(#[#tokens])).map(|_| ())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::super::{checked, formatted, split_items};
    use super::{Plain, TokenStream, TokenTree};

    /// Checks that the layout of these items is the same as the formatter's. Returns their number.
    fn compare(text: &str) -> usize {
        compare_tokens(text.parse().unwrap())
    }

    fn compare_tokens(text: TokenStream) -> usize {
        let mut count = 0;
        for item in split_items(text) {
            if let Some(TokenTree::Group(body)) = item.last()
                && item.iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "mod"))
            {
                count += compare_tokens(body.stream());
                continue;
            }
            let tokens = item.iter().cloned().collect();
            let Ok(plain) = Plain::from_tokens(item) else { continue };
            let mut written = String::new();
            plain.write(&mut written).unwrap();
            assert_eq!(written, formatted(tokens).unwrap());
            count += 1;
        }
        count
    }

    #[test]
    fn generated_code_has_the_layout_of_the_formatter() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
        let files = std::fs::read_dir(golden).unwrap();
        let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let count: usize = texts.map(|text| compare(&text)).sum();
        assert!(count > 100, "{count}");
    }

    #[test]
    fn other_items_have_the_layout_of_the_formatter() {
        for text in [
            "#[allow(a, b,)] #[c = \"d\"] #[e] #[f(g = [h])] pub enum A { B, C(d::E), #[doc = \"/ f\"] F { g: u8 } }",
            "struct A { b: u8, pub c: [u8; 2], pub d: Box<dyn Fn(u8) -> u16>, pub r#type: &'static str, }",
            "pub struct A { pub(crate) b: ::c::D<E, F,>, pub g: <H as I>::J, #[doc = \"a \\\\ b\"] pub k: L<{ M }> }",
        ] {
            assert_eq!(compare(text), 1, "{text}");
        }
        assert_eq!(compare("struct A; struct B(u8); struct C<T> { d: T } struct E {} fn f() {}"), 0);
    }

    proptest! {
        #[test]
        fn lines_break_where_the_formatter_breaks_them(
            names in prop::collection::vec("[a-z]{1,70}", 1..4),
            types in prop::collection::vec("(Option<)?(Vec<)?[A-Z]{1,60}", 1..4),
            words in prop::collection::vec("[a-z]{1,30}( = \"[ -!#-\\[^-~\u{e9}]{1,30}\")?", 1..5),
        ) {
            let words = words.join(", ");
            let mut text = format!("#[w({words})] pub struct A {{");
            for (name, type_) in names.iter().zip(&types) {
                let close = ">".repeat(type_.matches('<').count());
                text += &format!("#[w({words})] pub r#{name}: {type_}{close}, ");
            }
            prop_assert_eq!(compare(&(text + "}")), 1);
        }
    }

    #[test]
    fn text_that_is_no_rust_is_refused() {
        for wrong in [
            "struct fn { pub a: u8 }",
            "struct A { pub a: b c }",
            "struct A { pub a: B<C }",
            "struct A { pub a: B<C>> }",
            "struct A { pub a: B<C>D }",
            "struct A { pub a: B:C }",
            "struct A { pub a: b::::c }",
            "struct A { pub a: fn }",
            "struct A { pub fn: u8 }",
            "struct A { pub a: , }",
            "struct A { pub a: u8,, }",
            "struct A { #[b] }",
            "struct A { #[b c] pub a: u8 }",
            "#[fn(a)] struct A { pub a: u8 }",
            "enum A { B C }",
            "enum A { fn }",
            "enum A { pub a: u8 }",
        ] {
            assert!(checked(wrong.to_owned()).is_err(), "{wrong}");
        }
        for right in
            ["struct A { pub a: u8 }", "enum A { B, #[c(d)] E(f::G) }", "struct A { pub a: b::C<D, E<F>> }"]
        {
            assert!(checked(right.to_owned()).is_ok(), "{right}");
        }
    }
}
