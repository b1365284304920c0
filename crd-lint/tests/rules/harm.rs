//! The harm that each finding of the group *broken* does: answers of a real API server, or the source of what is harmed.
//!
//! `CRD_LINT_PLAN=plan.json cargo test -p crd-lint --test rules -- --ignored write_plan` writes the requests, and
//! `tests/conformance/lint/record KUBECONFIG plan.json` the answers.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use crd_lint::{Group, rules};
use serde_json::{Map, Value, json};

use super::cases::CASES;
use super::{crd, yaml};

/// The evidence that a rule finds harm.
enum Harm {
    /// The API server answers requests after the CRD of the bad example was created.
    Answers(&'static [Request]),
    /// Another program is harmed, or the API server where the tests' one has no part: the file of its source, and what it says.
    Source(&'static str, &'static str),
}

use Harm::{Answers, Source};

/// A request for `PATH` below the group of the CRD; `crd` is the CRD itself.
struct Request {
    method: &'static str,
    path: &'static str,
    /// A part of an object in YAML. An update without it writes back what is read.
    body: &'static str,
    shows: Shows,
}

/// A part of an answer.
enum Shows {
    /// Its code.
    Code(u16),
    /// Text in the JSON of a value.
    Has(&'static str, &'static str),
    /// Nothing under a pointer of an object that is there.
    Lacks(&'static str),
}

use Shows::{Code, Has, Lacks};

const fn get(path: &'static str, shows: Shows) -> Request {
    Request { method: "GET", path, body: "", shows }
}

const fn post(body: &'static str, shows: Shows) -> Request {
    Request { method: "POST", path: "v1/shirts", body, shows }
}

const fn put(path: &'static str, body: &'static str, shows: Shows) -> Request {
    Request { method: "PUT", path, body, shows }
}

const SHIRT: &str = "v1/shirts/a";
const SCALE: &str = "v1/shirts/a/scale";
const TABLE: &str = "v1/shirts#table";

/// Each rule of what is broken.
#[rustfmt::skip]
const HARMS: &[(&str, Harm)] = &[
    ("rule-fails-without-field", Answers(&[post("spec: {}", Has("/message", "no such key: size"))])),
    ("immutable-field-can-be-removed", Answers(&[
        post("spec: {size: 1}", Code(201)),
        put(SHIRT, "spec: {size: 2}", Has("/message", "size is immutable")),
        put(SHIRT, "spec: {}", Code(200)),
        put(SHIRT, "spec: {size: 2}", Has("/spec/size", "2")),
    ])),
    ("name-collides", Answers(&[
        get("crd", Has("/status/conditions", "\"sh\\\" is already in use")),
        get("v1/shirts", Code(404)),
    ])),
    ("object-keeps-nothing", Answers(&[post("spec: {labels: {a: b}}", Has("/spec/labels", "{}"))])),
    ("required-field-is-dropped", Answers(&[post("spec: {size: S}", Has("/message", "spec.size: Required value"))])),
    ("no-value-is-valid", Answers(&[post("spec: {size: 5}", Code(422)), post("spec: {size: 4}", Code(422))])),
    ("enum-value-is-rejected", Answers(&[post("spec: {size: XXL}", Has("/message", "Too long"))])),
    ("keyword-without-effect", Answers(&[post("spec: {size: 0}", Code(201))])),
    ("pattern-with-empty-alternative", Answers(&[post("spec: {size: ''}", Code(201))])),
    ("default-never-applies", Answers(&[post("spec: {sizes: []}", Has("/spec/sizes", "[]"))])),
    ("nullable-hides-default", Answers(&[post("spec: {size: null}", Has("/spec/size", "null"))])),
    ("scale-with-wrong-type", Answers(&[post("spec: {count: '3'}", Has("/message", "accessor error"))])),
    ("scale-without-selector", Answers(&[post("spec: {count: 3}", Code(201)), get(SCALE, Lacks("/status/selector"))])),
    ("column-with-wrong-type", Answers(&[post("spec: {color: red}", Code(201)), get(TABLE, Has("/rows/0/1", "null"))])),
    ("column-twice", Answers(&[get(TABLE, Has("/columns", "\"A\",\"A\""))])),
    ("set-of-objects", Source(
        "k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go",
        r#"1.37: seen.Insert(fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", s.Items.Schema.Type))"#,
    )),
    ("map-keys-with-defaults", Answers(&[post("spec: {ports: [{}, {}]}", Has("/message", "spec.ports[1]: Duplicate value"))])),
    ("status-without-subresource", Answers(&[
        post("status: {ready: true}", Has("/status", "true")),
        put(SHIRT, "spec: {color: red}", Lacks("/status")),
    ])),
    ("storage-version-not-served", Answers(&[get("v1/shirts", Code(404))])),
    ("webhook-without-authority", Source(
        "k8s.io/apiserver/pkg/util/webhook/client.go",
        "cfg.TLSClientConfig.CAData = append(cfg.TLSClientConfig.CAData, cc.CABundle...): without it, only the roots of the machine are trusted",
    )),
    ("short-name-of-built-in-kind", Source(
        "k8s.io/client-go/restmapper/shortcut.go",
        "short name %q could also match lower priority resource %s: the first match in the order of discovery is taken",
    )),
    ("column-without-field", Answers(&[post("spec: {color: red}", Code(201)), get(TABLE, Has("/rows/0/1", "null"))])),
    ("scale-without-field", Answers(&[
        post("spec: {count: 3}", Lacks("/spec/count")),
        get(SCALE, Has("/message", "the spec replicas field \\\".spec.count\\\" does not exist")),
    ])),
    ("field-lost-between-versions", Answers(&[
        Request { method: "POST", path: "v2/shirts", body: "spec: {color: red, size: S}", shows: Code(201) },
        get("v2/shirts/a", Lacks("/spec/size")),
    ])),
    ("field-reset-through-version", Answers(&[
        post("spec: {color: red}", Code(201)),
        put("v1beta1/shirts/a", "", Code(200)),
        get(SHIRT, Lacks("/spec/color")),
    ])),
    ("too-large-for-etcd", Answers(&[get("create", Has("/message", "etcdserver: request is too large"))])),
    ("rule-with-one-verdict", Answers(&[
        post("spec: {color: red}", Has("/message", "color is not allowed")),
        post("spec: {}", Has("/message", "spec.color: Required value")),
    ])),
    ("equal-branches", Answers(&[post("spec: {color: red}", Code(422)), post("spec: {}", Code(422))])),
    ("unknown-field", Answers(&[get("crd", Lacks("/spec/version"))])),
];

fn record() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance/lint/harm.server.json")
}

/// Writes the requests, in whose group each rule has its own CRD.
#[test]
#[ignore = "writes the plan of a recording"]
fn write_plan() {
    let plan = env::var_os("CRD_LINT_PLAN").unwrap();
    let requests = |requests: &[Request]| -> Vec<Value> {
        let line = |request: &Request| {
            let body = (!request.body.is_empty()).then(|| yaml(request.body));
            json!({"method": request.method, "path": request.path, "body": body})
        };
        requests.iter().map(line).collect()
    };
    let mut plans = Map::new();
    for (rule, harm) in HARMS {
        let Answers(all) = harm else { continue };
        let case = CASES.iter().find(|case| case.rule == *rule).unwrap();
        let definition = crd(case.part, case.bad).to_value();
        plans.insert((*rule).to_owned(), json!({"crd": definition, "requests": requests(all)}));
    }
    fs::write(plan, Value::Object(plans).to_string()).unwrap();
}

#[test]
fn each_rule_of_what_is_broken_shows_its_harm() {
    let harms: BTreeMap<&str, &Harm> = HARMS.iter().map(|(rule, harm)| (*rule, harm)).collect();
    let broken: Vec<&str> = rules().filter(|rule| rule.group == Group::Broken).map(|rule| rule.id).collect();
    assert_eq!(harms.keys().copied().collect::<Vec<_>>(), {
        let mut broken = broken;
        broken.sort_unstable();
        broken
    });
    let recorded: Value = serde_json::from_str(&fs::read_to_string(record()).unwrap()).unwrap();
    for (rule, harm) in harms {
        match harm {
            Source(file, text) => assert!(file.ends_with(".go") && !text.is_empty(), "{rule}"),
            Answers(requests) => {
                let answers = recorded[rule].as_array().unwrap_or_else(|| panic!("`{rule}` has no answers"));
                assert_eq!(answers.len(), requests.len(), "{rule}: record them again");
                for (request, answer) in requests.iter().zip(answers) {
                    assert!(
                        is_shown(&request.shows, answer),
                        "{rule}: {} {}: {answer}",
                        request.method,
                        request.path
                    );
                }
            }
        }
    }
}

/// Returns `true` if an answer has what shows the harm. It is a list of the code and the object or message.
fn is_shown(shows: &Shows, answer: &Value) -> bool {
    let is_fine = answer[0].as_u64().is_some_and(|code| code < 300);
    match shows {
        Code(code) => answer[0] == *code,
        Has(pointer, text) => {
            answer[1].pointer(pointer).is_some_and(|value| value.to_string().contains(text))
        }
        Lacks(pointer) => is_fine && answer[1].is_object() && answer[1].pointer(pointer).is_none(),
    }
}
