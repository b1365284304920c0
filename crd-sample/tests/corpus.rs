//! Samples of the corpus of real definitions, which lies next to the project; where it is absent, the test says so and
//! passes.
//!
//! `cargo test --release -p crd-sample --test corpus -- --ignored --nocapture`. `SAMPLE_ONLY` names a part of the paths
//! of the files that are taken.
#![expect(clippy::print_stdout, reason = "a measurement shows its figures")]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use crd_core::Structural;
use crd_core::crd::Child;
use crd_input::{Limits, in_parallel};
use crd_sample::{NoSample, Sampler};
use serde_json::Value;

/// The share of the definitions that may have no sample.
const MOST_MISSES: f64 = 0.01;

/// The result for one definition.
struct Outcome {
    name: String,
    misses: Vec<String>,
    seconds: f64,
    /// The fields of the full object, and those that the schema has.
    fields: (usize, usize),
}

/// Counts the fields that an object has and those that it could have, lists and maps with one element.
fn fields(schema: &Structural, value: Option<&Value>) -> (usize, usize) {
    let mut all = (0, 0);
    for (child, schema) in schema.children() {
        let value = match child {
            Child::Property("apiVersion" | "kind" | "metadata" | "status") => continue,
            Child::Property(name) => {
                let value = value.and_then(|value| value.get(name));
                all = (all.0 + usize::from(value.is_some()), all.1 + 1);
                value
            }
            Child::Items => value.and_then(|value| value.get(0)),
            _ => value.and_then(Value::as_object).and_then(|fields| fields.values().next()),
        };
        let (some, most) = fields(schema, value);
        all = (all.0 + some, all.1 + most);
    }
    all
}

fn definitions() -> Vec<(String, crd_core::CustomResourceDefinition)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/crds");
    if !corpus.exists() {
        println!("skipped: the corpus is not beside the project");
        return Vec::new();
    }
    let only = std::env::var("SAMPLE_ONLY").unwrap_or_default();
    let limits = Limits::default();
    let (sources, _) = crd_input::sources(&[corpus], &limits);
    let sources: Vec<_> = sources.into_iter().filter(|source| source.name().contains(&only)).collect();
    let read = crd_input::definitions(&sources, &limits, &|| ()).definitions;
    let accepted = read.into_iter().filter(|definition| crd_core::check(&definition.crd).is_empty());
    accepted
        .map(|definition| {
            (format!("{} {}", definition.origin.file, definition.crd.metadata.name), definition.crd)
        })
        .collect()
}

fn judged(sampler: &Sampler, kind: &str, sample: Result<Value, NoSample>) -> Option<String> {
    match sample {
        Err(error) => Some(format!("{kind}: {}", error.rejection())),
        Ok(object) => {
            let admission = sampler.validator().create(&object);
            admission.result.err().map(|refusal| format!("{kind}: handed out, though refused: {refusal}"))
        }
    }
}

#[test]
#[ignore = "minutes: every definition of the corpus"]
fn every_definition_has_samples() {
    let definitions = definitions();
    let outcomes = in_parallel(&definitions, |(name, crd)| {
        let started = Instant::now();
        let mut misses = Vec::new();
        let mut share = (0, 0);
        match Sampler::for_stored(crd) {
            Err(error) => misses.push(error.to_string()),
            Ok(sampler) => {
                misses.extend(judged(&sampler, "minimal", sampler.minimal()));
                let full = sampler.full();
                let version = crd.spec.versions.iter().find(|version| version.name == sampler.version());
                let schema = version.and_then(|version| version.open_api_v3_schema());
                let schema =
                    schema.map(Structural::from_json_schema).and_then(Result::ok).unwrap_or_default();
                share = fields(&schema, full.as_ref().ok());
                misses.extend(judged(&sampler, "full", full));
            }
        }
        Outcome { name: name.clone(), misses, seconds: started.elapsed().as_secs_f64(), fields: share }
    });
    let missed: Vec<&Outcome> = outcomes.iter().filter(|outcome| !outcome.misses.is_empty()).collect();
    for outcome in &missed {
        for miss in &outcome.misses {
            println!("{}: {:.1} s: {:.600}", outcome.name, outcome.seconds, miss);
        }
    }
    let mut slow: Vec<&Outcome> = outcomes.iter().collect();
    slow.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    for outcome in slow.iter().take(10) {
        println!("slow: {} {:.1} s", outcome.name, outcome.seconds);
    }
    let share = |outcome: &Outcome| (outcome.fields.0 + 1) as f64 / (outcome.fields.1 + 1) as f64;
    slow.sort_by(|a, b| share(a).total_cmp(&share(b)));
    for outcome in slow.iter().take(25) {
        println!("few fields: {} {:?}", outcome.name, outcome.fields);
    }
    let (some, most) = outcomes.iter().fold((0, 0), |all, one| (all.0 + one.fields.0, all.1 + one.fields.1));
    println!("full objects have {some} of {most} fields");
    let total: f64 = outcomes.iter().map(|outcome| outcome.seconds).sum();
    println!("{} of {} definitions lack a sample; {total:.0} s", missed.len(), outcomes.len());
    assert!(missed.len() as f64 <= MOST_MISSES * outcomes.len().max(100) as f64);
}

#[test]
#[ignore = "a measurement"]
fn samples_per_second() {
    let mut by_size = BTreeMap::new();
    for (name, crd) in definitions() {
        let size = serde_json::to_string(&crd).map_or(0, |text| text.len());
        by_size.insert((size, name), crd);
    }
    let step = (by_size.len() / 10).max(1);
    for ((size, name), crd) in by_size.into_iter().step_by(step).take(10) {
        let sampler = Sampler::for_stored(&crd).unwrap();
        let started = Instant::now();
        let count = sampler.accepted().take(200).count();
        let seconds = started.elapsed().as_secs_f64();
        println!("{name}: {size} bytes: {:.0} samples/s ({count})", count as f64 / seconds);
    }
}
