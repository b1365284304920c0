//! Names for types, fields, variants and modules: Rust identifiers for strings of a schema. Every string has a name
//! (total), no two strings of one scope have the same name (injective), and names depend only on the strings (deterministic).

mod case;
mod fields;
mod modules;
mod reserved;
mod types;
mod variants;

pub(crate) use fields::{FieldName, FieldNames, fields, fields_beside, fields_of, fields_of_root};
pub(crate) use modules::modules;
pub(crate) use reserved::{RESERVED_WITH_DERIVES, is_reserved};
pub(crate) use types::{Names, SELECTABLE_FIELD, TypeNames, WantedNames, kept_elsewhere, types};
pub(crate) use variants::{RenameRule, UNKNOWN, variants};

use std::collections::{HashMap, HashSet};

/// Assigns a name to every request: the requested name if no other request has it, otherwise the requested name with a number. If several
/// strings request the same name, the string that equals the name receives it. If no string equals the name, the first string receives it.
/// Names in `taken` are never assigned.
fn assign(wishes: &[Wish<'_>], taken: &HashSet<String>, separator: &str) -> Vec<String> {
    let mut used = taken.clone();
    let mut is_granted: Vec<bool> =
        wishes.iter().map(|wish| wish.text == wish.name && used.insert(wish.name.clone())).collect();
    // All plain names go first: a numbered one must not take what another one asks for by itself.
    for (wish, is_granted) in wishes.iter().zip(&mut is_granted) {
        *is_granted = *is_granted || used.insert(wish.name.clone());
    }
    let mut numbers = Numbers { separator, next: HashMap::new() };
    let granted = wishes.iter().zip(is_granted);
    granted
        .map(|(wish, is_granted)| {
            if is_granted {
                wish.name.clone()
            } else {
                numbers.name(&wish.name, |name| used.insert(name.to_owned()))
            }
        })
        .collect()
}

/// A string, and the name that is requested for the string.
struct Wish<'a> {
    text: &'a str,
    name: String,
}

/// Adds numbers to equal requested names, so that all names are different.
struct Numbers<'a> {
    separator: &'a str,
    // Where many ask for the same, the search goes on where it stopped.
    next: HashMap<String, usize>,
}

impl Numbers<'_> {
    /// Returns the first numbered name that can be claimed.
    fn name(&mut self, wish: &str, mut claim: impl FnMut(&str) -> bool) -> String {
        let number = self.next.entry(wish.to_owned()).or_insert(2);
        let separator = match wish.as_bytes().last() {
            Some(last) if last.is_ascii_digit() => "_",
            // `self__2` is not snake case.
            Some(b'_') => "",
            _ => self.separator,
        };
        loop {
            let name = format!("{wish}{separator}{number}");
            *number += 1;
            if claim(&name) {
                return name;
            }
        }
    }
}

/// Returns `true` for a keyword of any edition of Rust, including reserved ones.
///
/// This is the only list in the workspace: the derives use the parser of syn, whose keywords depend on its version.
/// Generated names must not be keywords.
pub(crate) fn is_keyword(name: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "Self", "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
        "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
        "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
        "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe",
        "unsized", "use", "virtual", "where", "while", "yield",
    ];
    // No keyword is longer, and most names are.
    name.len() <= 8 && KEYWORDS.binary_search(&name).is_ok()
}

/// Returns `true` for a keyword that is a segment of paths, and cannot be a raw identifier.
pub(crate) fn is_path_keyword(name: &str) -> bool {
    matches!(name, "Self" | "crate" | "self" | "super")
}

#[cfg(test)]
mod tests;
