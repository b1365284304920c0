//! Recorded answers of kube-apiserver to definitions: `crd_core::check` returns the same verdict, causes and warnings.

use std::collections::BTreeSet;

use crd_core::check::{ServerOptions, Verdict, update};
use crd_core::{CustomResourceDefinition, KubeVersion};
use crd_tests::cases::{Case, recorded_definitions};
use crd_tests::workspace;
use serde_json::Value;

/// The server that was recorded.
const RECORDED: ServerOptions = ServerOptions::new(KubeVersion::new(36));

/// Cases that are answered otherwise, with the reason.
const MISSES: [(&str, &str); 1] = [(
    "formats.yaml: unrecognized-format-with-quotes",
    "the recorded warning is UTF-8 read as Latin-1 by the client that recorded it; what the server sent is alike",
)];

#[test]
fn every_case_is_answered_alike() {
    let cases = recorded_definitions();
    let mut missed = BTreeSet::new();
    for Case { name, value } in &cases {
        let verdict = Verdict::with_definition_at(value["crd"].clone(), RECORDED).0;
        if let Err(difference) = compare(&verdict, &value["expect"]) {
            println!("{name}\n{difference}");
            missed.insert(name.clone());
        }
    }
    assert!(cases.len() > 3_000, "only {} cases were found", cases.len());
    let known: BTreeSet<String> = MISSES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(missed, known);
}

/// Ends of the names of updates that are answered otherwise.
const MISSED_UPDATES: [&str; 1] =
    // Certificates are not parsed; the server refuses those of webhooks that hold none.
    ["bundle-is-not-pem"];

#[test]
fn every_update_is_answered_alike() {
    for release in [KubeVersion::new(36), KubeVersion::new(37)] {
        let path = workspace().join(format!("tests/conformance/update/{release}.json"));
        let text = std::fs::read_to_string(path).expect("the cases are in the repository");
        let cases: Vec<Value> = serde_json::from_str(&text).expect("the cases are JSON");
        assert!(cases.len() >= 300, "only {} cases", cases.len());
        let mut missed = Vec::new();
        for case in &cases {
            let name = case["name"].as_str().unwrap_or_default();
            if MISSED_UPDATES.iter().any(|miss| name.ends_with(miss)) {
                continue;
            }
            let old = CustomResourceDefinition::from_value(case["old"].clone()).expect("it was stored");
            let (verdict, _) = update(&old, case["crd"].clone(), ServerOptions::new(release));
            missed.extend(compare(&verdict, &case["expect"]).err().map(|error| format!("{name}\n{error}")));
        }
        assert!(missed.is_empty(), "{release}: {} of {}:\n{}", missed.len(), cases.len(), missed.join("\n"));
    }
}

/// Returns `true` if verdict, fields, reasons, messages and warnings are the recorded ones, in any order, because the server
/// visits properties in random order.
fn compare(verdict: &Verdict, recorded: &Value) -> Result<(), String> {
    let texts = |list: &Value| {
        let mut texts: Vec<String> = list.as_array().into_iter().flatten().map(show).collect();
        texts.sort();
        texts
    };
    let mut ours: Vec<String> = verdict
        .errors
        .iter()
        .map(|cause| format!("{} {}: {}", cause.reason, cause.field, cause.message))
        .collect();
    ours.sort();
    let mut warnings = verdict.warnings.clone();
    warnings.sort();
    let pairs = [
        (verdict.accepted.to_string(), recorded["accepted"].to_string()),
        (unnumbered(&ours.join("\n")), unnumbered(&texts(&recorded["errors"]).join("\n"))),
        (warnings.join("\n"), texts(&recorded["warnings"]).join("\n")),
        (
            verdict
                .refusal
                .as_ref()
                .map(|refusal| without_body(&refusal.message))
                .unwrap_or_default()
                .to_owned(),
            recorded["message"].as_str().map(without_body).unwrap_or_default().to_owned(),
        ),
    ];
    match pairs.into_iter().find(|(ours, recorded)| ours != recorded) {
        None => Ok(()),
        Some((ours, recorded)) => Err(format!("  ours      {ours}\n  recorded  {recorded}")),
    }
}

/// Returns the server numbers the names of its types differently in every run.
fn unnumbered(message: &str) -> String {
    let mut parts = message.split("selfType");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |done, part| done + "selfType" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// Where the body cannot be told to be a definition, its first bytes are shown, and those were the client's.
fn without_body(message: &str) -> &str {
    match message.strip_suffix(" ...)") {
        Some(start) => start.rsplit_once(" (").map_or(start, |(message, _)| message),
        None => message,
    }
}

fn show(recorded: &Value) -> String {
    match recorded {
        Value::String(warning) => warning.clone(),
        cause => {
            let text = |key: &str| cause[key].as_str().unwrap_or_default();
            format!("{} {}: {}", text("reason"), text("field"), text("message"))
        }
    }
}
