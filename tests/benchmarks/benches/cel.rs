//! Rules of public CRDs: parsed, checked and priced by this project, and only parsed by the crate `cel`, in one run.

use std::hint::black_box;

use cel::parser::Parser;
use crd_benchmarks::{corpus, files};
use crd_input::{Limits, Source};
use crd_core::Structural;
use crd_core::cel::{Environment, Rules, SchemaTypes};
use crd_core::schema::AdditionalProperties;
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

fn rules(criterion: &mut Criterion) {
    let Some(folder) = corpus() else {
        eprintln!("skipped: `../shared/corpus` is not beside the project");
        return;
    };
    let texts = files(&folder).into_iter().filter_map(|file| std::fs::read_to_string(file).ok());
    let texts: Vec<String> = texts.filter(|text| text.contains("x-kubernetes-validations")).collect();
    let sources: Vec<Source> =
        texts.iter().map(|text| Source::from_string("crd.yaml", text.as_str())).collect();
    let definitions = crd_input::definitions(&sources, &Limits::default(), &|| ()).definitions;
    let versions = definitions.iter().flat_map(|definition| &definition.crd.spec.versions);
    let schemas =
        versions.filter_map(|version| Structural::from_json_schema(version.open_api_v3_schema()?).ok());
    let schemas: Vec<Structural> = schemas.collect();
    let mut nodes = Vec::new();
    for schema in &schemas {
        collect(schema, &mut nodes);
    }
    let rules = || nodes.iter().flat_map(|node| &node.validations).map(|validation| &*validation.rule);
    println!("{} rules in {} schemas", rules().count(), schemas.len());

    let mut group = criterion.benchmark_group("rules");
    group.sample_size(20).sampling_mode(SamplingMode::Flat);
    group.throughput(Throughput::Elements(rules().count() as u64));
    group.bench_function("cel 0.15: parse", |bencher| {
        bencher.iter(|| {
            for rule in rules() {
                black_box(Parser::new().enable_optional_syntax(true).parse(rule).is_ok());
            }
        });
    });
    group.bench_function("crd-cel: parse", |bencher| {
        bencher.iter(|| {
            for rule in rules() {
                black_box(crd_cel::parse(rule).is_ok());
            }
        });
    });
    group.bench_function("crd-core: declare types, parse, check, price", |bencher| {
        bencher.iter(|| schemas.iter().map(price).fold(0u64, u64::saturating_add));
    });
    group.finish();
}

/// Returns the cost of all rules of a schema together, each evaluated once.
fn price(schema: &Structural) -> u64 {
    let types = SchemaTypes::for_resource(schema);
    let rules = Rules::new(&types, Environment::default());
    let mut nodes = Vec::new();
    collect(schema, &mut nodes);
    let mut sum = 0u64;
    for node in nodes {
        for validation in &node.validations {
            let is_optional = validation.optional_old_self == Some(true);
            if let Ok(rule) = rules.compile_rule(node, &validation.rule, is_optional) {
                sum = sum.saturating_add(rule.cost);
            }
        }
    }
    sum
}

/// The nodes of a schema that carry rules.
fn collect<'s>(node: &'s Structural, out: &mut Vec<&'s Structural>) {
    if !node.validations.is_empty() {
        out.push(node);
    }
    node.properties.values().for_each(|property| collect(property, out));
    if let Some(AdditionalProperties::Schema(values)) = &node.additional_properties {
        collect(values, out);
    }
    if let Some(items) = &node.items {
        collect(items, out);
    }
}

criterion_group!(benches, rules);
criterion_main!(benches);
