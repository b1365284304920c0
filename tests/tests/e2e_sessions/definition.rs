//! Made definitions, and values of their fields.

use arbitrary::Unstructured;
use crd_core::CustomResourceDefinition;
use crd_core::check::{ServerOptions, Verdict};
use crd_sample::Sampler;
use serde_json::{Map, Value, json};

use super::{Random, structural};

/// A made definition.
pub(crate) struct Made {
    pub(crate) crd: Value,
    pub(crate) group: String,
    spec: Value,
    /// Values of `spec` that the server accepts, and values with one fault.
    samples: [Vec<Value>; 2],
    pub(crate) has_status: bool,
    pub(crate) has_scale: bool,
}

/// The accepted values of `spec` of each version, and as many refused ones.
const SAMPLES: usize = 20;
/// The bytes from which a schema with rules and keywords is made.
const BYTES: usize = 4_000;

impl Made {
    /// Returns a definition that the server accepts.
    pub(crate) fn new(random: &mut Random, group: &str, options: ServerOptions) -> Self {
        loop {
            let spec = if random.one_in(2) { ruled(random) } else { Some(structure(random, 2)) };
            let made = spec.map(|spec| Self::with(random, group, spec));
            let Some(mut made) = made else { continue };
            let (verdict, crd) = Verdict::with_definition_at(made.crd.clone(), options);
            if let Some(crd) = crd.filter(|_| verdict.accepted) {
                made.samples = samples(random, &crd, options);
                return made;
            }
        }
    }

    /// Returns the definition with a schema of `spec`.
    fn with(random: &mut Random, group: &str, mut spec: Value) -> Self {
        spec["properties"]["count"] = json!({"type": "integer"});
        spec["properties"]["text"] = json!({"type": "string"});
        let (has_status, has_scale) = (!random.one_in(4), !random.one_in(3));
        let mut subresources = Map::new();
        if has_status {
            subresources.insert("status".to_owned(), json!({}));
        }
        if has_scale {
            let paths = json!({"specReplicasPath": ".spec.count", "statusReplicasPath": ".status.count"});
            subresources.insert("scale".to_owned(), paths);
        }
        let status = json!({"type": "object", "properties": {"count": {"type": "integer"}, "text": {"type": "string"}}});
        let mut other = spec.clone();
        if random.one_in(2) {
            // The second version does not have all fields.
            let names: Vec<String> =
                spec["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
            let name = random.choose(&names).clone();
            if let Some(fields) = other["properties"].as_object_mut().filter(|_| name != "count") {
                fields.remove(&name);
            }
        }
        let version = |name: &str, is_stored: bool, spec: &Value| {
            let schema = json!({"type": "object", "properties": {"spec": spec, "status": status}});
            json!({
                "name": name, "served": true, "storage": is_stored, "subresources": subresources,
                "schema": {"openAPIV3Schema": schema},
            })
        };
        let versions = [version("v1", true, &spec), version("v2", false, &other)];
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("shirts.{group}")},
            "spec": {
                "group": group, "scope": "Namespaced", "names": {"plural": "shirts", "kind": "Shirt"}, "versions": versions,
            },
        });
        Self { crd, group: group.to_owned(), spec, samples: Default::default(), has_status, has_scale }
    }

    /// Returns a value of `spec`: a sample that is accepted or has one fault, or one with some of the fields, mostly of the right type.
    pub(crate) fn value(&self, random: &mut Random) -> Value {
        let [accepted, broken] = &self.samples;
        let samples = if random.one_in(5) { broken } else { accepted };
        if samples.is_empty() || random.one_in(3) {
            return value(random, &self.spec);
        }
        random.choose(samples).clone()
    }
}

/// Returns a schema of `spec` with rules, bounds and formats.
fn ruled(random: &mut Random) -> Option<Value> {
    let bytes = random.bytes(BYTES);
    let definition = structural::definition(&mut Unstructured::new(&bytes)).ok()?;
    let mut schema = definition.pointer("/spec/versions/0/schema/openAPIV3Schema")?.clone();
    let properties = schema.get_mut("properties")?.as_object_mut()?;
    for field in ["apiVersion", "kind", "metadata"] {
        properties.remove(field);
    }
    Some(schema)
}

/// Values of `spec` in all versions: accepted ones, and ones with a fault.
fn samples(random: &mut Random, crd: &CustomResourceDefinition, options: ServerOptions) -> [Vec<Value>; 2] {
    let (mut accepted, mut broken) = (Vec::new(), Vec::new());
    let spec = |object: Value| object.get("spec").cloned();
    for version in &crd.spec.versions {
        let Ok(sampler) = Sampler::with_options(crd, &version.name, options) else { continue };
        let sampler = sampler.with_seed(random.next());
        accepted.extend(sampler.accepted().take(SAMPLES).filter_map(spec));
        broken.extend(sampler.broken().take(SAMPLES).filter_map(|broken| spec(broken.object)));
    }
    [accepted, broken]
}

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn structure(random: &mut Random, depth: usize) -> Value {
    let mut properties = Map::new();
    for name in &NAMES[..=random.below(NAMES.len())] {
        properties.insert((*name).to_owned(), schema(random, depth));
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if random.one_in(8) {
        schema["x-kubernetes-map-type"] = "atomic".into();
    }
    if random.one_in(10) {
        schema["x-kubernetes-preserve-unknown-fields"] = true.into();
    }
    schema
}

fn scalar(random: &mut Random) -> Value {
    random
        .choose(&[
            json!({"type": "string"}),
            json!({"type": "integer"}),
            json!({"type": "boolean"}),
            json!({"type": "number"}),
            json!({"type": "string", "nullable": true}),
            json!({"x-kubernetes-int-or-string": true}),
            json!({"type": "string", "default": "d"}),
        ])
        .clone()
}

fn schema(random: &mut Random, depth: usize) -> Value {
    if depth == 0 {
        return scalar(random);
    }
    match random.below(10) {
        0 | 1 => scalar(random),
        2 => structure(random, depth - 1),
        3 => json!({"type": "object", "additionalProperties": schema(random, depth - 1)}),
        4 => {
            let values = schema(random, depth - 1);
            json!({"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": values})
        }
        5 => json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}),
        6 => json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "integer"}}),
        7 => json!({"type": "array", "items": schema(random, depth - 1)}),
        8 => list_map(random, depth),
        _ => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
    }
}

fn list_map(random: &mut Random, depth: usize) -> Value {
    let mut items = structure(random, depth - 1);
    items["properties"]["name"] = json!({"type": "string"});
    items["required"] = json!(["name"]);
    let mut keys = vec!["name"];
    if random.one_in(2) {
        items["properties"]["port"] = json!({"type": "integer", "default": 1});
        keys.push("port");
    }
    json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items})
}

/// Returns a value of a schema.
fn value(random: &mut Random, schema: &Value) -> Value {
    if schema["x-kubernetes-int-or-string"] == true {
        return random.choose(&[json!(1), json!("x")]).clone();
    }
    match schema["type"].as_str().unwrap_or_default() {
        "string" => random.choose(&["x", "y", "z"]).to_string().into(),
        "integer" => random.below(3).into(),
        "number" => random.choose(&[json!(1), json!(1.5), json!(2.0)]).clone(),
        "boolean" => random.one_in(2).into(),
        "array" => list(random, schema),
        _ => object(random, schema),
    }
}

fn list(random: &mut Random, schema: &Value) -> Value {
    let count = random.below(4);
    let mut items: Vec<Value> = Vec::new();
    for _ in 0..count {
        let item = value(random, &schema["items"]);
        let is_same = |other: &Value| match schema["x-kubernetes-list-type"].as_str() {
            Some("set") => *other == item,
            // Items with another port are other items, too.
            Some("map") => other["name"] == item["name"],
            _ => false,
        };
        if !items.iter().any(is_same) {
            items.push(item);
        }
    }
    items.into()
}

fn object(random: &mut Random, schema: &Value) -> Value {
    let mut fields = Map::new();
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        let is_required =
            schema["required"].as_array().is_some_and(|names| names.contains(&name.as_str().into()));
        if is_required || random.one_in(2) {
            fields.insert(name.clone(), value(random, inner));
        }
    }
    let values = schema.get("additionalProperties");
    let unknown = json!({"type": "string"});
    let preserved = schema.get("x-kubernetes-preserve-unknown-fields").map(|_| &unknown);
    if let Some(values) = values.or(preserved) {
        for name in ["p", "q", "r"] {
            if random.one_in(2) {
                fields.insert(name.to_owned(), value(random, values));
            }
        }
    }
    fields.into()
}
