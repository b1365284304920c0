use super::*;
use crate::ir::{About, Enum, Values};

fn check_fields(properties: &[&str], expected: &[&str]) {
    let named = fields(properties);
    let shown: Vec<String> = named
        .fields
        .iter()
        .map(|field| format!("{}{}", field.name, if field.rename { " renamed" } else { "" }))
        .collect();
    assert_eq!(shown, expected, "{properties:?}, rename_all: {}", named.rename_all);
    let distinct: HashSet<_> = named.fields.iter().map(|field| &field.name).collect();
    assert_eq!(distinct.len(), properties.len(), "{properties:?}");
}

#[test]
fn fields_are_total_and_injective() {
    check_fields(&["a", "b"], &["a", "b"]);
    check_fields(&["fooBar", "b"], &["foo_bar", "b"]);
    check_fields(&["foo_bar", "b"], &["foo_bar", "b"]);
    check_fields(&["fooBar", "foo_baz"], &["foo_bar", "foo_baz renamed"]);
    check_fields(&["aB", "a_b", "a-b"], &["a_b_2 renamed", "a_b", "a_b_3 renamed"]);
    check_fields(
        &["clusterIPs", "podCIDRs", "URLs"],
        &["cluster_ips renamed", "pod_cidrs renamed", "urls renamed"],
    );
    check_fields(&["HTTPServer", "S3Bucket"], &["http_server renamed", "s3_bucket renamed"]);
    check_fields(&["self", "xY"], &["self_", "x_y"]);
    check_fields(&["9lives", "xY"], &["_9lives", "x_y"]);
    check_fields(
        &["", "*", "$", "-", "\u{e9}"],
        &["empty renamed", "star renamed", "dollar renamed", "minus renamed", "ue9 renamed"],
    );
    assert_eq!(fields(&["rest", "rest_2"]).rest, "rest_3");
}

#[test]
fn fields_and_serde_agree_on_every_text() {
    // What `rename_all` does is what serde_derive does: `golden_code.rs` puts values through both.
    for property in ["aBC", "a1B", "aB1", "a1b", "ABC", "aB_c", "x509Cert", "_a", "a_", "A"] {
        let named = fields(&[property, "fooBar"]);
        assert!(named.rename_all);
        assert_eq!(named.fields[0].rename, serde_camel(&named.fields[0].name) != property, "{property}");
    }
}

/// Returns a field's name in `camelCase`, as a second implementation of the rule in `serde_derive`.
fn serde_camel(field: &str) -> String {
    let mut pascal = String::new();
    let mut capitalize = true;
    for c in field.chars() {
        match c {
            '_' => capitalize = true,
            c if capitalize => {
                pascal.push(c.to_ascii_uppercase());
                capitalize = false;
            }
            c => pascal.push(c),
        }
    }
    pascal[..1].to_ascii_lowercase() + &pascal[1..]
}

fn check_variants(values: &[&str], expected: &[&str]) {
    let values = Values::Strings(values.iter().map(|&value| value.into()).collect());
    let named = variants(&Enum { about: About::default(), values, is_open: true });
    assert_eq!(named, expected);
}

#[test]
fn variants_are_total_and_injective() {
    check_variants(&["", "*", "+", "-", "!="], &["Empty", "Star", "Plus", "Minus", "NotEqual"]);
    check_variants(&["on", "ON", "On"], &["On2", "On3", "On"]);
    check_variants(&["1.2", "1.3", "12"], &["V1_2", "V1_3", "V12"]);
    check_variants(&["Self", "Unknown", "async"], &["SelfValue", "Unknown2", "Async"]);
    check_variants(&["a+", "a-", "a"], &["APlus", "AMinus", "A"]);
    check_variants(&["a-b", "a_b", "aB"], &["AMinusB", "AUnderscoreB", "AB"]);
    check_variants(&["\u{4f60}\u{597d}", "\u{202e}"], &["U4f60U597d", "U202e"]);
}

/// Checks the rule that is found for an enum against serde's implementation.
macro_rules! check_rename_rules {
    ($($rule:literal),+) => {$({
        #[derive(serde::Serialize)]
        #[serde(rename_all = $rule)]
        enum Renamed { Ab, AbCd, ABc, V1_2 }

        let names = ["Ab", "AbCd", "ABc", "V1_2"].map(str::to_owned);
        let values = [Renamed::Ab, Renamed::AbCd, Renamed::ABc, Renamed::V1_2]
            .map(|variant| serde_json::to_value(variant).unwrap().as_str().unwrap().to_owned());
        let rule = RenameRule::choose(&names, &values).unwrap();
        assert_eq!(rule.name, $rule);
        assert_eq!(names.map(|name| rule.value(&name)), values);
    })+};
}

#[test]
fn the_rules_for_variants_are_those_of_serde() {
    check_rename_rules!(
        "lowercase",
        "UPPERCASE",
        "camelCase",
        "snake_case",
        "SCREAMING_SNAKE_CASE",
        "kebab-case",
        "SCREAMING-KEBAB-CASE"
    );
}

#[test]
fn an_enum_has_a_rule_if_it_saves_lines() {
    let rule = |pairs: &[(&str, &str)]| {
        let names: Vec<String> = pairs.iter().map(|(name, _)| (*name).to_owned()).collect();
        let values: Vec<&str> = pairs.iter().map(|(_, value)| *value).collect();
        RenameRule::choose(&names, &values).map(|rule| rule.name)
    };
    assert_eq!(rule(&[("A", "a"), ("B", "b")]), Some("lowercase"));
    assert_eq!(rule(&[("Get", "GET"), ("Put", "PUT"), ("Star", "*")]), Some("UPPERCASE"));
    assert_eq!(rule(&[("A", "a")]), None);
    assert_eq!(rule(&[("A", "A"), ("B", "B")]), None);
    assert_eq!(rule(&[("A", "a"), ("B", "B"), ("C", "c")]), None);
    assert_eq!(rule(&[]), None);
}

#[test]
fn modules_suit_every_file_system() {
    let texts =
        ["cert-manager.io", "cert_manager.io", "..", "../..", "", "con", "type", "v1", "support", "A B"];
    assert_eq!(
        modules(&texts, &["support"]),
        [
            "cert_manager_io",
            "cert_manager_io_2",
            "unnamed",
            "unnamed_2",
            "unnamed_3",
            "con_",
            "type_",
            "v1",
            "support_2",
            "a_b",
        ]
    );
    assert!(modules(&["x".repeat(1000).as_str()], &[])[0].len() <= 120);
}

/// Strings that are likely to collide or to be invalid identifiers. They are the same in every run.
fn nasty_texts(count: usize) -> Vec<String> {
    let letters: Vec<char> = "aAbB19_-.*+/ $\"s\u{e9}\u{202e}\u{df}".chars().collect();
    let mut state: u64 = 42;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let texts = (0..count).map(|_| (0..next(6)).map(|_| letters[next(letters.len())]).collect::<String>());
    texts.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

#[test]
fn whatever_the_texts_names_are_identifiers_and_differ() {
    let texts = nasty_texts(5000);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let is_identifier = |name: &str| {
        let mut chars = name.chars();
        let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        first && name != "_" && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let check = |names: &[&str], what: &str| {
        for (name, text) in names.iter().zip(&texts) {
            assert!(is_identifier(name), "{what} {name:?} for {text:?}");
        }
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), texts.len(), "{what}");
    };
    let named = fields(&texts);
    let names: Vec<&str> = named.fields.iter().map(|field| field.name.as_str()).collect();
    check(&names, "field");
    for name in names {
        // What rustc's `non_snake_case` asks.
        let inner = name.trim_matches('_');
        assert!(!inner.contains("__") && inner.chars().all(|c| !c.is_ascii_uppercase()), "{name}");
    }
    for (field, text) in named.fields.iter().zip(&texts) {
        assert_eq!(field.rename, !named.rename_all || serde_camel(&field.name) != **text);
    }
    let values = Values::Strings(texts.iter().map(|&text| text.into()).collect());
    let names = variants(&Enum { about: About::default(), values, is_open: false });
    check(&names.iter().map(String::as_str).collect::<Vec<_>>(), "variant");
    let names = modules(&texts, &[]);
    check(&names.iter().map(String::as_str).collect::<Vec<_>>(), "module");
}
