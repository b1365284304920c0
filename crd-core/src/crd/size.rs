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
/// Size of two quotes and a comma or a colon, in bytes.
const QUOTES: usize = 3;
/// Maximum size of `null` or a boolean with a comma, in bytes.
const SHORT: usize = 6;
/// Maximum size of a number with its sign, point and exponent, and a comma, in bytes.
const NUMBER: usize = 32;

/// Returns an upper bound for the size of a field of a struct: its key, which has no escapes, and its value.
pub(super) fn field(key: &str, value: &impl Size) -> usize {
    match value.size_at_most() {
        0 => 0,
        size => key.len() + QUOTES + size,
    }
}

/// Returns the number of bytes of a string with its escapes, two quotes, and a comma or a colon.
fn text(text: &str) -> usize {
    // The longest escape is `\u001f`.
    text.len() + 5 * count(text, is_escaped) + QUOTES
}

/// Returns `true` for a byte that is escaped, or begins a character that is. Go also escapes `<`, `>`, `&`, U+2028 and U+2029, which begin
/// with the byte 0xE2.
pub(crate) fn is_escaped(byte: u8) -> bool {
    matches!(byte, ..b' ' | b'"' | b'\\' | b'<' | b'>' | b'&' | 0xE2)
}

/// Returns the number of bytes of a string that have a property.
pub(crate) fn count(text: &str, has: impl Fn(u8) -> bool) -> usize {
    /// Number of bytes whose count fits into a byte, so that the compiler counts many of them at once.
    const BLOCK: usize = 240;
    let of_block = |block: &[u8]| block.iter().map(|byte| u8::from(has(*byte))).sum::<u8>();
    text.as_bytes().chunks(BLOCK).map(|block| usize::from(of_block(block))).sum()
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
