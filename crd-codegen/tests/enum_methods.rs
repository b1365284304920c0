//! The methods of generated enums of strings.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crd_codegen::{BytesType, Config, DateTimeType, Defaults, Definition, NumberType, Origin, generate};
use crd_core::CustomResourceDefinition;
use serde_json::json;

/// The support module of all goldens.
#[allow(dead_code, reason = "most of it serves other goldens")]
pub mod support {
    include!("golden/support.rs");
}

#[allow(dead_code, reason = "only the enums are used")]
mod enums {
    include!("golden/enums.rs");
}

#[allow(dead_code, reason = "only the enums are used")]
mod open_enums {
    include!("golden/open_enums.rs");
}

#[test]
fn enums_of_strings_have_their_values() {
    use enums::enums_example_com::v1::switch::{SwitchEmpty, SwitchLevel};
    use open_enums::enums_example_com::v1::switch::SwitchLevel as OpenLevel;

    assert_eq!(SwitchLevel::ALL, [SwitchLevel::Low, SwitchLevel::High]);
    assert_eq!(
        (SwitchLevel::High.as_str(), format!("{:>5}", SwitchLevel::Low)),
        ("high", "  low".to_owned())
    );
    for level in SwitchLevel::ALL {
        assert_eq!(level.as_str().parse(), Ok(*level));
        assert_eq!(json!(level), level.to_string());
    }
    assert_eq!(SwitchEmpty::try_from(""), Ok(SwitchEmpty::Empty));
    let error = "Low".parse::<SwitchLevel>().unwrap_err();
    assert_eq!(error.to_string(), "unknown variant `Low`, expected `low` or `high`");

    assert_eq!(OpenLevel::ALL, [OpenLevel::Low, OpenLevel::High]);
    for text in ["low", "medium"] {
        assert_eq!(OpenLevel::from(text).to_string(), text);
        assert_eq!(json!(text.parse::<OpenLevel>().unwrap()), text);
    }
    assert_eq!(OpenLevel::from("medium"), OpenLevel::Unknown("medium".to_owned()));
}

/// Returns the text of all files generated for a spec with these properties.
fn generated(properties: &serde_json::Value, config: &Config) -> String {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"plural": "foos", "kind": "Foo"},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {
                    "type": "object", "properties": {"spec": {"type": "object", "properties": properties}},
                }},
            }],
        },
    });
    let crd = CustomResourceDefinition::from_value(definition).unwrap();
    let generated =
        generate(&[Definition { crd, origin: Origin { file: "foo.yaml".to_owned(), document: 0 } }], config);
    generated.files.into_iter().map(|file| file.contents).collect()
}

/// A derive of `strum`, `derive_more` or `thiserror` and methods of our own would implement one trait twice.
#[test]
fn methods_give_way_to_derives_of_the_same() {
    let properties = json!({
        "a": {"type": "string", "enum": ["TCP", "UDP"]},
        "b": {"type": "string", "enum": ["On", "Off"]},
    });
    let methods = |derives: &[&str]| {
        let mut config = Config::new();
        for derive in derives {
            config.derive(derive.parse().unwrap());
        }
        let text = generated(&properties, &config).split_whitespace().collect::<Vec<_>>().join(" ");
        ["FooA", "FooB"].map(|name| text.contains(&format!("string_enum! {{ {name} {{")))
    };
    assert_eq!(methods(&[]), [true, true]);
    assert_eq!(methods(&["@enum=strum::AsRefStr", "@struct=strum::Display"]), [true, true]);
    for derive in ["strum::Display", "strum::EnumString", "derive_more::FromStr", "displaydoc::Display"] {
        assert_eq!(methods(&[&format!("@enum={derive}")]), [false, false], "{derive}");
        assert_eq!(methods(&[&format!("FooA={derive}")]), [false, true], "{derive}");
    }
}

/// With `defaults = "schema"`, types of other crates have defaults, too.
#[test]
fn defaults_of_all_types_are_set() {
    let properties = json!({
        "when": {"type": "string", "format": "date-time", "default": "2020-01-01T00:00:00Z"},
        "never": {"type": "string", "format": "date-time", "default": "soon"},
        "blob": {"type": "string", "format": "byte", "default": "aGVsbG8="},
        "num": {"type": "number", "default": 0.1},
        "whole": {"type": "number", "default": 2},
    });
    let mut config = Config::new();
    config.defaults(Defaults::Schema).bytes(BytesType::Bytes).numbers(NumberType::Exact);
    for date_time in [DateTimeType::Chrono, DateTimeType::Jiff] {
        let text = generated(&properties, config.date_time(date_time));
        for field in [
            "when: Some(\"2020-01-01T00:00:00Z\".parse().unwrap_or_default())",
            "never: None",
            "blob: Some(ByteString(b\"hello\".to_vec()))",
            "num: Some(serde_json::Number::from_f64(0.1).unwrap_or_else(|| 0.into()))",
            "whole: Some(serde_json::Number::from(2",
        ] {
            assert!(text.contains(field), "{field}: {text}");
        }
    }
}

/// A type of several kinds that no other shared type has as a field: the file of the shared types has to import what it needs.
#[test]
fn an_enum_that_kinds_share_has_its_methods() {
    let definition = |plural: &str, kind: &str| {
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.shared.example.com")},
            "spec": {
                "group": "shared.example.com",
                "names": {"plural": plural, "kind": kind},
                "scope": "Namespaced",
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "properties": {"spec": {"type": "object", "properties": {
                        "level": {"type": "string", "enum": ["low", "high"]}, plural: {"type": "string"},
                    }}},
                }}}],
            },
        });
        let crd = CustomResourceDefinition::from_value(definition).unwrap();
        Definition { crd, origin: Origin { file: plural.to_owned(), document: 0 } }
    };
    let definitions = [definition("lamps", "Lamp"), definition("fans", "Fan")];
    let generated = generate(&definitions, &Config::new());
    let shared = generated.files.iter().find(|file| file.path.ends_with("/shared.rs")).unwrap();
    let import = "use super::super::super::support::string_enum;\n";
    assert!(shared.contents.contains(import), "{}", shared.contents);
}
