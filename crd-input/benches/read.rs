//! Reading alone: text to values, values to definitions, and the map of places. Reads the corpus of public CRDs if it is next to
//! the project, otherwise a definition that is built here.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use crd_core::CustomResourceDefinition;
use crd_input::{Limits, Source, SourceMap, documents, sources};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn texts() -> Vec<Arc<str>> {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus/crds");
    if Path::new(corpus).exists() {
        let limits = Limits::default();
        let (sources, _) = sources(&[corpus], &limits);
        // Every tenth file: a run over the whole corpus takes minutes and yields the same picture.
        return sources.iter().step_by(10).filter_map(|source| source.read(&limits).ok()).collect();
    }
    let properties: String = (0..10_000)
        .map(|n| format!("              field{n}:\n                description: The field {n}.\n                type: string\n"))
        .collect();
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        properties:\n          spec:\n            properties:\n";
    vec![format!("{head}{properties}").into()]
}

fn read(criterion: &mut Criterion) {
    let limits = Limits::default();
    let texts = texts();
    let bytes = texts.iter().map(|text| text.len() as u64).sum();
    let mut group = criterion.benchmark_group("read");
    group.throughput(Throughput::Bytes(bytes)).sample_size(10);
    let sources: Vec<Source> =
        texts.iter().map(|text| Source::from_string("bench", Arc::clone(text))).collect();
    group.bench_function("values", |bencher| {
        bencher.iter(|| {
            for source in &sources {
                black_box(documents(source, &limits));
            }
        });
    });
    group.bench_function("definitions", |bencher| {
        bencher.iter(|| {
            for source in &sources {
                for document in documents(source, &limits).0 {
                    let _ = black_box(CustomResourceDefinition::from_value(document.value));
                }
            }
        });
    });
    group.bench_function("source_map", |bencher| {
        bencher.iter(|| {
            for text in &texts {
                black_box(SourceMap::new(text));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, read);
criterion_main!(benches);
