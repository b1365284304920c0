//! Costs, cardinalities, types and errors of rules are those of upstream's own compiler, of 1.36.
#![cfg(feature = "check")]

use std::path::Path;

use crd_cel::Environment;
use crd_core::cel::{CompiledRule, RuleError, Rules, SchemaTypes};
use crd_core::crd::JsonSchemaProps;
use crd_core::{KubeVersion, Structural};
use serde_json::Value;

/// The release whose compiler the vectors are from.
const RECORDED: KubeVersion = KubeVersion::new(36);

#[test]
fn costs_of_vectors() {
    let mut cases = lines("cel-cost-vectors.jsonl");
    let schema = structural(&cases.remove(0)["schema"]);
    compare(
        "cel-cost-vectors",
        cases.iter().map(|case| {
            let got = compile(&schema, false, case).map(|rule| rule.cost);
            (name(case), case["est"].as_u64(), got.map_err(|error| error.to_string()).ok())
        }),
    );
}

#[test]
fn costs_that_hang_on_shared_paths() {
    for group in lines("cel-cost-aliasing-vectors.jsonl") {
        let schema = structural(&group["schema"]);
        compare(
            "cel-cost-aliasing-vectors",
            group["rules"].as_array().unwrap().iter().map(|case| {
                (name(case), case["est"].as_u64(), compile(&schema, false, case).ok().map(|rule| rule.cost))
            }),
        );
    }
}

#[test]
fn errors_of_vectors() {
    let mut cases = lines("cel-compile-vectors.jsonl");
    let schema = structural(&cases.remove(0)["schema"]);
    // A blank rule is never compiled.
    compare(
        "cel-compile-vectors",
        cases.iter().filter(|case| case["rule"] != "").map(|case| {
            let got = match compile(&schema, false, case) {
                Ok(rule) => (None, Some(rule.cost)),
                Err(error) => (Some(error.to_string()), None),
            };
            (name(case), (case["detail"].as_str().map(str::to_owned), case["est"].as_u64()), got)
        }),
    );
}

#[test]
fn costs_and_cardinalities() {
    compare(
        "costs",
        yaml("costs.yaml").iter().map(|case| {
            let schema = structural(&case["schema"]);
            let got = match compile(&schema, case["isRoot"] == true, case) {
                Ok(rule) => (Some(rule.cost), Some(rule.max_cardinality), None),
                // The compiler names the failure otherwise where the server does not come to ask it.
                Err(RuleError::NoType) => {
                    (None, None, Some("failed to convert to declType for CEL validation rules".to_owned()))
                }
                Err(error) => (None, None, Some(error.to_string())),
            };
            let error = case["error"].as_str().map(str::to_owned);
            (name(case), (case["cost"].as_u64(), case["maxCardinality"].as_u64(), error), got)
        }),
    );
}

#[test]
fn types() {
    compare(
        "types",
        yaml("types.yaml").iter().map(|case| {
            let schema = structural(&case["schema"]);
            let types = SchemaTypes::for_version(&schema, schema.is_embedded_resource(), RECORDED);
            let rules = Rules::new(&types, Environment::for_server(RECORDED));
            let got = match rules.compile_expression(&schema, case["rule"].as_str().expect("a rule")) {
                Ok(rule) => (Some(rule.result_type), None),
                Err(RuleError::NoType) => (None, Some("no declaration type".to_owned())),
                Err(RuleError::Compilation(issues)) => (None, Some(issues.to_string())),
                Err(error) => (None, Some(error.to_string())),
            };
            let text = |key: &str| case[key].as_str().map(str::to_owned);
            (name(case), (text("type"), text("error")), got)
        }),
    );
}

/// Compares what is wanted with what is got, and shows all that differs.
fn compare<T: PartialEq + std::fmt::Debug>(what: &str, cases: impl Iterator<Item = (String, T, T)>) {
    let (mut count, mut differences) = (0, Vec::new());
    for (name, wanted, got) in cases {
        count += 1;
        if wanted != got {
            differences.push(format!("{name}\n  wanted {wanted:?}\n  got    {got:?}"));
        }
    }
    assert!(count > 0, "{what} has no cases");
    assert!(
        differences.is_empty(),
        "{what}: {} of {count} differ\n{}",
        differences.len(),
        differences.join("\n")
    );
}

fn compile(schema: &Structural, is_root: bool, case: &Value) -> Result<CompiledRule, RuleError> {
    let types = SchemaTypes::for_version(schema, is_root || schema.is_embedded_resource(), RECORDED);
    Rules::new(&types, Environment::for_server(RECORDED)).compile_rule(
        schema,
        case["rule"].as_str().expect("a rule"),
        false,
    )
}

fn name(case: &Value) -> String {
    format!("{} {}", case["name"].as_str().unwrap_or_default(), case["rule"])
}

fn structural(schema: &Value) -> Structural {
    let schema = JsonSchemaProps::from_value(schema.clone()).expect("the schema of a case");
    Structural::from_json_schema(&schema).expect("the schema of a case is structural")
}

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance/cel").join(file);
    std::fs::read_to_string(&path).expect(file)
}

fn lines(file: &str) -> Vec<Value> {
    text(file).lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn yaml(file: &str) -> Vec<Value> {
    serde_yaml::from_str(&text(file)).expect("a list of cases")
}
