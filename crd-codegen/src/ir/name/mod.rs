//! Assigns names to types, fields, variants and modules: Rust identifiers for strings in a schema. Every string is assigned a name (total).
//! Strings in one scope have different names (injective). Names depend only on the strings (deterministic).

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

/// Assigns the requested name to each string, with a number if the name is already used. If several strings request the same name, the
/// string that equals the name has priority, and then the first string. Names in `taken` are never assigned.
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

/// A string, and the name requested for it.
struct Wish<'a> {
    text: &'a str,
    name: String,
}

/// Numbers equal names, to make them different.
struct Numbers<'a> {
    separator: &'a str,
    // Where many ask for the same, the search goes on where it stopped.
    next: HashMap<String, usize>,
}

impl Numbers<'_> {
    /// Returns the first numbered name for which `claim` returns `true`.
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

/// Returns `true` for a keyword in any edition of Rust, including reserved keywords.
///
/// Generated names must not be keywords. No other part of the workspace has a list of keywords: the derives use syn's parser, which knows
/// the keywords of its version.
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

/// Returns `true` for a keyword that can be a segment of a path, and cannot be a raw identifier.
pub(crate) fn is_path_keyword(name: &str) -> bool {
    matches!(name, "Self" | "crate" | "self" | "super")
}

#[cfg(test)]
mod tests;
