//! The exact size of values as JSON without whitespace. The JSON itself is not written.

use serde_json::Value;

use crate::crd::size::{count, is_escaped};
use crate::tree::Tree;

/// A value with a JSON form.
pub(super) trait Weigh {
    /// Adds the size of the JSON form.
    fn add_to(&self, weight: &mut Weight);
}

/// Returns the size of a value as JSON without whitespace, in bytes.
pub(super) fn weigh(value: &impl Weigh) -> usize {
    Weight::new(value).bytes
}

/// Returns the size of a value as Go's `encoding/json` writes it, which escapes `<`, `>`, `&`, U+2028 and U+2029 as six bytes.
pub(super) fn weigh_escaped(value: &impl Weigh) -> usize {
    let Weight { bytes, escapes } = Weight::new(value);
    bytes + escapes
}

/// The size of a value as JSON.
#[derive(Default)]
pub(super) struct Weight {
    bytes: usize,
    /// The number of bytes that Go's escapes add.
    escapes: usize,
}

impl Weight {
    fn new(value: &impl Weigh) -> Self {
        let mut weight = Self::default();
        value.add_to(&mut weight);
        weight
    }

    /// Adds two brackets, and the commas between entries.
    fn brackets(&mut self, entries: usize) {
        self.bytes += 2 + entries.saturating_sub(1);
    }

    fn list(&mut self, items: &[impl Weigh]) {
        self.brackets(items.len());
        items.iter().for_each(|item| item.add_to(self));
    }

    fn object<'v, T: Weigh + 'v>(&mut self, fields: impl ExactSizeIterator<Item = (&'v str, &'v T)>) {
        self.brackets(fields.len());
        for (key, value) in fields {
            self.text(key);
            // The colon.
            self.bytes += 1;
            value.add_to(self);
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes += text.len() + 2;
        if count(text, is_escaped) == 0 {
            return;
        }
        let short = |byte| matches!(byte, b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0C);
        let long = |byte| byte < b' ' && !short(byte);
        self.bytes += count(text, short) + 5 * count(text, long);
        self.escapes += 5 * count(text, |byte| matches!(byte, b'<' | b'>' | b'&'));
        if text.as_bytes().contains(&0xE2) {
            self.escapes += 3 * text.matches(['\u{2028}', '\u{2029}']).count();
        }
    }
}

impl Weigh for Value {
    fn add_to(&self, weight: &mut Weight) {
        match self {
            Self::Null | Self::Bool(true) => weight.bytes += 4,
            Self::Bool(false) => weight.bytes += 5,
            Self::Number(number) => weight.bytes += number.to_string().len(),
            Self::String(text) => weight.text(text),
            Self::Array(items) => weight.list(items),
            Self::Object(fields) => weight.object(fields.iter().map(|(key, value)| (key.as_str(), value))),
        }
    }
}

impl Weigh for Tree<'_> {
    fn add_to(&self, weight: &mut Weight) {
        match self {
            Self::Value(value) => value.add_to(weight),
            Self::Leaf(value) => value.add_to(weight),
            Self::Text(text) => weight.text(text),
            Self::List(items) => weight.list(items),
            Self::Object(fields) => weight.object(fields.iter().map(|(key, value)| (&**key, value))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_weight_is_the_length_of_the_json() {
        let bytes: String = (0..0x100).filter_map(char::from_u32).collect();
        for value in [
            json!([null, true, false, {}, [], "", {"a\n": [{"b": 1}, 2], "": {}}]),
            json!([u64::MAX, i64::MIN, 5e-324, 1.0, -0.5]),
            json!({"all": bytes, bytes.repeat(3): "\u{2028}\u{2029}\u{202A}\u{E000}\u{10FFFF}"}),
        ] {
            let text = value.to_string();
            assert_eq!(weigh(&value), text.len());
            assert_eq!(weigh(&Tree::from(&value)), text.len());
            let go =
                ['<', '>', '&', '\u{2028}', '\u{2029}'].map(|c| text.matches(c).count() * (6 - c.len_utf8()));
            assert_eq!(weigh_escaped(&value), text.len() + go.iter().sum::<usize>());
        }
    }
}
