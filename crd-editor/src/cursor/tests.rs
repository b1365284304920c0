use crd_core::FieldPath;
use crd_input::{Limits, Source, SourceMap, documents};
use serde_json::Value;

use super::*;

/// Describes the cursor at the mark `¦` in a text.
fn shown(marked: &str) -> String {
    let at = marked.find('¦').unwrap();
    let text = marked.replacen('¦', "", 1);
    let Some(Cursor { path, part, bytes, .. }) = Cursor::find(&text, at) else { return "nothing".to_owned() };
    let step = |step: &CursorStep| match step {
        CursorStep::Key(name) => format!(".{name}"),
        CursorStep::Item(index) => format!("[{index}]"),
    };
    let path: String = path.iter().map(step).collect();
    format!("{part:?} {path} `{}`", &text[bytes])
}

#[test]
fn places_in_lines() {
    for (text, expected) in [
        ("¦", "Key  ``"),
        ("a: 1\nver¦si", "Key  `versi`"),
        ("a:\n  b:\n    ¦", "Key .a.b ``"),
        ("a:\n  b: x\n  ¦", "Key .a ``"),
        ("a:\n- b: x\n  c¦", "Key .a[0] `c`"),
        ("a:\n- b: x\n- ¦", "Key .a[1] ``"),
        ("a:\n  - - b\n    - ¦c", "Key .a[0][1] `c`"),
        ("a:\n  b: ¦\n", "Value .a.b ``"),
        ("a:\n  b: Nam¦es # c\n", "Value .a.b `Names`"),
        ("a:\n  b: Names # ¦c\n", "nothing"),
        ("# ¦c\n", "nothing"),
        ("a:\n  'b c': \"x¦\"\n", "Value .a.b c `\"x\"`"),
        ("a:\r\n- b: x\r\n  c¦\r\n", "Key .a[0] `c`"),
        ("x: 1\n---\na:\n  b¦", "Key .a `b`"),
        ("a:\n  # x: 1\n\n  b¦", "Key .a `b`"),
        ("a:\n  rule: |\n    self.x\n      y: ¦z\n  c: 1\n", "Value .a.rule `|\n    self.x\n      y: z`"),
        ("a:\n- rule: self.x &&\n    self.¦y\n", "Value .a[0].rule `self.x &&\n    self.y`"),
        ("a:\n- rule: \"self.x\n    self.¦", "Value .a[0].rule `\"self.x\n    self.`"),
        ("a: &x\n  b: !t ¦v", "Value .a.b `v`"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn places_in_braces() {
    for (text, expected) in [
        ("a: {b: 1, c¦}", "Key .a `c`"),
        ("a: {b: ¦", "Value .a.b ``"),
        ("a: {¦", "Key .a ``"),
        ("a: {b: 1, ¦}", "Key .a ``"),
        ("a: [x, {b: y¦}]", "Value .a[1].b `y`"),
        ("a: [x, ¦]", "Value .a[1] ``"),
        ("a: {b: 1}¦", "nothing"),
        ("a:\n- {b: 1,\n   c¦: 2}", "Key .a[0] `c`"),
        ("a: {b: 1,\n  c: ¦2}", "Value .a.c `2`"),
        ("{\"a\": {\"b\": [1, \"x¦", "Value .a.b[1] `\"x`"),
        ("{\"a\": {\"b¦\": 1}}", "Key .a `\"b\"`"),
        ("a: {rule: 'self.¦x', c: 1}", "Value .a.rule `'self.x'`"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn places_are_those_of_the_reader() {
    let seen: usize = TEXTS.into_iter().map(compare).sum();
    assert!(seen > 250, "{seen}");
}

/// Texts that use many forms of YAML.
const TEXTS: [&str; 4] = [
    include_str!("../../../tests/conformance/versions.yaml"),
    include_str!("../../../tests/conformance/crd/combined.yaml"),
    include_str!("../../../tests/conformance/crd/cel-syntax.yaml"),
    include_str!("../../../tests/conformance/changes/definitions.yaml"),
];

/// The number of cursors to compare in each text.
const MOST: usize = 100;

/// Compares the cursors at keys and scalars with the parser's positions.
fn compare(text: &str) -> usize {
    let (documents, faults) = documents(&Source::from_string("", text), &Limits::default());
    if !faults.is_empty() || text.contains("kind: List") || text.contains('\t') {
        return 0;
    }
    let map = SourceMap::new(text);
    let mut count = 0;
    for document in &documents {
        let mut open: Vec<(FieldPath, Vec<CursorStep>, &Value)> =
            vec![(FieldPath::root(), Vec::new(), &document.value)];
        while let Some((path, steps, value)) = open.pop() {
            let child = |field: FieldPath, step: CursorStep| (field, [&steps[..], &[step]].concat());
            match value {
                // The reader reads the key `n` as `false`.
                Value::Object(fields) => {
                    for (name, value) in fields.iter().filter(|(name, _)| *name != "false" && *name != "true")
                    {
                        let (field, steps) = child(path.child(name.as_str()), CursorStep::Key(name.clone()));
                        open.push((field, steps, value));
                    }
                }
                Value::Array(items) => open.extend(items.iter().enumerate().map(|(i, value)| {
                    let (field, steps) = child(path.index(i), CursorStep::Item(i));
                    (field, steps, value)
                })),
                _ => {}
            }
            let Some(place) = map.locate(document.origin.document, &path).filter(|place| place.exact) else {
                continue;
            };
            count += 1;
            if count > MOST {
                return count;
            }
            if let Some(key) = place.key.clone() {
                let found =
                    Cursor::find(text, key.start).map(|cursor| (cursor.path, cursor.part, cursor.bytes));
                let above = steps[..steps.len() - 1].to_vec();
                assert_eq!(
                    found,
                    Some((above, CursorPart::Key, key)),
                    "key {path} in {}",
                    text.get(..300).unwrap_or(text)
                );
            }
            if place.key.is_some() && !value.is_object() && !value.is_array() && !place.value.is_empty() {
                let found = Cursor::find(text, place.value.start).map(|cursor| (cursor.path, cursor.part));
                assert_eq!(
                    found,
                    Some((steps.clone(), CursorPart::Value)),
                    "value {path} in {}",
                    text.get(..300).unwrap_or(text)
                );
            }
        }
    }
    count
}
