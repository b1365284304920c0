//! Assigns names to the modules for groups, versions and kinds. All file systems accept these names.

use std::collections::HashSet;

use super::{Wish, assign, case, is_keyword};

/// Names sibling modules after these strings. `taken` contains the names of further siblings.
pub(crate) fn modules(texts: &[&str], taken: &[&str]) -> Vec<String> {
    let wishes: Vec<_> = texts.iter().map(|text| Wish { text, name: wish(text) }).collect();
    let taken: HashSet<String> = taken.iter().map(|&name| name.to_owned()).collect();
    assign(&wishes, &taken, "_")
}

fn wish(text: &str) -> String {
    let name = case::snake(text);
    if name.is_empty() {
        return "unnamed".to_owned();
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return format!("_{name}");
    }
    if is_keyword(&name) || is_device(&name) {
        return format!("{name}_");
    }
    name
}

/// Returns `true` for names that Windows treats as devices, regardless of their extension.
fn is_device(name: &str) -> bool {
    matches!(name, "con" | "prn" | "aux" | "nul")
        || name
            .strip_prefix("com")
            .or_else(|| name.strip_prefix("lpt"))
            .is_some_and(|number| number.len() == 1 && number.chars().all(|c| c.is_ascii_digit()))
}
