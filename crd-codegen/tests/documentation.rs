//! No text of a definition becomes code in the documentation of what is generated: rustdoc would compile and run it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

#[path = "documentation/dangers.rs"]
mod dangers;
#[path = "documentation/definition.rs"]
mod definition;
#[path = "documentation/shapes.rs"]
mod shapes;
#[path = "documentation/texts.rs"]
mod texts;

use std::fs;
use std::path::Path;

use crd_codegen::{Config, Definition, Form, Origin, Rejected, generate};
use crd_core::CustomResourceDefinition;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

/// Everything that can be generated, in both forms.
fn configs() -> [Config; 2] {
    let mut types = Config::new();
    types
        .client(true)
        .apply(true)
        .unions(true)
        .constructors(true)
        .setters(true)
        .open_enums(true)
        .samples(true);
    let mut derives = Config::new();
    derives.form(Form::Derive).unions(true).constructors(true).setters(true);
    [types, derives].map(|mut config| config.rejected(Rejected::Ignore).clone())
}

/// Returns the generated Rust of a definition.
fn generated(definition: &Value, config: &Config) -> String {
    let crd = CustomResourceDefinition::from_value(definition.clone()).unwrap();
    let origin = Origin { file: "shapes.yaml".to_owned(), document: 0 };
    let generated = generate(&[Definition { crd, origin }], config);
    let files = generated.files.iter().filter(|file| file.path.ends_with(".rs"));
    let text: String = files.map(|file| file.contents.as_str()).collect();
    assert!(!text.is_empty(), "{:?}", generated.findings);
    text
}

/// Dangerous parts in the documentation of the code that is generated for these texts.
fn dangers(descriptions: &[String]) -> Vec<String> {
    let definition = definition::definition(descriptions);
    let texts = configs().map(|config| texts::texts(&generated(&definition, &config)));
    texts.iter().flatten().flat_map(|text| dangers::dangers(text)).collect()
}

#[test]
fn every_shape_of_code_becomes_prose_or_plain_text() {
    // All of them are asked of rustdoc itself by `documentation.rs` of the package `crd-tests`.
    let some: Vec<String> = shapes::all().into_iter().step_by(5).collect();
    for texts in some.chunks(300) {
        assert_eq!(dangers(texts), Vec::<String>::new());
    }
}

#[test]
fn each_known_shape_is_prose_wherever_it_stands() {
    for shape in shapes::KNOWN {
        assert_eq!(dangers(&vec![shape.to_owned(); 12]), Vec::<String>::new());
    }
}

#[test]
fn html_and_images_are_texts() {
    for text in [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)>",
        "-->\n<b>",
        "`a` <b>\n- ` <i> `",
        "[click](javascript:alert(1))",
        "[click][a]\n\n[a]: javascript:alert(1)",
        "<javascript:alert(1)>",
        "![pixel](https://example.com/pixel.png)",
        "![a][b]\n\n[b]: https://example.com/pixel.png",
    ] {
        assert_eq!(dangers(&vec![text.to_owned(); 12]), Vec::<String>::new());
    }
}

#[test]
fn prose_of_real_descriptions_is_kept() {
    let texts = [
        "A list:\n- one\n- two\n\n1. first\n2. second",
        "See [the guide](https://example.com/a) and `kubectl get`, *soon*.",
        "```text\nplain\n```",
    ];
    let definition = definition::definition(&texts.map(str::to_owned));
    let generated = generated(&definition, &configs()[0]);
    for text in texts {
        assert!(texts::texts(&generated).iter().any(|found| found == text), "{text}");
    }
}

/// Lines of Markdown, each behind containers of any kind.
fn markdown() -> impl Strategy<Value = String> {
    let marker = select(shapes::MARKERS.as_slice());
    let body = prop_oneof![
        select(shapes::BODIES.as_slice()).prop_map(str::to_owned),
        select(
            ["text", "```", "~~~", "````text", "---", "", "`", "| a | b |", "[^1]", "<div>", "-->"]
                .as_slice()
        )
        .prop_map(str::to_owned),
        "[-+*>`~#|<=.:\\[\\]()0-9 \t\n\ra-c]{0,24}",
    ];
    let line =
        (proptest::collection::vec(marker, 0..4), body).prop_map(|(markers, body)| markers.concat() + &body);
    (select(shapes::BEGINNINGS.as_slice()), proptest::collection::vec(line, 1..6))
        .prop_map(|(beginning, lines)| format!("{beginning}{}", lines.join("\n")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn markdown_at_random_is_prose_or_plain_text(texts in proptest::collection::vec(markdown(), 24)) {
        prop_assert_eq!(dangers(&texts), Vec::<String>::new());
    }
}

/// An attribute with a text that is put in would pass by what keeps code out.
#[test]
fn documentation_has_one_door() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !path.ends_with("emit/docs/mod.rs")
            {
                let text = fs::read_to_string(&path).unwrap();
                let text = text.split("#[cfg(test)]").next().unwrap();
                assert!(!text.contains("#[doc = #"), "{}: use `Documentation`", path.display());
                assert!(!text.contains("\"doc\","), "{}: use `Documentation`", path.display());
                // The printer writes the lines of the attributes that it is given, and reads them again.
                let is_printer =
                    path.ends_with("emit/print/plain.rs") || path.ends_with("emit/print/lines.rs");
                assert!(is_printer || !text.contains("\"///"), "{}: use `Documentation`", path.display());
            }
        }
    }
}
