//! Hostile texts: each yields a value or one error, in bounded time and memory.

use crd_core::FieldPath;
use crd_input::{Limits, Source, SourceMap, documents};

/// Returns the number of documents in a text, or the reason why it is refused. The map of places is built as well.
fn read(text: String) -> Result<usize, String> {
    let map = SourceMap::new(&text);
    let _ = map.locate(0, &FieldPath::new("a").index(3).key("x").child("spec.validation"));
    let (documents, errors) = documents(&Source::from_string("f", text), &Limits::default());
    match errors.first() {
        Some(error) => Err(error.message().to_owned()),
        None => Ok(documents.len()),
    }
}

#[track_caller]
fn refused(text: String, reason: &str) {
    assert_eq!(read(text), Err(reason.to_owned()));
}

const TOO_DEEP: &str = "lists and maps are nested more than 500 deep";

#[test]
fn depth() {
    for depth in [10_000, 200_000] {
        refused("[".repeat(depth), TOO_DEEP);
        refused("{a: ".repeat(depth), TOO_DEEP);
        refused("- ".repeat(depth), TOO_DEEP);
        refused("? ".repeat(depth), "a list or map cannot be a key");
        refused("[a, ".repeat(depth), TOO_DEEP);
        refused(format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)), TOO_DEEP);
    }
    let nested: String = (0..1_500).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    refused(nested, TOO_DEEP);
    assert_eq!(read(format!("{}{}", "[".repeat(500), "]".repeat(500))), Ok(1));
}

#[test]
fn the_number_of_documents_is_limited_by_the_size_of_the_file() {
    let definition = "---\nkind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\n";
    refused(
        definition.repeat(5_000),
        "5000 definitions are too many for a file of this size: only 2386 are read",
    );
    assert_eq!(read(definition.repeat(1_000)), Ok(1_000));
    refused(
        "--- {a: 1}\n".repeat(20_000),
        "20000 documents are too many for a file of this size: only 13437 are read",
    );
    assert_eq!(read("--- {a: 1}\n".repeat(10_000)), Ok(10_000));
}

#[test]
fn alias_bombs() {
    let too_many = "the aliases of the document expand to more than 400000 values";
    let bomb = |leaf: &str| {
        let mut text = format!("a0: &a0 [{leaf}]\n");
        for level in 1..30 {
            let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
            text += &format!("a{level}: &a{level} [{aliases}]\n");
        }
        text
    };
    refused(bomb("x"), too_many);
    refused(bomb(&"x".repeat(100_000)), too_many);
    let merges: String =
        (1..40).map(|n| format!("m{n}: &m{n}\n  <<: [*m{}, *m{}]\n", n - 1, n - 1)).collect();
    refused(format!("m0: &m0 {{a: 1}}\n{merges}"), too_many);
    let lists: String =
        (1..30).map(|n| format!("- &l{n} {{kind: List, items: [*l{}, *l{}]}}\n", n - 1, n - 1)).collect();
    refused(format!("kind: List\nitems:\n- &l0 {{a: 1}}\n{lists}"), too_many);
    refused("a: &a [*a]\n".to_owned(), "this alias is inside its own anchor");
    refused(
        "kind: List\nitems: &a [{kind: List, items: *a}]\n".to_owned(),
        "this alias is inside its own anchor",
    );
    // A chain of merges is as long as the text, but unfolds to many times its size.
    let chain: String = (1..2_000).map(|n| format!("c{n}: &c{n} {{<<: *c{}, k{n}: 1}}\n", n - 1)).collect();
    refused(format!("c0: &c0 {{a: 1}}\n{chain}"), too_many);
    // Each map of the chain copies the entries of the first one.
    let keys: Vec<String> = (0..500).map(|n| format!("k{n}: 1")).collect();
    let chain: String = (1..100).map(|n| format!("d{n}: &d{n} {{<<: *d{}, x{n}: 1}}\n", n - 1)).collect();
    refused(format!("d0: &d0 {{{}}}\n{chain}", keys.join(", ")), too_many);
    // Ordinary aliases are accepted.
    let used: String = (0..1_000).map(|n| format!("u{n}: *a\n")).collect();
    assert_eq!(read(format!("a: &a {{b: [1, 2, 3]}}\n{used}")), Ok(1));
    let merged: String = (0..200).map(|n| format!("m{n}: {{<<: *d, own: {n}}}\n")).collect();
    assert_eq!(read(format!("d: &d {{{}}}\n{merged}", keys.join(", "))), Ok(1));
}

#[test]
fn size() {
    let long = "x".repeat(1 << 20);
    for text in
        [format!("a: {long}\n"), format!("a: '{long}'\n"), format!("a: |\n  {long}\n"), format!("- {long}\n")]
    {
        assert_eq!(read(text), Ok(1));
    }
    refused(format!("{long}: a\n"), "a `: ` where a map cannot begin");
    assert_eq!(read(format!("? {long}\n: a\n")), Ok(1));
    assert_eq!(read("# ".to_owned() + &long), Ok(0));
    assert_eq!(read("\n".repeat(1 << 20)), Ok(0));
    assert_eq!(read(" ".repeat(1 << 20)), Ok(0));
    assert_eq!(read("--- \n".repeat(200_000)), Ok(0));
    assert_eq!(read("---\n[\n".repeat(50_000)).unwrap_err(), "a value is missing here");

    let properties: String = (0..100_000).map(|n| format!("  property{n}: {{type: string}}\n")).collect();
    assert_eq!(read(format!("a:\n{properties}")), Ok(1));
    let anchors: String = (0..100_000).map(|n| format!("k{n}: &k{n} v\n")).collect();
    assert_eq!(read(anchors), Ok(1));
    assert_eq!(read(format!("[{}]", "a,".repeat(300_000))), Ok(1));
    assert_eq!(
        read(format!("{}a", "'a\n".repeat(100_000))).unwrap_err(),
        "the document ends before this line"
    );
}

#[test]
fn a_file_has_a_limit() {
    let path = std::env::temp_dir().join(format!("crd-codegen-large-{}.yaml", std::process::id()));
    std::fs::write(&path, "a: 1\n").unwrap();
    let limits = Limits { file_bytes: 4, ..Limits::default() };
    let (sources, _) = crd_input::sources(&[&path], &limits);
    let (_, errors) = documents(&sources[0], &limits);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(errors[0].message(), "the file is larger than 4 bytes");
}
