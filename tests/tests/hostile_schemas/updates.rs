//! Objects that replace others, with every value wrong or in another order.

use crd_tests::tool::Outcome::{Generated, Wrong};
use serde_json::json;

use super::{Bomb, definition, list, many, names, object, update};

/// Returns all of them.
pub(crate) fn bombs() -> Vec<Bomb> {
    let map = json!({
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
        "items": {"type": "object", "required": ["k"], "properties": {
            "k": {"type": "string"}, "v": {"type": "integer", "maximum": 0, "enum": names(1000)}}},
    });
    let items = |count: usize, is_back: bool| {
        many(count, |i| json!({"k": format!("key-{}", if is_back { count - i } else { i + 1 }), "v": 1}))
    };
    let wrong = list(json!({"type": "string", "enum": names(10_000)}));
    let set = json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object",
        "x-kubernetes-map-type": "atomic", "properties": {"k": {"type": "integer"}}}});
    let mut finalizers = [object(json!({})), object(json!({}))];
    for (i, object) in finalizers.iter_mut().enumerate() {
        object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        object["metadata"]["deletionGracePeriodSeconds"] = json!(0);
        object["metadata"]["finalizers"] = many(40_000, |n| json!(format!("example.org/f{}", n * (i + 1))));
    }
    let [new, old] = finalizers;
    vec![
        update("map-in-another-order", map.clone(), items(50_000, false), items(50_000, true), Generated),
        update("map-of-other-items", map, items(50_000, false), json!([]), Wrong),
        update(
            "unchanged-causes",
            wrong.clone(),
            many(300_000, |_| json!("x")),
            many(300_000, |_| json!("x")),
            Generated,
        ),
        update("changed-causes", wrong, many(300_000, |_| json!("x")), many(300_000, |_| json!("y")), Wrong),
        update(
            "set-in-another-order",
            set,
            many(60_000, |i| json!({"k": i})),
            many(60_000, |i| json!({"k": 60_000 - i})),
            Generated,
        ),
        Bomb {
            name: "new-finalizers",
            crd: definition(json!({"type": "object"}), false),
            objects: Some((new, Some(old))),
            expected: Wrong,
        },
    ]
}
