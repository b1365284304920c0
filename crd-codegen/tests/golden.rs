//! What is generated for the definitions of `fixtures/`, letter by letter: `UPDATE_GOLDEN=1` rewrites `golden/`.
//! `golden_code.rs` compiles these files and puts values through them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crd_codegen::{
    BytesType, Config, Defaults, Definition, Generated, KeptNames, Layout, MapType, NumberType, Origin,
    Refused, Severity, generate,
};
use crd_core::CustomResourceDefinition;
use serde_json::Value;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)
}

fn fixture(name: &str) -> Vec<Definition> {
    let file = format!("{name}.json");
    let text = fs::read_to_string(here("fixtures").join(&file)).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let items = value.get("items").map_or(vec![value.clone()], |items| items.as_array().unwrap().clone());
    let definition = |(document, item)| Definition {
        crd: CustomResourceDefinition::from_value(item).unwrap(),
        origin: Origin { file: file.clone(), document },
    };
    items.into_iter().enumerate().map(definition).collect()
}

fn said(generated: &Generated) -> Vec<String> {
    let findings = generated.findings.iter();
    findings.map(|finding| format!("{:?} {}", finding.severity, finding.diagnostic)).collect()
}

/// Compares a single file with `golden/NAME.rs`.
fn check(fixture_name: &str, golden: &str, config: &mut Config) -> Generated {
    // Fixtures go beyond what the API server takes.
    config.layout(Layout::SingleFile).refused(Refused::Ignore);
    let generated = generate(&fixture(fixture_name), config, &|| ());
    assert!(
        generated.findings.iter().all(|finding| finding.severity == Severity::Warning),
        "{:?}",
        said(&generated)
    );
    let [file] = &*generated.files else { panic!("one file expected") };
    assert_eq!(file.path, "mod.rs");
    let path = here("golden").join(format!("{golden}.rs"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &file.contents).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    for (line, (is, should)) in file.contents.lines().zip(expected.lines()).enumerate() {
        assert_eq!(is, should, "line {} of {golden}.rs; UPDATE_GOLDEN=1 rewrites it", line + 1);
    }
    assert_eq!(file.contents, expected, "{golden}.rs; UPDATE_GOLDEN=1 rewrites it");
    generated
}

#[test]
fn names() {
    check("names", "names", &mut Config::new());
}

#[test]
fn enums() {
    let generated = check("enums", "enums", &mut Config::new());
    assert_eq!(
        said(&generated),
        ["Warning spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[mixed]: \
          no value of the enum has the type of the schema, so it is left out"]
    );
}

#[test]
fn open_enums() {
    check("enums", "open_enums", Config::new().open_enums(true).defaults(Defaults::Schema));
}

#[test]
fn values() {
    let generated = check("values", "values", &mut Config::new());
    assert_eq!(said(&generated), [""; 0]);
}

#[test]
fn values_with_other_types() {
    let mut config = Config::new();
    config
        .defaults(Defaults::Schema)
        .bytes(BytesType::Bytes)
        .numbers(NumberType::Exact)
        .map_type(MapType::Hash);
    config.explicit_null(true).derive("Eq".parse().unwrap()).derive("@enum=Ord".parse().unwrap());
    config.attribute("@struct=#[must_use]".parse().unwrap()).no_derive("Sample=Debug".parse().unwrap());
    config.type_override("Sample.spec.open=std::collections::LinkedList<u8>".parse().unwrap());
    config.name_override("Sample.spec.matrix[][]=Cell".parse().unwrap());
    check("values", "values_with_other_types", &mut config);
}

#[test]
fn roots() {
    let generated = check("roots", "roots", &mut Config::new());
    assert_eq!(
        said(&generated),
        ["Warning spec.versions[0].schema.openAPIV3Schema: no schema, so the whole object is kept as JSON"]
    );
}

#[test]
fn shared() {
    check("shared", "shared", &mut Config::new());
}

#[test]
fn family() {
    let generated = check("family", "family", &mut Config::new());
    assert_eq!(said(&generated), [""; 0]);
    let mut backwards = fixture("family");
    backwards.reverse();
    let again =
        generate(&backwards, Config::new().layout(Layout::SingleFile).refused(Refused::Ignore), &|| ());
    assert_eq!(again.files, generated.files);
}

/// The names of all types and aliases, with their modules.
fn type_names(generated: &Generated) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in &generated.files {
        for line in file.contents.lines() {
            let words: Vec<&str> = line.split([' ', '<', ';']).collect();
            if let ["pub", "struct" | "enum" | "type", name, ..] = *words {
                names.insert(format!("{} {name}", file.path));
            }
        }
    }
    names
}

#[test]
fn a_new_field_renames_no_type() {
    let mut definitions = fixture("family");
    let before = generate(&definitions, &Config::new(), &|| ());
    // A type that would be first from now on, and one that would take another's name.
    let mut value = definitions[2].crd.to_value();
    let properties = &mut value["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"];
    let selector = properties["spec"]["properties"]["keystore"]["properties"]["password"].clone();
    properties["access"] = selector;
    let other = serde_json::json!({"type": "object", "properties": {"x": {"type": "string"}}});
    properties["keystore"] = serde_json::json!({"type": "object", "properties": {"password": other}});
    definitions[2].crd = CustomResourceDefinition::from_value(value).unwrap();
    let after = generate(&definitions, Config::new().kept_names(before.names.clone()), &|| ());
    let (old, new) = (type_names(&before), type_names(&after));
    assert_eq!(old.difference(&new).collect::<Vec<_>>(), Vec::<&String>::new());
    // Two types, and a name for the shared one at the root.
    assert_eq!(new.len(), old.len() + 3);

    // The output of the last run is the memory.
    let lock = before.files.iter().find(|file| file.path == "names.lock").unwrap();
    assert_eq!(KeptNames::parse(&lock.contents), before.names);
    let without = generate(&definitions, &Config::new(), &|| ());
    assert_ne!(old.difference(&type_names(&without)).count(), 0);
}

#[test]
fn apply_forms() {
    check("clients", "apply", Config::new().apply(true));
    check("values", "apply_values", Config::new().apply(true).explicit_null(true).bytes(BytesType::Bytes));
}

/// Compiled and put to use in `tests/tests/e2e_clients.rs`: kube is no dependency of this package.
#[test]
fn clients() {
    let generated = check("clients", "clients", Config::new().client(true).apply(true));
    assert_eq!(said(&generated), [""; 0]);
}

#[test]
fn hostile() {
    check("hostile", "hostile", &mut Config::new());
}

#[test]
fn hostile_with_defaults() {
    check("hostile", "hostile_with_defaults", Config::new().defaults(Defaults::Schema).open_enums(true));
}

#[test]
fn without_docs() {
    check("shared", "without_docs", Config::new().docs(false).defaults(Defaults::None));
}

#[test]
fn a_tree_is_the_same_in_many_files() {
    let generated = generate(&fixture("roots"), &Config::new(), &|| ());
    let paths: Vec<&str> = generated.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "mod.rs",
            "names.lock",
            "roots_example_com/mod.rs",
            "roots_example_com/v1/blank.rs",
            "roots_example_com/v1/clash.rs",
            "roots_example_com/v1/loose.rs",
            "roots_example_com/v1/mod.rs",
            "roots_example_com/v1/old.rs",
            "roots_example_com/v1/report.rs",
            "roots_example_com/v1beta1/mod.rs",
            "roots_example_com/v1beta1/old.rs",
            "support.rs",
        ]
    );
    let again = generate(&fixture("roots"), &Config::new(), &|| ());
    assert_eq!(generated.files, again.files);
}

#[test]
fn names_that_the_api_server_refuses_are_errors() {
    let wrong = |change: fn(&mut CustomResourceDefinition, &str), name: &str| {
        let mut definitions = fixture("shared");
        change(&mut definitions[0].crd, name);
        let generated = generate(&definitions, Config::new().refused(Refused::Ignore), &|| ());
        assert_eq!(generated.files, [], "{name:?}");
        generated
            .findings
            .iter()
            .map(|finding| finding.diagnostic.field.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for name in
        ["", "..", "../../etc/passwd", "a/b", "a\\b", "/tmp", "\"; drop", "\u{202e}x", "a\nb", "\u{e9}"]
    {
        assert_eq!(wrong(|crd, name| crd.spec.group = name.to_owned(), name), "spec.group", "{name:?}");
        assert_eq!(
            wrong(|crd, name| crd.spec.names.kind = name.to_owned(), name),
            "spec.names.kind",
            "{name:?}"
        );
        assert_eq!(
            wrong(|crd, name| crd.spec.names.plural = name.to_owned(), name),
            "spec.names.plural",
            "{name:?}"
        );
        let field = wrong(|crd, name| crd.spec.versions[0].name = name.to_owned(), name);
        assert_eq!(field, "spec.versions[0].name", "{name:?}");
    }
}

#[test]
fn versions_are_chosen() {
    let versions = |choice: &str| {
        let generated = generate(&fixture("roots"), Config::new().versions(choice.parse().unwrap()), &|| ());
        let old = generated.files.iter().filter(|file| file.path.ends_with("/old.rs"));
        let names: Vec<_> = old.map(|file| file.path.split('/').nth(1).unwrap().to_owned()).collect();
        (names.join(" "), said(&generated).join("\n"))
    };
    assert_eq!(versions("served").0, "v1 v1beta1");
    assert_eq!(versions("all").0, "v1 v1alpha1 v1beta1");
    assert_eq!(versions("storage").0, "v1");
    let (names, said) = versions("v1alpha1");
    assert_eq!(names, "v1alpha1");
    assert!(
        said.contains("Error spec.versions: nothing to generate: no version is among `v1alpha1`"),
        "{said}"
    );
}

#[test]
fn a_kind_that_comes_twice() {
    let mut definitions = fixture("shared");
    definitions.extend(fixture("shared"));
    let generated = generate(&definitions, &Config::new(), &|| ());
    assert_eq!(
        said(&generated),
        [
            "Warning metadata.name: Duplicate value: the same kind stands in shared.json already; not generated again"
        ]
    );
    definitions[1].crd.spec.scope = "Cluster".to_owned();
    let generated = generate(&definitions, &Config::new(), &|| ());
    assert!(generated.files.iter().any(|file| file.path == "shared_example_com/v1/store_2.rs"));
}

#[test]
fn rules_about_nothing_are_errors() {
    let mut config = Config::new();
    config.type_override("Store.spec.nowhere=u8".parse().unwrap());
    config.name_override("Shop.spec=Shop".parse().unwrap());
    config.derive("StoreSpecs=Eq".parse().unwrap());
    let generated = generate(&fixture("shared"), &config, &|| ());
    assert_eq!(
        said(&generated),
        [
            "Error type-override: Invalid value: \"Store.spec.nowhere=u8\": nothing generated stands there or has that name",
            "Error name-override: Invalid value: \"Shop.spec=Shop\": nothing generated stands there or has that name",
            "Error derive: Invalid value: \"StoreSpecs=Eq\": nothing generated stands there or has that name",
        ]
    );
}

#[test]
fn what_is_far_too_large_is_refused() {
    let mut definitions = fixture("shared");
    let properties = (0..100_000).map(|i| (format!("p{i}"), serde_json::json!({"type": "string"})));
    let schema =
        serde_json::json!({"type": "object", "properties": properties.collect::<serde_json::Map<_, _>>()});
    let mut value = definitions[0].crd.to_value();
    value["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema;
    definitions[0].crd = CustomResourceDefinition::from_value(value).unwrap();
    let generated = generate(&definitions, &Config::new(), &|| ());
    assert_eq!(generated.files, []);
    assert_eq!(
        said(&generated),
        [
            "Error spec.versions[0].schema.openAPIV3Schema: Too many: 100000: must have at most 15000 properties and values \
          of enums, equal types counted once"
        ]
    );
}
