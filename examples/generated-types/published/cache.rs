// Types of the module `cache_example_org::v1::cache`.
fn example() -> Cache {
    Cache {
        metadata: ObjectMeta {
            name: Some(String::from("example")),
            ..ObjectMeta::default()
        },
        spec: CacheSpec {
            engine: CacheEngine::Memcached,
            replicas: Some(1),
            memory: Quantity::String(String::from("512Mi")),
            eviction: Some(CacheEviction::Empty),
            ports: Some(
                Vec::from([
                    CachePort {
                        name: String::from("example"),
                        port: 8080,
                        target_port: Some(IntOrString::Int(8080)),
                    },
                ]),
            ),
            node_selector: Some(
                BTreeMap::from([(String::from("key"), String::from("example"))]),
            ),
            maintenance: Some(CacheMaintenance {
                days: vec![CacheMaintenanceDay::Monday],
                until: Some(String::from("2024-01-01T00:00:00Z")),
            }),
            settings: Some(BTreeMap::new()),
        },
        status: None,
    }
}
