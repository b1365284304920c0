//! Generation over real CRDs, with its floors and the peer in one run.

use std::hint::black_box;

use crd_benchmarks::{corpus, files, kopium};
use criterion::{Criterion, criterion_group, criterion_main};

fn generation(criterion: &mut Criterion) {
    let Some(folder) = corpus() else {
        eprintln!("skipped: `../shared/corpus` is not beside the project");
        return;
    };
    let texts: Vec<String> =
        files(&folder).iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect();
    std::panic::set_hook(Box::new(|_| {}));
    println!("kopium: {:?}", kopium(&texts));
    let mut group = criterion.benchmark_group("generation");
    group.sample_size(10);
    group.bench_function("kopium, unformatted", |bencher| bencher.iter(|| kopium(black_box(&texts))));
    group.finish();
}

criterion_group!(benches, generation);
criterion_main!(benches);
