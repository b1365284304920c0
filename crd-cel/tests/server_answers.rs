//! Values and errors of expressions, recorded from the API server's libraries at version 1.36.2.

use crd_cel::eval::{Program, Value};
use crd_cel::{Declarations, Declared, Environment, Scope, Shape, Version};

/// Returns the value of an expression if it is a bool, or the error of its program or its run.
fn answer(expression: &str) -> String {
    let mut declarations = Declarations::default();
    let root = declarations.add(Declared { shape: Shape::Dyn, max_elements: 10, min_serialized_size: 1 });
    let scope = Scope::new(&declarations, root, &[]);
    let checked = match Environment::for_server(Version::new(36)).compile(expression, &scope) {
        Ok(checked) => checked,
        Err(issues) => return issues.to_string(),
    };
    let instantiated = checked.instantiate();
    let program = match Program::new(&checked) {
        Ok(program) => program,
        Err(error) => {
            // Whoever only checks a rule is told the same.
            assert_eq!(instantiated.map_err(|error| error.to_string()), Err(error.to_string()));
            return error.to_string();
        }
    };
    assert_eq!(instantiated, Ok(()), "{expression}");
    match program.run([None::<Value<'_>>; 0], Program::CALL_LIMIT).result {
        Ok(Value::Bool(value)) => value.to_string(),
        Ok(other) => format!("{other:?}"),
        Err(error) => error.to_string(),
    }
}

/// Expressions and the answers of the server.
const ANSWERS: &[(&str, &str)] = &[
    ("string(null)", "no such overload: string(null_type)"),
    ("int(null)", "no such overload: int(null_type)"),
    ("int(dyn([1]))", "no such overload: int(list)"),
    ("bool(dyn(1))", "no such overload: bool(int)"),
    ("bytes(dyn(1))", "no such overload: bytes(int)"),
    ("double(dyn(true))", "no such overload: double(bool)"),
    ("uint(dyn(b'a'))", "no such overload: uint(bytes)"),
    ("duration(dyn(1))", "type conversion error from 'int' to 'google.protobuf.Duration'"),
    ("timestamp(dyn(1.5))", "no such overload: timestamp(double)"),
    ("string(dyn({1: 2}))", "no such overload: string(map)"),
    ("string(dyn(type(1)))", "no such overload: string(type)"),
    ("type(null) == null_type", "true"),
    ("has({'a': 1}.b) || true", "true"),
    ("has(has({'a': {'b': 1}}.a))", "true"),
    ("has(has({'a': 1}.b))", "false"),
    ("url('//h/p?q=1#f').getHost() == 'h'", "true"),
    ("url('//h/p?q=1#f').getEscapedPath() == '/p'", "true"),
    ("url('http://h/p?q=1#f').getQuery() == {'q': ['1']}", "true"),
    ("url('///a').getHost() == '' && url('///a').getEscapedPath() == '///a'", "true"),
    (
        "url('//h%zz')",
        "URL parse error during conversion from string: parse \"//h%zz\": invalid URL escape \"%zz\"",
    ),
    ("url('https:/a') == url('https:///a')", "false"),
    ("format.uri().validate('//h/p').hasValue()", "false"),
    ("url('//h/#a[').getHost() == 'h' && url('/#a[') != url('/#a%5B')", "true"),
    (
        "url('//[12345::]/')",
        "URL parse error during conversion from string: parse \"//[12345::]/\": invalid host: ParseAddr(\"12345::\"): each group must have 4 or less digits (at \"12345::\")",
    ),
    ("{'a': 1, 'a': 2} == {'a': 2}", "true"),
    ("[{[1]: 2}].all(m, m == m) && {[1]: 2}.all(k, v, v == 2)", "true"),
    ("[dyn(1), dyn('a'), dyn(2)].max() == 2 && [dyn(1), dyn('a'), dyn(0)].isSorted()", "true"),
    ("[dyn([1])].max()", "no such overload: max(list)"),
    ("[dyn([1])].isSorted()", "no such overload: isSorted(list)"),
    ("[dyn('a')].sum()", "no such overload: sum(list)"),
    ("[1.5, 0.0 / 0.0].max() == 1.5 && [1.5, 0.0 / 0.0, 1.0].isSorted()", "true"),
    ("dyn([1, 2])[dyn([1.5])[0]]", "unsupported index value 1.5 in list"),
    ("dyn([1, 2])[dyn([18446744073709551615u])[0]]", "unsupported index value 18446744073709551615 in list"),
    ("dyn([1, 2])[?dyn([9e18])[0]].hasValue()", "false"),
    (
        "dyn([1][0]).distinct() == [] || true",
        "internal error: interface conversion: types.Int is not traits.Lister: missing method Contains",
    ),
    (
        "dyn({1: 2}).distinct()",
        "internal error: interface conversion: *types.baseMap is not traits.Lister: missing method Add",
    ),
    ("timestamp(dyn('0000-01-01T00:00:00Z'))", "timestamp overflow"),
    ("duration(null)", "ERROR: <input>:1:10: invalid duration argument\n | duration(null)\n | .........^"),
    (
        "'%s'.format([duration(1)])",
        "ERROR: <input>:1:23: invalid duration argument\n | '%s'.format([duration(1)])\n | ......................^",
    ),
    (
        "has(has(1))",
        "ERROR: <input>:1:9: invalid argument to has() macro\n | has(has(1))\n | ........^\nERROR: <input>:1:9: invalid argument to has() macro\n | has(has(1))\n | ........^",
    ),
    ("{[1]: 1, [1]: 2}.size() == 2 && !([1] in {[1]: 1})", "true"),
    ("{null: 1} == {null: 1} && null in {null: 1} && int in {int: 1}", "true"),
    ("{1.5: 1}[1.5] == 1 && duration('1s') in {duration('1s'): 1}", "true"),
    ("{dyn(0): 1, dyn(0u): 2}[0.0] == 1", "true"),
    ("{'a': 1, ?'a': optional.none()} == {}", "true"),
    (
        "[1].all(x, {semver('1.2.' + string(x)): 1}.size() == 1)",
        "internal error: runtime error: hash of unhashable type cel.Semver",
    ),
    ("dyn(1).startsWith('a')", "no such overload"),
    ("dyn(1).matches('a')", "no such overload"),
    ("dyn(1).matches(dyn(1))", "no such overload: matches"),
    ("dyn(true).find('a')", "no such overload"),
    ("'a'.find(dyn(1))", "no such overload: find(string, int)"),
    ("dyn(1).first()", "no such overload: first(int)"),
    (
        "dyn([[1]]).flatten(dyn(1.5))",
        "internal error: interface conversion: ref.Val is types.Double, not types.Int",
    ),
    ("[[1]].flatten([1][2])", "internal error: interface conversion: ref.Val is *types.Err, not types.Int"),
    ("dyn({1: 2}).flatten()", "no such overload: map(dyn, dyn).flatten()"),
    ("dyn('a').sort()", "no such overload"),
    ("dyn(1).sort()", "no such overload: sort"),
    ("dyn('a') % 1", "no such overload"),
    ("dyn(true) % 1", "no such overload: _%_"),
    ("!dyn('a')", "no such overload"),
    ("-dyn([1])", "no such overload: -_"),
    ("size(dyn(timestamp(0)))", "no such overload"),
    ("size(dyn(1))", "no such overload: size"),
    ("dyn([1]).join()", "no such overload: join(list)"),
    ("semver(dyn([1][0]))", "no such overload: semver(int)"),
    ("'a'.format(dyn(0))", "no such overload: format(string, int)"),
    ("cidr('10.0.0.0/8').containsIP('x')", "no such overload"),
    ("optional.of(ip('::1')) == optional.of(dyn('::1'))", "no such overload"),
    ("[1][?dyn([2][0] > 1 ? 'a' : 'b')].hasValue()", "unsupported index type 'string' in list"),
    ("{'a': 1}[dyn([timestamp(0)])[0]]", "invalid qualifier type: types.Timestamp"),
    // Values of libraries are compared with their own type only, and lists and maps that a rule makes take no
    // notice.
    ("quantity('1') == dyn([])", "no such overload"),
    ("quantity('1') != dyn([]) && dyn([]) != quantity('1')", "true"),
    ("ip('::1') == dyn({'a': 1})", "no such overload"),
    ("[quantity('1')] == [dyn(1)] && {'a': quantity('1')} == {'a': dyn(1)}", "true"),
    ("[quantity('1')] + [quantity('2')] == [dyn(1), dyn(2)]", "no such overload"),
    ("dyn(quantity('1')) in [dyn(semver('1.0.0')), dyn(quantity('1'))]", "true"),
    ("[dyn(ip('::1')), dyn(1)].distinct().size() == 2", "true"),
    ("[dyn(1), dyn(quantity('1'))].indexOf(dyn(quantity('1'))) == 1", "true"),
    ("sets.intersects([dyn(quantity('1'))], [dyn(1)])", "false"),
    ("format.uri() == format.uri()", "true"),
    ("dyn(b'a') in ['a']", "internal error: runtime error: hash of unhashable type types.Bytes"),
    ("dyn(b'a') in {'a': 1}", "internal error: runtime error: hash of unhashable type types.Bytes"),
    ("dyn(9007199254740992.0) in [9007199254740993]", "true"),
    // The type of a list is that of its first element.
    ("dyn([1]).unwrapOpt()", "no such overload: unwrapOpt(list)"),
    ("[dyn(optional.none()), dyn('a')].unwrapOpt()", "value a is not optional"),
    ("optional.unwrap([optional.of(1).optMap(y, url('/a')), optional.none()]).size() == 1", "true"),
    (
        "optional.unwrap([optional.of(1).optMap(y, url('/a'))])[0] == url('/a')",
        "unsupported conversion to ref.Val: (*url.URL)/a",
    ),
    // A variable that is an optional is made again of its raw value.
    (
        "[optional.of(ip('::1'))].all(o, o.value() == ip('::1'))",
        "unsupported conversion to ref.Val: (netip.Addr)::1",
    ),
    ("[optional.of(int)].all(o, o.value() == dyn('int'))", "true"),
    (
        "optional.of(semver('0.1.0-alpha.1+b.2')).optMap(v, v).value() == semver('1.0.0')",
        "unsupported conversion to ref.Val: (semver.Version)0.1.0-alpha.1+b.2",
    ),
    ("semver('1.0.0+a') == semver('1.0.0+b') && !semver('1.0.0+b').isLessThan(semver('1.0.0'))", "true"),
    (
        "optional.of(1).optFlatMap(v, optional.of(2).optFlatMap(w, optional.of(ip('::1')))).value() == ip('::1')",
        "unsupported conversion to ref.Val: (*errors.errorString)unsupported conversion to ref.Val: (netip.Addr)::1",
    ),
    ("optional.of(type(1)).optMap(v, v).hasValue()", "reference to undefined type: v"),
    ("optional.of(type(1)).optMap(v, 1).hasValue()", "reference to undefined type: v"),
    ("bytes(dyn({b'a': 1}))", "internal error: runtime error: hash of unhashable type types.Bytes"),
    ("dyn({'a': 1})[dyn([[1] + [2]])[0]]", "invalid qualifier type: *types.concatList"),
    ("dyn({'a': 1})[dyn([format.uri()])[0]]", "invalid qualifier type: cel.Format"),
    ("optional.ofNonZeroValue([]).hasValue() || optional.ofNonZeroValue({}).hasValue()", "false"),
    (
        "optional.ofNonZeroValue(type(1)).hasValue() && optional.ofNonZeroValue(optional.none()).hasValue()",
        "true",
    ),
];

#[test]
fn answers_are_those_of_the_server() {
    for &(expression, expected) in ANSWERS {
        assert_eq!(answer(expression), expected, "{expression}");
    }
}

/// The server fails over a request whose rule has a constant map with bytes for keys.
#[test]
fn constants_that_the_server_fails_over_refuse_a_rule() {
    let mut declarations = Declarations::default();
    let root = declarations.add(Declared { shape: Shape::Dyn, max_elements: 10, min_serialized_size: 1 });
    let scope = Scope::new(&declarations, root, &[]);
    for rule in ["{b'a': 1}.size() > 0", "false ? {bytes('a'): 1} == {} : true"] {
        let checked =
            Environment::for_server(Version::new(36)).compile(rule, &scope).expect("the rule compiles");
        assert!(Program::new(&checked).is_err() && checked.instantiate().is_err(), "{rule}");
    }
    let checked = Environment::for_server(Version::new(36))
        .compile("[b'a'].all(x, {x: 1}.size() > 0)", &scope)
        .expect("it compiles");
    assert!(Program::new(&checked).is_ok() && checked.instantiate().is_ok());
}

/// Runs that take more work or memory than they may end as those that cost too much.
#[test]
fn work_and_memory_are_bounded() {
    let long = "0h".repeat(50_000);
    for rule in [
        "lists.range(400).all(x, lists.range(400).all(y, duration(self) == duration('0')))",
        "lists.range(400).all(x, lists.range(400).all(y, self.size() > 0))",
        "lists.range(400).all(x, lists.range(400).all(y, isSemver(self) || true))",
        "lists.range(400).map(x, self + self).size() > 0",
    ] {
        let ast = crd_cel::parse(rule).expect("the rule is read");
        let program = Program::unchecked(&ast, &["self"]).expect("a program can be made");
        let evaluation = program.run_within([Some(Value::from(&*long))], Program::CALL_LIMIT, 10_000_000);
        assert!(evaluation.result.is_err_and(|error| error.is_limit() || error.is_out_of_work()), "{rule}");
        assert!(evaluation.work <= 10_000_000, "{rule}");
    }
    // What is thrown away is not held.
    let ast = crd_cel::parse("lists.range(200).all(x, (self + self).size() > 0)").expect("the rule is read");
    let program = Program::unchecked(&ast, &["self"]).expect("a program can be made");
    let short = "a".repeat(20_000);
    let evaluation = program.run([Some(Value::from(&*short))], Program::CALL_LIMIT);
    assert!(matches!(evaluation.result, Ok(Value::Bool(true))));
}
