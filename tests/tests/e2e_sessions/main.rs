//! Random sessions, sent to a real API server and to `crd-server`: the answers are equal. In some, requests are about objects of made
//! definitions, whose values are samples, accepted and refused ones. In others, they are about CRDs.
//!
//! `cargo test -p crd-tests --features e2e --test e2e_sessions -- --ignored --nocapture` takes a minute.
//! `CRD_SESSIONS_SECONDS` sets another time, `CRD_SESSIONS_SEED` other sessions, `CRD_E2E_KUBE=1.37` another release, and
//! `CRD_SESSIONS_FIRST=66` leaves out the sessions of 66 definitions. A difference does not end a run; ten do.
#![expect(clippy::panic, reason = "a test fails by panicking")]

mod crd_steps;
mod crd_values;
mod crds;
mod definition;
mod objects;
mod steps;

#[path = "../../../crd-server/tests/sessions/normalise.rs"]
mod normalise;
#[path = "../../../fuzz/fuzz_targets/structural/mod.rs"]
#[allow(unreachable_pub, dead_code, unused_imports, reason = "a module of another package")]
mod structural;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crd_tests::server::Server;
use http::Request;
use serde_json::{Value, json};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// The letters of a UUID: the directory in etcd of a server of tests, which keys of CRDs do not have.
const UUID: usize = 36;
/// The differences after which a run ends.
const ENOUGH: usize = 10;

#[tokio::test]
#[ignore = "takes a minute, or as long as one likes"]
async fn random_sessions_are_answered_alike() {
    let Some(real) = Server::start().await else { return };
    let start = Instant::now();
    let end = start + Duration::from_secs(number("CRD_SESSIONS_SECONDS", 60));
    let (sessions, requests, differences) = objects::run(&real, end).await;
    println!(
        "Kubernetes {}: {sessions} sessions with {requests} requests in {} s",
        real.options.kube_version,
        start.elapsed().as_secs()
    );
    assert_eq!(differences, 0, "sessions differ");
}

/// In each session, the requests create, change and delete two CRDs, whose names may be in conflict.
#[tokio::test]
#[ignore = "takes a minute, or as long as one likes"]
async fn random_sessions_about_crds_are_answered_alike() {
    let Some(real) = Server::start().await else { return };
    let start = Instant::now();
    let end = start + Duration::from_secs(number("CRD_SESSIONS_SECONDS", 60));
    let (sessions, requests, differences) = crds::run(&real, end).await;
    println!(
        "Kubernetes {}: {sessions} sessions about CRDs with {requests} requests in {} s",
        real.options.kube_version,
        start.elapsed().as_secs()
    );
    assert!(differences.is_empty(), "{} sessions differ", differences.len());
}

/// Returns the number in a variable of the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// Numbers that follow from a seed: `SplitMix64`.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        std::iter::repeat_with(|| self.next().to_le_bytes()).flatten().take(count).collect()
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap_or_default()
    }

    /// Returns `true` in one of so many cases.
    fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == 0
    }

    fn choose<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[self.below(values.len())]
    }
}

async fn ask_real(real: &Server, request: Request<Vec<u8>>) -> Option<Value> {
    let request = request.map(kube::client::Body::from);
    let (head, body) = real.client.send(request).await.ok()?.into_parts();
    let bytes = body.collect_bytes().await.expect("the answer arrives");
    // Its controllers write as the program that they are part of, and a server of tests has a directory of its own in etcd.
    let text = String::from_utf8_lossy(&bytes).replace("crdserver", "kube-apiserver");
    let text = match text.split_once("Key: /") {
        Some((before, key)) => {
            let path = key.split_once('/').filter(|(directory, _)| directory.len() == UUID);
            format!("{before}Key: /registry/{}", path.map_or(key, |(_, path)| path))
        }
        None => text,
    };
    Some(answer(&head, text.as_bytes()))
}

fn ask_ours(ours: &crd_server::Server, request: Request<Vec<u8>>) -> Value {
    let (head, mut body) = ours.handle(request).into_parts();
    answer(&head, &body.read_now())
}

/// Returns the first of the answers of a session that differ.
fn first_difference(expected: Vec<Value>, found: Vec<Value>) -> Option<String> {
    let comparable = |answers: Vec<Value>| normalise::comparable(&normalise::normalise(answers.into()));
    let (expected, found) = (comparable(expected), comparable(found));
    let pairs = expected.as_array()?.iter().zip(found.as_array()?);
    let mut different = pairs.enumerate().filter(|(_, (expected, found))| plain(expected) != plain(found));
    let (i, (expected, found)) = different.next()?;
    let mut lines = Vec::new();
    different_parts("", Some(&plain(expected)), Some(&plain(found)), &mut lines);
    Some(format!("answer {} differs:\n{}", i + 1, lines.join("\n")))
}

/// Adds a line for each part of two values that differs.
fn different_parts(place: &str, expected: Option<&Value>, found: Option<&Value>, lines: &mut Vec<String>) {
    match (expected, found) {
        _ if expected == found => {}
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for name in names {
                different_parts(&format!("{place}/{name}"), one.get(name), other.get(name), lines);
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) if one.len() == other.len() => {
            for (i, (one, other)) in one.iter().zip(other).enumerate() {
                different_parts(&format!("{place}/{i}"), Some(one), Some(other), lines);
            }
        }
        _ => {
            let [one, other] =
                [expected, found].map(|value| value.map_or_else(|| "nothing".to_owned(), Value::to_string));
            let equal = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
            let shown =
                |text: &str| text.chars().skip(equal.saturating_sub(80)).take(700).collect::<String>();
            lines.push(format!("{place}\n  expected {}\n  found    {}", shown(&one), shown(&other)));
        }
    }
}

/// Returns a status code, a body and warnings.
fn answer(head: &http::response::Parts, bytes: &[u8]) -> Value {
    let text = without_generated_names(&String::from_utf8_lossy(bytes));
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let body = match lines.as_slice() {
        [one] if one.get("type").is_none() => one.clone(),
        lines => lines.to_vec().into(),
    };
    let warnings: Vec<&str> =
        head.headers.get_all("warning").iter().filter_map(|warning| warning.to_str().ok()).collect();
    json!({"code": head.status.as_u16(), "body": body, "warnings": warnings})
}

/// Replaces the random letters of names that a server has generated from the prefix of these sessions.
fn without_generated_names(text: &str) -> String {
    const LETTERS: usize = 5;
    let mut parts = text.split("\"x-");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let count = part.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let is_generated = count == LETTERS && part[count..].starts_with(['"', '\\']);
        out += if is_generated { "\"x-<random>" } else { "\"x-" };
        out += if is_generated { &part[count..] } else { part };
    }
    out
}

/// Returns an answer without what depends on the order of a map in Go: the order of causes, the entry for which a rule fails, the first of several
/// unknown fields; and without the order of owners in a message, which depends on time.
fn plain(answer: &Value) -> Value {
    let mut answer = answer.clone();
    if answer["code"] == 404 {
        // A patch of an object that was just deleted: the real server may patch the object of its cache first, and warn about its fields.
        answer["warnings"] = json!([]);
    }
    let body = &mut answer["body"];
    let causes = body.pointer_mut("/details/causes").and_then(Value::as_array_mut);
    causes.into_iter().flatten().filter_map(|cause| cause.get_mut("message")).for_each(leave_out_owners);
    body.get_mut("message").into_iter().for_each(leave_out_owners);
    leave_out_transition(body);
    // The resources of a version are in the order of a map in Go, too.
    if let Some(Value::Array(resources)) = body.get_mut("resources") {
        resources.sort_by_key(|resource| resource["name"].to_string());
    }
    if let Some(Value::String(message)) = body.get_mut("message")
        && let Some(at) = message.find("field not declared in schema").and_then(|_| message.find("): "))
    {
        message.truncate(at);
    }
    let Some(causes) = body.pointer_mut("/details/causes").and_then(Value::as_array_mut) else {
        return answer;
    };
    let mut is_random = causes.len() > 1;
    for cause in causes.iter_mut() {
        // A rule may fail at any of the entries of a map.
        let rule = cause["message"].as_str().and_then(|message| message.split_once(" evaluating rule: "));
        if let Some((_, rule)) = rule {
            (cause["message"], is_random) = (json!(rule), true);
        }
    }
    causes.sort_by_key(ToString::to_string);
    if is_random {
        body["message"] = Value::Null;
    }
    answer
}

/// Leaves out the owners of fields of an object that a message quotes.
fn leave_out_owners(message: &mut Value) {
    let Value::String(text) = message else { return };
    // The message may quote JSON inside a string, with escaped quotes.
    let is_value = |(start, name): &(usize, &str)| {
        text[start + name.len()..].trim_start_matches(['\\', '"']).starts_with(":[")
    };
    let quoted = text.match_indices("managedFields").find(is_value);
    let Some((start, _)) = quoted else { return };
    let end = text[start..].find(']').map_or(text.len(), |end| start + end);
    text.replace_range(start..end, "");
}

/// Leaves out who owns the time of a deletion of a CRD, or of the CRDs in a list or a table: the controller that writes it for the second time
/// owns it if a second has begun.
fn leave_out_transition(body: &mut Value) {
    let items = body.get_mut("items").and_then(Value::as_array_mut);
    items.into_iter().flatten().for_each(leave_out_transition);
    let rows = body.get_mut("rows").and_then(Value::as_array_mut);
    rows.into_iter().flatten().filter_map(|row| row.get_mut("object")).for_each(leave_out_transition);
    let entries = body.pointer_mut("/metadata/managedFields").and_then(Value::as_array_mut);
    for entry in entries.into_iter().flatten() {
        let conditions = entry.pointer_mut("/fieldsV1/f:status/f:conditions");
        let condition = conditions.and_then(|conditions| conditions.get_mut(r#"k:{"type":"Terminating"}"#));
        if let Some(Value::Object(fields)) = condition {
            fields.remove("f:lastTransitionTime");
        }
    }
}
