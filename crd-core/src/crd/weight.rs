//! The exact size of values as JSON without whitespace. The JSON itself is not written.

use serde_json::{Number, Value};

use crate::tree::{TreeVisitor, Visit};

/// Returns the size of a value as JSON without whitespace, in bytes.
pub(crate) fn weigh(value: &impl Visit) -> usize {
    Weight::new(value).bytes
}

/// Returns the size of a value as Go's `encoding/json` writes it. Go escapes `<`, `>`, `&`, U+2028 and U+2029 as six bytes.
pub(crate) fn weigh_escaped(value: &impl Visit) -> usize {
    let Weight { bytes, escapes, .. } = Weight::new(value);
    bytes + escapes
}

/// Adds up the size of a JSON form.
#[derive(Default)]
struct Weight {
    bytes: usize,
    /// The number of bytes that Go's escapes add.
    escapes: usize,
    /// `true` directly after the start of a list or object.
    is_empty: bool,
}

impl Weight {
    fn new(value: &impl Visit) -> Self {
        let mut weight = Self::default();
        value.visit(&mut weight);
        // Each value counts a comma, also the outermost one.
        weight.bytes -= 1;
        weight
    }

    /// Adds a value of this size and a comma.
    fn add(&mut self, bytes: usize) {
        self.bytes += bytes + 1;
        self.is_empty = false;
    }

    fn begin(&mut self) {
        self.bytes += 1;
        self.is_empty = true;
    }

    /// Adds a string or a key with its quotes, and a comma or a colon.
    fn quoted(&mut self, text: &str) {
        self.add(text.len() + 2);
        for block in text.as_bytes().chunks(BLOCK) {
            let mut added = 0;
            for byte in block {
                added += ADDED[usize::from(*byte)];
            }
            self.bytes += (added & 0xFFFF) as usize;
            self.escapes += (added >> 16) as usize;
        }
        // U+2028 and U+2029 begin with this byte.
        if text.as_bytes().contains(&0xE2) {
            self.escapes += 3 * text.matches(['\u{2028}', '\u{2029}']).count();
        }
    }
}

/// Number of bytes of a string that are added up in one number.
const BLOCK: usize = 0x2000;
/// For each byte, the number of bytes that its escape adds: the escapes of JSON in the lower half, the escapes that only Go writes in the upper half. The
/// sum of a block fits into both halves.
const ADDED: [u32; 256] = {
    let mut added = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        added[byte] = match byte as u8 {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0C => 1,
            0..b' ' => 5,
            b'<' | b'>' | b'&' => 5 << 16,
            _ => 0,
        };
        byte += 1;
    }
    added
};

impl<'a> TreeVisitor<'a> for Weight {
    fn leaf(&mut self, value: Value) {
        self.add(match value {
            Value::Bool(false) => 5,
            Value::Number(number) => length(&number),
            // `null` and `true`.
            _ => 4,
        });
    }

    fn text(&mut self, text: &'a str) {
        self.quoted(text);
    }

    fn begin_list(&mut self) {
        self.begin();
    }

    fn begin_object(&mut self) {
        self.begin();
    }

    fn key(&mut self, key: &'a str) {
        self.quoted(key);
    }

    fn field(&mut self, name: &'static str) {
        self.add(name.len() + 2);
    }

    fn end(&mut self) {
        // The last entry has no comma, but the list or object itself has one.
        self.add(usize::from(self.is_empty));
    }
}

/// Returns the number of characters of a number.
fn length(number: &Number) -> usize {
    match number.as_i64() {
        Some(number) => {
            let digits = 1 + number.unsigned_abs().checked_ilog10().unwrap_or(0) as usize;
            digits + usize::from(number < 0)
        }
        None => number.to_string().len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CustomResourceDefinition;
    use serde_json::json;

    #[test]
    fn the_weight_is_the_length_of_the_json() {
        let bytes: String = (0..0x100).filter_map(char::from_u32).collect();
        for value in [
            json!([null, true, false, {}, [], "", {"a\n": [{"b": 1}, 2], "": {}}]),
            json!([0, 9, 10, -1, -10, u64::MAX, i64::MIN, i64::MAX, 5e-324, 1.0, -0.5, -0.0, f64::MIN]),
            json!({"all": bytes, bytes.repeat(3): "\u{2028}\u{2029}\u{202A}\u{E000}\u{10FFFF}"}),
        ] {
            let text = value.to_string();
            assert_eq!(weigh(&value), text.len());
            let go =
                ['<', '>', '&', '\u{2028}', '\u{2029}'].map(|c| text.matches(c).count() * (6 - c.len_utf8()));
            assert_eq!(weigh_escaped(&value), text.len() + go.iter().sum::<usize>());
        }
    }

    #[test]
    fn the_weight_of_a_definition_is_the_length_of_its_json() {
        let schema = json!({
            "default": "", "minimum": -1.797_693_134_862_315_7e308, "maxLength": -7, "enum": ["", {"": {}}, null], "items": [{}, {}],
            "additionalProperties": false, "pattern": "", "description": "", "uniqueItems": true, "required": [], "title": "\u{1}<",
            "dependencies": {"a": ["b"], "c": {"type": "object"}}, "properties": {"": {}, "\"": null}, "nullable": false,
            "x-kubernetes-validations": [{"rule": "", "messageExpression": ""}], "other": [1]
        });
        let crd = json!({
            "metadata": {"name": "", "labels": {"\u{1}": ""}, "finalizers": ["", "\u{1}"], "other": [null, 5e-324]},
            "spec": {"group": "a\u{1}", "names": {"shortNames": []}, "versions": [
                {"name": "v1", "served": false, "deprecationWarning": "", "schema": {"openAPIV3Schema": schema}},
                null
            ]},
            "status": {"conditions": [{"type": "A"}]}
        });
        let crd = CustomResourceDefinition::from_value(crd).unwrap();
        assert_eq!(weigh(&crd), crd.to_value().to_string().len());
        let crd = CustomResourceDefinition::default();
        assert_eq!(weigh(&crd), crd.to_value().to_string().len());
    }
}
