//! Generation over the corpus of real definitions, with reading alone and printing alone as its floors.
//!
//! The corpus belongs to others and lies next to the workspace; where it is absent, the fixtures are measured.
#![allow(missing_docs, reason = "criterion's macros make public functions")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use crd_codegen::{Config, generate};
use crd_input::Limits;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn corpus() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = here.join("../../shared/corpus/crds");
    if corpus.is_dir() { corpus } else { here.join("tests/fixtures") }
}

fn benches(criterion: &mut Criterion) {
    let limits = Limits::default();
    let (sources, _) = crd_input::sources(&[corpus()], &limits);
    let definitions = crd_input::definitions(&sources, &limits, &|| ()).definitions;
    let config = Config::new();
    let mut files = generate(&definitions, &config).files;
    files.retain(|file| file.path.ends_with(".rs"));

    let mut group = criterion.benchmark_group("corpus");
    group.sample_size(10).measurement_time(Duration::from_secs(30));
    group.throughput(Throughput::Elements(definitions.len() as u64));
    group.bench_function("read", |bencher| {
        bencher.iter(|| crd_input::definitions(&sources, &limits, &|| ()));
    });
    group.bench_function("generate", |bencher| bencher.iter(|| generate(&definitions, &config)));
    // What no generator that formats and checks its output can do without, on one core.
    group.bench_function("parse and print what was generated", |bencher| {
        bencher.iter(|| {
            files
                .iter()
                .map(|file| prettyplease::unparse(&syn::parse_file(&file.contents).unwrap()).len())
                .sum::<usize>()
        });
    });
    group.finish();
}

criterion_group!(generation, benches);
criterion_main!(generation);
