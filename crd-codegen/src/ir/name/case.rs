//! Converts strings in a schema to ASCII names in `snake_case` and `UpperCamelCase`.

use heck::{ToSnakeCase, ToUpperCamelCase};

/// The maximum length of a name. Longer names are truncated, because file systems accept at most 255 bytes.
const MAX_LENGTH: usize = 120;

/// Returns the text in `snake_case`, which is empty if there are no letters and no digits.
pub(super) fn snake(text: &str) -> String {
    if is_simple(text) {
        let mut name = String::with_capacity(text.len() + 8);
        for (at, letter) in text.char_indices() {
            if letter.is_ascii_uppercase() && at > 0 {
                name.push('_');
            }
            name.push(letter.to_ascii_lowercase());
        }
        return cut(name);
    }
    cut(plural_acronyms(&ascii(text)).to_snake_case())
}

/// Returns the text in `UpperCamelCase`, which is empty if there are no letters and no digits.
pub(super) fn camel(text: &str) -> String {
    if is_simple(text) {
        let mut name = text.to_owned();
        if let Some(first) = name.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        return cut(name);
    }
    cut(plural_acronyms(&ascii(text)).to_upper_camel_case())
}

/// Returns `true` if the name consists of letters, and has no consecutive capitals. Each capital then begins a word, as in
/// `minReadySeconds`. Nearly all property names have this form.
fn is_simple(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().all(u8::is_ascii_alphabetic)
        && bytes.windows(2).all(|pair| !pair.iter().all(u8::is_ascii_uppercase))
}

/// Replaces symbols with words. Letters and digits are unchanged.
pub(super) fn spelled(text: &str) -> String {
    let mut spelled = String::new();
    for c in text.chars().take(MAX_LENGTH) {
        match symbol(c) {
            Some(name) => {
                spelled.push(' ');
                spelled.push_str(name);
                spelled.push(' ');
            }
            None => spelled.push(c),
        }
    }
    spelled
}

fn symbol(c: char) -> Option<&'static str> {
    Some(match c {
        '*' => "star",
        '+' => "plus",
        '-' => "minus",
        '=' => "equal",
        '!' => "not",
        '<' => "less",
        '>' => "greater",
        '~' => "tilde",
        '^' => "caret",
        '/' => "slash",
        '\\' => "backslash",
        '.' => "dot",
        ',' => "comma",
        ':' => "colon",
        ';' => "semicolon",
        '?' => "question",
        '@' => "at",
        '#' => "hash",
        '$' => "dollar",
        '%' => "percent",
        '&' => "and",
        '|' => "or",
        '(' | ')' => "parenthesis",
        '[' | ']' => "bracket",
        '{' | '}' => "brace",
        '"' | '\'' | '`' => "quote",
        '_' => "underscore",
        ' ' => "space",
        c if c.is_ascii_control() => "control",
        _ => return None,
    })
}

/// Replaces letters outside ASCII with their code points. Rust warns about confusable characters and mixed scripts, and treats names as
/// equal if only their normalization differs.
fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4 * MAX_LENGTH));
    for c in text.chars().take(4 * MAX_LENGTH) {
        if c.is_ascii() {
            out.push(c);
        } else {
            out.push_str(&format!(" u{:x} ", u32::from(c)));
        }
    }
    out
}

/// Joins the plural `s` to an acronym: `clusterIPs` has the words `cluster` and `ips`, not `cluster`, `i` and `ps`.
fn plural_acronyms(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = text.to_owned().into_bytes();
    for (i, window) in bytes.windows(3).enumerate() {
        let ends = bytes.get(i + 3).is_none_or(|next| !next.is_ascii_lowercase());
        if window[0].is_ascii_uppercase() && window[1].is_ascii_uppercase() && window[2] == b's' && ends {
            // Down to the second letter of the acronym.
            for at in (1..=i + 1).rev() {
                if !bytes[at].is_ascii_uppercase() || !bytes[at - 1].is_ascii_uppercase() {
                    break;
                }
                out[at].make_ascii_lowercase();
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

fn cut(mut name: String) -> String {
    // ASCII only: every place is a boundary.
    name.truncate(MAX_LENGTH);
    let end = name.trim_end_matches('_').len();
    name.truncate(end);
    name
}

/// Returns the property in `UpperCamelCase`. If there are no letters and no digits, symbols are replaced with words.
pub(super) fn camel_of(property: &str) -> String {
    let name = camel(property);
    if name.is_empty() { camel(&spelled(property)) } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_texts_are_converted_as_others() {
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let length = (state >> 60) as usize;
            let text: String =
                (0..length).map(|at| if state >> (8 + 3 * at) & 7 > 4 { 'B' } else { 'a' }).collect();
            if is_simple(&text) {
                assert_eq!(snake(&text), cut(text.to_snake_case()), "{text}");
                assert_eq!(camel(&text), cut(text.to_upper_camel_case()), "{text}");
            }
        }
        let long = "minReadySeconds".repeat(20);
        assert_eq!(snake(&long), cut(long.to_snake_case()));
        assert_eq!(camel(&long), cut(long.to_upper_camel_case()));
    }
}
