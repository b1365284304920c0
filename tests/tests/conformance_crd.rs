//! Recorded answers of kube-apiserver to definitions: `crd_core::check` returns the same verdict, causes and warnings.

use std::collections::BTreeSet;

use crd_core::check::Verdict;
use crd_tests::cases::{Case, recorded_definitions};
use serde_json::Value;

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
        if let Err(difference) = compare(value) {
            println!("{name}\n{difference}");
            missed.insert(name.clone());
        }
    }
    assert!(cases.len() > 3_000, "only {} cases were found", cases.len());
    let known: BTreeSet<String> = MISSES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(missed, known);
}

/// Returns `true` if verdict, fields, reasons, messages and warnings are the recorded ones, in any order, because the server
/// visits properties in random order.
fn compare(case: &Value) -> Result<(), String> {
    let verdict = Verdict::of_value(case["crd"].clone());
    let recorded = &case["expect"];
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

/// The server numbers the names of its types differently in every run.
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
