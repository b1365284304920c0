//! Rules and data that mean harm: every run ends soon, with a value or an error.

use crd_cel::eval::{Data, DataKind, DataType, Program, Value};
use serde_json::Value as Json;

fn run(rule: &str, json: &Json, of: &DataType) -> String {
    let ast = crd_cel::parse(rule).expect("the rule is read");
    let program = Program::unchecked(&ast, &["self"]).expect("a program can be made");
    let value = Value::from_data(Data::new(json, of)).expect("the data is of its type");
    let result = program.run(vec![Some(value)], Program::CALL_LIMIT).result;
    match &result {
        Ok(Value::Bool(value)) => value.to_string(),
        Ok(other) => other.type_name().to_owned(),
        Err(error) => error.to_string(),
    }
}

/// The server's error for a run that costs too much.
const LIMIT: &str = "operation cancelled: actual cost limit exceeded";
/// For a run that costs little and takes much, the server has no limit.
const WORK: &str = "the evaluation takes more work than the limit of this tool";

#[test]
fn what_grows_without_end_is_stopped() {
    let doubled = |times: usize| format!("[[1]]{}", ".map(x, x + x)".repeat(times));
    let replaced = |times: usize| format!("['aaaaaaaaaa']{}", ".map(x, x.replace('a', x))".repeat(times));
    for rule in [
        doubled(30),
        replaced(6),
        "lists.range(2000).distinct().size() == 0".to_owned(),
        "lists.range(9999).all(x, '%.999999f'.format([1.0]) != '')".to_owned(),
        "quantity('1e2000000000').add(quantity('1')) == quantity('1')".to_owned(),
        "lists.range(1000).all(x, lists.range(1000).all(y, true))".to_owned(),
    ] {
        let error = run(&rule, &Json::Null, DataType::JSON);
        assert!([LIMIT, WORK].contains(&&*error), "{rule}: {error}");
    }
    for size in ["1000000000", "9223372036854775807", "576460752303423487"] {
        let error = format!("lists.range: size {size} exceeds maximum allowed (1000000)");
        assert_eq!(run(&format!("lists.range({size}).size() == 0"), &Json::Null, DataType::JSON), error);
    }
}

#[test]
fn deep_values_are_compared_and_written() {
    let mut deep = Json::from(1);
    for _ in 0..500 {
        deep = serde_json::json!({"a": [deep]});
    }
    assert_eq!(run("self == self", &deep, DataType::JSON), "true");
    assert_eq!(run("'%s'.format([self]) == ''", &deep, DataType::JSON), WORK);
    assert_eq!(run("[self].indexOf(self) == 0 && dyn(self) == {'a': 1}", &deep, DataType::JSON), "false");
    let preserved = DataType::new(DataKind::Preserved);
    assert_eq!(run("self == self", &deep, &preserved), "true");
}

#[test]
fn large_values_are_no_trouble() {
    let long = Json::String("a".repeat(10_000_000));
    assert_eq!(run("self.matches('^a*b$')", &long, DataType::JSON), LIMIT);
    assert_eq!(run("self.size() > 5 && self != 'b'", &long, DataType::JSON), "true");
    assert_eq!(run("self.startsWith('a')", &long, DataType::JSON), "true");
    let many = Json::Array((0..100_000).map(Json::from).collect());
    assert_eq!(run("self.all(x, x >= 0)", &many, DataType::JSON), "true");
    assert_eq!(run("self.size() == 100000 && self == self", &many, DataType::JSON), "true");
    assert_eq!(run("self.all(x, x in self)", &many, DataType::JSON), LIMIT);
}

#[test]
fn deep_rules_run() {
    // Each shape as deep as the parser lets it be.
    let shapes: [fn(usize) -> String; 9] = [
        |depth| (0..depth).fold("true".to_owned(), |inner, n| format!("[1].all(x{n}, {inner})")),
        |depth| format!("{}true{}", "(true ? ".repeat(depth), " : false)".repeat(depth)),
        |depth| format!("self{} == 0", " + 0".repeat(depth)),
        |depth| format!("{}0{} == [0]", "[".repeat(depth), "]".repeat(depth)),
        |depth| format!("self{} == 0", ".f".repeat(depth)),
        |depth| format!("{}self{} == 0", "int(".repeat(depth), ")".repeat(depth)),
        |depth| format!("[1]{} == [1]", ".map(x, x)".repeat(depth)),
        |depth| format!("self == 0{}", " || self == 1".repeat(depth)),
        |depth| format!("self == 1{}", " ? true : self == 1".repeat(depth)),
    ];
    for shape in shapes {
        let mut depth = 4;
        while crd_cel::parse(&shape(depth * 2)).is_ok() && depth < 20_000 {
            depth *= 2;
        }
        while crd_cel::parse(&shape(depth + 1)).is_ok() && depth < 300 {
            depth += 1;
        }
        run(&shape(depth), &Json::from(0), DataType::JSON);
    }
    let nested = (0..20).fold("true".to_owned(), |inner, depth| format!("[1].all(x{depth}, {inner})"));
    assert_eq!(run(&nested, &Json::Null, DataType::JSON), "true");
}
