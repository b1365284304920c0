//! Values of any type, alone and in lists and maps.

use std::collections::BTreeMap;

use crdkit::CrdSchema;
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{compare, row};

#[derive(CrdSchema, Serialize, Deserialize)]
struct Fields {
    any: Value,
    maybe: Option<Value>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    skipped: Value,
    raw: RawExtension,
    map: BTreeMap<String, Value>,
    #[crd(preserve_unknown_fields)]
    open: Open,
}

#[derive(CrdSchema, Serialize, Deserialize, Default)]
struct Open {
    known: i32,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// With kube-derive, `Value` needs this to be accepted.
#[derive(CrdSchema, Serialize, Deserialize)]
struct Extended {
    #[schemars(extend("x-kubernetes-preserve-unknown-fields" = true))]
    any: Value,
    #[schemars(extend("x-kubernetes-preserve-unknown-fields" = true))]
    map: BTreeMap<String, Value>,
}

fn nested() -> Value {
    json!({"x": {"y": [1, "a", null, {"z": true}]}})
}

#[test]
fn values() {
    let map = || BTreeMap::from([("a".to_owned(), nested()), ("b".to_owned(), json!(null))]);
    let object = || nested().as_object().cloned().unwrap_or_default();
    compare(
        "values",
        &[
            row("Value", [json!(null), json!(true), json!("a"), json!([nested()]), nested()]),
            row("Option<Value>", [Some(nested())]),
            row("Vec<Value>", [vec![], vec![json!(1), nested(), json!(null)]]),
            row("Map<String, Value>", [BTreeMap::new(), map()]),
            row("serde_json::Map", [object()]),
            row("Vec<Map<String, Value>>", [vec![map()]]),
            row("Map<String, Map<String, Value>>", [BTreeMap::from([("a".to_owned(), map())])]),
            row("Map<String, Vec<Value>>", [BTreeMap::from([("a".to_owned(), vec![nested()])])]),
            row("RawExtension", [RawExtension(nested())]),
            row("Vec<RawExtension>", [vec![RawExtension(nested())]]),
            row("Map<String, RawExtension>", [BTreeMap::from([("a".to_owned(), RawExtension(nested()))])]),
            row(
                "fields of any type",
                [Fields {
                    any: nested(),
                    maybe: None,
                    skipped: json!(null),
                    raw: RawExtension(nested()),
                    map: map(),
                    open: Open { known: 1, rest: object() },
                }],
            ),
            row("Value with kube-derive's extension", [Extended { any: json!(1), map: map() }]),
        ],
    );
}
