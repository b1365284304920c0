//! Checks the syntax of structs, enums, imports and lists line by line. Nearly all lines of generated code have one of a few forms, and are
//! checked much faster here than by parsing tokens. Everything else is left to the parser.

use crate::emit::text_lines::split;
use crate::ir::name::{is_keyword, is_path_keyword};

const INDENT: &str = "    ";

/// Returns the parts of a text that this module cannot check. Blank lines separate the items of the text. The text is valid Rust if the
/// returned parts are.
pub(super) fn others(text: &str) -> Vec<&str> {
    let mut others = Vec::new();
    // The bytes before `end` are checked, or among the others; those before `at` were seen.
    let (mut end, mut at) = (0, 0);
    for item in text.split_inclusive("\n\n") {
        let start = at;
        at += item.len();
        if is_plain(item) {
            others.push(&text[end..start]);
            end = at;
        }
    }
    others.push(&text[end..]);
    others.retain(|other| !other.is_empty());
    others
}

/// Returns `true` for imports, a struct with named fields, or an enum of names. A macro call with a list may follow the enum. The item, its
/// fields and its variants may have documentation and attributes.
fn is_plain(item: &str) -> bool {
    let mut lines = split(item.trim_end_matches('\n'));
    let Some(head) = skip_attributes(&mut lines, "") else { return false };
    let declaration = head.strip_prefix("pub ").unwrap_or(head);
    let (is_part, name): (IsPart, _) = match declaration.split_once(' ') {
        Some(("struct", name)) => (is_field, name),
        Some(("enum", name)) => (is_variant, name),
        Some(("use", _)) => return is_imports(head, &mut lines),
        _ => return false,
    };
    if !name.strip_suffix(" {").is_some_and(is_name) {
        return false;
    }
    let mut count = 0;
    loop {
        match skip_attributes(&mut lines, INDENT) {
            Some("}") if count > 0 => {
                return match lines.next() {
                    Some(call) => is_call(call, &mut lines) && lines.next().is_none(),
                    None => true,
                };
            }
            Some(part) if part.strip_prefix(INDENT).is_some_and(|part| is_part(part, &mut lines)) => {
                count += 1;
            }
            _ => return false,
        }
    }
}

/// Returns `true` if the line and those after it are a field or variant, whose lines are then consumed.
type IsPart = fn(&str, &mut dyn Iterator<Item = &str>) -> bool;

/// Returns the first line after documentation and attributes. Returns `None` if there are attributes, but the item ends after them.
fn skip_attributes<'t>(lines: &mut dyn Iterator<Item = &'t str>, indent: &str) -> Option<&'t str> {
    let mut has_attributes = false;
    while let Some(line) = lines.next() {
        let attribute = line.strip_prefix(indent).and_then(|line| line.strip_prefix("#["));
        let is_attribute = line == "///"
            || attribute.is_some_and(|attribute| match attribute.strip_suffix('(') {
                None => is_attribute(attribute),
                Some(name) => is_name(name) && takes_list(lines, indent, ")]"),
            });
        if !is_attribute {
            return Some(line).filter(|line| !has_attributes || *line != "}");
        }
        has_attributes = true;
    }
    None
}

/// Returns `true` for the rest of `#[name(...)]`, with words, simple strings and punctuation between the parentheses.
fn is_attribute(attribute: &str) -> bool {
    let list = attribute.strip_suffix(")]").and_then(|attribute| attribute.split_once('('));
    list.is_some_and(|(name, list)| is_name(name) && is_list(list))
}

/// Returns `true` if the next lines are a list and its closing line, and consumes them.
fn takes_list(lines: &mut dyn Iterator<Item = &str>, indent: &str, end: &str) -> bool {
    for line in lines {
        if line.strip_prefix(indent) == Some(end) {
            return true;
        }
        if !is_list(line.trim_start_matches(' ')) {
            return false;
        }
    }
    false
}

/// Returns `true` for the call of a macro: `name! { Head { list } }`, on one line or with the list on lines of its own.
fn is_call(line: &str, lines: &mut dyn Iterator<Item = &str>) -> bool {
    let Some((name, rest)) = line.split_once("! { ") else { return false };
    let Some((head, list)) = rest.split_once(" {") else { return false };
    is_name(name)
        && is_name(head)
        && match list.strip_suffix(" } }") {
            Some(list) => is_list(list),
            None => list.is_empty() && takes_list(lines, "", "} }"),
        }
}

/// Returns `true` if all lines belong to imports.
fn is_imports(head: &str, lines: &mut dyn Iterator<Item = &str>) -> bool {
    let mut next = Some(head);
    while let Some(line) = next {
        let import = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("use ");
        let is_import = import.is_some_and(|import| match import.strip_suffix("::{") {
            Some(path) => is_import_path(path) && takes_imported(lines),
            None => import.strip_suffix(';').is_some_and(is_import_of_one_line),
        });
        if !is_import {
            return false;
        }
        next = lines.next();
    }
    true
}

fn is_import_of_one_line(import: &str) -> bool {
    match import.strip_suffix('}').and_then(|import| import.split_once("::{")) {
        Some((path, names)) => is_import_path(path) && names.split(", ").all(is_imported),
        None => is_import_path(import),
    }
}

/// Returns `true` if the next lines are imported names and the closing line, and consumes them.
fn takes_imported(lines: &mut dyn Iterator<Item = &str>) -> bool {
    for line in lines {
        if line == "};" {
            return true;
        }
        let names = line.strip_prefix(INDENT).and_then(|line| line.strip_suffix(','));
        if !names.is_some_and(|names| names.split(", ").all(is_imported)) {
            return false;
        }
    }
    false
}

/// Returns `true` for a name, or for two names such as `A as B`.
fn is_imported(names: &str) -> bool {
    match names.split_once(" as ") {
        Some((name, alias)) => is_name(name) && is_name(alias),
        None => is_name(names),
    }
}

fn is_import_path(path: &str) -> bool {
    path.split("::").all(|name| is_name(name) || matches!(name, "crate" | "self" | "super"))
}

fn is_list(mut list: &str) -> bool {
    while let Some(first) = list.bytes().next() {
        let length = match first {
            b' ' | b',' | b'=' | b':' => 1,
            b'"' => match list[1..].find(['"', '\\', '\r']) {
                Some(end) if list[1 + end..].starts_with('"') => end + 2,
                _ => return false,
            },
            _ => name_length(list),
        };
        let (token, rest) = list.split_at(length);
        // A letter before a string is a prefix of it, and one after it is a suffix.
        let is_joined = match token.as_bytes().last() {
            Some(b'"') => rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_'),
            Some(b' ' | b',' | b'=' | b':') => false,
            Some(_) => rest.starts_with('"'),
            None => true,
        };
        if is_joined {
            return false;
        }
        list = rest;
    }
    true
}

/// Returns `true` for a field, such as `pub name: Vec<String>,`. Generics may be on separate lines.
fn is_field(line: &str, lines: &mut dyn Iterator<Item = &str>) -> bool {
    let Some((name, type_)) = line.strip_prefix("pub ").and_then(|line| line.split_once(": ")) else {
        return false;
    };
    is_field_name(name)
        && match type_.strip_suffix('<') {
            Some(outer) => outer.split("::").all(is_name) && takes_generics(lines),
            None => type_.strip_suffix(',').is_some_and(is_type),
        }
}

/// Returns `true` if the next lines are types and the closing line, and consumes them.
fn takes_generics(lines: &mut dyn Iterator<Item = &str>) -> bool {
    for (count, line) in lines.enumerate() {
        let Some(line) = line.strip_prefix(INDENT) else { return false };
        if line == ">," {
            return count > 0;
        }
        if !line.strip_prefix(INDENT).and_then(|line| line.strip_suffix(',')).is_some_and(is_type) {
            return false;
        }
    }
    false
}

fn is_field_name(name: &str) -> bool {
    match name.strip_prefix("r#") {
        Some(keyword) => is_keyword(keyword) && !is_path_keyword(keyword) && keyword != "_",
        None => is_name(name),
    }
}

fn is_variant(line: &str, _: &mut dyn Iterator<Item = &str>) -> bool {
    line.strip_suffix(',').is_some_and(is_name)
}

/// Returns `true` for the path of a type, with generics.
fn is_type(mut type_: &str) -> bool {
    let mut depth = 0_usize;
    loop {
        let (name, rest) = type_.split_at(name_length(type_));
        if !is_name(name) {
            return false;
        }
        type_ = rest;
        if let Some(rest) = type_.strip_prefix("::") {
            type_ = rest;
            continue;
        }
        if let Some(rest) = type_.strip_prefix('<') {
            depth += 1;
            type_ = rest;
            continue;
        }
        let closed = type_.len();
        type_ = type_.trim_start_matches('>');
        let Some(left) = depth.checked_sub(closed - type_.len()) else { return false };
        depth = left;
        match type_.strip_prefix(", ") {
            Some(rest) if depth > 0 => type_ = rest,
            _ => return depth == 0 && type_.is_empty(),
        }
    }
}

/// Returns `true` for an ASCII name that is not a keyword.
fn is_name(text: &str) -> bool {
    !text.is_empty() && name_length(text) == text.len() && !is_keyword(text)
}

/// Returns the length of the name at the beginning of a text, or 0.
fn name_length(text: &str) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    match text.as_bytes() {
        [b'0'..=b'9', ..] => 0,
        bytes => bytes.iter().position(|byte| !is_part(byte)).unwrap_or(bytes.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "///\n#[derive(A, b::C)]\npub struct A {\n///\n    #[serde(rename = \"$a\", skip_serializing_if = \"Option::is_none\")]\n    pub b: Option<d::E<F, G<H>>>,\n}\n";

    #[test]
    fn the_rest_is_between_plain_items() {
        let text = format!(
            "static A: B = b;\n\n{PLAIN}\nenum B {{\n    C,\n    D,\n}}\n\nfn f() {{}}\n\nimpl A {{}}\n\n{PLAIN}"
        );
        assert_eq!(others(&text), ["static A: B = b;\n\n", "fn f() {}\n\nimpl A {}\n\n"]);
        assert_eq!(others("fn f() {}\n"), ["fn f() {}\n"]);
        assert!(others("").is_empty());
    }

    const OTHER_FORMS: &[&str] = &[
        "use a;\nuse super::super::b::C;\npub use self::{D, E as F};\n",
        "#[doc(hidden)]\npub use self::{\n    A as B, C,\n    D as E,\n};\n",
        "enum B {\n    C,\n}\na! { B { C = \"c { } }\", D = \"d\" } }\n",
        "enum B {\n    C,\n}\na! { B {\n    C = \"c\",\n    D = \"d\"\n} }\n",
        "#[derive(\n    A,\n    B\n)]\nstruct A {\n    #[serde(\n        rename = \"a\",\n        default\n    )]\n    pub r#type: B,\n}\n",
        "struct A {\n    pub a: Option<\n        Vec<B>,\n        c::D,\n    >,\n    pub b: C,\n}\n",
    ];

    #[test]
    fn plain_items_are_rust() {
        for text in OTHER_FORMS.iter().chain([&PLAIN]) {
            assert!(is_plain(text), "{text}");
            assert!(syn::parse_file(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_change_of_any_character_is_noticed() {
        for text in OTHER_FORMS.iter().chain([&PLAIN]) {
            for (at, _) in text.char_indices() {
                for other in [
                    "", "(", "{", "}", "<", ">", "\"", "'", "\\", ",", ";", "\n", " ", "1", "#", "r#", "/",
                    "\u{e9}",
                ] {
                    let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
                    assert!(!is_plain(&changed) || syn::parse_file(&changed).is_ok(), "{changed}");
                }
            }
        }
    }

    #[test]
    fn other_lines_are_left_to_the_parser() {
        assert!(is_plain(PLAIN));
        for (old, new) in [
            ("///\n#", "//!\n#"),
            ("#[derive", "#![derive"),
            ("(A, b::C)", "(A, b::C"),
            ("(A, b::C)", "((A, b::C)"),
            ("(A, b::C)", "(A, 1)"),
            ("(A, b::C)", "(A, 'b')"),
            ("derive(", "fn("),
            ("derive(", "a::derive("),
            ("pub struct A", "pub struct fn"),
            ("pub struct A", "pub struct é"),
            ("pub struct A", "pub(crate) struct A"),
            ("pub struct A", "pub union A"),
            ("pub struct A {", "pub struct A<T> {"),
            ("pub struct A {\n", "pub struct A {}\n"),
            ("= \"$a\"", "= b\"$a\""),
            ("= \"$a\"", "= \"$a\"b"),
            ("= \"$a\"", "= \"\\$a\""),
            ("= \"$a\"", "= \"$a"),
            ("= \"$a\"", "= \"$\ra\""),
            ("pub b: ", "b: "),
            ("pub b: ", "pub fn: "),
            ("pub b: ", "pub _: "),
            ("pub b: ", "pub 1b: "),
            ("Option<d::E", "Option<::d::E"),
            ("Option<d::E", "Option<d::"),
            ("Option<d::E", "Option<"),
            ("Option<d::E", "d::E"),
            ("Option<d::E", "fn<d::E"),
            ("<F, G<H>>>", "<F, G<H>>"),
            ("<F, G<H>>>", "<F, G<H>>> + I"),
            ("<F, G<H>>>", "<F, G<H>>>, pub c: D"),
            ("<F, G<H>>>", "<F, >>"),
            ("<F, G<H>>>", "<F> J>"),
            (">>>,\n}", ">>>\n}"),
            (">>>,\n}", ">>>,\n///\n}"),
            (">>>,\n}", ">>>,\n"),
            (">>>,\n}", ">>>,\n}\n}"),
        ] {
            let text = PLAIN.replacen(old, new, 1);
            assert_ne!(text, PLAIN, "{old}");
            assert!(!is_plain(&text), "{text}");
        }
        assert!(!is_plain("struct A {\n}\n"));
        assert!(!is_plain("enum A {\n    B(C),\n}\n"));
    }
}
