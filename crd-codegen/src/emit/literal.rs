//! Creates literal tokens for strings and numbers.

use std::fmt::Write as _;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use serde_json::{Number, Value};

use crate::ir::name::is_keyword;

/// Returns the text as a literal with escapes for invisible characters. rustc rejects characters that change the direction of text.
pub(super) fn string(text: &str) -> Literal {
    if is_visible_ascii(text) || !text.chars().any(is_hidden) {
        return Literal::string(text);
    }
    let mut escaped = String::from("\"");
    for c in text.chars() {
        if is_hidden(c) {
            let _ = write!(escaped, "\\u{{{:x}}}", u32::from(c));
        } else {
            escaped.extend(c.escape_debug());
        }
    }
    escaped.push('"');
    escaped.parse().unwrap_or_else(|_| Literal::string(text))
}

/// Returns a literal of a text, with the usual escapes for line breaks and tabs.
pub(super) fn text(text: &str) -> Literal {
    let is_hidden = |c: char| is_hidden(c) && !matches!(c, '\n' | '\t');
    if text.chars().any(is_hidden) { string(text) } else { Literal::string(text) }
}

/// Returns the text as a raw literal, which is fast to create and to parse. Invisible characters are not escaped, so generated files must
/// not contain this literal.
pub(super) fn raw_string(text: &str) -> Literal {
    let mut hashes = 0;
    let mut rest = text;
    while let Some(quote) = rest.find('"') {
        rest = &rest[quote + 1..];
        hashes = hashes.max(1 + rest.bytes().take_while(|byte| *byte == b'#').count());
    }
    let mut literal = String::with_capacity(text.len() + 3 + 2 * hashes);
    literal.push('r');
    literal.extend(std::iter::repeat_n('#', hashes));
    literal.push('"');
    literal.push_str(text);
    literal.push('"');
    literal.extend(std::iter::repeat_n('#', hashes));
    // A raw literal may hold everything but a carriage return.
    literal.parse().unwrap_or_else(|_| Literal::string(text))
}

/// Returns the text of a raw literal.
pub(super) fn raw_text(literal: &str) -> Option<&str> {
    let quoted = literal.strip_prefix('r')?;
    quoted.trim_matches('#').strip_prefix('"')?.strip_suffix('"')
}

/// Returns `true` if the text has only visible ASCII characters. Most texts have only such characters.
pub(super) fn is_visible_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Returns `true` for a character that is invisible, or that changes the direction of text.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns the identifier of a field, variant or type with this name.
pub(super) fn ident(name: &str) -> Ident {
    if is_keyword(name) {
        Ident::new_raw(name, Span::call_site())
    } else {
        Ident::new(name, Span::call_site())
    }
}

/// Returns the integer, with its sign as a separate token.
pub(super) fn integer(integer: i64) -> TokenStream {
    let magnitude = Literal::u64_unsuffixed(integer.unsigned_abs());
    if integer < 0 { quote!(-#magnitude) } else { quote!(#magnitude) }
}

/// Returns a number literal. Without a type suffix, the literal has the type `i32`.
pub(super) fn number(number: &Number) -> TokenStream {
    if let Some(integer) = number.as_i64() {
        if i32::try_from(integer).is_ok() {
            return self::integer(integer);
        }
        let magnitude = Literal::u64_unsuffixed(integer.unsigned_abs());
        let literal: Literal = format!("{magnitude}_i64").parse().unwrap_or(magnitude);
        return if integer < 0 { quote!(-#literal) } else { quote!(#literal) };
    }
    if let Some(integer) = number.as_u64() {
        let literal = Literal::u64_suffixed(integer);
        return quote!(#literal);
    }
    float(number)
}

/// Returns the number as an `f64`.
pub(super) fn float(number: &Number) -> TokenStream {
    let magnitude = magnitude(number);
    if number.as_f64().is_some_and(|value| value < 0.0) { quote!(-#magnitude) } else { quote!(#magnitude) }
}

/// Returns a value as the argument of `json!`. `text` creates the literals for strings.
pub(super) fn json(value: &Value, text: fn(&str) -> Literal) -> TokenStream {
    match value {
        Value::Null => quote!(null),
        Value::Bool(value) => quote!(#value),
        Value::Number(number) => self::number(number),
        Value::String(value) => {
            let value = text(value);
            quote!(#value)
        }
        Value::Array(values) => {
            let values = values.iter().map(|value| json(value, text));
            quote!([#(#values),*])
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| {
                let (key, value) = (text(key), json(value, text));
                quote!(#key: #value)
            });
            quote!({ #(#fields),* })
        }
    }
}

/// Returns the number's absolute value as an `f64` literal.
pub(super) fn magnitude(number: &Number) -> Literal {
    Literal::f64_unsuffixed(number.as_f64().filter(|value| value.is_finite()).unwrap_or_default().abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_literals_keep_the_text() {
        for text in ["", "a", "a \"b\" c\\", "\"#", "\"##\n\"", "#\"", "\u{202e}"] {
            assert_eq!(raw_text(&raw_string(text).to_string()), Some(text), "{text:?}");
        }
        assert_eq!(raw_string("a\r").to_string(), "\"a\\r\"");
    }

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        assert_eq!(string("a\u{202e}b\"\n").to_string(), "\"a\\u{202e}b\\\"\\u{a}\"");
        assert_eq!(string("plain").to_string(), "\"plain\"");
        assert_eq!(string("\"# */ {{").to_string(), "\"\\\"# */ {{\"");
    }
}
