//! Surprising results of the API server: answers of its own packages (1.36) to random rules.

mod support;

use crd_cel::eval::{Data, Program, Value};
use crd_cel::{Declarations, Environment, Scope, Variable, Version};
use serde_json::json;

/// Returns the result, as text, and what it cost.
fn run(rule: &str) -> (String, u64) {
    let schema = json!({"type": "object", "properties": {
        "b": {"type": "boolean"}, "i": {"type": "integer"}, "n": {"type": "number"}, "s": {"type": "string"},
        "time": {"type": "string", "format": "date-time"}, "dur": {"type": "string", "format": "duration"},
        "ls": {"type": "array", "items": {"type": "string"}},
        "times": {"type": "array", "items": {"type": "string", "format": "date-time"}},
    }});
    let object = json!({
        "b": true, "i": 7, "n": 1.5, "s": "hello", "time": "2020-02-29T12:30:45Z", "dur": "1h",
        "ls": ["a", "b"], "times": ["2020-02-29T12:30:45Z"],
    });
    let mut declarations = Declarations::default();
    let root = support::declare(&schema, &mut declarations).expect("the schema has a type");
    let variables = [("self", Variable::Declared(root))];
    let scope = Scope::new(&declarations, root, &variables);
    let checked = Environment::for_server(Version::new(36)).compile(rule, &scope).expect("the rule compiles");
    let program = match (Program::new(&checked), checked.instantiate()) {
        (Ok(program), Ok(())) => program,
        (program, instantiated) => {
            let (error, same) =
                (program.expect_err(rule).to_string(), instantiated.expect_err(rule).to_string());
            assert_eq!(error, same, "{rule}");
            return (error, 0);
        }
    };
    let of = support::data_type(&schema);
    let value = Value::from_data(Data::new(&object, &of)).expect("the object is of the schema's type");
    let evaluation = program.run(vec![Some(value)], Program::CALL_LIMIT);
    let text = match evaluation.result {
        Ok(Value::Bool(value)) => value.to_string(),
        other => other.expect_err("a rule is true or false").to_string(),
    };
    (text, evaluation.cost)
}

const NO_LIST: &str =
    "internal error: interface conversion: *types.Err is not traits.Lister: missing method Add";

/// Rules, their results and their costs.
const RULES: &[(&str, &str, u64)] = &[
    // The cost depends on the string, not on its prefix or suffix.
    ("self.s.endsWith('')", "true", 3),
    ("'America/New_York'.substring(0).startsWith('')", "true", 4),
    // The cost of sorting a list is computed before the argument is checked for errors.
    ("[self.b, true].slice(2, self.i).distinct().exists(v1, ip('::1').isUnspecified())", NO_LIST, 26),
    ("[false].slice(self.i, self.i).sortBy(v1, v1).sort().min() || true", NO_LIST, 18),
    ("timestamp(0).getSeconds(r'\\d') > self.n", "time: invalid location name", 4),
    // A sum is a pointer in Go, and no quantity equals one.
    ("quantity('1') == quantity('1.5Gi').add(quantity('1e10'))", "no such overload", 5),
    ("quantity('3') != quantity('1').add(quantity('2'))", "true", 5),
    ("quantity('1').add(quantity('2')) == quantity('3')", "true", 5),
    // A selection unwraps the optional at its beginning, and no optional after that.
    ("[[1]].map(x, optional.of(x)).map(o, o[0]) == [optional.of(1)]", "true", 42),
    ("[optional.of([1])][0][0].hasValue()", "no such key: 0", 15),
    ("[optional.of({'a': 1})][0].?a.hasValue()", "false", 14),
    // The value of an optional behind `?:` is converted back from its raw value, which fails for values of libraries.
    ("optional.of(quantity('-100m')).optMap(v1, semver('1.2.3')).hasValue()", "true", 6),
    (
        "url('https://a.example/b?c=d') == optional.of(self.time).optMap(v1, url('/a')).value()",
        "unsupported conversion to ref.Val: (*url.URL)/a",
        11,
    ),
    ("dyn(self.dur).exists(x, true)", "got 'types.Duration', expected iterable type", 3),
    ("dyn(true).all(x, y, true)", "unsupported comprehension range type: types.Bool", 0),
    // Lists and objects of a schema are compared with their own kind only, and read elements that are added to them
    // again as the schema types them.
    ("self.ls == dyn(1)", "no such overload", 3),
    ("self.ls != dyn(1)", "true", 3),
    ("dyn(self) == dyn('true')", "no such overload", 3),
    ("self.ls + ['c'] == dyn(ip('::1'))", "no such overload", 6),
    ("dyn(self.ls) in [[1]]", "false", 4),
    ("(self.times + self.times).size() == 2", "true", 7),
    ("(self.times + [timestamp(0)])[1] == timestamp(0)", "invalid data, expected string, got time.Time", 6),
    ("(self.ls + dyn([1]))[2] == 'c'", "invalid data, expected string, got int64", 6),
    ("(self.ls + [dyn(type(1))])[2] == 'int'", "true", 6),
    // Only the values of optionals and strings have a size.
    ("optional.of({}) == optional.none()", "false", 2),
    ("optional.of(dyn([])) == optional.of(dyn(1))", "false", 2),
    // A call that can also search a map is not replaced by a look-up.
    ("1 in dyn([1])", "true", 1),
    ("1 in [1]", "true", 0),
    ("dyn(null) in [null]", "true", 1),
    ("self.s.charAt(7).find('a' + 'b') == ''", "index out of range: 7", 5),
    // A call that can refer to several overloads ends with the first argument that fails, and so does `format`.
    ("dyn([1][2]).indexOf('a') == 0", "index out of bounds: 2", 4),
    ("[''][3].format([1]) == ''", "index out of bounds: 3", 2),
    ("[1][2] + dyn(1) == 2", "index out of bounds: 2", 4),
    // Constants that cannot be indices, and errors in constants, are found before the program runs.
    ("{b'': ip('127.0.0.1')}[b''].isGlobalUnicast()", "invalid qualifier type: types.Bytes", 0),
    ("{duration('1h'): 0.0}[duration('1h')] <= 0", "invalid qualifier type: types.Duration", 0),
    ("bool(string(timestamp(0)))", "type conversion error from 'string' to 'bool'", 0),
];

#[test]
fn rules_have_the_results_of_the_api_server() {
    for &(rule, result, cost) in RULES {
        assert_eq!(run(rule), (result.to_owned(), cost), "{rule}");
    }
}
