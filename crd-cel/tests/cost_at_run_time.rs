//! Costs and results of rules at run time, compared with those of the API server's own evaluator.

mod support;

use crd_cel::eval::{Data, Program, Value};
use crd_cel::{Declarations, Environment, Scope, Variable, Version};
use serde_json::Value as Json;

/// Judges a rule as the API server's vectors are written: empty if it holds.
fn verdict(rule: &str, schema: &Json, object: &Json) -> (u64, String) {
    let mut declarations = Declarations::default();
    let root = support::declare(schema, &mut declarations).expect("the schema has a type");
    let variables = [("self", Variable::Declared(root))];
    let scope = Scope::new(&declarations, root, &variables);
    let checked = match Environment::for_server(Version::new(36)).compile(rule, &scope) {
        Ok(checked) => checked,
        Err(issues) => return (0, issues.to_string()),
    };
    let program = match Program::new(&checked) {
        Ok(program) => program,
        Err(error) => return (0, error.to_string()),
    };
    let of = support::data_type(schema);
    let value = Value::from_data(Data::new(object, &of)).expect("the object is of the schema's type");
    let evaluation = program.run(vec![Some(value)], Program::CALL_LIMIT);
    let text = match evaluation.result {
        Ok(Value::Bool(true)) => String::new(),
        Ok(_) => format!("Invalid value: failed rule: {rule}"),
        Err(error) => format!("Invalid value: \"object\": {error} evaluating rule: {rule}"),
    };
    (evaluation.cost, text)
}

#[test]
fn costs_are_those_of_the_api_server() {
    let lines = include_str!("../../tests/conformance/cel/cel-cost-vectors.jsonl").lines();
    let mut lines = lines.map(|line| serde_json::from_str::<Json>(line).expect("a line is JSON"));
    let head = lines.next().expect("the first line has the schema");
    let mut wrong = Vec::new();
    let mut total = 0;
    for case in lines {
        let rule = case["rule"].as_str().expect("a case has a rule");
        let Some(cost) = case["actual"].as_u64() else { continue };
        total += 1;
        let found = verdict(rule, &head["schema"], &head["object"]);
        let expected = (cost, case["result"].as_str().unwrap_or_default().to_owned());
        if found != expected {
            wrong.push(format!("{rule}\n  expected {expected:?}\n  found    {found:?}"));
        }
    }
    assert!(total >= 270, "only {total} cases were found");
    assert!(wrong.is_empty(), "{} of {total} differ:\n{}", wrong.len(), wrong.join("\n"));
}
