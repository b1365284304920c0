//! Reads an object with types that the build script generates.

// ANCHOR: main
mod crds {
    include!(concat!(env!("OUT_DIR"), "/crds.rs"));
}

use crds::cache_example_org::v1::Cache;

fn main() -> Result<(), serde_json::Error> {
    let cache: Cache = serde_json::from_str(
        r#"{
            "apiVersion": "cache.example.org/v1",
            "kind": "Cache",
            "metadata": {"name": "sessions"},
            "spec": {"engine": "memcached", "memory": "1Gi", "settings": {"threads": 4}}
        }"#,
    )?;
    println!("{} runs {:?} with {:?}", Cache::KIND, cache.spec.engine, cache.spec.settings);
    Ok(())
}
// ANCHOR_END: main
