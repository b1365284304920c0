//! Checks of definitions: all of the corpus with reading alone as its floor, the median definition, and schemas of
//! growing size, whose cost per node must not grow.
//!
//! The corpus belongs to others and lies beside the workspace; where it is absent, the fixtures are checked.
#![allow(missing_docs, reason = "criterion's macros make public functions")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crd_codegen::input::{self, Limits, Source};
use crd_core::{CustomResourceDefinition, check};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Map, Value, json};

fn corpus() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = here.join("../../shared/corpus/crds");
    if corpus.is_dir() { corpus } else { here.join("tests/fixtures") }
}

/// On one core, for reading uses all of them and checking one for each definition.
fn real_definitions(criterion: &mut Criterion) {
    let limits = Limits::default();
    let (sources, _) = input::sources(&[corpus()], &limits);
    // Every tenth: a run over all of it tells no more and takes minutes.
    let texts = sources.iter().step_by(10).filter_map(|source| source.read(&limits).ok());
    let mut read: Vec<(usize, Source, CustomResourceDefinition)> = texts
        .filter_map(|text| {
            let bytes = text.len();
            let source = Source::from_text("bench", text);
            let mut values = input::documents(&source, &limits).0.into_iter();
            Some((bytes, source, CustomResourceDefinition::from_value(values.next()?.value).ok()?))
        })
        .collect();
    read.sort_by_key(|(bytes, ..)| *bytes);
    let bytes: usize = read.iter().map(|(bytes, ..)| bytes).sum();

    let mut group = criterion.benchmark_group("check");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    let units = [
        ("definitions", Throughput::Elements(read.len() as u64)),
        ("bytes", Throughput::Bytes(bytes as u64)),
    ];
    for (unit, throughput) in units {
        group.throughput(throughput);
        group.bench_function(BenchmarkId::new("read", unit), |bencher| {
            bencher.iter(|| {
                read.iter().map(|(_, source, _)| input::documents(source, &limits).0.len()).sum::<usize>()
            });
        });
        group.bench_function(BenchmarkId::new("check", unit), |bencher| {
            bencher.iter(|| read.iter().map(|(.., crd)| check(crd).len()).sum::<usize>());
        });
    }
    let (bytes, _, median) = &read[read.len() / 2];
    group.throughput(Throughput::Bytes(*bytes as u64));
    group.bench_function("the median definition", |bencher| bencher.iter(|| check(black_box(median))));
    group.finish();
}

/// A definition whose schema has about this many nodes, with what costs most: lists, maps, patterns and rules.
fn definition(nodes: usize) -> CustomResourceDefinition {
    // An object, a list, its items and a map with its values, beside the four leaves.
    let part = json!({
        "type": "object",
        "description": "One of many.",
        "properties": {
            "name": {"type": "string", "maxLength": 63, "pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$"},
            "size": {"type": "integer", "minimum": 0, "default": 1},
            "mode": {"type": "string", "enum": ["Fast", "Safe"]},
            "ports": {"type": "array", "maxItems": 8, "items": {"type": "integer", "maximum": 65535}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "when": {"type": "string", "format": "date-time"},
        },
    });
    let parts: Map<String, Value> = (0..nodes / 9).map(|n| (format!("part{n}"), part.clone())).collect();
    let schema = json!({
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": parts}},
        "x-kubernetes-validations": [{"rule": "has(self.spec)", "message": "spec is required"}],
    });
    CustomResourceDefinition::from_value(json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shirts.stable.example.com"},
        "spec": {
            "group": "stable.example.com",
            "names": {"plural": "shirts", "singular": "shirt", "kind": "Shirt", "listKind": "ShirtList"},
            "scope": "Namespaced",
            "versions": [
                {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}},
            ],
        },
    }))
    .unwrap()
}

fn growing_schemas(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("check nodes");
    group.sample_size(10);
    for nodes in [1_000, 10_000, 100_000] {
        let crd = definition(nodes);
        group.throughput(Throughput::Elements(nodes as u64));
        group.bench_function(BenchmarkId::from_parameter(nodes), |bencher| bencher.iter(|| check(&crd)));
    }
    group.finish();
}

criterion_group!(benches, real_definitions, growing_schemas);
criterion_main!(benches);
