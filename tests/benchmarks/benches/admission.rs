//! Real objects of ten real CRDs, judged by compiled validators, with the peers in one run: the crate `jsonschema` for what
//! OpenAPI says alone, and `kube-cel` for what the rules say alone. All compile a definition once, before.

use std::hint::black_box;

use crd_benchmarks::samples::{Kind, kinds};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn admission(criterion: &mut Criterion) {
    let Some(kinds) = kinds() else {
        eprintln!("skipped: the corpus is not beside the project");
        return;
    };
    let rules: usize = kinds.iter().map(|kind| kind.rules).sum();
    let count: usize = kinds.iter().map(|kind| kind.objects.len()).sum();
    eprintln!("{count} objects of {} definitions with {rules} rules", kinds.len());
    for kind in &kinds {
        for object in &kind.objects {
            assert!(ours(kind, object), "{}: {object}", kind.name);
            assert!(openapi(kind, object), "{}: {object}", kind.name);
        }
    }
    let mut group = criterion.benchmark_group("admission");
    for kind in &kinds {
        group.throughput(Throughput::Elements(kind.objects.len() as u64));
        for (who, judge) in JUDGES {
            let all =
                || kind.objects.iter().filter(|object| judge(black_box(kind), black_box(object))).count();
            group.bench_function(format!("{who}: {}", kind.name), |bencher| bencher.iter(all));
        }
    }
    group.throughput(Throughput::Elements(count as u64));
    for (who, judge) in JUDGES {
        let of = |kind: &Kind| {
            kind.objects.iter().filter(|object| judge(black_box(kind), black_box(object))).count()
        };
        group.bench_function(format!("{who}: all"), |bencher| {
            bencher.iter(|| kinds.iter().map(of).sum::<usize>())
        });
    }
    group.finish();
}

type Judge = fn(&Kind, &serde_json::Value) -> bool;

const JUDGES: [(&str, Judge); 4] =
    [("crd-core", ours), ("copy", copy), ("jsonschema", openapi), ("kube-cel", rules)];

/// The floor for all that give a new object back.
fn copy(_: &Kind, object: &serde_json::Value) -> bool {
    !black_box(object.clone()).is_null()
}

/// Everything that the API server does, with the object as it would be stored. The copy of the object is paid for, which who
/// gives the object away does not need.
fn ours(kind: &Kind, object: &serde_json::Value) -> bool {
    kind.validator.create(object).is_accepted()
}

fn openapi(kind: &Kind, object: &serde_json::Value) -> bool {
    kind.openapi.iter_errors(object).next().is_none()
}

fn rules(kind: &Kind, object: &serde_json::Value) -> bool {
    kind.cel.validate_compiled(&kind.compiled, object, None).is_ok()
}

criterion_group!(benches, admission);
criterion_main!(benches);
