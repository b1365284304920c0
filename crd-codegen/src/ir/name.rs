//! Names for types, fields, variants and modules: from texts of a schema to Rust identifiers. Every text gets a name
//! (total), no two of one scope get the same (injective), and the same texts get the same names (deterministic).

mod case;
mod fields;
mod modules;
mod types;
mod variants;

pub(crate) use fields::{FieldName, FieldNames, fields};
pub(crate) use modules::modules;
pub(crate) use types::{TypeNames, types};
pub(crate) use variants::{UNKNOWN, variants};

use std::collections::{HashMap, HashSet};

/// Gives every wish a name: its own where it is the first to ask for it, and else the same with a number. What is in
/// `taken` is nobody's.
fn assign(wishes: &[String], taken: &HashSet<String>, separator: &str) -> Vec<String> {
    let mut used = taken.clone();
    // All plain names go first: a numbered one must not take what another one asks for by itself.
    let is_first: Vec<bool> = wishes.iter().map(|wish| used.insert(wish.clone())).collect();
    let mut numbers = Numbers { separator, next: HashMap::new() };
    let named = wishes.iter().zip(is_first);
    named
        .map(|(wish, is_first)| if is_first { wish.clone() } else { numbers.name(wish, &mut used) })
        .collect()
}

/// Tells equal wishes apart.
struct Numbers<'a> {
    separator: &'a str,
    // Where many ask for the same, the search goes on where it stopped.
    next: HashMap<String, usize>,
}

impl Numbers<'_> {
    fn name(&mut self, wish: &str, used: &mut HashSet<String>) -> String {
        let number = self.next.entry(wish.to_owned()).or_insert(2);
        let separator = if wish.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { self.separator };
        loop {
            let name = format!("{wish}{separator}{number}");
            *number += 1;
            if used.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Whether it is a keyword in some edition of Rust, reserved ones included.
pub(crate) fn is_keyword(name: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
        "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in",
        "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
        "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized",
        "use", "virtual", "where", "while", "yield", "_",
    ];
    KEYWORDS.contains(&name)
}

#[cfg(test)]
mod tests;
