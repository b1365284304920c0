//! Objects of ten public CRDs, checked by compiled validators, with others in one run: the crate `jsonschema` for schemas without
//! rules, and `kube-cel` for rules alone. All compile a definition once, before.

use std::hint::black_box;

use crd_benchmarks::samples::{Kind, kinds};
use crd_core::admit::Validator;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::Value;

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
            assert!(ours(kind, object.clone()), "{}: {object}", kind.name);
            assert!(openapi(kind, object), "{}: {object}", kind.name);
        }
    }
    let mut group = criterion.benchmark_group("admission");
    let all: Vec<&Kind> = kinds.iter().collect();
    let each = kinds.iter().map(|kind| (kind.name.as_str(), vec![kind]));
    for (name, kinds) in each.chain([("all", all)]) {
        let objects = || kinds.iter().flat_map(|kind| kind.objects.iter().map(|object| (*kind, object)));
        group.throughput(Throughput::Elements(objects().count() as u64));
        group.bench_function(format!("crd-core: {name}"), |bencher| {
            let given = || objects().map(|(kind, object)| (kind, object.clone())).collect::<Vec<_>>();
            let judge = |given: Vec<(&Kind, Value)>| {
                given
                    .into_iter()
                    .filter_map(|(kind, object)| ours(black_box(kind), object).then_some(()))
                    .count()
            };
            bencher.iter_batched(given, judge, BatchSize::SmallInput);
        });
        for (who, judge) in JUDGES {
            group.bench_function(format!("{who}: {name}"), |bencher| {
                bencher.iter(|| objects().filter(|(kind, object)| judge(black_box(kind), object)).count());
            });
        }
    }
    group.finish();
}

type Judge = fn(&Kind, &Value) -> bool;

const JUDGES: [(&str, Judge); 4] =
    [("copy", copy), ("accepts", accepts), ("jsonschema", openapi), ("kube-cel", rules)];

/// Returns the cost of a copy of the object, for callers that keep the original.
fn copy(_: &Kind, object: &Value) -> bool {
    !black_box(object.clone()).is_null()
}

/// Returns all steps of the API server, with the object as it would be stored.
fn ours(kind: &Kind, object: Value) -> bool {
    kind.validator.create(object).is_accepted()
}

/// Returns the verdict alone.
fn accepts(kind: &Kind, object: &Value) -> bool {
    kind.validator.accepts(object)
}

fn openapi(kind: &Kind, object: &Value) -> bool {
    kind.openapi.iter_errors(object).next().is_none()
}

fn rules(kind: &Kind, object: &Value) -> bool {
    kind.cel.validate_compiled(&kind.compiled, object, None).is_ok()
}

/// The compilation of the definitions, next to their check.
fn compilation(criterion: &mut Criterion) {
    let Some(kinds) = kinds() else { return };
    let mut group = criterion.benchmark_group("compilation");
    group.throughput(Throughput::Elements(kinds.len() as u64));
    group.bench_function("compile", |bencher| {
        bencher.iter(|| kinds.iter().filter(|kind| Validator::new(black_box(&kind.crd)).is_ok()).count());
    });
    group.bench_function("check", |bencher| {
        bencher.iter(|| kinds.iter().filter(|kind| crd_core::check(black_box(&kind.crd)).is_empty()).count());
    });
    group.finish();
}

criterion_group!(benches, admission, compilation);
criterion_main!(benches);
