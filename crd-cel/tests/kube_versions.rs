//! Rules whose answer depends on the release of the server: errors, prices and values.
#![cfg(feature = "eval")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crd_cel::eval::Program;
use crd_cel::{Declarations, Declared, Environment, KubeVersion, Scope, Shape, Variable};

/// Checks the answers of the servers 1.30 to 1.37 to a rule without variables. Each answer stands next to the first
/// minor version that gives it.
fn check(rule: &str, answers: &[(u32, &str)]) {
    for minor in 30..=37 {
        let wanted = answers.iter().rev().find(|(since, _)| *since <= minor).map(|(_, answer)| *answer);
        assert_eq!(Some(answer(rule, minor).as_str()), wanted, "{rule} on 1.{minor}");
    }
}

/// Returns the value of an expression, or the first line of its errors.
fn answer(rule: &str, minor: u32) -> String {
    let mut declarations = Declarations::default();
    let any = declarations.add(Declared { shape: Shape::Dyn, max_elements: 1, min_serialized_size: 1 });
    let scope = Scope::new(&declarations, any, &[]);
    let environment = Environment::for_stored(KubeVersion::new(minor));
    let checked = match environment.compile(rule, &scope) {
        Ok(checked) => checked,
        Err(issues) => return issues.to_string().lines().next().unwrap_or_default().to_owned(),
    };
    let program = Program::new(&checked).unwrap();
    let nothing: [Option<crd_cel::eval::Value<'_>>; 0] = [];
    match program.run(nothing, Program::CALL_LIMIT).result {
        Ok(value) => value.to_json().map_or_else(|_| format!("{value:?}"), |json| json.to_string()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn values() {
    check("'ab'.indexOf('x', 2)", &[(30, "index out of range: 2"), (32, "-1")]);
    check("''.indexOf('a')", &[(30, "index out of range: 0"), (32, "-1")]);
    check("'ab'.lastIndexOf('x', 2)", &[(30, "index out of range: 2"), (32, "-1")]);
    check("''.lastIndexOf('a')", &[(30, "index out of range: -1"), (34, "-1")]);
    check("'ab'.indexOf('', 7)", &[(30, "7"), (37, "2")]);
    check("'ab'.lastIndexOf('', -1)", &[(30, "-1"), (37, "index out of range: -1")]);
    let host = "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')";
    check(host, &[(30, "false"), (32, "true")]);
    check(r"'\ud800' == '\ufffd'", &[(30, "true"), (33, "ERROR: <input>:1:1: invalid unicode code point")]);
    check(
        "duration(1) == duration('1ns')",
        &[
            (30, "ERROR: <input>:1:10: invalid duration argument"),
            (37, "ERROR: <input>:1:9: found no matching overload for 'duration' applied to '(int)'"),
        ],
    );
    check(
        "[1, 2].includes(2) && 'a'.includes('a') && !'ab'.includes('a')",
        &[(30, "ERROR: <input>:1:16: undeclared reference to 'includes' (in container '')"), (37, "true")],
    );
}

#[test]
fn errors() {
    check(
        "optional.of(1) == 1",
        &[
            (
                30,
                "ERROR: <input>:1:16: found no matching overload for '_==_' applied to '(optional(int), int)'",
            ),
            (
                31,
                "ERROR: <input>:1:16: found no matching overload for '_==_' applied to '(optional_type(int), int)'",
            ),
        ],
    );
    // What stands at the beginning of a line is reported behind the line before it.
    check(
        "1 ==\nx",
        &[
            (30, "ERROR: <input>:1:6: undeclared reference to 'x' (in container '')"),
            (32, "ERROR: <input>:2:1: undeclared reference to 'x' (in container '')"),
        ],
    );
    check(
        "['a'].all(__result__, true)",
        &[
            (
                30,
                "ERROR: <input>:1:10: found no matching overload for '@not_strictly_false' applied to '(string)'",
            ),
            (33, "ERROR: <input>:1:11: iteration variable overwrites accumulator variable"),
        ],
    );
    check(
        "{'b': 1}.`b` == 1",
        &[
            (30, "ERROR: <input>:1:10: Syntax error: token recognition error at: '`'"),
            (33, "ERROR: <input>:1:10: unsupported syntax: '`'"),
            (37, "true"),
        ],
    );
    check(
        "'%d'.format(['a']) == ''",
        &[
            (30, "error during formatting: decimal clause can only be used on integers, was given string"),
            (
                31,
                "ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given string",
            ),
        ],
    );
}

/// Two loops share the place of a step of a path, as in cel-go. Up to 1.32 the step is made when the variable is read.
#[test]
fn shared_steps_of_paths() {
    let mut declarations = Declarations::default();
    let mut add =
        |shape, max_elements| declarations.add(Declared { shape, max_elements, min_serialized_size: 2 });
    let text = add(Shape::String, 40);
    let part = add(Shape::Object(vec![("c".into(), text)]), 0);
    let parts = add(Shape::List(part), 10);
    let number = add(Shape::Int, 0);
    let item = add(Shape::Object(vec![("foo".into(), parts), ("b".into(), number)]), 0);
    let items = add(Shape::List(item), 10);
    let object = add(Shape::Object(vec![("l".into(), items)]), 0);
    let variables = [("self", Variable::Declared(object))];
    let scope = Scope::new(&declarations, object, &variables);
    let rule = "self.l.all(x, x.foo.all(z, x.b == 1 && z.c.contains('q')))";
    for (minor, cost) in [(31, 1_163), (32, 1_163), (33, 63), (37, 63)] {
        let environment = Environment::for_stored(KubeVersion::new(minor));
        assert_eq!(environment.compile(rule, &scope).unwrap().max_cost(), cost, "1.{minor}");
    }
}

#[test]
fn prices() {
    let mut declarations = Declarations::default();
    let text = declarations.add(Declared { shape: Shape::String, max_elements: 40, min_serialized_size: 2 });
    let list =
        declarations.add(Declared { shape: Shape::List(text), max_elements: 10, min_serialized_size: 2 });
    let fields = vec![("s".into(), text), ("l".into(), list)];
    let object =
        declarations.add(Declared { shape: Shape::Object(fields), max_elements: 0, min_serialized_size: 2 });
    let variables = [("self", Variable::Declared(object))];
    let scope = Scope::new(&declarations, object, &variables);
    let cost = |rule: &str, minor| {
        let environment = Environment::for_stored(KubeVersion::new(minor));
        environment.compile(rule, &scope).unwrap().max_cost()
    };
    // A value behind an optional had no size, and values of Kubernetes' libraries were compared as if they had one.
    for (rule, since) in [
        ("self.?s == optional.of('a')", None),
        ("optional.of(1) == optional.of(2)", Some(33)),
        ("url(self.s) == url('a')", Some(32)),
    ] {
        for minor in 30..=37 {
            let is_cheap = cost(rule, minor) < 1_000;
            assert_eq!(is_cheap, since.is_some_and(|since| minor >= since), "{rule} on 1.{minor}");
        }
    }
    // A pattern as an argument of a function was free.
    assert!(cost("matches(self.s, '^[a-z]+$')", 37) > cost("matches(self.s, '^[a-z]+$')", 36));
    assert_eq!(cost("self.s.matches('^[a-z]+$')", 37), cost("self.s.matches('^[a-z]+$')", 36));
}
