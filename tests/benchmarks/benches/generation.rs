//! Generation for public CRDs, compared with reading alone and with kopium, in one run.

use std::hint::black_box;

use crd_benchmarks::{corpus, files, kopium};
use crd_input::{Limits, Source};
use crd_codegen::{Config, Versions, generate};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

fn generation(criterion: &mut Criterion) {
    let Some(folder) = corpus() else {
        eprintln!("skipped: `../shared/corpus` is not beside the project");
        return;
    };
    let texts: Vec<(String, String)> = files(&folder)
        .iter()
        .filter_map(|file| {
            let name = file.strip_prefix(&folder).ok()?.display().to_string();
            Some((name, std::fs::read_to_string(file).ok()?))
        })
        .collect();
    let sources: Vec<Source> =
        texts.iter().map(|(name, text)| Source::from_string(name, text.as_str())).collect();
    let limits = Limits::default();
    // kopium generates one version of a definition. This project generates all that are served, and here also one, to compare.
    let config = Config::new();
    let mut one_version = Config::new();
    one_version.versions(Versions::Storage);
    let read = || crd_input::definitions(&sources, &limits, &|| ());
    let definitions = read().definitions;
    let generated = generate(&definitions, &config);
    let trees: Vec<syn::File> = generated
        .files
        .iter()
        .filter(|file| file.path.ends_with(".rs"))
        .map(|file| syn::parse_file(&file.contents).expect("what is generated is Rust"))
        .collect();
    let lines: usize = generated.files.iter().map(|file| file.contents.lines().count()).sum();
    // kopium panics on some names; that is counted, not printed.
    std::panic::set_hook(Box::new(|_| {}));
    println!("crd-codegen: {} files, {lines} lines", generated.files.len());
    println!("kopium: {:?}", kopium(texts.iter().map(|(_, text)| text.as_str())));

    let mut group = criterion.benchmark_group("generation");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.throughput(Throughput::Bytes(texts.iter().map(|(_, text)| text.len() as u64).sum()));
    group.bench_function("crd-codegen: read", |bencher| bencher.iter(read));
    group.bench_function("crd-codegen: print", |bencher| {
        bencher.iter(|| trees.iter().map(|tree| prettyplease::unparse(tree).len()).sum::<usize>());
    });
    group.bench_function("crd-codegen: read, generate and format all served versions", |bencher| {
        bencher.iter(|| generate(&read().definitions, &config));
    });
    group.bench_function("crd-codegen: read, generate and format one version", |bencher| {
        bencher.iter(|| generate(&read().definitions, &one_version));
    });
    group.bench_function("kopium: read and generate one version, not formatted", |bencher| {
        bencher.iter(|| kopium(black_box(texts.iter().map(|(_, text)| text.as_str()))));
    });
    group.finish();
}

criterion_group!(benches, generation);
criterion_main!(benches);
