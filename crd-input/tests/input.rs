//! Texts with the values or errors that they yield. The values are those of kubectl 1.36, which uses `sigs.k8s.io/yaml`.

use crd_input::{Limits, Source, documents};
use serde_json::Value;

/// Returns the result for a text: the documents, then the errors, separated by spaces.
fn read(name: &str, text: &str) -> String {
    let (documents, errors) = documents(&Source::from_string(name, text), &Limits::default());
    let mut parts: Vec<String> = documents.iter().map(|document| document.value.to_string()).collect();
    parts.extend(errors.iter().map(ToString::to_string));
    parts.join(" ")
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(read("f", text), *expected, "{text:?}");
    }
}

/// Checks the values of plain scalars as items of a list.
#[track_caller]
fn check_scalars(scalars: &[&str], expected: &str) {
    for scalar in scalars {
        assert_eq!(read("f", &format!("- {scalar}\n")), format!("[{expected}]"), "{scalar:?}");
    }
}

#[test]
fn words() {
    check_scalars(&["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], "true");
    check_scalars(&["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], "false");
    check_scalars(&["~", "null", "Null", "NULL", "", "!!null ''"], "null");
    for text in
        ["yEs", "oN", "tRue", "nUll", "nope", "Infinity", "nan", "0x", "0xG", "0b2", "1.2.3", "12:30", "1-2"]
    {
        check_scalars(
            &[text, &format!("'{text}'"), &format!("\"{text}\""), &format!("!!str {text}")],
            &format!("{text:?}"),
        );
    }
    check_scalars(&["'yes'", "\"yes\"", "!!str yes", "!x yes", "! yes"], "\"yes\"");
    check_scalars(&["2001-01-01", "!!timestamp 2001-01-01"], "\"2001-01-01\"");
}

#[test]
fn integers() {
    check_scalars(
        &["15", "+15", "0xF", "0Xf", "0o17", "0O17", "017", "0b1111", "0B1111", "1_5", "1__5_", "0x_F"],
        "15",
    );
    check_scalars(&["-15", "-0xF", "-017", "-0b1111"], "-15");
    check_scalars(&["0", "00", "-0", "+0", "0x0", "-0.0"], "0");
    check_scalars(&["9223372036854775807"], "9223372036854775807");
    check_scalars(&["-9223372036854775808"], "-9223372036854775808");
    check_scalars(&["18446744073709551615", "0xFFFFFFFFFFFFFFFF"], "18446744073709551615");
    check_scalars(&["_1"], "\"_1\"");
    check_scalars(&["0x1FFFFFFFFFFFFFFFF"], "\"0x1FFFFFFFFFFFFFFFF\"");
}

#[test]
fn floats() {
    check_scalars(&["0.5", ".5", "+.5", "5e-1", "0.5e0", "0_0.5"], "0.5");
    // The round trip through JSON text turns whole floats into integers.
    check_scalars(&["8", "08", "8.0", "8.", "80e-1", "!!float 8"], "8");
    check_scalars(&["1e3", "1E3", "1e+3"], "1000");
    check_scalars(&["18446744073709551616"], "1.8446744073709552e+19");
    check_scalars(&["1.8e19"], "18000000000000000000");
    check_scalars(&["1e21"], "1e+21");
    check_scalars(&["1e400"], "\"1e400\"");
    check_scalars(&[".1_0"], "0.1");
    check_scalars(&["0.1"], "0.1");
}

#[test]
fn keys_become_texts() {
    check(&[
        ("yes: 1\n", r#"{"true":1}"#),
        ("0x10: 1\n", r#"{"16":1}"#),
        ("1.0: 1\n", r#"{"1":1}"#),
        ("1e6: 1\n", r#"{"1e+06":1}"#),
        ("0.00001: 1\n", r#"{"1e-05":1}"#),
        (".inf: 1\n", r#"{".inf":1}"#),
        ("2001-01-01: 1\n", r#"{"2001-01-01":1}"#),
        ("'~': 1\n", r#"{"~":1}"#),
        ("~: 1\n", "f:1:1: `null` cannot be a key"),
        (": 1\n", "f:1:1: the line does not belong to a map or list above"),
        ("? \n: 1\n", "f:1:2: `null` cannot be a key"),
        ("18446744073709551615: 1\n", "f:1:1: `18446744073709551615` is too large for a key"),
        ("? [a]\n: 1\n", "f:1:3: a list or map cannot be a key"),
        ("{a: b}: 1\n", "f:1:1: a list or map cannot be a key"),
    ]);
}

#[test]
fn duplicate_keys_are_refused() {
    check(&[
        ("a: 1\nb: 2\na: 3\n", "f:3:1: duplicate key `a`"),
        ("x:\n- {a: 1, a: 1}\n", "f:2:10: duplicate key `a`"),
        ("yes: 1\n'true': 2\n", "f:2:1: duplicate key `true`"),
        (r#"{"a": 1, "a": 2}"#, "f:1:10: duplicate key `a`"),
    ]);
}

#[test]
fn two_documents_without_a_separator_have_a_remedy() {
    let help = |text: &str| {
        let (_, errors) = documents(&Source::from_string("f", text), &Limits::default());
        errors.first().and_then(|error| error.help()).map(str::to_owned)
    };
    let separator = Some("put a line `---` between two documents, or remove one of the keys".to_owned());
    assert_eq!(help("apiVersion: v1\nkind: A\napiVersion: v1\nkind: B\n"), separator);
    assert_eq!(help("kind: A\nkind: B\n"), separator);
    assert_eq!(help("a: {kind: A, kind: B}\n"), Some("remove or rename one of the two keys".to_owned()));
}

#[test]
fn anchors_and_merges() {
    check(&[
        ("a: &x {b: 1}\nc: *x\n", r#"{"a":{"b":1},"c":{"b":1}}"#),
        ("a: &x 1\nb: &x 2\nc: *x\n", r#"{"a":1,"b":2,"c":2}"#),
        ("&k a: 1\nb: *k\n", r#"{"a":1,"b":"a"}"#),
        ("a: &k v\n*k : 1\n", r#"{"a":"v","v":1}"#),
        ("a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  b: 3\n", r#"{"a":{"b":1,"c":2},"d":{"b":3,"c":2}}"#),
        // In go-yaml the later one counts.
        ("a: &x {b: 1}\nd:\n  b: 3\n  <<: *x\n", r#"{"a":{"b":1},"d":{"b":1}}"#),
        ("d:\n  <<: [{b: 1}, {b: 2, c: 3}]\n", r#"{"d":{"b":1,"c":3}}"#),
        ("d:\n  '<<': {b: 1}\n", r#"{"d":{"<<":{"b":1}}}"#),
        ("d:\n  <<: 1\n", "f:2:7: `<<` merges only maps"),
        ("s: &s [{b: 1}]\nd:\n  <<: *s\n", "f:3:7: `<<` merges only maps"),
        ("a: *x\n", "f:1:4: no anchor `x` precedes this alias"),
        ("a: &x [*x]\n", "f:1:8: this alias is inside its own anchor"),
        ("a: &x 1\n---\nb: *x\n", "{\"a\":1} f:3:4: no anchor `x` precedes this alias"),
    ]);
}

#[test]
fn texts() {
    check(&[
        ("a: |\n  x\n   y\n\nb: 1\n", r#"{"a":"x\n y\n","b":1}"#),
        ("a: |-\n  x\n", r#"{"a":"x"}"#),
        ("a: |+\n  x\n\n", r#"{"a":"x\n\n"}"#),
        ("a: |2\n   x\n", r#"{"a":" x\n"}"#),
        ("a: |\n  x", r#"{"a":"x\n"}"#),
        ("a: >\n  x\n  y\n\n  z\n", r#"{"a":"x y\nz\n"}"#),
        ("a: 'it''s\n\n  x'\n", r#"{"a":"it's\nx"}"#),
        // The second line is not indented. YAML 1.2 refuses this, and published definitions contain it.
        ("a: 'x\ny'\n", r#"{"a":"x y"}"#),
        ("a: \"\\u00e9\\x41\\n\\\n  b\"\n", r#"{"a":"éA\nb"}"#),
        ("a: x\n  y\n\n  z\n", r#"{"a":"x y\nz"}"#),
        ("a: x#y # z\n", r#"{"a":"x#y"}"#),
        ("a: http://x.y/z?q=1\n", r#"{"a":"http://x.y/z?q=1"}"#),
        ("a: [b\n]\n", r#"{"a":["b"]}"#),
        ("a: [\n\tb\n]\n", r#"{"a":["b"]}"#),
        ("a: {b: c,}\n", r#"{"a":{"b":"c"}}"#),
        ("a: 1\r\nb: |\r\n  x\r\n", r#"{"a":1,"b":"x\n"}"#),
        ("\u{FEFF}a: 1\n", r#"{"a":1}"#),
        ("a: \"\\q\"\n", "f:1:5: an unknown escape in double quotes"),
        ("a: \"\\ud83d\"\n", "f:1:5: this escape does not represent a character"),
    ]);
}

#[test]
fn faults_have_places() {
    check(&[
        ("a:\n\tb: 1\n", "f:2:1: a tab where YAML requires spaces"),
        ("a: b: c\n", "f:1:5: a `: ` where a map cannot begin"),
        ("a:\n  b: 1\n c: 2\n", "f:3:2: the line does not belong to a map or list above"),
        ("a: [1\n", "f:2:1: expected `,` or `]` in this list"),
        ("é: 'x\n", "f:1:4: this quoted string has no end"),
        ("a: @b\n", "f:1:4: a value cannot begin with `@`"),
        ("a\nb: 1\n", "f:2:2: a `: ` where a map cannot begin"),
        ("a: 1\nb\n", "f:2:1: a key without `: ` after it"),
        ("a: .nan\n", "f:1:4: `NaN` cannot be represented in JSON"),
        ("a: !!int x\n", "f:1:10: the value does not fit its tag"),
        ("%YAML 1.2\n---\na: 1\n", "{\"a\":1} f:1:1: kubectl does not support YAML directives"),
        ("a: {{ .Values.x }}\n", "f:1:4: this is a template, not YAML"),
        ("{{- if .x }}\na: 1\n{{- end }}\n", "f:1:1: this is a template, not YAML"),
        ("a: \u{7}\n", "f:1:4: YAML allows no control characters"),
        ("a: \0\n", "f:1:4: YAML allows no control characters"),
    ]);
}

#[test]
fn several_documents() {
    check(&[
        ("", ""),
        ("# nothing\n", ""),
        ("---\n# nothing\n---\n", ""),
        ("---\na: 1\n---\n---\nb: 2\n...\nc: 3\n", r#"{"a":1} {"b":2} {"c":3}"#),
        (
            "a: [\n---\nb: 1\n---\nc: 'x\n---\nd: 1\n",
            "{\"b\":1} {\"d\":1} f:2:1: a value is missing here f:5:4: this quoted string has no end",
        ),
        (
            "kind: List\nitems:\n- a: 1\n- {kind: List, items: [{b: 2}, {c: 3}]}\n",
            r#"{"a":1} {"b":2} {"c":3}"#,
        ),
        (
            "apiVersion: g/v1\nkind: FooList\nitems: [{a: 1}, {kind: Bar}]\n",
            r#"{"a":1,"kind":"Foo","apiVersion":"g/v1"} {"kind":"Bar"}"#,
        ),
        ("kind: List\nitems: []\n", ""),
        ("kind: Checklist\nitems: 3\n", r#"{"kind":"Checklist","items":3}"#),
    ]);
}

#[test]
fn json() {
    check(&[
        // JSON strings stay strings, where YAML would read other values.
        (r#"{"a": 1.0, "b": 1e3, "c": "yes"}"#, r#"{"a":1.0,"b":1000.0,"c":"yes"}"#),
        ("{\n\t\"a\": \"\\ud83d\\ude00\\/\"\n}\n", r#"{"a":"😀/"}"#),
        ("{\"a\":1}{\"b\":2}\n{\"c\":3}\n", r#"{"a":1} {"b":2} {"c":3}"#),
        ("{\"a\":1}\n---\n{\"b\":2}\n", r#"{"a":1} {"b":2}"#),
        ("{a: yes}\n", r#"{"a":true}"#),
        (r#"{"a": 18446744073709551616}"#, r#"{"a":1.8446744073709552e+19}"#),
    ]);
    // The last bit matters.
    let (documents, _) =
        documents(&Source::from_string("f", r#"{"a": 123456789012345678901.5}"#), &Limits::default());
    assert_eq!(documents[0].value["a"], Value::from(123_456_789_012_345_678_901.5));
}

#[test]
fn numbers_of_documents_count_items_and_faults() {
    let text = "a: 1\n---\n[\n---\nkind: List\nitems: [{b: 1}, {c: 1}]\n---\n---\nd: 1\n";
    let (documents, _) = documents(&Source::from_string("f", text), &Limits::default());
    let numbers: Vec<usize> = documents.iter().map(|document| document.origin.document).collect();
    assert_eq!(numbers, [0, 2, 3, 4]);
}

/// The corpus of public CRDs is not part of the project. If it is next to the project, all of it must be read.
#[test]
fn the_corpus_is_read() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus/crds");
    if !std::path::Path::new(corpus).exists() {
        println!("skipped: there is no corpus");
        return;
    }
    let limits = Limits::default();
    let (sources, errors) = crd_input::sources(&[corpus], &limits);
    assert!(errors.is_empty(), "{errors:?}");
    let read = crd_input::definitions(&sources, &limits, &|| ());
    assert!(read.errors.is_empty(), "{:?}", read.errors);
    assert!(read.findings.is_empty(), "{:?}", read.findings);
    assert!(read.others.is_empty(), "{:?}", read.others);
    assert!(read.definitions.len() >= sources.len() && !sources.is_empty());
}
