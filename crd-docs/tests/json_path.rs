//! JSON paths, with the answers of `client-go/util/jsonpath`.
#![expect(clippy::unwrap_used, reason = "the helpers below are parts of tests")]

use crd_docs::json_path::JsonPath;
use serde_json::{Value, json};

/// Returns the first value; `null` where nothing is found or a step fails.
fn first(path: &str, object: &Value) -> Value {
    let path = JsonPath::parse(&format!("{{{path}}}")).unwrap();
    path.first(object).ok().flatten().cloned().unwrap_or_default()
}

#[test]
fn paths_find_what_client_go_finds() {
    let object = json!({
        "a": {"b": 1, "x.y": 2, "t": true},
        "l": [{"n": 1, "k": "A"}, {"n": 2, "k": "B"}, {"n": 3, "k": "C"}],
        "s": "str", "m": [[1, 2], [3]], "none": null, "e": [[1], [], {"x": 1}],
    });
    for (path, expected) in [
        (".a.b", json!(1)),
        (r".a.x\.y", json!(2)),
        (".a['b']", json!(1)),
        (".a['t','b']", json!(true)),
        (".a.missing", Value::Null),
        ("$.a.b", json!(1)),
        ("@.a.b", json!(1)),
        (".l[0].k", json!("A")),
        (".l[-1].k", json!("C")),
        (".l[1:].k", json!("B")),
        (".l[0:3:2].n", json!(1)),
        (".l[5]", Value::Null),
        (".l[2:1]", Value::Null),
        (".l[0:0]", Value::Null),
        (".l[*].k", json!("A")),
        (".l[1,0].k", json!("B")),
        // An empty slice ends the step: the object after it is not an error.
        (".e[:][:]", json!(1)),
        (".l[?(@.n>1)].k", json!("B")),
        (".l[?(@.n>=3)].k", json!("C")),
        (".l[?(@.k==\"C\")].n", json!(3)),
        (".l[?(@.k!='A')].n", json!(2)),
        (".l[?(@.n==2.0)].k", Value::Null),
        (".l[?(@.missing)].k", Value::Null),
        (".l[?(@.k)].k", json!("A")),
        // A step that fails counts as something that exists.
        (".l[?(@.k in x)].k", json!("A")),
        (".l[?(@.k<2)].k", Value::Null),
        (".a[0]", Value::Null),
        (".a[?(@.b)]", Value::Null),
        (".m[*][0]", json!(1)),
        ("..k", json!("A")),
        (".l..n", json!(1)),
        (".s[0]", Value::Null),
        (".none.x", Value::Null),
        (".none[0]", Value::Null),
        (".a range", Value::Null),
        (".a 5", json!(5)),
        (".a \"text\"", json!("text")),
        (".a.b}{.a.t", json!(1)),
        (".a.b}{.l[9]", Value::Null),
    ] {
        assert_eq!(first(path, &object), expected, "{path}");
    }
}

#[test]
fn malformed_paths_are_refused_in_the_words_of_client_go() {
    for (path, expected) in [
        ("{.a", "unclosed action"),
        ("{.a[0}", "unterminated array"),
        ("{.a[x]}", "invalid array index x"),
        ("{.a[?(@.b}", "unterminated filter"),
        ("{.a[?(@.b)x]}", "unclosed array expect ]"),
        ("{.a....b}", "invalid multiple recursive descent"),
        ("{.a 'x}", "unterminated quoted string"),
        ("{-}", "cannot parse number -"),
        ("{.a ~}", "unrecognized character in action: U+007E '~'"),
        (r#"{.a "\q"}"#, r#"unquote string "\q" error invalid syntax"#),
        ("{.a[99999999999999999999]}", "array index 99999999999999999999 is not a number"),
    ] {
        let error = JsonPath::parse(path).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some(expected), "{path}");
    }
}

#[test]
fn hostile_paths_end() {
    let mut deep = json!(1);
    for _ in 0..200 {
        deep = json!({"a": [deep, {"a": {}}]});
    }
    for path in ["..a..a..a..a..a..a..a", "..a.*..a.*..a.*..a.*..a", &".a".repeat(10_000)] {
        first(path, &deep);
    }
    assert!(JsonPath::parse(&format!("{{{}}}", "[0]".repeat(10_000))).is_ok());
    assert!(JsonPath::parse(&format!("{{.a{}}}", "[?(".repeat(1_000))).is_err());
}
