//! Upper bounds for the size of CRDs as JSON without whitespace. Computing a bound costs much less than writing the JSON.

use serde_json::{Number, Value};

use crate::OrderedMap;

/// A value with a JSON form.
pub(crate) trait Size {
    /// Returns an upper bound for the size of the JSON form in bytes, with a comma; 0 for a value whose key is omitted.
    fn size_at_most(&self) -> usize;
}

/// Size of two brackets and a comma, in bytes.
const BRACKETS: usize = 3;
/// Maximum size of `null` or a boolean with a comma, in bytes.
const SHORT: usize = 6;
/// Maximum size of a number with its sign, point and exponent, and a comma, in bytes.
const NUMBER: usize = 32;

/// Returns an upper bound for the size of a field of a struct: its key and its value.
pub(super) fn field(key: &str, value: &dyn Size) -> usize {
    match value.size_at_most() {
        0 => 0,
        size => text(key) + size,
    }
}

/// Returns the number of bytes of a string with its escapes, two quotes, and a comma or a colon.
fn text(text: &str) -> usize {
    // The longest escape is `\u001f`. Go also escapes `<`, `>`, `&`, U+2028 and U+2029, which begin with the byte 0xE2.
    let is_escaped = |byte: &&u8| matches!(**byte, ..b' ' | b'"' | b'\\' | b'<' | b'>' | b'&' | 0xE2);
    text.len() + 5 * text.as_bytes().iter().filter(is_escaped).count() + 3
}

/// Returns an upper bound for the size of a value in a list or a map, where empty strings are not omitted.
fn item(item: &impl Size) -> usize {
    item.size_at_most().max(text(""))
}

impl Size for String {
    fn size_at_most(&self) -> usize {
        if self.is_empty() { 0 } else { text(self) }
    }
}

impl Size for bool {
    fn size_at_most(&self) -> usize {
        SHORT
    }
}

impl Size for i32 {
    fn size_at_most(&self) -> usize {
        NUMBER
    }
}

impl Size for i64 {
    fn size_at_most(&self) -> usize {
        NUMBER
    }
}

impl Size for Number {
    fn size_at_most(&self) -> usize {
        NUMBER
    }
}

impl Size for Value {
    fn size_at_most(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) => SHORT,
            Self::Number(_) => NUMBER,
            Self::String(value) => text(value),
            Self::Array(items) => items.size_at_most(),
            Self::Object(fields) => {
                BRACKETS + fields.iter().map(|(key, value)| text(key) + item(value)).sum::<usize>()
            }
        }
    }
}

impl<T: Size> Size for Option<T> {
    fn size_at_most(&self) -> usize {
        self.as_ref().map_or(0, item)
    }
}

impl<T: Size> Size for Box<T> {
    fn size_at_most(&self) -> usize {
        T::size_at_most(self)
    }
}

impl<T: Size> Size for Vec<T> {
    fn size_at_most(&self) -> usize {
        BRACKETS + self.iter().map(item).sum::<usize>()
    }
}

impl<T: Size> Size for OrderedMap<T> {
    fn size_at_most(&self) -> usize {
        BRACKETS + self.iter().map(|(key, value)| text(key) + item(value)).sum::<usize>()
    }
}
