//! Twenty typical rules of operators, evaluated on one object, compared with another evaluator in one run. Both have parsed them before.

use std::hint::black_box;

use crd_cel::eval::{Data, DataKind, DataType, ListType, Program, Value};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value as Json, json};

const RULES: [&str; 20] = [
    "self.minReplicas <= self.maxReplicas",
    "!has(self.replicas) || self.replicas >= 0 && self.replicas <= 100",
    "self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
    "self.type == 'Recreate' ? !has(self.rollingUpdate) : true",
    "has(self.secretRef) != has(self.configMapRef)",
    "self.ports.all(p, p.port > 0 && p.port < 65536)",
    "self.ports.exists_one(p, p.name == 'http')",
    "self.ports.filter(p, p.protocol == 'TCP').size() <= 8",
    "self.hosts.all(h, h.endsWith('.example.com') || h == 'localhost')",
    "size(self.hosts) > 0",
    "self.mode in ['Active', 'Passive', 'Disabled']",
    "self.labels.all(k, k.startsWith('app.') && size(self.labels[k]) <= 63)",
    "!self.paths.exists(p, p.contains('..'))",
    "self.ports.map(p, p.port).all(n, n != 22)",
    "duration(self.timeout) <= duration('1h')",
    "self.rules.all(r, r.backends.exists(b, b.weight > 0))",
    "self.storageClass == oldSelf.storageClass",
    "self.tls.enabled ? has(self.tls.secretName) && self.tls.secretName != '' : !has(self.tls.secretName)",
    "self.rules.all(r, r.backends.map(b, b.weight).exists(w, w == 100 || w > 10))",
    "self.rules.all(r, self.rules.exists_one(o, o.name == r.name))",
];

fn object() -> Json {
    json!({
        "minReplicas": 1, "maxReplicas": 5, "replicas": 3, "name": "my-workload-7", "type": "RollingUpdate",
        "secretRef": {"name": "credentials"}, "mode": "Passive", "timeout": "30m", "storageClass": "fast-ssd",
        "ports": [
            {"name": "http", "port": 80, "protocol": "TCP"},
            {"name": "https", "port": 443, "protocol": "TCP"},
            {"name": "metrics", "port": 9090, "protocol": "TCP"},
            {"name": "dns", "port": 53, "protocol": "UDP"},
        ],
        "hosts": ["a.example.com", "b.example.com", "localhost"],
        "labels": {"app.name": "x", "app.part-of": "y", "app.version": "1.2.3"},
        "paths": ["/etc/a", "/var/lib/b", "/tmp"],
        "tls": {"enabled": true, "secretName": "tls"},
        "rules": [
            {"name": "a", "backends": [{"weight": 10}, {"weight": 90}]},
            {"name": "b", "backends": [{"weight": 0}, {"weight": 100}]},
            {"name": "c", "backends": [{"weight": 50}]},
        ],
    })
}

fn schema() -> DataType {
    let of = DataType::new;
    let object = |fields: Vec<(&'static str, DataType)>| DataType::new(DataKind::object(fields));
    let list = |items| DataType::new(DataKind::List(Box::new(items), ListType::Atomic));
    let (text, int) = (|| of(DataKind::String), || of(DataKind::Int));
    let backend = object(vec![("weight", int())]);
    let port = object(vec![("name", text()), ("port", int()), ("protocol", text())]);
    let mut fields: Vec<_> =
        ["minReplicas", "maxReplicas", "replicas"].map(|name| (name, int())).into_iter().collect();
    fields.extend(["name", "type", "mode", "timeout", "storageClass"].map(|name| (name, text())));
    fields.extend(
        ["secretRef", "configMapRef", "rollingUpdate"].map(|name| (name, object(vec![("name", text())]))),
    );
    fields.extend(["hosts", "paths"].map(|name| (name, list(text()))));
    fields.extend([
        ("ports", list(port)),
        ("labels", of(DataKind::Map(Box::new(text())))),
        ("tls", object(vec![("enabled", of(DataKind::Bool)), ("secretName", text())])),
        ("rules", list(object(vec![("name", text()), ("backends", list(backend))]))),
    ]);
    object(fields)
}

fn rules(criterion: &mut Criterion) {
    let (json, schema) = (object(), schema());
    let mut context = cel::Context::default();
    for name in ["self", "oldSelf"] {
        context.add_variable(name, &json).expect("JSON is a value");
    }
    let mut both = Vec::new();
    for rule in RULES {
        let ast = crd_cel::parse(rule).expect("a rule");
        let ours = Program::unchecked(&ast, &["self", "oldSelf"]).expect("a program");
        both.push((rule, ours, cel::Program::compile(rule).expect("a rule")));
    }
    // This project converts the object in every run, as a validator does; the other evaluator's value is built once, before.
    let ours = |program: &Program| {
        let value = || Value::from_data(Data::new(&json, &schema));
        matches!(program.run([value(), value()], Program::CALL_LIMIT).result, Ok(Value::Bool(true)))
    };
    let theirs = |program: &cel::Program| program.execute(&context) == Ok(cel::Value::Bool(true));
    let mut group = criterion.benchmark_group("rules");
    for (rule, own, peer) in &both {
        assert!(ours(own) && theirs(peer), "{rule}");
        group.bench_function(format!("crd-cel: {rule}"), |bencher| bencher.iter(|| ours(black_box(own))));
        group.bench_function(format!("cel: {rule}"), |bencher| bencher.iter(|| theirs(black_box(peer))));
    }
    group.bench_function("crd-cel: all", |bencher| {
        bencher.iter(|| both.iter().all(|(_, program, _)| ours(black_box(program))));
    });
    group.bench_function("cel: all", |bencher| {
        bencher.iter(|| both.iter().all(|(.., program)| theirs(black_box(program))));
    });
    group.finish();
}

criterion_group!(benches, rules);
criterion_main!(benches);
