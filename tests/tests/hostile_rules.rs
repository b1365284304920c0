//! Hostile rules, and objects for them, within the limits on time and memory that are promised for their size.
//!
//! Every function and operator is called with the longest arguments that fit into a request, as often as its cost allows.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use std::fs;
use std::path::Path;

use crd_tests::tool::Outcome::{self, Undecided, Unreadable, Wrong};
use crd_tests::tool::{Bounds, empty_directory, release_build};
use serde_json::{Value, json};

/// About the size of the largest request that the API server reads.
const REQUEST: usize = 3_000_000;

/// A rule at `spec`, and the object for it.
struct Bomb {
    rule: String,
    /// As JSON.
    spec: String,
}

#[test]
#[ignore = "builds the tool in release"]
fn hostile_rules() {
    let tool = release_build();
    let folder = empty_directory("hostile-rules");
    let mut failures = Vec::new();
    let mut number = 0;
    // One bomb at a time, because the memory of this process counts as that of the processes that it starts.
    let mut explode = |bomb: Bomb| {
        let name = format!("{number}: {}", bomb.rule.chars().take(120).collect::<String>());
        if let Err(message) = validate(&tool, &folder, number, &bomb) {
            failures.push(format!("{name}: {message}"));
        }
        number += 1;
    };
    for bombs in [texts, parsed, lists, lists_of_strings, maps, patterns, grown, typed] {
        bombs(&mut explode);
    }
    assert!(number >= 60);
    for (name, rules) in definitions() {
        let crd = folder.join(format!("{name}.json"));
        fs::write(&crd, definition(&rules).to_string()).unwrap();
        let bytes = fs::metadata(&crd).unwrap().len();
        if let Err(message) = Bounds::promised(bytes).run(&tool, &["check".as_ref(), crd.as_os_str()]) {
            failures.push(format!("{name}: {message}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Objects with a rule that each of them has to follow: what they take together is limited, and the rest is not decided.
#[test]
#[ignore = "builds the tool in release"]
fn many_objects_with_an_expensive_rule() {
    let tool = release_build();
    let folder = empty_directory("hostile-many");
    let (crd, file) = (folder.join("crd.json"), folder.join("objects.json"));
    let rule = "self.l.all(x, self.l.all(y, self.l.all(z, x + y + z > 0)))";
    fs::write(&crd, definition(&json!([{"rule": rule}])).to_string()).unwrap();
    // The server accepts those with 40 items, and refuses those with 100 because of their cost.
    for (items, outcome) in [(40, Undecided), (100, Wrong)] {
        let object = |i: usize| {
            json!({
                "apiVersion": "hostile.example.org/v1", "kind": "Thing", "metadata": {"name": format!("a{i}")},
                "spec": {"l": vec![1; items]},
            })
        };
        let objects: Vec<Value> = (0..500).map(object).collect();
        fs::write(&file, json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string()).unwrap();
        let read = [&crd, &file].map(|file| fs::metadata(file).unwrap().len());
        let arguments = ["validate".as_ref(), "--crd".as_ref(), crd.as_os_str(), file.as_os_str()];
        let ended = Bounds::promised_for(&read).run(&tool, &arguments).unwrap();
        assert!(ended == outcome, "{items}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

/// The text behind a match is read once for all matches, so the rule is decided.
#[test]
#[ignore = "builds the tool in release"]
fn matches_behind_which_much_is_read_are_decided() {
    let (tool, folder) = (release_build(), empty_directory("hostile-matches"));
    for pattern in ["a*b|a", "(aa)*b|a", "(aaa)*(b|c)|(a{5})*d|a"] {
        let rule = format!("self.s.findAll('{pattern}').size() == 0");
        let ended = validate(&tool, &folder, 0, &bomb(rule, json!({"s": "a".repeat(100_000)})));
        assert_eq!(ended, Ok(Wrong), "{pattern}");
    }
}

fn validate(tool: &Path, folder: &Path, number: usize, bomb: &Bomb) -> Result<Outcome, String> {
    let (crd, object) = (folder.join(format!("{number}-crd.json")), folder.join(format!("{number}.json")));
    fs::write(&crd, definition(&json!([{"rule": bomb.rule, "message": "broken"}])).to_string()).unwrap();
    let text = format!(
        r#"{{"apiVersion":"hostile.example.org/v1","kind":"Thing","metadata":{{"name":"a"}},"spec":{}}}"#,
        bomb.spec
    );
    fs::write(&object, text).unwrap();
    let read = [&crd, &object].map(|file| fs::metadata(file).unwrap().len());
    let arguments = ["validate".as_ref(), "--crd".as_ref(), crd.as_os_str(), object.as_os_str()];
    match Bounds::promised_for(&read).run(tool, &arguments)? {
        Unreadable => Err("was not read".to_owned()),
        ended => Ok(ended),
    }
}

/// Returns a kind whose `spec` has fields of all types and these rules.
fn definition(rules: &Value) -> Value {
    let list = |items: Value| json!({"type": "array", "items": items});
    let text = |format: &str| json!({"type": "string", "format": format});
    let keyed = json!({"type": "object", "required": ["k"], "properties": {
        "k": {"type": "string"}, "v": {"type": "string"}}});
    let spec = json!({"type": "object", "x-kubernetes-validations": rules, "properties": {
        "s": {"type": "string"}, "t": {"type": "string"}, "p": {"type": "string"},
        "l": list(json!({"type": "integer"})), "ls": list(json!({"type": "string"})),
        "ll": list(list(json!({"type": "integer"}))), "lls": list(list(json!({"type": "string"}))),
        "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "map": {"type": "array", "items": keyed, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]},
        "m": {"type": "object", "additionalProperties": {"type": "string"}},
        "o": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "b": text("byte"), "d": text("duration"), "dt": text("date-time"), "lb": list(text("byte")),
        "ld": list(text("duration")),
        "x": {"x-kubernetes-int-or-string": true},
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

fn bomb(rule: impl Into<String>, spec: Value) -> Bomb {
    Bomb { rule: rule.into(), spec: spec.to_string() }
}

/// Returns a rule that evaluates an expression a million times.
fn often(expression: &str) -> String {
    format!("lists.range(300).all(x, lists.range(300).all(y, {expression}))")
}

/// Functions of strings.
fn texts(explode: &mut dyn FnMut(Bomb)) {
    let (long, wide) = ("a".repeat(REQUEST), "é".repeat(REQUEST / 2));
    let tests = [
        "self.s.size() > 0",
        "self.s != self.t",
        "self.s.charAt(x) != ''",
        "self.s.indexOf('b') < x",
        "self.s.lastIndexOf('b') < x",
        "self.s.contains('ab') || true",
        "self.s.startsWith('b') || true",
        "self.s.endsWith('b') || true",
        "self.s.substring(x) != ''",
        "self.s.lowerAscii() != ''",
        "self.s.upperAscii() != ''",
        "self.s.trim() != ''",
        "self.s.replace('a', 'bb') != ''",
        "self.s.split('').size() > 0",
        "self.s.split('a', 10000).size() > 0",
        "strings.quote(self.s) != ''",
        "(self.s + self.s) != ''",
        "bytes(self.s) != b''",
        "string(bytes(self.s)) != ''",
        "[self.s].join(self.s) != ''",
        "'%s'.format([self.s]) != ''",
        "'%x'.format([self.s]) != ''",
        "'%s'.format([[self.s]]) != ''",
        "self.s in ['a', 'b'] || true",
        "self.s in {'a': 1} || true",
        "!(self.s in self.m)",
        "type(self.s) == string && dyn(self.s) != 1",
        "[self.s, self.s].sort().size() == 2",
        "[self.s, self.s].distinct().size() == 1",
        "sets.contains([self.s], [self.s])",
        "{self.s: 1}.size() == 1",
        "{'a': 1}[?self.s].hasValue() || true",
        "optional.of(self.s).hasValue()",
        "(self.x == self.s) || true",
    ];
    for test in tests {
        // Two strings that are compared have half the size of a request each.
        let (s, t) =
            if test.contains("self.t") { (&long[..REQUEST / 2], &long[..REQUEST / 2]) } else { (&*long, "") };
        explode(bomb(often(test), json!({"s": s, "t": t, "m": {}, "x": 1})));
        let (s, t) = if test.contains("self.t") { (&wide[..REQUEST / 2], "") } else { (&*wide, "") };
        explode(bomb(often(test), json!({"s": s, "t": t, "m": {}, "x": 1})));
    }
}

/// Functions that parse strings as other values.
fn parsed(explode: &mut dyn FnMut(Bomb)) {
    let tests: [(&str, String); 34] = [
        ("int(self.s) == 0", "0".repeat(REQUEST)),
        ("uint(self.s) == 0u", "0".repeat(REQUEST)),
        ("double(self.s) >= 0.0", format!("0.{}", "1".repeat(REQUEST))),
        ("double(self.s) >= 0.0", format!("0x{}p1", "0".repeat(REQUEST))),
        ("bool(self.s) || true", "t".repeat(REQUEST)),
        ("duration(self.s) == duration('0')", "0h".repeat(REQUEST / 2)),
        ("duration(self.s) == duration('0')", format!("0.{}s", "0".repeat(REQUEST))),
        (
            "timestamp(self.s) == timestamp(0) || true",
            format!("2020-01-01T00:00:00.{}Z", "0".repeat(REQUEST)),
        ),
        ("timestamp(0).getFullYear(self.s) == 1970 || true", "é".repeat(REQUEST / 2)),
        ("timestamp(0).getHours(self.s) == 0 || true", format!("{}:00", "0".repeat(REQUEST))),
        ("quantity(self.s) == quantity('1') || true", "9".repeat(49_000)),
        ("quantity(self.s).isGreaterThan(quantity('1'))", "9".repeat(49_000)),
        ("quantity(self.s).compareTo(quantity(self.t)) == 0", "9".repeat(49_000)),
        ("quantity(self.s).add(quantity(self.t)).isInteger() || true", "9".repeat(49_000)),
        ("quantity(self.s).sub(1).asApproximateFloat() > 0.0", "9".repeat(49_000)),
        ("isQuantity(self.s)", format!("{}.{}Ei", "9".repeat(20_000), "9".repeat(20_000))),
        ("isQuantity(self.s) || true", "9".repeat(REQUEST)),
        ("url(self.s).getQuery().size() > 0 || true", format!("/?{}", "a&".repeat(REQUEST / 2))),
        ("url(self.s).getQuery().size() > 0 || true", format!("/?{}", "%61=b;".repeat(REQUEST / 6))),
        ("url(self.s).getQuery().size() > 0 || true", format!("/?a={}", "%61".repeat(REQUEST / 3))),
        ("url(self.s).getHost() != ''", format!("http://{}/", "a".repeat(REQUEST))),
        ("url(self.s).getEscapedPath() != ''", format!("/{}", "é".repeat(REQUEST / 2))),
        ("url(self.s) == url(self.s)", format!("/{}", "a".repeat(REQUEST))),
        ("isURL(self.s) || true", format!("/{}\u{1}", "é".repeat(REQUEST / 2))),
        ("isURL(self.s) || true", format!("http://[{}]", ":".repeat(REQUEST))),
        ("isSemver(self.s)", format!("1.2.3-{}a", "a.".repeat(REQUEST / 2))),
        ("isSemver(self.s, true) || true", format!("v1.2.{}", "9".repeat(REQUEST))),
        ("semver(self.s).compareTo(semver(self.s)) == 0", format!("1.2.3-{}a", "a.".repeat(140_000))),
        ("isIP(self.s) || true", "é".repeat(REQUEST / 2)),
        ("ip(self.s) == ip(self.s) || true", ":".repeat(REQUEST)),
        ("ip.isCanonical(self.s) || true", "1.".repeat(REQUEST / 2)),
        ("isCIDR(self.s) || true", format!("{}/8", "é".repeat(REQUEST / 2))),
        ("cidr('10.0.0.0/8').containsIP(self.s) || true", "é".repeat(REQUEST / 2)),
        ("cidr('10.0.0.0/8').containsCIDR(self.s) || true", "/".repeat(REQUEST)),
    ];
    for (test, s) in tests {
        let t = if s.len() < 50_000 { format!("{}.5", &s[..s.len() - 2]) } else { String::new() };
        explode(bomb(often(test), json!({"s": s, "t": t})));
    }
    for format in [
        "dns1123Subdomain",
        "dns1035LabelPrefix",
        "qualifiedName",
        "labelValue",
        "uri",
        "uuid",
        "byte",
        "date",
        "datetime",
    ] {
        let test = format!("format.{format}().validate(self.s).hasValue() || true");
        explode(bomb(often(&test), json!({"s": "é".repeat(REQUEST / 2)})));
        explode(bomb(often(&test), json!({"s": "2020-01-01T/a".repeat(REQUEST / 13)})));
    }
}

/// Functions of lists, on a long list of numbers.
fn lists(explode: &mut dyn FnMut(Bomb)) {
    let numbers: Vec<usize> = (0..400_000).collect();
    let one = json!({"l": numbers, "ls": [], "set": [], "m": {}, "map": []});
    for test in [
        "self.l == self.l",
        "self.l != [1]",
        "x in self.l",
        "-1 in self.l || true",
        "(self.l + self.l).size() > 0",
        "self.l.isSorted()",
        "self.l.sum() > 0",
        "self.l.max() > 0",
        "self.l.min() == 0",
        "self.l.indexOf(-1) == -1",
        "self.l.lastIndexOf(0) == 0",
        "self.l.slice(0, 100000).size() > 0",
        "self.l.reverse().size() > 0",
        "[self.l, self.l].flatten().size() > 0",
        "self.l.first().hasValue()",
        "self.l.map(i, i).size() > 0",
        "self.l.filter(i, i > 5).size() > 0",
        "self.l.exists(i, i < 0) || true",
        "self.l.exists_one(i, i == 0)",
        "self.l.all(i, v, i == v)",
        "self.l.transformList(i, v, i).size() > 0",
        "'%s'.format([self.l]) != ''",
        "sets.contains(self.l, [400001]) || true",
        "sets.intersects([400001], self.l) || true",
        "sets.equivalent(self.l, self.l)",
        "[self.l].distinct().size() == 1",
        "[self.l, self.l].indexOf([1]) == -1",
        "lists.range(100000).size() > 0",
        "dyn(self.l) == dyn(self.ls) || true",
        "self.l.transformMap(i, v, v).size() > 0",
    ] {
        explode(bomb(often(test), one.clone()));
    }
}

/// Functions of lists of strings: many empty ones, and some long ones.
fn lists_of_strings(explode: &mut dyn FnMut(Bomb)) {
    let empty: Vec<&str> = vec![""; 500_000];
    let blank = json!({"ls": empty});
    let long: Vec<String> = (0..30).map(|_| "a".repeat(100_000)).collect();
    for test in [
        "self.ls.isSorted()",
        "self.ls.max() == ''",
        "self.ls.join() == ''",
        "self.ls == self.ls",
        "self.ls.indexOf('a') == -1",
        "'a' in self.ls || true",
        "'%s'.format([self.ls]) != ''",
        "self.ls.distinct().size() == 1",
    ] {
        explode(bomb(often(test), blank.clone()));
    }
    for test in [
        "self.ls == self.ls",
        "self.ls.sort().size() > 0",
        "self.ls.distinct().size() > 0",
        "self.ls.isSorted()",
        "self.ls.max() != ''",
        "self.ls.all(a, self.ls.all(b, a == b))",
        "self.ls.all(a, a in self.ls)",
        "self.ls.join(',') != ''",
        "self.ls.sortBy(e, e).size() > 0",
        "sets.equivalent(self.ls, self.ls)",
    ] {
        explode(bomb(often(test), json!({"ls": long})));
    }
}

/// Functions of maps, and of lists that are compared as sets, as maps or element by element.
fn maps(explode: &mut dyn FnMut(Bomb)) {
    let entries: serde_json::Map<String, Value> =
        (0..150_000).map(|i| (format!("k{i}"), json!("v"))).collect();
    for test in [
        "self.m == self.m",
        "self.m.all(k, false) || true",
        "self.m.exists(k, v, true)",
        "'k1' in self.m",
        "self.m.size() > 0",
        "self.m.transformMap(k, v, v).size() > 0",
        "'%s'.format([self.m]) != ''",
        "self.m.map(k, k).size() > 0",
        "has(self.m.k1)",
    ] {
        explode(bomb(often(test), json!({"m": entries})));
    }
    explode(bomb(often("self.o == self.o"), json!({"o": entries})));
    let keyed: Vec<Value> = (0..100_000).map(|i| json!({"k": format!("k{i}")})).collect();
    for test in ["self.map == self.map", "(self.map + self.map).size() > 0"] {
        explode(bomb(often(test), json!({"map": keyed})));
    }
    let set: Vec<String> = (0..200_000).map(|i| format!("k{i}")).collect();
    for test in [
        "self.set == self.set",
        "(self.set + self.set).size() > 0",
        "(self.set + [string(x) + string(y)]).size() > 0",
    ] {
        explode(bomb(often(test), json!({"set": set})));
    }
    // The greatest size that etcd stores. A larger file would have too many values for its size.
    let nested: Vec<Vec<usize>> = vec![vec![1; 1000]; 700];
    for test in [
        "self.ll == self.ll",
        "self.ll.flatten().size() > 0",
        "self.ll.flatten(100).size() > 0",
        "self.ll.distinct().size() == 1",
    ] {
        explode(bomb(often(test), json!({"ll": nested})));
    }
}

/// Patterns of the rule and of the object.
fn patterns(explode: &mut dyn FnMut(Bomb)) {
    let many: Vec<String> = (0..20_000).map(|i| format!("\\PL{{{}}}x{i}", 100 + i % 900)).collect();
    let spec = |p: &str, s: &str| json!({"p": p, "s": s, "l": vec![1; 100_000], "ls": many});
    let thrash = "ab".repeat(100_000);
    for pattern in [
        "\\PL{1000}",
        "(a|b)*a(a|b){500}c",
        "(\\pL{1,100}\\pN|\\pS){0,9}N",
        "(?i)([^a-k]{1,30}|[^l-z]{2,40}){1,20}$",
        "a",
    ] {
        for test in [
            "!'a'.matches(self.p) || true",
            "self.s.matches(self.p) || true",
            "self.s.find(self.p) == 'x' || true",
            "self.s.findAll(self.p).size() < 0 || true",
        ] {
            let mut spec = spec(pattern, &thrash);
            spec["ls"] = json!([]);
            explode(bomb(format!("self.l.all(x, {test})"), spec));
        }
        let written = pattern.replace('\\', "\\\\");
        let mut spec = spec("", &thrash);
        spec["ls"] = json!([]);
        explode(bomb(format!("self.l.all(x, self.s.matches('{written}') || true)"), spec));
    }
    explode(bomb("self.ls.all(p, !'a'.matches(p) || true)", spec("", "")));
    // With no match, and with one.
    for text in ["a", "0123456789"] {
        explode(bomb(format!("self.ls.all(p, '{text}'.findAll(p).size() < 5 || true)"), spec("", "")));
    }
    explode(bomb(
        "self.l.all(x, self.s.matches(self.s) || true)",
        json!({"s": "(".repeat(REQUEST), "l": vec![1; 1000]}),
    ));
}

/// Values that grow.
fn grown(explode: &mut dyn FnMut(Bomb)) {
    let spec = json!({"s": "a".repeat(100_000), "l": vec![1; 100_000], "ls": []});
    let rules = [
        format!("[[1]]{}.size() > 0", ".map(x, x + x)".repeat(30)),
        format!("['aaaaaaaaaa']{}.size() > 0", ".map(x, x.replace('a', x))".repeat(8)),
        format!("[self.s]{}.size() > 0", ".map(x, x + x)".repeat(20)),
        format!("[self.l]{}.size() > 0", ".map(x, x + x)".repeat(20)),
        format!("optional.of(self.s){}.hasValue()", ".optMap(x, x + x)".repeat(10)),
        "self.l.map(x, self.s).join().size() > 0".to_owned(),
        "self.l.map(x, self.s + self.s).size() > 0".to_owned(),
        "self.l.map(x, [self.s, self.s]).size() > 0".to_owned(),
        "self.l.map(x, self.l).flatten().size() > 0".to_owned(),
        "self.l.map(x, self.l + self.l).size() > 0".to_owned(),
        "self.l.map(x, self.l.reverse()).size() > 0".to_owned(),
        "self.l.map(x, lists.range(1000)).size() > 0".to_owned(),
        "self.l.map(x, bytes(self.s + 'a')).size() > 0".to_owned(),
        "self.l.map(x, self.s.split('')).size() > 0".to_owned(),
        "self.l.map(x, self.s.lowerAscii()).size() > 0".to_owned(),
        "self.l.map(x, {'a': self.l + self.l}).size() > 0".to_owned(),
        "lists.range(1000000000).size() > 0".to_owned(),
        "lists.range(9999).all(x, '%.999999f'.format([1.0]) != '')".to_owned(),
        format!("'{}'.format(lists.range(1000).map(x, self.s)) != ''", "%s".repeat(1000)),
        "'%s'.format([self.l.map(x, self.s)]) != ''".to_owned(),
        "self.l.map(x, quantity('1e20000').add(quantity('1'))).size() > 0".to_owned(),
        "self.l.sortBy(x, self.s).size() > 0".to_owned(),
        "self.l.map(x, url('/?' + self.s)).size() > 0".to_owned(),
        "lists.range(1000).all(x, lists.range(1000).all(y, true))".to_owned(),
    ];
    for rule in rules {
        explode(bomb(rule, spec.clone()));
    }
}

/// Values that are decoded whenever they are read.
fn typed(explode: &mut dyn FnMut(Bomb)) {
    let bytes = "AAAA".repeat(REQUEST / 4);
    let duration = "0h".repeat(REQUEST / 2);
    let time = format!("2020-01-01T00:00:00.{}Z", "0".repeat(REQUEST));
    let durations: Vec<String> = (0..30).map(|_| "0h".repeat(50_000)).collect();
    for test in [
        "self.b != b''",
        "self.b.size() > 0",
        "has(self.b)",
        "optional.of(self.b).hasValue()",
        "self.?b.hasValue()",
    ] {
        explode(bomb(often(test), json!({"b": bytes})));
    }
    for test in ["self.d == duration('0')", "has(self.d)", "[self.d].sum() == duration('0')"] {
        explode(bomb(often(test), json!({"d": duration})));
    }
    explode(bomb(often("self.dt.getFullYear() == 2020"), json!({"dt": time})));
    for test in [
        "self.ld.sum() == duration('0')",
        "self.ld == self.ld",
        "duration('1s') in self.ld || true",
        "self.ld.all(d, d == duration('0'))",
        "self.ld.max() == duration('0')",
    ] {
        explode(bomb(often(test), json!({"ld": durations})));
    }
}

/// Definitions whose rules are hard to compile.
fn definitions() -> Vec<(&'static str, Value)> {
    let same = |rule: &str, count: usize| -> Value { (0..count).map(|_| json!({"rule": rule})).collect() };
    vec![
        ("long-rule", json!([{"rule": format!("self.s == '{}'", "a".repeat(REQUEST))}])),
        ("many-rules", same("self.l.all(x, x > 0)", 40_000)),
        ("many-wrong-rules", same("self.q.all(x, x > 0)", 40_000)),
        ("deep-macros", same(&format!("{}true{}", "[1].all(x, ".repeat(60), ")".repeat(60)), 2_000)),
        ("long-logic", same(&format!("self.l == []{}", " || self.l == [1]".repeat(5_000)), 30)),
        ("many-patterns", same("self.s.matches('(\\\\pL{1,100}\\\\pN|\\\\pS){0,9}N')", 20_000)),
        ("long-list", same(&format!("[{}].size() > 0", "1,".repeat(45_000)), 30)),
        ("opened-only", same(&"(".repeat(90_000), 30)),
        ("doubled-by-macros", same(&format!("[1]{} == []", ".map(x, {dyn(x): x})".repeat(40)), 1_000)),
        (
            "long-messages",
            (0..30)
                .map(|_| json!({"rule": "true", "messageExpression": format!("'{}'", "a".repeat(90_000))}))
                .collect(),
        ),
    ]
}
