//! Texts that end anywhere, and that are typed on: no panic, and no place outside the text.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crd_editor::{EditorDocument, EditorOptions, Position, TextRange};

/// Numbers that look random, always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % most.max(1)
    }
}

/// Returns the CRDs of the repository, and of the corpus where it lies next to the project, up to a size.
fn texts(largest: usize) -> Vec<String> {
    let top = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut open = vec![
        top.join("crdkit/tests/shapes/golden"),
        top.join("examples/derive/crds"),
        top.join("tests/tests/e2e_kubectl/files"),
    ];
    open.extend(Some(top.join("../shared/corpus")).filter(|corpus| corpus.is_dir()));
    let mut texts = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let mut inside: Vec<_> =
                std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()).collect();
            inside.sort();
            open.extend(inside);
        } else if path.extension().is_some_and(|end| end == "yaml")
            && let Ok(text) = std::fs::read_to_string(&path)
            && text.contains("kind: CustomResourceDefinition")
            && text.len() < largest
        {
            texts.push(text);
        }
    }
    texts
}

/// Asks everything at a byte, and checks that all places are in the text.
fn ask(document: &mut EditorDocument, at: usize) {
    let position = document.text().position(at);
    let mut ranges: Vec<TextRange> = document.findings().iter().map(|finding| finding.range).collect();
    ranges.extend(document.hover(position).map(|hover| hover.range));
    ranges.extend(document.completions(position).into_iter().map(|completion| completion.edit.range));
    ranges.extend(document.renamed_range(position).ok().map(|(range, _)| range));
    let target = document.definition(position);
    ranges.extend(target.and_then(|target| document.target_range(&target)));
    for range in ranges {
        let bytes = document.text().bytes(range);
        assert_eq!(document.text().range(bytes), range, "a place is not in the text");
    }
}

fn end(document: &EditorDocument) -> Position {
    document.text().position(document.text().as_str().len())
}

#[test]
fn texts_that_end_anywhere_and_are_typed_on() {
    cut_and_typed_on(12, 3, 12);
}

#[test]
#[ignore = "takes minutes"]
fn many_texts_that_end_anywhere_and_are_typed_on() {
    cut_and_typed_on(100, 20, 50);
}

/// Does the same with the whole corpus. Its last results are in `tests/editor/corpus.txt`.
#[test]
#[ignore = "takes minutes, and more without optimization"]
fn the_whole_corpus_ends_anywhere_and_is_typed_on() {
    let texts = texts(usize::MAX);
    let mut numbers = Numbers(2026);
    let (mut bytes, mut places) = (0, 0);
    for text in &texts {
        let own = if text.len() < 100_000 { 3 } else { 1 };
        cut(text, own, 5, &mut numbers);
        bytes += text.len();
        places += own;
    }
    println!("{} texts with {bytes} bytes, cut at {places} places, with {} keys", texts.len(), places * 5);
}

/// Cuts so many texts at so many places each, types so many characters, and adds the rest in one change.
fn cut_and_typed_on(most: usize, places: usize, keys: usize) {
    let texts = texts(60_000);
    assert!(texts.len() > 10, "{}", texts.len());
    let mut numbers = Numbers(36);
    for _ in 0..most {
        let text = &texts[numbers.below(texts.len())];
        cut(text, places, keys, &mut numbers);
    }
}

/// Cuts a text at so many places, types so many characters, and adds the rest in one change.
fn cut(text: &str, places: usize, keys: usize, numbers: &mut Numbers) {
    let whole = EditorDocument::new(text, EditorOptions::default()).findings().to_vec();
    for _ in 0..places {
        let mut cut = numbers.below(text.len());
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let mut document = EditorDocument::new(&text[..cut], EditorOptions::default());
        ask(&mut document, cut);
        let rest = &text[cut..];
        let typed: String = rest.chars().take(keys).collect();
        for next in typed.chars() {
            let at = end(&document);
            document.change(TextRange { start: at, end: at }, &next.to_string());
            let at = document.text().as_str().len();
            ask(&mut document, at);
        }
        let at = end(&document);
        document.change(TextRange { start: at, end: at }, &rest[typed.len()..]);
        assert_eq!(document.findings(), whole, "the findings of the whole text");
        let all = TextRange { start: Position::default(), end: end(&document) };
        for symbol in document.outline() {
            assert!(symbol.range.start <= symbol.name_range.start && symbol.range.end <= all.end);
        }
        assert!(document.hints(all).iter().all(|hint| hint.position <= all.end));
        let _ = document.actions(all);
    }
}

#[test]
fn hostile_texts() {
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: ";
    for text in [
        "[".repeat(5_000),
        "{a: ".repeat(5_000),
        "- ".repeat(20_000),
        "a:\n".repeat(3_000),
        (0..1_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect(),
        "'".repeat(3_001),
        "\"\\".repeat(3_000),
        "\r\u{feff}\u{2028}😀".repeat(500),
        "|\n".repeat(1_000),
        "&a *a ".repeat(500),
    ] {
        let mut document = EditorDocument::new(&format!("{head}{text}"), EditorOptions::default());
        let length = document.text().as_str().len();
        for at in [0, head.len(), length / 2, length] {
            ask(&mut document, at);
        }
        let mut document = EditorDocument::new(&text, EditorOptions::default());
        ask(&mut document, text.len());
    }
}
