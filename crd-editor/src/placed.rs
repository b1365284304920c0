//! The positions of fields and errors in a text.

use std::ops::Range;

use crd_core::FieldPath;
use crd_input::{Location, SourceMap};

/// The part of a field to underline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marked {
    /// The name of the field.
    Key,
    /// The value, if it is a scalar on one line.
    Value,
}

/// Returns the bytes to underline for an object's field. If the field is not in the text, these belong to the nearest existing ancestor.
pub(crate) fn marked(
    map: &SourceMap,
    number: usize,
    field: &FieldPath,
    part: Marked,
) -> Option<Range<usize>> {
    let text = map.text();
    if field.segments().is_empty() {
        let kind = map.locate(number, &FieldPath::new("kind"))?;
        return Some(first_line(text, kind.key.map_or(kind.value.start, |key| key.start)..kind.value.end));
    }
    let Location { key, value, exact, .. } = map.locate(number, field)?;
    let is_scalar = !value.is_empty() && !text[value.clone()].contains(['\n', '\r']);
    match key {
        Some(key) if !exact || part == Marked::Key || !is_scalar => Some(key),
        // A null that is not written, such as an item behind its dash.
        _ if value.is_empty() => Some(fault(text, value)),
        _ => Some(first_line(text, value)),
    }
}

fn first_line(text: &str, bytes: Range<usize>) -> Range<usize> {
    let length = text[bytes.clone()].find(['\n', '\r']).unwrap_or(bytes.len());
    bytes.start..bytes.start + length
}

/// Returns the bytes to underline for a syntax error. They are on one line, and contain at least one character unless the text is blank.
pub(crate) fn fault(text: &str, span: Range<usize>) -> Range<usize> {
    let bytes = first_line(text, span.start.min(text.len())..span.end.min(text.len()).max(span.start));
    if !bytes.is_empty() {
        // The rest of a word is part of the fault.
        let is_word = |next: &char| next.is_alphanumeric() || matches!(next, '_' | '-');
        let inside = text[..bytes.end].ends_with(|last| is_word(&last));
        let rest = text[bytes.end..].chars().take_while(is_word).filter(|_| inside);
        return bytes.start..bytes.end + rest.map(char::len_utf8).sum::<usize>();
    }
    let at = bytes.start;
    let rest = first_line(text, at..text.len());
    let line = text[rest].trim_end();
    let blank = line.len() - line.trim_start().len();
    let word = line[blank..].find([' ', '\t']).map_or(line.len(), |end| blank + end);
    if word > 0 {
        return at..at + word;
    }
    // Behind everything that is written: the last word before it.
    let before = text[..at].trim_end();
    let start = before.rfind([' ', '\t', '\n', '\r']).map_or(0, |blank| blank + 1);
    start..before.len()
}

/// Returns the byte range of the YAML document that contains a byte.
pub(crate) fn document_around(text: &str, at: usize) -> Range<usize> {
    documents_until(text, at).0
}

/// Returns the byte range of the YAML document that contains a byte, and the index of the object in this document. Empty documents are not
/// counted. The index is correct only if no earlier document is a list.
pub(crate) fn documents_until(text: &str, at: usize) -> (Range<usize>, usize) {
    let is_mark = |line: &str| {
        line.strip_prefix("---")
            .is_some_and(|rest| rest.trim_end().is_empty() || rest.starts_with([' ', '\t']))
    };
    let mut bytes = 0..text.len();
    let (mut start, mut number, mut is_empty) = (0, 0, true);
    for line in text.split_inclusive('\n') {
        if is_mark(line) {
            // A document that ends too early is at fault where the next one begins.
            if start >= at && start > 0 {
                bytes.end = start;
                break;
            }
            bytes.start = start + line.len();
            number += usize::from(!is_empty);
            is_empty = true;
        } else if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            is_empty = false;
        }
        start += line.len();
    }
    (bytes.start.min(bytes.end)..bytes.end, number)
}

const KIND: &str = "CustomResourceDefinition";

/// Returns `true` if a document seems to be a CRD, or a list that contains a CRD. The document need not be parseable.
pub(crate) fn is_crd(document: &str) -> bool {
    if let Some(line) = document.lines().find(|line| line.starts_with("kind:")) {
        let kind =
            line["kind:".len()..].split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']);
        return kind == KIND || kind.ends_with("List") && names_crd(document);
    }
    names_crd(document)
}

/// Returns `true` if a text seems to contain a list of objects. This can be wrong, because the same words can occur inside an object.
pub(crate) fn has_list(text: &str) -> bool {
    text.match_indices("List").any(|(at, _)| {
        let before = text[..at].trim_end_matches(|next: char| next.is_alphanumeric());
        let key = before.trim_end_matches(['"', '\'', ' ']).strip_suffix(':');
        let key = key.map(|key| key.trim_end_matches(['"', '\'', ' ']));
        let is_end = !text[at + "List".len()..].starts_with(|next: char| next.is_alphanumeric());
        is_end
            && key.is_some_and(|key| {
                key.strip_suffix("kind").is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
            })
    })
}

fn names_crd(document: &str) -> bool {
    document.match_indices(KIND).any(|(at, _)| {
        let before = document[..at].trim_end_matches(['"', '\'', ' ']);
        let key = before.strip_suffix(':').map(|key| key.trim_end().trim_end_matches(['"', '\'']));
        let is_whole = !document[at + KIND.len()..].starts_with(|next: char| next.is_alphanumeric());
        is_whole && key.is_some_and(|key| key.ends_with("kind"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_marked_in_its_line() {
        let marked = |text: &str, span: Range<usize>| text[fault(text, span)].to_owned();
        assert_eq!(marked("a: b\nversi\nc: d", 10..10), "versi");
        assert_eq!(marked("a: b\nversi", 5..10), "versi");
        assert_eq!(marked("a: 'x\ny", 3..7), "'x");
        assert_eq!(marked("a:\n\tb: 1", 3..3), "\tb:");
        assert_eq!(marked("", 0..0), "");
        assert_eq!(marked("é", 2..2), "é");
    }

    #[test]
    fn documents_that_cannot_be_read_are_known_by_their_kind() {
        let text = "kind: A\n---\nx: CustomResourceDefinition\n--- # c\nkind: 'CustomResourceDefinition' # y\na: [\n---\n{\"kind\": \"CustomResourceDefinition\"";
        let known: Vec<bool> = [0, 15, 50, 110].map(|at| is_crd(&text[document_around(text, at)])).to_vec();
        assert_eq!(known, [false, false, true, true]);
        assert!(!is_crd("kind: ConfigMap\ndata:\n  x: |\n    kind: CustomResourceDefinition\n"));
        assert!(is_crd("kind: List\nitems:\n- kind: CustomResourceDefinition\n"));
    }
}
