//! Sessions whose answers were recorded from a real API server: `tests/conformance/sessions`.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints its numbers"
)]

#[path = "sessions/normalise.rs"]
mod normalise;
#[path = "sessions/script.rs"]
mod script;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crd_server::{Config, KubeVersion, Server};
use serde_json::{Map, Value, json};

use normalise::normalise;
use script::{Step, request};

/// The group of a session.
const GROUP: &str = "example.com";
/// The namespace of a session with built-in kinds, which is the first part of its group.
const NAMESPACE: &str = "example";
/// The theme of built-in kinds. The other sessions were recorded from a server without them, in which all namespaces exist.
const BUILT_IN: &str = "built-in";
/// The theme of the fields of built-in kinds, which the server knows with the feature `protobuf`.
const TYPES: &str = "built-in-types";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance/sessions")
}

fn yaml(path: &Path) -> Value {
    serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn answers_equal_those_of_a_real_server() {
    compare(KubeVersion::new(36));
}

#[test]
fn answers_equal_those_of_a_real_server_of_1_37() {
    compare(KubeVersion::new(37));
}

fn compare(release: KubeVersion) {
    let definitions = yaml(&folder().join("definitions.yaml"));
    let mut differences = BTreeMap::new();
    let (mut sessions, mut answers) = (0, 0);
    for theme in themes() {
        let scripts = yaml(&folder().join(format!("{theme}.yaml")));
        let recorded = recorded(&theme, release);
        for (name, session) in scripts.as_object().unwrap() {
            let expected = recorded.get(name).unwrap_or_else(|| panic!("`{theme}: {name}` is not recorded"));
            let found = normalise(run(&server(&theme, release), session, &definitions));
            sessions += 1;
            answers += found.as_array().unwrap().len();
            // Without the feature, the server does not know the order of the fields of built-in kinds.
            let has_order = cfg!(feature = "protobuf") || theme != BUILT_IN;
            if let Some(difference) = difference(expected, &found, has_order) {
                differences.insert(format!("{theme}: {name}"), difference);
            }
        }
    }
    println!("{sessions} sessions with {answers} answers");
    let text = differences.iter().fold(String::new(), |mut text, (name, difference)| {
        let _ = writeln!(text, "## {name}\n{difference}");
        text
    });
    assert!(differences.is_empty(), "{} sessions differ from {release}:\n{text}", differences.len());
}

/// Returns the recorded answers: those of 1.36, and in their place those of another release that differ.
fn recorded(theme: &str, release: KubeVersion) -> Map<String, Value> {
    let read = |name: String| {
        let text = std::fs::read_to_string(folder().join(name)).ok()?;
        let text = text.replace("$G", GROUP).replace("$N", NAMESPACE);
        Some(serde_json::from_str::<Map<String, Value>>(&text).unwrap())
    };
    let mut recorded =
        read(format!("{theme}.answers.json")).unwrap_or_else(|| panic!("`{theme}` is not recorded"));
    if release != KubeVersion::new(36) {
        recorded.extend(read(format!("{theme}.{release}.answers.json")).unwrap_or_default());
    }
    recorded
}

/// Returns the themes, which are the names of the files: all, or those that `CRD_SESSIONS` names, separated by commas.
fn themes() -> Vec<String> {
    let chosen = std::env::var("CRD_SESSIONS").ok();
    let is_chosen =
        |theme: &str| chosen.as_ref().is_none_or(|chosen| chosen.split(',').any(|name| name == theme));
    let mut themes: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".yaml")?.to_owned()))
        .filter(|theme| theme != "definitions" && is_chosen(theme))
        .filter(|theme| theme != TYPES || cfg!(feature = "protobuf"))
        .collect();
    themes.sort();
    themes
}

/// Returns a new server for a session of a theme.
fn server(theme: &str, release: KubeVersion) -> Server {
    let mut config = Config::default();
    if [BUILT_IN, TYPES].contains(&theme) {
        config.built_in_kinds();
    }
    // The recorded sessions are shorter than a second, and entries of managed fields are in the order of their times.
    let start = SystemTime::now();
    config.clock(move || start);
    config.kube_version(release);
    Server::with(&config)
}

/// Runs a session.
fn run(server: &Server, session: &Value, definitions: &Value) -> Value {
    let names = session.get("definitions").cloned().unwrap_or_else(|| json!(["shirts"]));
    for name in names.as_array().unwrap() {
        let spec = definitions[name.as_str().unwrap()].to_string().replace("$G", GROUP);
        let mut spec: Value = serde_json::from_str(&spec).unwrap();
        spec["group"] = GROUP.into();
        let plural = spec["names"]["plural"].as_str().unwrap().to_owned();
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.{GROUP}")}, "spec": spec,
        });
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let request = http::Request::post(path).header("user-agent", "session/1");
        let response = server.handle(request.body(crd.to_string()).unwrap());
        assert_eq!(response.status(), 201);
    }
    let (mut bodies, mut answers) = (Vec::new(), Vec::new());
    for step in session["steps"].as_array().unwrap() {
        let Some(Step { request, is_watch }) = request(step, GROUP, &bodies) else { continue };
        let response = server.handle(request);
        let (head, mut body) = response.into_parts();
        let text = String::from_utf8(body.read_now()).unwrap();
        let media_type = head.headers.get("content-type").map_or("", |value| value.to_str().unwrap());
        let encoding = match media_type {
            _ if media_type.starts_with("application/yaml") => Some("yaml"),
            _ => text.starts_with("{\n").then_some("pretty"),
        };
        let body: Value = if is_watch && head.status.is_success() {
            text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect()
        } else {
            match encoding {
                Some("yaml") => serde_yaml::from_str(&text).unwrap(),
                _ => serde_json::from_str(&text).unwrap_or_else(|_| text.into()),
            }
        };
        let body = of_session(body);
        bodies.push(body.clone());
        let mut answer = json!({"code": head.status.as_u16(), "body": body});
        if let Some(encoding) = encoding {
            answer["encoding"] = encoding.into();
        }
        let warnings: Vec<&str> =
            head.headers.get_all("warning").iter().map(|warning| warning.to_str().unwrap()).collect();
        if !warnings.is_empty() {
            answer["warnings"] = warnings.into();
        }
        answers.push(answer);
    }
    answers.into()
}

/// Returns a list of all groups with that of the session alone, as `record.py` keeps it.
fn of_session(mut body: Value) -> Value {
    if body["kind"] == "APIGroupDiscoveryList" {
        body["items"].as_array_mut().unwrap().retain(|item| item["metadata"]["name"] == GROUP);
    }
    body
}

/// Returns the places at which answers differ, one below the other, and the places at which fields have another order.
fn difference(expected: &Value, found: &Value, has_order: bool) -> Option<String> {
    let mut text = String::new();
    let (expected, found) = (normalise::comparable(expected), normalise::comparable(found));
    let steps = expected.as_array().unwrap().iter().zip(found.as_array().unwrap());
    for (i, (expected, found)) in steps.clone().enumerate() {
        differences(Some(expected), Some(found), &format!("{}.", i + 1), &mut text);
    }
    for (i, (expected, found)) in steps.enumerate().filter(|_| has_order) {
        differences_of_order(expected, found, &format!("{}.", i + 1), &mut text);
    }
    (!text.is_empty()).then_some(text)
}

/// Adds the places at which equal objects have their fields in different orders.
fn differences_of_order(expected: &Value, found: &Value, path: &str, text: &mut String) {
    match (expected, found) {
        (Value::Object(before), Value::Object(after)) => {
            if !before.keys().eq(after.keys()) && before.len() == after.len() {
                let names =
                    |fields: &Map<String, Value>| fields.keys().cloned().collect::<Vec<_>>().join(", ");
                writeln!(text, "{path}\n    expected {}\n    found    {}", names(before), names(after))
                    .unwrap();
            }
            for (name, before) in before {
                let after = after.get(name).unwrap_or(&Value::Null);
                differences_of_order(before, after, &format!("{path}/{name}"), text);
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for (i, (before, after)) in before.iter().zip(after).enumerate() {
                differences_of_order(before, after, &format!("{path}/{i}"), text);
            }
        }
        _ => {}
    }
}

fn differences(expected: Option<&Value>, found: Option<&Value>, path: &str, text: &mut String) {
    match (expected, found) {
        _ if expected == found => {}
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for name in names {
                differences(before.get(name), after.get(name), &format!("{path}/{name}"), text);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) if before.len() == after.len() => {
            for (i, (before, after)) in before.iter().zip(after).enumerate() {
                differences(Some(before), Some(after), &format!("{path}/{i}"), text);
            }
        }
        _ => {
            let shown = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
            writeln!(text, "{path}\n    expected {}\n    found    {}", shown(expected), shown(found))
                .unwrap();
        }
    }
}
