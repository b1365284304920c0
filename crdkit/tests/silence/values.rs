//! Values that the schema accepts and the type reads.

use std::collections::BTreeMap;

use crdkit::{CrdSchema, CustomResource};
use k8s_openapi::api::batch::v1::JobSpec;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::spec::{agree, properties, schema};

mod variants {
    use super::*;

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(untagged)]
    pub(crate) enum Word<T> {
        Count(T),
        Word(String),
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(untagged)]
    pub(crate) enum Numbers {
        Small(i32),
        Big(u32),
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(tag = "type", rename_all = "camelCase")]
    pub(crate) enum Probe {
        HttpGet {
            port: u16,
        },
        Exec {
            #[serde(skip_serializing_if = "Option::is_none")]
            port: Option<String>,
        },
        Whole {
            weight: i32,
            ports: Vec<i32>,
        },
        Broken {
            weight: f64,
            ports: Vec<String>,
        },
    }

    spec!(fields {
        pub(crate) a: Word<i32>,
        pub(crate) b: Word<u8>,
        pub(crate) c: Word<i64>,
        pub(crate) d: Numbers,
        pub(crate) probe: Probe,
    });
}

/// Bounds of integers in variants that serde does not tell apart by a tag.
#[test]
fn integers_in_variants_have_the_bounds_of_their_types() {
    let of = |name: &str, value: Value| {
        let mut spec = json!({"a": 1, "b": 1, "c": 1, "d": 1, "probe": {"type": "httpGet", "port": 80}});
        spec[name] = value;
        spec
    };
    agree::<variants::fields::Foo>(&[
        (of("a", json!(-2_147_483_648_i64)), true),
        (of("a", json!(3_000_000_000_u32)), false),
        (of("a", json!("3000000000")), true),
        (of("b", json!(255)), true),
        (of("b", json!(256)), false),
        (of("b", json!(-1)), false),
        (of("c", json!(3_000_000_000_u32)), true),
        (of("d", json!(-5)), true),
        (of("d", json!(4_294_967_295_u32)), true),
        (of("d", json!(4_294_967_296_i64)), false),
        (of("d", json!(-3_000_000_000_i64)), false),
    ]);
}

/// A field of one name and two types, which the tag tells apart.
#[test]
fn a_variant_takes_no_value_of_another_variants_type() {
    let of = |probe: Value| json!({"a": 1, "b": 1, "c": 1, "d": 1, "probe": probe});
    agree::<variants::fields::Foo>(&[
        (of(json!({"type": "httpGet", "port": "abc"})), false),
        (of(json!({"type": "httpGet", "port": 65535})), true),
        (of(json!({"type": "httpGet", "port": 65536})), false),
        (of(json!({"type": "exec", "port": "abc"})), true),
        (of(json!({"type": "exec", "port": ""})), true),
        (of(json!({"type": "exec", "port": 5})), false),
        (of(json!({"type": "exec", "port": 0})), false),
        (of(json!({"type": "exec"})), true),
        (of(json!({"type": "whole", "weight": 1, "ports": [1]})), true),
        (of(json!({"type": "whole", "weight": 1.5, "ports": [1]})), false),
        (of(json!({"type": "whole", "weight": 3_000_000_000_u32, "ports": []})), false),
        (of(json!({"type": "whole", "weight": 1, "ports": ["a"]})), false),
        (of(json!({"type": "broken", "weight": 1.5, "ports": ["a", ""]})), true),
        (of(json!({"type": "broken", "weight": 1.5, "ports": [1]})), false),
    ]);
}

mod opened {
    use super::*;

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub(crate) struct Foreign {
        a: String,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(untagged)]
    pub(crate) enum Mixed {
        One(String),
        Many(Vec<String>),
    }

    spec!(fields {
        #[crd(schemaless)]
        pub(crate) one: Foreign,
        #[crd(schemaless)]
        pub(crate) maybe: Option<Foreign>,
        #[crd(schemaless)]
        pub(crate) many: Vec<Foreign>,
        #[crd(schemaless)]
        pub(crate) boxed: Box<Foreign>,
        #[crd(schemaless)]
        pub(crate) named: BTreeMap<String, Foreign>,
        #[crd(schemaless)]
        pub(crate) job: Option<JobSpec>,
        #[crd(schemaless)]
        pub(crate) number: u64,
        #[crd(schemaless)]
        pub(crate) mixed: Mixed,
        #[crd(schemaless)]
        pub(crate) maybe_mixed: Option<Mixed>,
        #[crd(schemaless)]
        pub(crate) anything: Value,
        #[crd(schemaless)]
        pub(crate) port: IntOrString,
        #[crd(schemaless)]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(crate) skipped: Option<Foreign>,
    });
}

#[test]
fn schemaless_fields_keep_their_type() {
    let mut properties = properties::<opened::fields::Foo>();
    for (_, property) in properties.as_object_mut().expect("an object") {
        property.as_object_mut().expect("an object").remove("description");
    }
    let object = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let nullable = json!({"type": "object", "nullable": true, "x-kubernetes-preserve-unknown-fields": true});
    assert_eq!(
        properties,
        json!({
            "one": object,
            "maybe": nullable,
            "many": {"type": "array", "items": object},
            "boxed": object,
            "named": object,
            "job": nullable,
            "number": {"type": "integer"},
            "mixed": {"x-kubernetes-preserve-unknown-fields": true},
            "maybe_mixed": {"nullable": true, "x-kubernetes-preserve-unknown-fields": true},
            "anything": {"nullable": true, "x-kubernetes-preserve-unknown-fields": true},
            "port": {"x-kubernetes-int-or-string": true},
            "skipped": object,
        })
    );
}

mod halves {
    use super::*;

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub(crate) struct Plan {
        publisher: String,
        offer: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(tag = "source")]
    pub(crate) enum Source {
        Git { url: String },
        Image { name: String },
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub(crate) struct Loose {
        #[serde(skip_serializing_if = "Option::is_none")]
        loose: Option<String>,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(untagged)]
    pub(crate) enum Either {
        A {
            a: u8,
            #[serde(flatten)]
            plan: Option<Plan>,
        },
        B {
            b: u8,
        },
    }

    spec!(fields {
        #[serde(flatten)]
        pub(crate) plan: Option<Plan>,
        #[serde(flatten)]
        pub(crate) source: Option<Source>,
        #[serde(flatten)]
        pub(crate) loose: Option<Loose>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(crate) either: Option<Either>,
    });
}

#[test]
fn a_flattened_option_is_whole_or_absent() {
    agree::<halves::fields::Foo>(&[
        (json!({}), true),
        (json!({"publisher": "a", "offer": "b"}), true),
        (
            json!({"publisher": "a", "offer": "b", "note": "c", "source": "Git", "url": "u", "loose": "l"}),
            true,
        ),
        (json!({"offer": "a"}), false),
        (json!({"note": "a"}), false),
        (json!({"source": "Git"}), false),
        (json!({"source": "Git", "url": "u"}), true),
        (json!({"url": "u"}), false),
        (json!({"source": "Image", "url": "u"}), false),
        (json!({"either": {"a": 1}}), true),
        (json!({"either": {"a": 1, "offer": "a"}}), false),
        (json!({"either": {"b": 1}}), true),
    ]);
}

/// Targets by hand, of which one is a string and the others are objects.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "lowercase")]
enum Target {
    Targetless,
    #[serde(untagged)]
    Pod {
        pod: String,
    },
    #[serde(untagged)]
    Job {
        job: String,
    },
}

impl schemars::JsonSchema for Target {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Target".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let object = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
        schemars::json_schema!({"oneOf": [object("pod"), object("job"), {"enum": ["targetless"]}]})
    }
}

mod targets {
    use super::*;

    spec!(fields {
        pub(crate) target: Target,
    });
}

#[test]
fn strings_and_objects_by_hand_exclude_each_other() {
    let of = |target: Value| json!({"target": target});
    agree::<targets::fields::Foo>(&[
        (of(json!("targetless")), true),
        (of(json!("other")), false),
        (of(json!({"pod": "a"})), true),
        (of(json!({"job": "a"})), true),
        (of(json!({"pod": 5})), false),
        (of(json!({})), false),
        (of(json!(5)), false),
        (of(json!(true)), false),
        (of(json!(["a"])), false),
        (of(Value::Null), false),
    ]);
}

/// A foo with a bar.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Flat", no_spec, no_test)]
struct FlatSpec {
    bar: String,
}

/// Nobody sees this.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Given", no_spec, no_test, doc = "Given.")]
struct GivenSpec {
    bar: String,
}

#[test]
fn an_object_without_a_spec_has_the_description_of_its_struct() {
    assert_eq!(schema::<Flat>()["description"], "A foo with a bar.");
    assert_eq!(schema::<Given>()["description"], "Given.");
    assert_eq!(
        (FlatSpec { bar: "a".into() }.bar, GivenSpec { bar: "b".into() }.bar),
        ("a".into(), "b".into())
    );
}

/// A struct with strings of a fixed length, which have no size of their own.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Unsized", no_test)]
struct UnsizedSpec {
    boxed: Box<str>,
    many: Vec<Box<str>>,
}

#[test]
fn strings_without_a_size_have_a_schema() {
    let string = json!({"type": "string"});
    assert_eq!(properties::<Unsized>(), json!({"boxed": string, "many": {"type": "array", "items": string}}));
    let spec = UnsizedSpec { boxed: "a".into(), many: vec!["b".into()] };
    assert_eq!(json!(spec), json!({"boxed": "a", "many": ["b"]}));
}
