//! Values of typed data in rules, and errors of operators, macros and optionals on it.

mod support;

use crd_cel::eval::{Data, DataType, Program, Value};
use crd_cel::{Declarations, Environment, Scope, Variable, Version};
use serde_json::{Value as Json, json};

fn schema() -> Json {
    json!({"type": "object", "properties": {
        "i": {"type": "integer"},
        "n": {"type": "number"},
        "s": {"type": "string"},
        "date": {"type": "string", "format": "date"},
        "time": {"type": "string", "format": "date-time"},
        "span": {"type": "string", "format": "duration"},
        "bytes": {"type": "string", "format": "byte"},
        "either": {"x-kubernetes-int-or-string": true},
        "maybe": {"type": "string", "nullable": true},
        "list": {"type": "array", "items": {"type": "integer"}},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        "texts": {"type": "array", "items": {"type": "string", "nullable": true}},
        "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "named": {
            "type": "array",
            "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}},
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"]
        },
        "map": {"type": "object", "additionalProperties": {"type": "string", "nullable": true}},
        "open": {"type": "object", "properties": {"a": {"type": "integer"}}},
        "spans": {"type": "array", "items": {"type": "string", "format": "duration"}}
    }})
}

/// Returns the text of what a rule answers: a value of `bool`, or an error.
fn answer(rule: &str, object: &Json) -> String {
    answer_of(36, rule, object)
}

/// Returns the same by the server of a release.
fn answer_of(minor: u32, rule: &str, object: &Json) -> String {
    let schema = schema();
    let mut declarations = Declarations::default();
    let root = support::declare(&schema, &mut declarations).expect("the schema has a type");
    let variables = [("self", Variable::Declared(root)), ("oldSelf", Variable::Optional(root))];
    let scope = Scope::new(&declarations, root, &variables);
    let checked = match Environment::for_server(Version::new(minor)).compile(rule, &scope) {
        Ok(checked) => checked,
        Err(issues) => return issues.to_string(),
    };
    let of: DataType = support::data_type(&schema);
    let program = Program::new(&checked).expect("a program can be made");
    let value = Value::from_data(Data::new(object, &of)).expect("the object is an object");
    match program.run(vec![Some(value.clone()), Some(value.some())], Program::CALL_LIMIT).result {
        Ok(Value::Bool(value)) => value.to_string(),
        Ok(other) => other.type_name().to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Returns the answer of a server of 1.36 to a rule over a set with this schema of its items: a value of `bool`, or an error.
fn answer_on_set(items: &Json, set: &Json, rule: &str) -> Result<bool, String> {
    let schema = json!({"type": "array", "items": items, "x-kubernetes-list-type": "set"});
    let of = support::data_type(&schema);
    let mut declarations = Declarations::default();
    let root = support::declare(&schema, &mut declarations).expect("the schema has a type");
    let variables = [("self", Variable::Declared(root))];
    let scope = Scope::new(&declarations, root, &variables);
    let checked = Environment::for_server(Version::new(36)).compile(rule, &scope).expect("a rule");
    let program = Program::new(&checked).expect("a program");
    match program.run([Value::from_data(Data::new(set, &of))], Program::CALL_LIMIT).result {
        Ok(Value::Bool(holds)) => Ok(holds),
        Ok(other) => Err(other.type_name().to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn up_to_1_36_a_set_remembers_what_was_added_to_it() {
    for (rule, expected) in [
        ("self == ['x', 'z']", false),
        ("(self + ['z']).size() == 3 && self == ['x', 'z']", true),
        ("(self + ['z']).size() == 3 && (self + ['z']).size() == 2 && self.size() == 2", true),
        ("(self + ['q']).size() == 2 && self != ['x', 'z']", true),
    ] {
        assert_eq!(
            answer_on_set(&json!({"type": "string"}), &json!(["x", "q"]), rule),
            Ok(expected),
            "{rule}"
        );
    }
}

/// The values that are added are floats, and are not found among the integers of the object.
#[test]
fn up_to_1_36_a_set_of_numbers_does_not_find_its_own_integers() {
    for (set, expected) in [(json!([1.5]), true), (json!([-129]), false), (json!([4, -0.5]), false)] {
        let holds = answer_on_set(&json!({"type": "number"}), &set, "self + self == self + self");
        assert_eq!(holds, Ok(expected), "{set}");
    }
}

#[test]
fn data_is_typed_by_the_schema() {
    let object = json!({
        "i": 1, "n": 2, "s": "x", "date": "2021-03-04", "time": "2021-12-31T23:30:00-01:00", "span": "2 days",
        "bytes": "aGk=", "either": 5, "maybe": null, "list": [1, 2], "texts": ["a", null], "set": ["b", "a"],
        "named": [{"k": "x", "v": 1}, {"k": "y", "v": 2}], "map": {"a": null, "b": "x"}, "open": {"a": 1, "z": 1},
        "spans": []
    });
    for rule in [
        "self.n == 2.0 && type(self.n) == double && self.n / 4.0 == 0.5",
        "self.date.getMonth() == 2 && self.date < self.time && self.time.getFullYear() == 2022",
        "self.span == duration('48h') && string(self.time) == '2021-12-31T23:30:00-01:00'",
        "self.bytes == b'hi' && string(self.bytes) == 'hi'",
        "type(self.either) == int && self.either == 5 && self.either != '5'",
        "!has(self.maybe) && !self.?maybe.hasValue()",
        "self.texts.exists(text, dyn(text) == null) && self.map.size() == 2 && has(self.map.a)",
        "self.set == ['a', 'b'] && ['b', 'a'] == self.set && !(['a', 'b'] == self.set)",
        "self.set + ['a', 'c'] == ['a', 'b', 'c'] && (self.set + ['a']).size() == 2",
        "self.named + self.named == self.named && self.named[1].v == 2",
        "self == self && self.open == self.open && !(dyn(self.open) == {'a': 1})",
        "self.map.all(key, key in self.map) && self.list.map(x, x * 2) == [2, 4]",
        "self.list.transformMap(i, v, v + i) == {0: 1, 1: 3} && self.list.exists_one(i, v, i == 1 && v == 2)",
        "oldSelf.?i.orValue(0) == 1 && oldSelf.optMap(old, old.i).orValue(2) == 1 && oldSelf.hasValue()",
        "string(self.spans.sum()) == '0s'",
        "[?self.?maybe, ?self.?s] == ['x'] && {?'a': self.?maybe} == {}",
    ] {
        assert_eq!(answer(rule, &object), "true", "{rule}");
    }
}

#[test]
fn types_of_libraries_have_names() {
    let object = json!({"s": "10.0.0.1"});
    assert_eq!(answer("type(ip(self.s)) == net.IP && net.IP != net.CIDR", &object), "true");
    assert_eq!(answer("type(cidr('10.0.0.0/8')) == net.CIDR", &object), "true");
}

#[test]
fn errors_are_absorbed_where_they_do_not_matter() {
    let object = json!({"i": 0, "list": [0, 1], "either": "x"});
    for (rule, expected) in [
        ("1 / self.i == 1", "division by zero"),
        ("1 % self.i == 1", "modulus by zero"),
        ("1 / self.i == 1 || true", "true"),
        ("true || 1 / self.i == 1", "true"),
        ("1 / self.i == 1 && false", "false"),
        ("1 / self.i == 1 || false", "division by zero"),
        ("self.list.exists(x, 1 / x == 1)", "true"),
        ("self.list.all(x, 1 / x == 1)", "division by zero"),
        ("self.list.all(x, 1 / x > 1)", "false"),
        ("self.list.exists_one(x, 1 / x == 1)", "division by zero"),
        ("self.list.map(x, 1 / x).size() == 2", "division by zero"),
        ("true ? true : 1 / self.i == 1", "true"),
        ("self.s == ''", "no such key: s"),
        ("self.list[2] == 1", "index out of bounds: 2"),
        ("self.list[-1] == 1", "index out of bounds: -1"),
        ("self.map['x'] == ''", "no such key: map"),
        ("{'a': 1}[self.either] == 1", "no such key: x"),
        ("self.either > 5", "no such overload"),
        ("size(self.either) == 1", "true"),
        ("size(dyn(1)) == 1", "no such overload: size"),
        ("self.?s.value() == ''", "optional.none() dereference"),
        ("9223372036854775807 + self.list[1] > 0", "integer overflow"),
        ("-(-9223372036854775807 - self.list[1]) > 0", "integer overflow"),
        ("uint(self.i - 1) == 1u", "unsigned integer overflow"),
        (
            "{'a': 1, 'b': 2}.transformMapEntry(k, v, {'same': v}).size() == 1",
            "insert failed: key same already exists",
        ),
        (
            "timestamp('9999-12-31T23:59:59Z') + duration('1h') == timestamp('9999-12-31T23:59:59Z')",
            "timestamp overflow",
        ),
    ] {
        assert_eq!(answer(rule, &object), expected, "{rule}");
    }
}

#[test]
fn since_1_37_optionals_keep_the_types_of_the_schema() {
    let object = json!({"open": {"a": 1, "unknown": 0.25}});
    for rule in ["self.open == oldSelf.value().open", "self.open == oldSelf.orValue(self).open"] {
        let before = answer_of(36, rule, &object);
        assert!(before.starts_with("'no such overload'") || before == "no such overload", "{before}");
        assert_eq!(answer_of(37, rule, &object), "true", "{rule}");
    }
}

/// A set of lists, and one of scalars without a schema.
#[test]
fn up_to_1_36_sets_hash_raw_values() {
    let open = json!({"x-kubernetes-int-or-string": true});
    assert_eq!(answer_on_set(&open, &json!([58, "text"]), "self == self"), Ok(true));
    let lists = json!({"type": "array", "items": {"type": "integer"}});
    let fault = "internal error: runtime error: hash of unhashable type []interface {}";
    // The fault of the server's code ends the rule.
    assert_eq!(answer_on_set(&lists, &json!([[1]]), "self == self || true"), Err(fault.to_owned()));
}

#[test]
fn lists_hold_data_of_other_types_until_it_is_read() {
    let object = json!({"list": [1000.0, 2], "counts": {"key": 2.0}});
    for (rule, expected) in [
        ("self.list.reverse().size() == 2", "true"),
        ("self.list.reverse()[0] == 2", "true"),
        ("self.list.slice(0, 1).size() == 1", "true"),
        ("self.list.slice(0, 1) == self.list.slice(0, 1)", "true"),
        ("self.list.distinct().size() == 2", "true"),
        ("(self.list + [1]).size() == 3", "true"),
        ("self.list.reverse()[1] == 1000", "invalid data, expected int, got float64"),
        ("self.list.slice(0, 1).all(x, x > 0)", "invalid data, expected int, got float64"),
        ("sets.intersects(self.list, [2])", "true"),
        ("sets.intersects(self.list, [1000])", "false"),
        ("sets.contains(self.list, [2])", "true"),
        ("sets.contains([2, 1000], self.list)", "false"),
        ("sets.contains(self.list, self.list)", "invalid data, expected int, got float64"),
        ("[self.list].flatten().size() == 2", "true"),
        ("[self.list].flatten()[0] == 1000", "invalid data, expected int, got float64"),
        ("self.list.first().hasValue()", "true"),
        ("self.list.first().orValue(3) == 3", "invalid data, expected int, got float64"),
        ("self.list.last().value() == 2", "true"),
        ("self.list[?0].hasValue()", "true"),
        ("self.?list[?0].optMap(x, 1).orValue(2) == 1", "true"),
        ("self.list[?0].optMap(x, x + 1).orValue(2) == 1", "invalid data, expected int, got float64"),
        ("optional.of(1000) == self.list[?0]", "false"),
        ("self.list[?0] == optional.of(1000)", "invalid data, expected int, got float64"),
        ("self.?counts.?key.hasValue()", "invalid data, expected int, got float64"),
    ] {
        assert_eq!(answer_of(37, rule, &object), expected, "{rule}");
    }
}

#[test]
fn only_values_of_rules_are_zero() {
    let object = json!({"list": [], "set": [], "map": {}, "named": [], "open": {}, "s": "", "i": 0});
    for (value, is_some) in [
        ("self.list", true),
        ("self.set", true),
        ("self.map", true),
        ("self.named", true),
        ("self.open", true),
        ("dyn(self.list)", true),
        ("[] + self.list", true),
        ("self.set + []", true),
        ("self.list.distinct()", true),
        ("self.list.sort()", true),
        ("self.list.reverse()", false),
        ("self.list.slice(0, 0)", false),
        ("self.list.map(x, x)", false),
        ("self.list + []", false),
        ("[]", false),
        ("self.s", false),
        ("self.i", false),
    ] {
        let rule = format!("optional.ofNonZeroValue({value}).hasValue()");
        assert_eq!(answer_of(37, &rule, &object), is_some.to_string(), "{rule}");
    }
    assert_eq!(answer_of(36, "optional.ofNonZeroValue(self.list + []).hasValue()", &object), "true");
}

#[test]
fn data_of_other_types_is_an_error_only_where_it_is_looked_at() {
    let object =
        json!({"i": 3.0, "either": 2.5, "list": [2.0, 1], "date": ["x"], "bytes": "+/8=", "maybe": "x"});
    for (rule, expected) in [
        ("has(self.i)", "invalid data, expected int, got float64"),
        ("self.maybe == 'x'", "true"),
        ("self.either == 2", "invalid data, expected XIntOrString value to be either a string or integer"),
        ("1 in self.list", "true"),
        ("2 in self.list", "invalid data, expected int, got float64"),
        ("self.list.size() == 2", "true"),
        ("has(self.date)", "invalid data, expected string, got []interface {}"),
        ("size(self.bytes) == 2", "Invalid byte formatted string +/8=: illegal base64 data at input byte 0"),
    ] {
        assert_eq!(answer(rule, &object), expected, "{rule}");
    }
}

#[test]
fn programs_are_shared_between_threads() {
    fn is_shared<T: Send + Sync + Clone>() {}
    is_shared::<Program>();
    is_shared::<DataType>();
}
