//! Descriptions with code in all known shapes of Markdown: rustdoc finds no tests in generated documentation.
//!
//! `cargo test -p crd-tests --test documentation -- --ignored`
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../crd-codegen/tests/documentation/definition.rs"]
mod definition;
#[path = "../../crd-codegen/tests/documentation/shapes.rs"]
mod shapes;
#[path = "../../crd-codegen/tests/documentation/texts.rs"]
mod texts;

use std::fmt::Write as _;
use std::path::Path;

use crd_codegen::{Config, Definition, Form, Generated, Layout, Origin, Rejected, generate};
use crd_core::CustomResourceDefinition;
use crd_tests::project::Project;
use crd_tests::workspace;

/// Keys of a version whose values are strings that the derive refuses.
const REFUSED: [&str; 4] =
    ["selectableFields", "additionalPrinterColumns", "deprecated", "deprecationWarning"];

/// The number of descriptions in one definition.
const IN_ONE: usize = 800;

#[test]
#[ignore = "asks rustdoc, which takes a minute"]
fn rustdoc_finds_no_test() {
    let crdkit = workspace().join("crdkit");
    let dependencies = format!(
        "crdkit = {{ path = {crdkit:?} }}\nschemars = \"1\"\nserde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n"
    );
    let project = Project::new(Path::new(env!("CARGO_TARGET_TMPDIR")), "documentation", &dependencies);
    // Every second description, which still combines each marker with each body, and each body with each beginning.
    let all = shapes::all().into_iter().enumerate();
    let is_taken = |number: usize| (number + number / shapes::BODIES.len()).is_multiple_of(2);
    let shapes: Vec<String> = all.filter_map(|(number, shape)| is_taken(number).then_some(shape)).collect();
    assert!(shapes.len() >= 3_000);
    // rustdoc has to find this test; otherwise its list proves nothing.
    let mut modules = "//! ```\n//! assert!(true);\n//! ```\n".to_owned();
    for (number, texts) in shapes.chunks(IN_ONE).enumerate() {
        for (form, config) in configs() {
            let module = format!("{form}{number}");
            // The code is for rustdoc only. Compiling all of it takes minutes and is not needed to find tests.
            writeln!(modules, "#[cfg(doctest)]\npub mod {module};").unwrap();
            for file in generated(form, texts, &config).files {
                let text =
                    if form == "clients" { documentation_alone(&file.contents) } else { file.contents };
                project.write(&format!("src/{module}.rs"), &text);
            }
        }
    }
    project.write("src/lib.rs", &modules);
    let listed = project.cargo(&["test", "--quiet", "--doc", "--", "--list"]);
    let tests: Vec<&str> = listed.lines().filter(|line| line.ends_with(": test")).collect();
    assert_eq!(tests.len(), 1, "{tests:#?}");
}

/// Returns all code that can be generated, in both forms.
fn configs() -> [(&'static str, Config); 3] {
    let mut types = Config::new();
    types.layout(Layout::SingleFile).rejected(Rejected::Ignore).unions(true).constructors(true).setters(true);
    let mut derives = Config::new();
    derives.layout(Layout::SingleFile).rejected(Rejected::Ignore).form(Form::Derive);
    types.apply(true).open_enums(true);
    let mut clients = types.clone();
    clients.client(true);
    [("types", types), ("derives", derives), ("clients", clients)]
}

fn generated(form: &str, texts: &[String], config: &Config) -> Generated {
    let mut definition = definition::definition(texts);
    if form == "derives" {
        // The derive refuses definitions that the API server would refuse.
        let version = definition["spec"]["versions"][0].as_object_mut().unwrap();
        version.retain(|key, _| !REFUSED.contains(&key.as_str()));
    }
    let crd = CustomResourceDefinition::from_value(definition).unwrap();
    let origin = Origin { file: "shapes.yaml".to_owned(), document: 0 };
    let generated = generate(&[Definition { crd, origin }], config);
    assert!(!generated.files.is_empty(), "{:?}", generated.findings);
    generated
}

/// Items with the documentation of this source, without the need of kube, which takes minutes to build.
fn documentation_alone(source: &str) -> String {
    let texts = texts::texts(source).into_iter().enumerate();
    texts.map(|(number, text)| format!("#[doc = {text:?}]\npub struct Item{number};\n")).collect()
}
