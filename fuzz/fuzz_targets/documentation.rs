//! Generated documentation for a definition with texts from bytes, in both forms. The parser of rustdoc may find nothing in it but
//! prose and plain text.
#![no_main]

#[path = "../../crd-codegen/tests/documentation/dangers.rs"]
mod dangers;
#[path = "../../crd-codegen/tests/documentation/definition.rs"]
mod definition;
#[path = "../../crd-codegen/tests/documentation/texts.rs"]
mod texts;

use crd_codegen::{Config, Definition, Form, Origin, Rejected, generate};
use crd_core::CustomResourceDefinition;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // A byte that no text of UTF-8 has is between two texts.
    let descriptions: Vec<String> =
        bytes.split(|byte| *byte == 0xff).map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    let definition = definition::definition(&descriptions);
    let Ok(crd) = CustomResourceDefinition::from_value(definition) else { return };
    let definitions = [Definition { crd, origin: Origin { file: "fuzz.yaml".to_owned(), document: 0 } }];
    let mut config = Config::new();
    config.rejected(Rejected::Ignore).unions(true).constructors(true).setters(true).open_enums(true);
    for form in [Form::Types, Form::Derive] {
        let is_types = form == Form::Types;
        let config = config.form(form).apply(is_types).client(is_types).samples(is_types);
        let generated = generate(&definitions, config);
        for file in generated.files.iter().filter(|file| file.path.ends_with(".rs")) {
            for text in texts::texts(&file.contents) {
                let found = dangers::dangers(&text);
                assert!(found.is_empty(), "{}: {found:?}", file.path);
            }
        }
    }
});
