//! Finds names that cannot be resolved in generated files. Without a full path, only primitive types and names from the prelude can be used
//! there.

use std::iter::Peekable;

use proc_macro2::token_stream::IntoIter;
use proc_macro2::{TokenStream, TokenTree};

use crate::ir::name::is_keyword;

/// Primitive types, and types from the prelude.
const TYPES: &[&str] = &[
    "Box", "Option", "Result", "String", "Vec", "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64",
    "i8", "isize", "str", "u128", "u16", "u32", "u64", "u8", "usize",
];

/// Traits from the prelude, for trait objects and paths such as `<Vec<u8> as IntoIterator>::Item`.
const TRAITS: &[&str] = &[
    "AsMut",
    "AsRef",
    "Clone",
    "Copy",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Into",
    "IntoIterator",
    "Iterator",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Send",
    "Sized",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Unpin",
];

/// Returns the first name in a type that is not in scope in generated files, or that would be looked up in the generated module. Only a
/// full path has the same meaning everywhere.
pub(super) fn unknown_name(type_: TokenStream) -> Option<String> {
    let mut tokens = type_.into_iter().peekable();
    let mut is_within_path = false;
    while let Some(token) = tokens.next() {
        let was_within_path = std::mem::take(&mut is_within_path);
        match token {
            TokenTree::Group(group) => {
                if let Some(name) = unknown_name(group.stream()) {
                    return Some(name);
                }
            }
            // The name of a lifetime.
            TokenTree::Punct(punct) if punct.as_char() == '\'' => drop(tokens.next()),
            TokenTree::Punct(punct) => {
                is_within_path = punct.as_char() == ':' && tokens.next_if(is_colon).is_some();
            }
            TokenTree::Ident(name) if !was_within_path => {
                let name = name.to_string();
                match after(&mut tokens) {
                    After::Path if name == "self" || name == "Self" => return Some(format!("{name}::")),
                    After::Nothing if !is_known(&name) => return Some(name),
                    After::Bang => drop((tokens.next(), tokens.next())),
                    _ => {}
                }
            }
            // The tokens of a macro are its own.
            TokenTree::Ident(_) if matches!(after(&mut tokens), After::Bang) => {
                drop((tokens.next(), tokens.next()));
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {}
        }
    }
    None
}

fn is_known(name: &str) -> bool {
    TYPES.contains(&name) || TRAITS.contains(&name) || is_keyword(name)
}

/// The token that follows a name.
enum After {
    /// `::`: the name begins a path.
    Path,
    /// `:` or `=`: the name is a declaration, such as a function's parameter or an associated type.
    Declared,
    /// `!`
    Bang,
    Nothing,
}

fn after(tokens: &mut Peekable<IntoIter>) -> After {
    match tokens.peek() {
        Some(TokenTree::Punct(punct)) => match (punct.as_char(), punct.spacing()) {
            (':', proc_macro2::Spacing::Joint) => After::Path,
            (':' | '=', _) => After::Declared,
            ('!', _) => After::Bang,
            _ => After::Nothing,
        },
        _ => After::Nothing,
    }
}

fn is_colon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':')
}
