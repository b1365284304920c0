//! The shape matrix of crdkit against a real API server, which accepts all definitions and stores objects of serde unchanged.

use std::time::Duration;

use crd_tests::server::Server;
use crd_tests::workspace;
use http::Method;
use serde_json::{Value, json};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldValidation=Strict";
const GROUP: &str = "shapes.example.com";

#[tokio::test]
async fn the_server_stores_objects_of_serde_unchanged() {
    let Some(server) = Server::start().await else { return };
    let mut wrong = Vec::new();
    let rows: Vec<(String, Value)> =
        rows().into_iter().enumerate().map(|(i, row)| (format!("shape{i}s"), row)).collect();
    let mut taken = Vec::new();
    for (plural, row) in &rows {
        let name = row["row"].as_str().unwrap_or_default();
        let Some(schema) = row.get("schema") else { continue };
        let answer = server.post(CRDS, &definition(plural, schema)).await;
        if answer["kind"] != "CustomResourceDefinition" {
            wrong.push(format!("{name}: {}", answer["message"]));
            continue;
        }
        // A definition that the server changes would always differ from the file.
        let stored = &answer["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
        if stored != schema {
            wrong.push(format!("{name}: {schema} becomes {stored}"));
        }
        taken.push((name, plural, row["writes"].as_array().cloned().unwrap_or_default()));
    }
    // The server serves a definition only some time after it has accepted it, so objects come last.
    let mut values = 0;
    for (name, plural, writes) in &taken {
        for (i, written) in writes.iter().enumerate() {
            let object = json!({
                "apiVersion": format!("{GROUP}/v1"), "kind": kind(plural), "metadata": {"name": format!("v{i}")},
                "spec": written,
            });
            let stored = stored(&server, plural, &object).await;
            if is_same(&stored["spec"], written) {
                values += 1;
            } else {
                let answer = if stored["kind"] == "Status" { &stored["message"] } else { &stored["spec"] };
                wrong.push(format!("{name}: {written} becomes {answer}"));
            }
        }
    }
    let definitions = taken.len();
    println!("{definitions} definitions taken, {values} values stored as they were written");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(definitions > 100 && values > definitions, "the goldens of crdkit were not found");
}

/// Returns `true` if two values are equal in JSON, where 0.0 equals 0.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || a.as_f64() == b.as_f64() && (a.is_f64() || b.is_f64())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_same(a, b)))
        }
        _ => a == b,
    }
}

/// Returns the rows of all themes, as crdkit's own test has written them.
fn rows() -> Vec<Value> {
    let folder = workspace().join("crdkit/tests/shapes/golden");
    let entries = std::fs::read_dir(folder).expect("the goldens are part of the project");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    files.sort();
    let read = |file: &std::path::PathBuf| -> Vec<Value> {
        let text = std::fs::read_to_string(file).expect("the file was listed");
        let golden: Value = serde_yaml::from_str(&text).expect("a golden is YAML");
        golden["rows"].as_array().cloned().unwrap_or_default()
    };
    files.iter().flat_map(read).collect()
}

fn definition(plural: &str, schema: &Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{GROUP}")},
        "spec": {
            "group": GROUP,
            "scope": "Cluster",
            "names": {"plural": plural, "kind": kind(plural)},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": {
                    "type": "object", "required": ["spec"], "properties": {"spec": schema},
                }},
            }],
        },
    })
}

/// `shape1s` as a kind.
fn kind(plural: &str) -> String {
    format!("S{}", plural.trim_start_matches('s'))
}

/// Returns the answer to the creation of an object, whose definition the server may not serve yet.
async fn stored(server: &Server, plural: &str, object: &Value) -> Value {
    let path = format!("/apis/{GROUP}/v1/{plural}?fieldValidation=Strict");
    let mut answer = Value::Null;
    for _ in 0..200 {
        answer = match server.send(Method::POST, &path, object).await {
            Some(answer) if answer.body["code"] != 404 => return answer.body,
            Some(answer) => answer.body,
            None => Value::Null,
        };
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    answer
}
