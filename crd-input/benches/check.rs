//! Checks of definitions: the whole corpus (with reading alone for comparison), the median definition, and schemas of growing
//! size, whose cost per node must not grow.
//!
//! The corpus of public CRDs is not part of the project. If it is not next to the project, the fixtures are checked.
#![allow(missing_docs, reason = "criterion's macros make public functions")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crd_core::{CustomResourceDefinition, check};
use crd_input::{Limits, Source};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Map, Value, json};

fn corpus() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = here.join("../../shared/corpus/crds");
    if corpus.is_dir() { corpus } else { here.join("../crd-codegen/tests/fixtures") }
}

/// Runs on one core, because reading uses all cores and checking one for each definition.
fn real_definitions(criterion: &mut Criterion) {
    let limits = Limits::default();
    let (sources, _) = crd_input::sources(&[corpus()], &limits);
    let texts = sources.iter().filter_map(|source| source.read(&limits).ok());
    let mut read: Vec<(usize, Source, CustomResourceDefinition)> = texts
        .filter_map(|text| {
            let bytes = text.len();
            let source = Source::from_string("bench", text);
            let mut values = crd_input::documents(&source, &limits).0.into_iter();
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
                read.iter().map(|(_, source, _)| crd_input::documents(source, &limits).0.len()).sum::<usize>()
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

/// The nodes of one part of the schema: the object, thirteen properties, two items and the values of a map.
const NODES_OF_A_PART: usize = 17;

/// Returns a definition whose schema has about this many nodes. Its nodes are small, so that the largest definition is still a request
/// that the API server reads; larger requests are refused unread.
fn definition(nodes: usize) -> CustomResourceDefinition {
    let scalars =
        ["a", "b", "c", "d", "e", "f", "g"].map(|name| (name.to_owned(), json!({"type": "string"})));
    let mut properties: Map<String, Value> = scalars.into_iter().collect();
    let others = json!({
        "name": {"type": "string", "pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$"},
        "size": {"type": "integer", "default": 1},
        "mode": {"type": "string", "enum": ["Fast"]},
        "ports": {"type": "array", "items": {"type": "integer"}},
        "keys": {"type": "array", "items": {"type": "string"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    });
    properties.extend(others.as_object().unwrap().clone());
    let part = json!({"type": "object", "properties": properties});
    let parts: Map<String, Value> =
        (0..nodes / NODES_OF_A_PART).map(|n| (format!("part{n}"), part.clone())).collect();
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
        assert_eq!(check(&crd), [], "all of it is checked, and nothing found");
        group.throughput(Throughput::Elements(nodes as u64));
        group.bench_function(BenchmarkId::from_parameter(nodes), |bencher| bencher.iter(|| check(&crd)));
    }
    group.finish();
}

criterion_group!(benches, real_definitions, growing_schemas);
criterion_main!(benches);
