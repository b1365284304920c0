//! Checks of the Rust in options and in `names.lock`.

mod scope;

use std::str::FromStr;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{GenericArgument, PathArguments, ReturnType, Token, Type};

use super::literal;
use crate::InvalidOption;
use crate::ir::name::{is_keyword, is_path_keyword, is_reserved};

/// The maximum length of Rust code in an option, in bytes.
const MAX_LENGTH: usize = 4_096;
/// The maximum nesting depth. The parser recurses at each level, and a level takes 40 KiB of stack in a debug build.
const MAX_DEPTH: usize = 24;
/// The maximum length of a name, in bytes. Generated names are never longer.
const MAX_NAME: usize = 200;

/// Returns `true` if an option can contain this name for a type.
pub(crate) fn is_identifier(text: &str) -> bool {
    text.len() <= MAX_NAME && syn::parse_str::<Ident>(text).is_ok()
}

/// Checks a name for a generated type.
pub(crate) fn check_name(name: &str) -> Result<(), InvalidOption> {
    let invalid = |reason: &str| {
        Err(InvalidOption::new(format!("`{}` cannot be the name of a type: {reason}", shown(name))))
    };
    if !name.starts_with(|c: char| c.is_ascii_uppercase())
        || name.contains(|c: char| c != '_' && !c.is_ascii_alphanumeric())
    {
        // Names of primitive types are in lower case. Beyond ASCII, names that look alike may differ, and such as differ may be
        // the same to rustc.
        return invalid(
            "it must begin with an ASCII capital letter, followed by ASCII letters, digits and `_`",
        );
    }
    if name.len() > MAX_NAME {
        return invalid(&format!("it must have at most {MAX_NAME} characters"));
    }
    if is_reserved(name) {
        return invalid(&format!("it has another meaning in generated code; use `{name}Type`, for example"));
    }
    Ok(())
}

/// Checks the path of a derive.
pub(crate) fn check_path(text: &str) -> Result<(), InvalidOption> {
    let invalid = |reason: &str| {
        InvalidOption::new(format!("`{}` is not the path of a trait {reason}", shown(text)).trim_end())
    };
    bounded(text)?;
    let path = syn::Path::parse_mod_style.parse_str(text).map_err(|_| invalid(""))?;
    let last = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    if last.is_empty() || is_path_keyword(&last) {
        return Err(invalid(""));
    }
    if standard_name(text).is_none() && !text.contains("::") {
        return Err(invalid("that generated files know; write its full path, as in `strum::Display`"));
    }
    if standard_name(text).is_some_and(|name| matches!(name, "Serialize" | "Deserialize")) {
        return Err(InvalidOption::new(format!(
            "`{text}` is implemented for every generated type anyway; leave the option out"
        )));
    }
    Ok(())
}

/// Returns the name of a trait, if generated types may derive the trait by default. The path can have any spelling.
pub(crate) fn standard_name(path: &str) -> Option<&str> {
    let path = path.trim_start_matches("::");
    let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
    let is_standard = match name {
        "Clone" => ["", "std::clone", "core::clone"].contains(&module),
        "Copy" => ["", "std::marker", "core::marker"].contains(&module),
        "Debug" => ["", "std::fmt", "core::fmt"].contains(&module),
        "Default" => ["", "std::default", "core::default"].contains(&module),
        "PartialEq" | "Eq" | "PartialOrd" | "Ord" => ["", "std::cmp", "core::cmp"].contains(&module),
        "Hash" => ["", "std::hash", "core::hash"].contains(&module),
        "Serialize" => ["", "serde", "serde::ser"].contains(&module),
        "Deserialize" => ["", "serde", "serde::de"].contains(&module),
        _ => false,
    };
    let prelude =
        |module: &str| ["std::prelude", "core::prelude"].iter().any(|prelude| module.starts_with(prelude));
    (is_standard || prelude(module)).then_some(name)
}

/// Checks that a text consists of outer attributes, such as `#[non_exhaustive]`.
pub(crate) fn check_attributes(text: &str) -> Result<(), InvalidOption> {
    bounded_by(text, depth_of_attributes)?;
    let attributes = syn::Attribute::parse_outer.parse_str(text).unwrap_or_default();
    // A line break within a literal would not survive being moved into a nested module.
    if attributes.is_empty() || text.contains('\n') {
        return Err(InvalidOption::new(format!(
            "`{}` is not an attribute such as `#[non_exhaustive]`, on one line",
            shown(text)
        )));
    }
    let derives = attributes.iter().any(|attribute| derives(&attribute.meta, 0));
    if derives {
        return Err(InvalidOption::new(format!(
            "`{}` is a derive; use `derive` instead of `attribute`",
            shown(text)
        )));
    }
    Ok(())
}

/// Returns `true` for a derive, in any spelling of its path. Also returns `true` for a `cfg_attr` if it derives a trait that generated
/// types may derive by default.
fn derives(meta: &syn::Meta, level: usize) -> bool {
    let is_derive = |path: &syn::Path| path.segments.last().is_some_and(|last| last.ident == "derive");
    let syn::Meta::List(list) = meta else { return false };
    let metas = Punctuated::<syn::Meta, Token![,]>::parse_terminated;
    if is_derive(&list.path) {
        let paths = Punctuated::<syn::Path, Token![,]>::parse_terminated.parse2(list.tokens.clone());
        let is_standard =
            |path: &syn::Path| standard_name(&path.to_token_stream().to_string().replace(' ', "")).is_some();
        return level == 0 || paths.is_ok_and(|paths| paths.iter().any(is_standard));
    }
    list.path.is_ident("cfg_attr")
        && level < MAX_DEPTH
        && metas
            .parse2(list.tokens.clone())
            .is_ok_and(|all| all.iter().skip(1).any(|meta| derives(meta, level + 1)))
}

/// Returns the text between `#[` and `]` for each attribute. The attributes must have been checked.
pub(crate) fn inner(checked: &str) -> impl Iterator<Item = String> {
    let attributes = syn::Attribute::parse_outer.parse_str(checked).unwrap_or_default();
    attributes.into_iter().map(|attribute| attribute.meta.to_token_stream().to_string())
}

/// Checks the type of a field.
pub(crate) fn check_type(text: &str) -> Result<(), InvalidOption> {
    bounded(text)?;
    match syn::parse_str::<Type>(text) {
        Ok(type_) if !text.contains('\n') => match unsuitable(&type_, true) {
            None => known_names(text),
            Some(reason) => {
                Err(InvalidOption::new(format!("`{text}` cannot be the type of a field: {reason}")))
            }
        },
        _ => Err(InvalidOption::new(format!("`{}` is not a type", shown(text)))),
    }
}

/// Rejects names that would need a `use` in the generated file. Also rejects the names of generated types, because a type could then
/// contain itself.
fn known_names(type_: &str) -> Result<(), InvalidOption> {
    match scope::unknown_name(tokens(type_)) {
        None => Ok(()),
        Some(name) => Err(InvalidOption::new(format!(
            "`{}` cannot be the type of a field: `{name}` is not known in generated files; write its full path, as in \
             `crate::module::Type` or `chrono::NaiveDate`",
            shown(type_)
        ))),
    }
}

/// Returns the tokens of a text that one of the checks above accepted.
pub(crate) fn tokens(checked: &str) -> TokenStream {
    if checked.bytes().all(|byte| byte.is_ascii_alphabetic()) && !checked.is_empty() {
        return TokenTree::from(Ident::new(checked, Span::call_site())).into();
    }
    TokenStream::from_str(checked).unwrap_or_default()
}

/// Returns a reason why a field cannot have a type, judged only by the type's syntax. `is_field` is `false` for a generic argument. Such
/// an argument may be of other kinds, too.
fn unsuitable(type_: &Type, is_field: bool) -> Option<&'static str> {
    const UNSIZED: Option<&str> = Some("its size is not known; put it into a `Box`");
    match type_ {
        Type::Array(array) => unsuitable(&array.elem, true),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(|part| unsuitable(part, true)),
        Type::Paren(paren) => unsuitable(&paren.elem, is_field),
        Type::Group(group) => unsuitable(&group.elem, is_field),
        Type::Slice(_) | Type::TraitObject(_) if is_field => UNSIZED,
        Type::Slice(slice) => unsuitable(&slice.elem, true),
        Type::Infer(_) => Some("`_` is not a type"),
        Type::ImplTrait(_) => Some("name the type, not its trait"),
        Type::Never(_) if is_field => Some("it has no values"),
        Type::Reference(_) if is_field => {
            Some("a reference cannot be read from JSON; name a type that owns its value")
        }
        Type::Ptr(_) if is_field => Some("a pointer cannot be read from JSON"),
        Type::Path(path) if path.path.is_ident("Self") => {
            Some("it refers to the enclosing type; name that type")
        }
        Type::Path(path) if is_field && path.path.is_ident("str") => UNSIZED,
        Type::Path(path) => {
            path.path.segments.iter().find_map(|segment| unsuitable_arguments(&segment.arguments))
        }
        _ => None,
    }
}

fn unsuitable_arguments(arguments: &PathArguments) -> Option<&'static str> {
    match arguments {
        PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(type_) => unsuitable(type_, false),
                GenericArgument::Lifetime(lifetime) if lifetime.ident != "static" => {
                    Some("only the lifetime `'static` can be used")
                }
                _ => None,
            })
        }
        PathArguments::Parenthesized(arguments) => {
            let result = match &arguments.output {
                ReturnType::Type(_, type_) => unsuitable(type_, false),
                ReturnType::Default => None,
            };
            arguments.inputs.iter().find_map(|input| unsuitable(&input.ty, false)).or(result)
        }
        PathArguments::None => None,
    }
}

/// Checks that the parser for types and paths can parse a text without overflowing the stack.
fn bounded(text: &str) -> Result<(), InvalidOption> {
    bounded_by(text, depth)
}

fn bounded_by(text: &str, depth: fn(TokenStream) -> usize) -> Result<(), InvalidOption> {
    let invalid = |reason: String| Err(InvalidOption::new(format!("`{}` {reason}", shown(text))));
    if text.len() > MAX_LENGTH {
        return invalid(format!("is longer than {MAX_LENGTH} bytes"));
    }
    if text.chars().any(|c| literal::is_hidden(c) && c != '\n') {
        return invalid("contains invisible characters; write them as escapes".to_owned());
    }
    match TokenStream::from_str(text) {
        Ok(tokens) if depth(tokens.clone()) > MAX_DEPTH => {
            invalid(format!("is nested more than {MAX_DEPTH} deep"))
        }
        _ => Ok(()),
    }
}

/// Returns an upper bound for the parser's recursion depth: the depth of brackets, plus the number of tokens that may precede a type or an
/// expression.
fn depth(tokens: TokenStream) -> usize {
    let mut open = vec![(tokens.into_iter(), 0_usize)];
    let (mut deepest, mut prefixes) = (0, 0);
    while let Some((tokens, angles)) = open.last_mut() {
        let inside = match tokens.next() {
            Some(TokenTree::Group(group)) => Some(group.stream()),
            Some(TokenTree::Punct(punct)) => {
                match punct.as_char() {
                    '<' => *angles += 1,
                    '>' => *angles = angles.saturating_sub(1),
                    ',' | ':' | ';' | '#' | '\'' => {}
                    _ => prefixes += 1,
                }
                None
            }
            Some(TokenTree::Ident(name)) => {
                let name = name.to_string();
                prefixes += usize::from(is_keyword(&name) && !is_path_keyword(&name));
                None
            }
            Some(TokenTree::Literal(_)) => None,
            None => {
                open.pop();
                continue;
            }
        };
        deepest = deepest.max(open.iter().map(|(_, angles)| 1 + angles).sum());
        open.extend(inside.map(|tokens| (tokens.into_iter(), 0)));
        if deepest + prefixes > MAX_DEPTH {
            break;
        }
    }
    deepest + prefixes
}

/// Returns an upper bound for the parser's recursion depth in attributes, where it parses only expressions, such as in
/// `#[name = expression]`.
fn depth_of_attributes(tokens: TokenStream) -> usize {
    let depth_of = |attribute: TokenStream| {
        let mut tokens = attribute.into_iter();
        let _ =
            tokens.by_ref().any(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '='));
        depth(tokens.collect())
    };
    let attributes = tokens.into_iter().map(|token| match token {
        TokenTree::Group(attribute) => brackets(attribute.stream()).max(depth_of(attribute.stream())),
        _ => 0,
    });
    attributes.max().unwrap_or_default()
}

/// Returns the nesting depth of brackets.
fn brackets(tokens: TokenStream) -> usize {
    let mut open = vec![tokens.into_iter()];
    let mut deepest = 0;
    while let Some(tokens) = open.last_mut() {
        match tokens.next() {
            Some(TokenTree::Group(group)) => open.push(group.stream().into_iter()),
            Some(_) => {}
            None => drop(open.pop()),
        }
        deepest = deepest.max(open.len());
    }
    deepest
}

/// Returns an option's text for an error message. Long texts are shortened, and hidden characters are escaped.
pub(crate) fn shown(text: &str) -> String {
    const LENGTH: usize = 80;
    let mut shown: String = text
        .chars()
        .take(LENGTH)
        .flat_map(|c| if literal::is_hidden(c) { c.escape_unicode().collect::<Vec<_>>() } else { vec![c] })
        .collect();
    if text.chars().nth(LENGTH).is_some() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests;
