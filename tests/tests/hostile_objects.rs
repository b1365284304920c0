//! Hostile objects are accepted, or refused with a line for each cause, within the limits on time and memory that are promised for
//! their size.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crd_input::in_parallel;
use crd_tests::tool::Outcome::{self, Generated, Unreadable, Wrong};
use crd_tests::tool::{Bounds, empty_directory, release_build};
use serde_json::{Map, Value, json};

/// The length of texts.
const LONG: usize = 10_000_000;
/// The depth of values.
const DEEP: usize = 1_000;
/// The number of items of lists.
const MANY: usize = 100_000;

const FORMATS: [&str; 4] = ["human", "json", "github", "sarif"];

struct Case {
    name: String,
    object: String,
    /// The object that is replaced.
    old: Option<String>,
    expected: Outcome,
}

#[test]
#[ignore = "builds the tool in release"]
fn hostile_objects() {
    let tool = release_build();
    let folder = empty_directory("hostile-objects");
    let crd = folder.join("crd.json");
    fs::write(&crd, definition().to_string()).unwrap();
    let mut failures = Vec::new();
    for case in cases() {
        let file = folder.join(format!("{}.json", case.name));
        fs::write(&file, &case.object).unwrap();
        let old = case.old.map(|old| {
            let file = folder.join(format!("{}-old.json", case.name));
            fs::write(&file, old).unwrap();
            file
        });
        let found = in_parallel(&FORMATS, |format| validate(&tool, &crd, &file, old.as_deref(), format));
        for (found, format) in found.into_iter().zip(FORMATS) {
            let name = format!("{} as {format}", case.name);
            match found {
                Ok(found) if found == case.expected => {}
                Ok(found) => failures.push(format!("{name}: {found:?}, not {:?}", case.expected)),
                Err(message) => failures.push(format!("{name}: {message}")),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn validate(
    tool: &Path,
    crd: &Path,
    object: &Path,
    old: Option<&Path>,
    format: &str,
) -> Result<Outcome, String> {
    let mut arguments: Vec<&OsStr> =
        vec!["validate".as_ref(), "--crd".as_ref(), crd.as_os_str(), "--format".as_ref(), format.as_ref()];
    if let Some(old) = old {
        arguments.extend(["--old".as_ref(), old.as_os_str()]);
    }
    arguments.push(object.as_os_str());
    let read: Vec<u64> = [Some(crd), Some(object), old].into_iter().flatten().map(size).collect();
    Bounds::promised_for(&read).run(tool, &arguments)
}

fn size(file: &Path) -> u64 {
    fs::metadata(file).expect("the test wrote it").len()
}

/// Returns a kind with all sorts of lists and strings, with and without limits, patterns and rules.
fn definition() -> Value {
    let rule = |rule: &str| json!([{"rule": rule}]);
    let keyed = json!({"type": "object", "required": ["k"], "properties": {
        "k": {"type": "string"}, "l": {"type": "integer", "default": 0}, "v": {"type": "integer", "maximum": 1_000_000},
    }});
    let map = |keys: &[&str]| {
        json!({
            "type": "array", "items": keyed,
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys,
        })
    };
    let spec = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
        "text": {"type": "string"},
        "short": {"type": "string", "maxLength": 5},
        "pattern": {"type": "string", "pattern": "^(a|b)*$"},
        "backtracking": {"type": "string", "pattern": "^(a*)*b$"},
        "repeated": {"type": "string", "pattern": "^[a-z]{1,900}$"},
        "email": {"type": "string", "format": "email"},
        "hostname": {"type": "string", "format": "hostname"},
        "uri": {"type": "string", "format": "uri"},
        "byte": {"type": "string", "format": "byte"},
        "cidr": {"type": "string", "format": "cidr"},
        "enum": {"type": "string", "enum": ["a", "b"]},
        "ruled": {"type": "string", "x-kubernetes-validations": rule("self.size() < 20000000")},
        "matched": {"type": "string", "maxLength": 20_000_000, "x-kubernetes-validations": rule("self.matches('^a*$')")},
        "list": {"type": "array", "items": {"type": "string", "maxLength": 10}},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "setOfObjects": {"type": "array", "x-kubernetes-list-type": "set", "items": {
            "type": "object", "x-kubernetes-map-type": "atomic", "properties": {"k": {"type": "string"}}}},
        "map": map(&["k"]),
        "twoKeys": map(&["k", "l"]),
        "ruledItems": {"type": "array", "maxItems": MANY, "items": {
            "type": "integer", "x-kubernetes-validations": rule("self >= 0")}},
        "ruledList": {"type": "array", "maxItems": MANY, "items": {"type": "integer"},
            "x-kubernetes-validations": rule("self.all(x, x >= 0)")},
        "ruledMap": {"type": "array", "maxItems": MANY, "items": keyed.clone(),
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
            "x-kubernetes-validations": rule("self == oldSelf || self.size() >= oldSelf.size()")},
        "entries": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
        "resources": {"type": "array", "items": {
            "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}},
        "closed": {"type": "object", "properties": {"a": {"type": "string"}}},
        "closedItems": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
        "anyOf": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}},
    }});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.hostile.example.org"},
        "spec": {
            "group": "hostile.example.org",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            "scope": "Cluster",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": spec},
            }}}],
        },
    })
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name: &str, spec: &Value, old: Option<&Value>, expected| {
        let old = old.map(|old| object(old).to_string());
        cases.push(Case { name: name.to_owned(), object: object(spec).to_string(), old, expected });
    };
    for (name, spec, expected) in texts().into_iter().chain(lists()).chain(depths()).chain(maps()) {
        add(&name, &spec, None, expected);
        // Invalid values can stay, except for partly equal items, which the old list had as well.
        add(&format!("{name}-unchanged"), &spec, Some(&spec), unchanged(&name, expected));
        add(&format!("{name}-new"), &spec, Some(&json!({})), expected);
    }
    let [forth, back] = [false, true].map(|is_back| {
        let mut items: Vec<Value> =
            (0..MANY).map(|i| json!({"k": format!("key-{i}"), "v": 2_000_000})).collect();
        if is_back {
            items.reverse();
        }
        json!({"map": items})
    });
    add("map-in-another-order", &forth, Some(&back), Generated);
    add("everything", &everything(), None, Generated);
    add("everything-unchanged", &everything(), Some(&everything()), Generated);
    let deeper = format!("{}1{}", "{\"a\":[".repeat(MANY), "]}".repeat(MANY));
    cases.push(Case {
        name: "deeper-than-the-server-reads".to_owned(),
        object: object(&json!("SPEC")).to_string().replace("\"SPEC\"", &deeper),
        old: None,
        expected: Unreadable,
    });
    cases
}

fn unchanged(name: &str, expected: Outcome) -> Outcome {
    // These stay errors: metadata of resources, rules that were stopped, and items without their key, which correspond to no
    // old item.
    let stays = name.starts_with("resources-") || ["long-matched", "map-without-keys"].contains(&name);
    if stays { expected } else { Generated }
}

fn object(spec: &Value) -> Value {
    json!({"apiVersion": "hostile.example.org/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec})
}

type Named = (String, Value, Outcome);

fn texts() -> Vec<Named> {
    let text = "a".repeat(LONG);
    let wide = "é".repeat(LONG / 2);
    let of = |field: &str, text: &str, expected| (format!("long-{field}"), json!({field: text}), expected);
    vec![
        of("text", &text, Generated),
        of("unknown", &wide, Generated),
        of("short", &text, Wrong),
        of("pattern", &text, Generated),
        of("backtracking", &text, Wrong),
        of("repeated", &text, Wrong),
        of("email", &text, Wrong),
        of("hostname", &text, Wrong),
        of("uri", &text, Wrong),
        of("byte", &text, Generated),
        of("cidr", &text, Wrong),
        of("enum", &text, Wrong),
        of("ruled", &text, Generated),
        // The server stops a rule that reads such a long string.
        of("matched", &text, Wrong),
        ("long-wide-text".to_owned(), json!({"short": wide}), Wrong),
    ]
}

fn lists() -> Vec<Named> {
    let list = |item: &dyn Fn(usize) -> Value| Value::from_iter((0..MANY).map(item));
    let of = |name: &str, field: &str, item: &dyn Fn(usize) -> Value, expected| {
        (name.to_owned(), json!({field: list(item)}), expected)
    };
    // The greatest number that fits into a request.
    let resources = |name: &str, object_name: &dyn Fn(usize) -> String, expected| {
        let resource = |i| json!({"apiVersion": "v1", "kind": "K", "metadata": {"name": object_name(i)}});
        (name.to_owned(), json!({"resources": Value::from_iter((0..MANY * 2 / 5).map(resource))}), expected)
    };
    vec![
        of("list", "list", &|i| json!(format!("item-{i}")), Generated),
        of("list-of-wrong-items", "list", &|i| json!(i), Wrong),
        of("list-of-nulls", "list", &|_| Value::Null, Wrong),
        of("set", "set", &|i| json!(format!("item-{i}")), Generated),
        of("set-of-pairs", "set", &|i| json!(format!("item-{}", i / 2)), Wrong),
        of("set-of-objects", "setOfObjects", &|i| json!({"k": format!("item-{i}")}), Generated),
        of("set-of-equal-objects", "setOfObjects", &|_| json!({"k": "item"}), Wrong),
        of("map", "map", &|i| json!({"k": format!("item-{i}")}), Generated),
        of("map-of-pairs", "map", &|i| json!({"k": format!("item-{}", i / 2)}), Wrong),
        of("map-without-keys", "map", &|_| json!({}), Wrong),
        of("map-of-wrong-values", "map", &|i| json!({"k": format!("item-{i}"), "v": 2_000_000}), Wrong),
        of("two-keys", "twoKeys", &|i| json!({"k": format!("item-{i}"), "l": i}), Generated),
        of("two-keys-of-pairs", "twoKeys", &|i| json!({"k": "item", "l": i / 2}), Wrong),
        of("ruled-items", "ruledItems", &|i| json!(i), Generated),
        of("ruled-wrong-items", "ruledItems", &|_| json!(-1), Wrong),
        of("ruled-list", "ruledList", &|i| json!(i), Generated),
        of("ruled-map", "ruledMap", &|i| json!({"k": format!("item-{i}")}), Generated),
        resources("resources", &|i| format!("n{i}"), Generated),
        resources("resources-wrong", &|_| "wrong/name".to_owned(), Wrong),
        of("unknown-fields", "closedItems", &|i| json!({format!("field{i}"): 1}), Generated),
        of("branches", "anyOf", &|_| json!({"b": "x"}), Generated),
        of("wrong-branches", "anyOf", &|_| json!({}), Wrong),
    ]
}

fn maps() -> Vec<Named> {
    let entries = |value: &dyn Fn(usize) -> Value| -> Value {
        (0..MANY).map(|i| (format!("key-{i}"), value(i))).collect::<Map<_, _>>().into()
    };
    vec![
        ("entries".to_owned(), json!({"entries": entries(&|i| json!(i))}), Generated),
        ("wrong-entries".to_owned(), json!({"entries": entries(&|_| json!(-1))}), Wrong),
        ("unknown-entries".to_owned(), json!({"closed": entries(&|_| json!({"a": 1}))}), Generated),
        ("preserved-entries".to_owned(), entries(&|_| json!({"a": 1})), Generated),
    ]
}

fn depths() -> Vec<Named> {
    // The object is built from the inside out, because the reader limits the depth.
    let deep = || (0..DEEP / 2).fold(json!(1), |value, _| json!({"a": [value]}));
    vec![
        ("deep".to_owned(), json!({"unknown": deep()}), Generated),
        ("deep-text".to_owned(), json!({"text": deep()}), Wrong),
        ("deep-item".to_owned(), json!({"list": [deep()]}), Wrong),
        (
            "deep-in-resource".to_owned(),
            json!({"resources": [{"apiVersion": "v1", "kind": "K", "spec": deep()}]}),
            Generated,
        ),
        ("deep-in-set".to_owned(), json!({"setOfObjects": [{"k": deep()}, {"k": deep()}]}), Wrong),
    ]
}

/// Returns a long string, deep values, and long lists with rules in one object.
fn everything() -> Value {
    let parts = [
        ("long-text", texts()),
        ("deep", depths()),
        ("set", lists()),
        ("ruled-list", lists()),
        ("ruled-map", lists()),
    ];
    let specs =
        parts.into_iter().flat_map(|(name, specs)| specs.into_iter().filter(move |spec| spec.0 == name));
    let fields = specs.flat_map(|(_, spec, _)| spec.as_object().cloned().unwrap_or_default());
    fields.collect::<Map<_, _>>().into()
}
