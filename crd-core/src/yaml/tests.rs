//! Written YAML is read back as the same value.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::to_yaml;

/// Strings that some YAML readers would not read as strings without quotes.
const TREACHEROUS: &[&str] = &[
    "On",
    "off",
    "yes",
    "NO",
    "y",
    "N",
    "true",
    "False",
    "~",
    "null",
    "Null",
    "",
    " ",
    " a",
    "a ",
    "0x1F",
    "1e3",
    "0o17",
    "017",
    "1_000",
    "12:30:45",
    "1:20",
    "-1",
    "+1",
    ".5",
    ".inf",
    "-.INF",
    ".nan",
    "0b1",
    "2024-01-01",
    "2024-01-01T00:00:00Z",
    "=",
    "<<",
    "-",
    "- a",
    "?",
    "? a",
    ":",
    "a: b",
    "a:",
    "# a",
    "a #b",
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "%a",
    "@a",
    "`a",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    "{a}",
    "[a]",
    ",",
    "---",
    "...",
    "--- a",
    "\u{feff}a",
    "\t",
    "a\tb",
    "\r\n",
    "\n",
    "\n\n",
    "a\n",
    "a\nb",
    "a\nb\n",
    "a\n\n",
    " a\nb",
    "a\n b",
    "a \nb",
    "a\n---\nb",
    "\u{85}",
    "\u{2028}",
    "\u{202e}abc",
    "é",
    "日本",
    "🦀",
    "\0",
    "\u{7f}",
    "{{ .Values.x }}",
    "a\u{a0}",
    "\\d+\\n",
    "it's",
];

fn read(yaml: &str) -> Value {
    serde_yaml::from_str(yaml).unwrap_or_else(|error| panic!("{error}:\n{yaml}"))
}

#[test]
fn treacherous_texts_come_back_as_values_and_keys() {
    for text in TREACHEROUS {
        for value in
            [json!(text), json!({*text: text}), json!([text, [text]]), json!({"a": {"b": [{*text: text}]}})]
        {
            assert_eq!(read(&to_yaml(&value)), value, "\n{}", to_yaml(&value));
        }
    }
}

#[test]
fn words_of_yaml_1_1_are_quoted() {
    let words = [
        "On", "off", "yes", "No", "y", "N", "0x1F", "1e3", "0o17", "1_000", "12:30:45", "~", "null", "=",
        "<<",
    ];
    for word in words {
        assert_eq!(to_yaml(&json!({word: word})), format!("\"{word}\": \"{word}\"\n"));
    }
    assert_eq!(to_yaml(&json!("2024-01-01")), "\"2024-01-01\"\n");
}

#[test]
fn strings_without_another_meaning_have_no_quotes() {
    for text in
        ["crontabs.stable.example.com", ".spec.replicas", "CustomResourceDefinition", "the number of jobs"]
    {
        assert_eq!(to_yaml(&json!({"a": text})), format!("a: {text}\n"));
    }
    assert_eq!(to_yaml(&json!({"a": r"^(\d+|\*)$"})), "a: '^(\\d+|\\*)$'\n");
}

#[test]
fn numbers_are_numbers_in_yaml_1_1() {
    assert_eq!(to_yaml(&json!([1e100, 1.5, -3, 1e-7])), "- 1.0e+100\n- 1.5\n- -3\n- 1.0e-7\n");
}

#[test]
fn long_keys_are_explicit() {
    let key = "k ".repeat(100) + "k";
    let value = json!({"a": {&key: {"b": 1}, "c": [{&key: [1]}]}});
    assert_eq!(read(&to_yaml(&value)), value);
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ \\n\\t:#\\-a-c'\"0-9]{0,12}",
        proptest::sample::select(TREACHEROUS).prop_map(str::to_owned)
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any_text().prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((any_text(), inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn every_value_comes_back(value in any_value()) {
        let yaml = to_yaml(&value);
        let back: Result<Value, _> = serde_yaml::from_str(&yaml);
        prop_assert_eq!(back.map_err(|error| error.to_string()), Ok(value), "{}", yaml);
    }
}
