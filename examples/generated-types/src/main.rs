//! Reads and writes objects with types that were generated once and are kept under version control.
//!
//! This command generated `src/api`:
//!
//! ```console
//! crdkit generate crds --out src/api
//! ```
//!
//! With `--check`, the same command fails if `src/api` is out of date.

// ANCHOR: module
// Generated code has its own formatting.
#[rustfmt::skip]
mod api;
// ANCHOR_END: module

// ANCHOR: use
use api::cache_example_org::v1::Cache;
use api::cache_example_org::v1::cache::{CacheEngine, CacheSpec};

fn main() -> Result<(), serde_json::Error> {
    let mut cache = Cache::new(
        "sessions",
        CacheSpec {
            engine: CacheEngine::Valkey,
            memory: "512Mi".into(),
            replicas: Some(3),
            eviction: None,
            ports: None,
            node_selector: None,
            maintenance: None,
            settings: None,
        },
    );
    cache.metadata.namespace = Some("shop".into());
    println!("{}", serde_json::to_string_pretty(&cache)?);
    Ok(())
}
// ANCHOR_END: use

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::api::cache_example_org::v1::Cache;

    #[test]
    fn objects_keep_every_field() {
        let object = json!({
            "apiVersion": "cache.example.org/v1",
            "kind": "Cache",
            "metadata": {"name": "sessions", "labels": {"app": "shop"}},
            "spec": {
                "engine": "valkey",
                "memory": 8_589_934_592_i64,
                "eviction": "",
                "ports": [{"name": "main", "port": 6379, "targetPort": "valkey"}],
                "settings": {"maxclients": 100, "save": {"every": [60, 1.5]}},
            },
        });
        let cache: Cache = serde_json::from_value(object.clone()).unwrap();
        let written: Value = serde_json::to_value(&cache).unwrap();
        assert_eq!(written, object);
    }

    /// `crdkit sample --full --format rust crds` printed the function.
    mod printed {
        use std::collections::BTreeMap;

        use super::super::api::cache_example_org::v1::cache::{
            Cache, CacheEngine, CacheEviction, CacheMaintenance, CacheMaintenanceDay, CachePort, CacheSpec,
        };
        use super::super::api::support::{IntOrString, ObjectMeta, Quantity};

        include!("../published/cache.rs");

        #[test]
        fn the_printed_object_has_its_values() {
            let written = serde_json::to_value(example()).unwrap();
            assert_eq!(written["metadata"], serde_json::json!({"name": "example"}));
            assert_eq!(written["spec"]["ports"][0]["targetPort"], 8080);
            assert_eq!(written["spec"]["maintenance"]["days"], serde_json::json!(["Monday"]));
        }
    }

    #[test]
    fn other_kinds_are_refused() {
        let error = serde_json::from_value::<Cache>(json!({
            "apiVersion": "cache.example.org/v1",
            "kind": "CacheList",
            "spec": {"engine": "valkey", "memory": 1},
        }));
        assert!(error.unwrap_err().to_string().contains("expected `Cache`, found `CacheList`"));
    }
}
