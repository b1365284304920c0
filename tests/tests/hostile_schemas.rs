//! Hostile schemas, and objects that make the most of them, are answered within the bounds that are promised for their
//! size.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crd_tests::tool::Outcome::{self, Generated, Wrong};
use crd_tests::tool::{Bounds, release_build};
use crd_tests::workspace;
use serde_json::{Map, Value, json};

/// A little less than the API server reads in one request.
const REQUEST: usize = 3_000_000;

struct Bomb {
    name: &'static str,
    crd: Value,
    /// The object that is checked, and the one that it replaces; without one it is the definition that is checked.
    objects: Option<(Value, Option<Value>)>,
    expected: Outcome,
}

/// One of them alone is run with `HOSTILE=its-name`.
#[test]
#[ignore = "builds the tool in release"]
fn hostile_schemas() {
    let tool = release_build();
    let folder = workspace().join("target/hostile-schemas");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let wanted = std::env::var("HOSTILE").ok();
    let mut failures = Vec::new();
    let mut ran = 0;
    // One group at a time is held in memory.
    let groups = [definitions, patterns, products, defaults, texts, updates];
    for bomb in groups.into_iter().flat_map(|bombs| bombs()) {
        if wanted.as_ref().is_some_and(|wanted| wanted != bomb.name) {
            continue;
        }
        ran += 1;
        match run(&tool, &folder, &bomb) {
            Ok(found) if found == bomb.expected => {}
            Ok(found) => failures.push(format!("{}: {found:?}, not {:?}", bomb.name, bomb.expected)),
            Err(message) => failures.push(format!("{}: {message}", bomb.name)),
        }
    }
    assert!(failures.is_empty(), "{} of {ran}:\n{}", failures.len(), failures.join("\n"));
    assert!(wanted.is_some() || ran >= 90, "only {ran} bombs");
}

fn run(tool: &Path, folder: &Path, bomb: &Bomb) -> Result<Outcome, String> {
    let mut read = Vec::new();
    let mut file = |suffix: &str, value: &Value| {
        let file = folder.join(format!("{}{suffix}.json", bomb.name));
        let text = value.to_string();
        read.push(text.len() as u64);
        fs::write(&file, text).unwrap();
        file
    };
    let crd = file("-crd", &bomb.crd);
    let objects = bomb.objects.as_ref();
    let object = objects.map(|(object, _)| file("", object));
    let old = objects.and_then(|(_, old)| old.as_ref()).map(|old| file("-old", old));
    let mut arguments: Vec<&OsStr> = Vec::new();
    match &object {
        None => arguments.extend(["check".as_ref(), crd.as_os_str()]),
        Some(object) => {
            arguments.extend(["validate".as_ref(), "--crd".as_ref(), crd.as_os_str()]);
            if let Some(old) = &old {
                arguments.extend(["--old".as_ref(), old.as_os_str()]);
            }
            arguments.push(object.as_os_str());
        }
    }
    Bounds::promised_for(&read).run(tool, &arguments)
}

fn check(name: &'static str, spec: Value, expected: Outcome) -> Bomb {
    Bomb { name, crd: definition(spec, false), objects: None, expected }
}

fn validate(name: &'static str, spec: Value, object: Value, expected: Outcome) -> Bomb {
    Bomb { name, crd: definition(spec, false), objects: Some((self::object(object), None)), expected }
}

fn update(name: &'static str, spec: Value, object: Value, old: Value, expected: Outcome) -> Bomb {
    let objects = Some((self::object(object), Some(self::object(old))));
    Bomb { name, crd: definition(spec, false), objects, expected }
}

/// A definition of which `spec` has that schema, and `status` too if it is a subresource.
fn definition(spec: Value, has_status: bool) -> Value {
    let status = if has_status { spec.clone() } else { json!({"type": "object"}) };
    let subresources = if has_status { json!({"status": {}}) } else { json!({}) };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.hostile.example.org"},
        "spec": {
            "group": "hostile.example.org",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            "scope": "Cluster",
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": subresources,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}},
            }],
        },
    })
}

fn object(spec: Value) -> Value {
    json!({"apiVersion": "hostile.example.org/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec})
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn many(count: usize, item: impl Fn(usize) -> Value) -> Value {
    (0..count).map(item).collect()
}

fn fields(count: usize, value: impl Fn(usize) -> Value) -> Value {
    Value::Object((0..count).map(|i| (format!("f{i}"), value(i))).collect::<Map<_, _>>())
}

fn names(count: usize) -> Value {
    many(count, |i| json!(format!("f{i}")))
}

/// A text of two letters without an order.
fn random_text(length: usize) -> String {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 31 == 0 { 'a' } else { 'b' }
    };
    (0..length).map(|_| next()).collect()
}

/// Patterns of which an automaton on bytes takes 16 MiB, each another.
fn letters(i: usize) -> String {
    format!(r"^(\pL{{1,100}}\pN|\pS){{0,9}}N{i}$")
}

/// Definitions that are wrong in many places, or large in one.
fn definitions() -> Vec<Bomb> {
    let string = || json!({"type": "string"});
    let in_definition = |name, change: &dyn Fn(&mut Value), expected| {
        let mut crd = definition(json!({"type": "object"}), false);
        change(&mut crd);
        Bomb { name, crd, objects: None, expected }
    };
    let long = "x".repeat(1_000_000);
    let mut wide_inside = Map::new();
    wide_inside.insert(long.clone(), json!({"type": "object", "properties": fields(100_000, |_| json!({}))}));
    vec![
        check(
            "properties-without-types",
            json!({"type": "object", "properties": fields(200_000, |_| json!({}))}),
            Wrong,
        ),
        check("properties", json!({"type": "object", "properties": fields(90_000, |_| string())}), Generated),
        // More schemas than are read.
        check("empty-junctors", json!({"type": "object", "allOf": many(400_000, |_| json!({}))}), Wrong),
        check(
            "any-of-many",
            json!({"type": "object", "anyOf": many(200_000, |_| json!({"not": {}}))}),
            Wrong,
        ),
        check("causes-in-a-long-path", json!({"type": "object", "properties": wide_inside}), Wrong),
        check(
            "unknown-types",
            json!({"type": "object", "properties": fields(100_000, |_| json!({"type": "t"}))}),
            Wrong,
        ),
        check(
            "unknown-map-keys",
            json!({
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": names(200_000),
                "items": {"type": "object"},
            }),
            Wrong,
        ),
        check(
            "equal-map-keys",
            json!({
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": many(300_000, |_| json!("k")),
                "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}},
            }),
            Wrong,
        ),
        check(
            "unknown-formats",
            json!({"type": "object", "properties": fields(50_000, |i| {
                json!({"type": "string", "format": format!("format-{i}")})
            })}),
            Generated,
        ),
        check(
            "unsupported-keywords",
            json!({"type": "object", "properties": fields(60_000, |_| {
                json!({"$ref": "x", "id": "x"})
            })}),
            Wrong,
        ),
        check(
            "definitions-and-dependencies",
            json!({
                "type": "object", "definitions": fields(60_000, |_| json!({})), "dependencies": fields(60_000, |_| json!([])),
            }),
            Wrong,
        ),
        in_definition(
            "versions",
            &|crd| {
                crd["spec"]["versions"] =
                    many(60_000, |i| json!({"name": format!("v{i}"), "served": true, "storage": false}));
            },
            Wrong,
        ),
        in_definition(
            "versions-of-one-name",
            &|crd| {
                let version = crd["spec"]["versions"][0].clone();
                crd["spec"]["versions"] = many(10_000, |_| version.clone());
            },
            Wrong,
        ),
        in_definition(
            "short-names",
            &|crd| crd["spec"]["names"]["shortNames"] = many(300_000, |_| json!("A")),
            Wrong,
        ),
        in_definition(
            "columns",
            &|crd| {
                crd["spec"]["versions"][0]["additionalPrinterColumns"] =
                    many(60_000, |_| json!({"name": "", "type": "x"}));
            },
            Wrong,
        ),
        in_definition(
            "selectable-fields",
            &|crd| {
                crd["spec"]["versions"][0]["selectableFields"] =
                    many(60_000, |i| json!({"jsonPath": format!(".spec.f{i}")}));
            },
            Wrong,
        ),
        in_definition(
            "labels",
            &|crd| {
                crd["metadata"]["labels"] = fields(150_000, |_| json!("-"));
                crd["metadata"]["annotations"] = json!({"-": "x"});
            },
            Wrong,
        ),
        in_definition(
            "owners",
            &|crd| {
                crd["metadata"]["ownerReferences"] = many(
                    30_000,
                    |_| json!({"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": true}),
                );
            },
            Wrong,
        ),
        in_definition(
            "review-versions",
            &|crd| {
                crd["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": {
                "clientConfig": {"url": "https://example.org"}, "conversionReviewVersions": many(300_000, |_| json!("-"))}});
            },
            Wrong,
        ),
        check(
            "long-rule-texts",
            json!({"type": "object", "x-kubernetes-validations": many(20_000, |_| {
                json!({"rule": "", "message": "\n", "fieldPath": "x"})
            })}),
            Wrong,
        ),
    ]
}

fn patterns() -> Vec<Bomb> {
    let text = |pattern: String| json!({"type": "string", "pattern": pattern});
    let with_default =
        |pattern: String, default: &str| json!({"type": "string", "pattern": pattern, "default": default});
    let all = |count: usize, pattern: &dyn Fn(usize) -> String, value: &str| {
        (
            json!({"type": "object", "properties": fields(count, |i| text(pattern(i)))}),
            fields(count, |_| json!(value)),
        )
    };
    let (letters_schema, letters_object) = all(100, &letters, "a1N");
    let (many_schema, many_object) = all(30_000, &|i| format!(r"^[a-z]{{1,63}}(\.\w+){{0,9}}x{i}$"), "aa");
    let (words_schema, words_object) = all(60, &|i| format!(r"^(\w{{1,50}}|\d\pL{{10}}){{1,10}}{i}$"), "abc");
    let thrashing = |pattern: &str| {
        let text = random_text(REQUEST);
        (
            json!({"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}}),
            json!({"a": text}),
        )
    };
    let (thrashing_schema, thrashing_object) = thrashing("(a|b)*a(a|b){900}c");
    let (small_schema, small_object) = thrashing("(a|b)*a(a|b){12}c");
    let alternatives: Vec<String> = (0..100_000).map(|i| format!("word{i}")).collect();
    vec![
        check(
            "letters-patterns",
            json!({"type": "object", "properties": fields(100, |i| text(letters(i)))}),
            Generated,
        ),
        check(
            "letters-patterns-of-defaults",
            json!({"type": "object", "properties": fields(100, |i| {
                with_default(letters(i), "+N")
            })}),
            Wrong,
        ),
        check(
            "many-patterns-of-defaults",
            json!({"type": "object", "properties": fields(30_000, |i| {
                with_default(format!(r"^[a-z]{{1,63}}(\.\w+){{0,9}}x{i}$"), "aa")
            })}),
            Wrong,
        ),
        check("long-pattern", text("a".repeat(REQUEST)), Generated),
        check("long-pattern-of-case", text(format!("(?i){}", "k".repeat(REQUEST))), Generated),
        check("pattern-of-classes", text(r"\pL".repeat(20_000)), Generated),
        check(
            "patterns-of-classes",
            list(json!({"type": "object", "properties": fields(40, |_| text(r"[\pL]".repeat(10_000)))})),
            Generated,
        ),
        check(
            "class-of-many-ranges",
            text(format!("[{}]", ('\u{10000}'..='\u{10ffff}').step_by(2).take(700_000).collect::<String>())),
            Generated,
        ),
        check(
            "classes-whose-case-does-not-count",
            text(format!(
                "(?i){}",
                (0..150_000).map(|i| format!("[{i:05}b-\\x{{10ffff}}]")).collect::<String>()
            )),
            Generated,
        ),
        check("pattern-of-parentheses", text("()".repeat(REQUEST / 2)), Generated),
        check("pattern-of-alternatives", text("|".repeat(REQUEST)), Generated),
        check("repeated-text", with_default(format!("^({}){{1000}}$", "abc".repeat(1000)), "x"), Wrong),
        validate("letters-patterns-matched", letters_schema, letters_object, Wrong),
        validate("many-patterns-matched", many_schema, many_object, Wrong),
        validate("words-patterns-matched", words_schema, words_object, Wrong),
        validate("thrashing-pattern", thrashing_schema, thrashing_object, Wrong),
        validate("thrashing-small-pattern", small_schema, small_object, Wrong),
        validate(
            "pattern-in-many-items",
            list(text(random_text(100_000))),
            many(400_000, |_| json!("a")),
            Wrong,
        ),
        validate(
            "letters-in-many-items",
            list(text(letters(0))),
            many(100_000, |_| json!("abcdefghijklmnop1N0")),
            Generated,
        ),
        validate(
            "alternatives-in-many-items",
            list(text(format!("^({})$", alternatives.join("|")))),
            many(100_000, |i| json!(format!("word{i}"))),
            Wrong,
        ),
        validate("nested-stars", list(text("^((a*)*)*b$".to_owned())), json!(["a".repeat(REQUEST)]), Wrong),
    ]
}

/// Keywords with many values, times lists of many items.
fn products() -> Vec<Bomb> {
    const ITEMS: usize = 500_000;
    let keyword = |keyword: &str, value: Value, type_: &str| list(json!({"type": type_, keyword: value}));
    let objects = |properties: Value| list(json!({"type": "object", "properties": properties}));
    let nested = (0..12).fold(
        json!({"minimum": 5}),
        |schema, i| json!({ (if i % 2 == 0 { "oneOf" } else { "anyOf" }): [schema.clone(), schema] }),
    );
    let mut nested = nested;
    nested["type"] = json!("integer");
    let nots = (0..90).fold(json!({"minimum": 5}), |schema, _| json!({"not": schema}));
    let mut nots = nots;
    nots["type"] = json!("integer");
    let branches = |count: usize| {
        many(count, |i| json!({"properties": {"k": {"enum": [format!("v{i}")]}}, "required": ["k"]}))
    };
    let mut any_of = objects(json!({"k": {"type": "string"}}));
    any_of["items"]["anyOf"] = branches(5_000);
    let mut one_of = objects(json!({"k": {"type": "string"}}));
    one_of["items"]["oneOf"] = branches(5_000);
    vec![
        validate(
            "enum-of-texts",
            keyword("enum", names(50_000), "string"),
            many(ITEMS, |_| json!("x")),
            Wrong,
        ),
        validate(
            "enum-of-texts-that-match",
            keyword("enum", names(50_000), "string"),
            many(300_000, |i| json!(format!("f{}", i % 50_000))),
            Generated,
        ),
        validate(
            "enum-of-numbers",
            keyword("enum", many(50_000, |i| json!(i)), "integer"),
            many(ITEMS, |_| json!(-1)),
            Wrong,
        ),
        validate(
            "enum-of-floats",
            keyword("enum", many(50_000, |i| json!(i as f64 + 0.5)), "number"),
            many(ITEMS, |_| json!(0.1)),
            Wrong,
        ),
        validate(
            "enum-of-objects",
            keyword("enum", many(20_000, |i| json!({"k": i})), "object"),
            many(100_000, |_| json!({})),
            Wrong,
        ),
        validate(
            "required-of-many",
            keyword("required", names(50_000), "object"),
            many(ITEMS, |_| json!({})),
            Wrong,
        ),
        validate(
            "maximum-of-many",
            keyword("maximum", json!(0), "integer"),
            many(600_000, |_| json!(1)),
            Wrong,
        ),
        validate(
            "multiple-of-many",
            keyword("multipleOf", json!(0.1), "number"),
            many(590_000, |_| json!(0.15)),
            Wrong,
        ),
        validate("type-of-many", list(json!({"type": "string"})), many(600_000, |_| json!(1)), Wrong),
        validate("null-items", list(json!({"type": "string"})), many(500_000, |_| json!(null)), Wrong),
        validate(
            "min-items-of-many",
            list(json!({"type": "array", "minItems": 1, "items": {"type": "string"}})),
            many(900_000, |_| json!([])),
            Wrong,
        ),
        validate(
            "int-or-string-of-many",
            list(json!({"x-kubernetes-int-or-string": true})),
            many(500_000, |_| json!(true)),
            Wrong,
        ),
        validate("any-of-many-branches", any_of, many(20_000, |_| json!({"k": "x"})), Wrong),
        validate("one-of-many-branches", one_of, many(20_000, |_| json!({"k": "x"})), Wrong),
        validate("nested-branches", list(nested), many(10_000, |_| json!(1)), Wrong),
        validate("nested-nots", list(nots), many(300_000, |_| json!(1)), Wrong),
        validate(
            "properties-of-many",
            objects(fields(50_000, |_| json!({"type": "string", "maxLength": 1}))),
            many(ITEMS, |_| json!({})),
            Generated,
        ),
        validate(
            "map-keys-of-many",
            json!({
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": names(10_000),
                "items": {"type": "object", "required": names(10_000), "properties": fields(10_000, |_| json!({"type": "string"}))},
            }),
            many(ITEMS, |_| json!({})),
            Wrong,
        ),
        validate(
            "set-of-equal-lists",
            json!({
            "type": "array", "x-kubernetes-list-type": "set", "items": {"type": "array", "x-kubernetes-list-type": "atomic",
            "items": {"type": "integer"}}}),
            many(200_000, |i| json!([i / 2])),
            Wrong,
        ),
        validate("unknown-fields", objects(json!({})), many(130_000, |_| json!({"x": 1})), Generated),
        validate("wide-unknown-fields", json!({"type": "object"}), fields(250_000, |_| json!(1)), Generated),
        validate(
            "preserved",
            json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
            json!({"a": many(900_000, |_| json!([]))}),
            Generated,
        ),
    ]
}

fn defaults() -> Vec<Bomb> {
    let text = "x".repeat(2_000);
    let default = |value: Value| json!({"type": "string", "default": value});
    let wide = json!({"type": "object", "properties": fields(300, |_| default(json!(text)))});
    let multiplied = (0..6).fold(default(json!("x")), |schema, _| {
        json!({"type": "object", "default": {}, "properties": {"l": {
            "type": "array", "default": [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}],
            "items": {"type": "object", "properties": {"a": schema}},
        }}})
    });
    let deep = json!({"type": "object", "properties": fields(20_000, |_| {
        json!({"type": "object", "properties": {"a": {"type": "string", "default": "x"}}})
    })});
    let resource = json!({"type": "object", "x-kubernetes-embedded-resource": true, "properties": {
        "spec": {"type": "object", "default": {"a": text}, "properties": {"a": {"type": "string"}}},
    }});
    let of_status = |status| {
        let mut object = object(json!([]));
        object["status"] = status;
        Bomb {
            name: "defaults-of-a-status-that-is-not-stored",
            crd: definition(list(wide.clone()), true),
            objects: Some((object, None)),
            expected: Generated,
        }
    };
    let mut two_versions = definition(list(wide.clone()), false);
    let mut other = two_versions["spec"]["versions"][0].clone();
    (other["name"], other["storage"]) = (json!("v2"), json!(false));
    other["schema"]["openAPIV3Schema"]["properties"]["spec"] = list(json!({"type": "object"}));
    two_versions["spec"]["versions"].as_array_mut().unwrap().push(other);
    let mut converted = object(many(20_000, |_| json!({})));
    converted["apiVersion"] = json!("hostile.example.org/v2");
    vec![
        validate("defaults-in-items", list(wide.clone()), many(20_000, |_| json!({})), Wrong),
        validate(
            "defaults-in-values",
            json!({"type": "object", "additionalProperties": wide.clone()}),
            fields(20_000, |_| json!({})),
            Wrong,
        ),
        validate(
            "defaults-in-place-of-nulls",
            list(default(json!(text))),
            many(400_000, |_| json!(null)),
            Wrong,
        ),
        validate(
            "defaults-that-multiply",
            json!({"type": "object", "properties": {"a": multiplied.clone()}}),
            json!({}),
            Wrong,
        ),
        check(
            "defaults-that-would-multiply",
            json!({"type": "object", "properties": {"a": multiplied}}),
            Generated,
        ),
        validate("defaults-deep-in-many", list(deep), many(500_000, |_| json!({})), Generated),
        validate(
            "defaults-in-resources",
            list(resource),
            many(30_000, |_| json!({"apiVersion": "v1", "kind": "K"})),
            Wrong,
        ),
        of_status(many(20_000, |_| json!({}))),
        Bomb {
            name: "defaults-of-the-stored-version",
            crd: two_versions,
            objects: Some((converted, None)),
            expected: Wrong,
        },
        update(
            "defaults-of-the-old-object",
            list(wide.clone()),
            json!([]),
            many(20_000, |_| json!({})),
            Wrong,
        ),
        check(
            "default-with-many-causes",
            json!({"type": "array", "items": {"type": "string"}, "default": many(500_000, |_| json!(1))}),
            Wrong,
        ),
        check(
            "default-with-unknown-fields",
            json!({"type": "object", "default": fields(200_000, |_| json!(1))}),
            Wrong,
        ),
        check(
            "defaults-that-are-not-in-an-enum",
            json!({"type": "object", "properties": fields(20, |_| {
                json!({"type": "string", "default": "x", "enum": names(10_000)})
            })}),
            Wrong,
        ),
        check(
            "default-of-many-required",
            json!({"type": "array", "default": many(300_000, |_| json!({})), "items": {
                "type": "object", "required": names(30_000),
            }}),
            Wrong,
        ),
        check(
            "defaults-of-metadata",
            json!({"type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true, "properties": {"metadata": {"type": "object", "default":
            {"labels": fields(100_000, |_| json!("-"))}}}}),
            Wrong,
        ),
    ]
}

/// Long texts that answers quote, and long places.
fn texts() -> Vec<Bomb> {
    let long = "x".repeat(REQUEST);
    let text = |keyword: &str, value: Value| json!({"type": "object", "properties": {"a": {"type": "string", keyword: value}}});
    let key = "k".repeat(1_000_000);
    let below_long_key = |value: Value| Value::Object(Map::from_iter([(key.clone(), value)]));
    let map = |values: Value| json!({"type": "object", "additionalProperties": values});
    let resource = json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
    let mut labels = object(json!({}));
    labels["metadata"]["labels"] = fields(150_000, |_| json!("-"));
    let deep = (0..400).fold(json!(1), |value, _| json!({"a": [value]}));
    let formats = [
        "date-time",
        "email",
        "ipv6",
        "cidr",
        "uri",
        "hostname",
        "uuid",
        "duration",
        "byte",
        "mac",
        "isbn",
        "rgbcolor",
    ];
    let formatted = json!({"type": "object", "properties": Map::from_iter(formats.map(|format| {
        (format.to_owned(), json!({"type": "string", "format": format}))
    }))});
    let of_formats =
        |value: &str| Value::Object(Map::from_iter(formats.map(|format| (format.to_owned(), json!(value)))));
    vec![
        validate("long-text-against-max-length", text("maxLength", json!(1)), json!({"a": long}), Wrong),
        validate("long-text-against-pattern", text("pattern", json!("^a$")), json!({"a": long}), Wrong),
        validate("long-text-against-enum", text("enum", json!(["a"])), json!({"a": long}), Wrong),
        validate("long-texts-against-formats", formatted.clone(), of_formats(&"1".repeat(200_000)), Wrong),
        validate("colons-against-formats", formatted.clone(), of_formats(&"1:".repeat(100_000)), Wrong),
        validate("dots-against-formats", formatted, of_formats(&"a.".repeat(100_000)), Wrong),
        validate(
            "causes-below-a-long-key",
            map(list(json!({"type": "string"}))),
            below_long_key(many(900_000, |_| json!(1))),
            Wrong,
        ),
        validate(
            "unknown-fields-below-a-long-key",
            map(json!({"type": "object"})),
            below_long_key(fields(150_000, |_| json!(1))),
            Generated,
        ),
        validate(
            "resources-below-a-long-key",
            map(list(resource.clone())),
            below_long_key(many(100_000, |_| json!({"kind": 1}))),
            Wrong,
        ),
        validate(
            "repeated-items-below-a-long-key",
            map(json!({"type": "array", "x-kubernetes-list-type": "set",
            "items": {"type": "integer"}})),
            below_long_key(many(300_000, |i| json!(i / 2))),
            Wrong,
        ),
        validate(
            "resources-with-wrong-labels",
            list(resource.clone()),
            many(300, |_| {
                json!({
            "apiVersion": "v1", "kind": "K", "metadata": {"labels": fields(500, |_| json!("-"))}})
            }),
            Wrong,
        ),
        validate(
            "resources-with-unknown-metadata",
            list(resource),
            many(30_000, |_| {
                json!({
            "apiVersion": "v1", "kind": "K", "metadata": {"x": 1, "y": 2, "z": 3}})
            }),
            Generated,
        ),
        validate(
            "deep-values-of-a-wrong-type",
            list(json!({"type": "string"})),
            many(300, |_| deep.clone()),
            Wrong,
        ),
        validate(
            "lists-of-lists",
            list(list(json!({"type": "string"}))),
            many(900_000, |_| json!([])),
            Generated,
        ),
        Bomb {
            name: "labels-of-an-object",
            crd: definition(json!({"type": "object"}), false),
            objects: Some((labels, None)),
            expected: Wrong,
        },
    ]
}

/// Objects that replace others, of which all is wrong or in another order.
fn updates() -> Vec<Bomb> {
    let map = json!({
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
        "items": {"type": "object", "required": ["k"], "properties": {
            "k": {"type": "string"}, "v": {"type": "integer", "maximum": 0, "enum": names(1000)}}},
    });
    let items = |count: usize, is_back: bool| {
        many(count, |i| json!({"k": format!("key-{}", if is_back { count - i } else { i + 1 }), "v": 1}))
    };
    let wrong = list(json!({"type": "string", "enum": names(10_000)}));
    let set = json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object",
        "x-kubernetes-map-type": "atomic", "properties": {"k": {"type": "integer"}}}});
    let mut finalizers = [object(json!({})), object(json!({}))];
    for (i, object) in finalizers.iter_mut().enumerate() {
        object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        object["metadata"]["deletionGracePeriodSeconds"] = json!(0);
        object["metadata"]["finalizers"] = many(40_000, |n| json!(format!("example.org/f{}", n * (i + 1))));
    }
    let [new, old] = finalizers;
    vec![
        update("map-in-another-order", map.clone(), items(50_000, false), items(50_000, true), Generated),
        update("map-of-other-items", map, items(50_000, false), json!([]), Wrong),
        update(
            "unchanged-causes",
            wrong.clone(),
            many(300_000, |_| json!("x")),
            many(300_000, |_| json!("x")),
            Generated,
        ),
        update("changed-causes", wrong, many(300_000, |_| json!("x")), many(300_000, |_| json!("y")), Wrong),
        update(
            "set-in-another-order",
            set,
            many(60_000, |i| json!({"k": i})),
            many(60_000, |i| json!({"k": 60_000 - i})),
            Generated,
        ),
        Bomb {
            name: "new-finalizers",
            crd: definition(json!({"type": "object"}), false),
            objects: Some((new, Some(old))),
            expected: Wrong,
        },
    ]
}
