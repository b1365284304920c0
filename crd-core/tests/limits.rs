//! Small texts must not become large models.

use crd_core::crd::JsonSchemaProps;
use serde_json::{Value, json};

#[test]
fn too_many_schemas_are_refused() {
    let most = JsonSchemaProps::MAX_SCHEMAS;
    let lists = |count: usize, item: Value| json!({"anyOf": vec![item; count]});
    let map = |count: usize| {
        let properties: serde_json::Map<_, _> = (0..count).map(|i| (i.to_string(), json!({}))).collect();
        json!({"properties": properties})
    };
    let boxes = |count: usize| json!({"anyOf": vec![json!({"items": {}}); count]});
    for (schema, is_read) in [
        (lists(most, json!({})), true),
        (lists(most + 1, json!({})), false),
        (lists(most + 1, Value::Null), false),
        (map(most + 1), false),
        (boxes(most / 2), true),
        (boxes(most / 2 + 1), false),
    ] {
        match JsonSchemaProps::from_value(schema) {
            Ok(_) => assert!(is_read),
            Err(error) => {
                assert!(!is_read, "{error}");
                assert_eq!(error.to_string(), "more than 150000 schemas, or as much of something else");
            }
        }
    }
}

#[test]
fn validators_are_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<crd_core::admit::Validator>();
}
