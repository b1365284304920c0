//! Tests of operations on small and large objects.

use serde_json::json;

use super::*;

#[test]
fn operations_change_objects() {
    let object = json!({"a": [1, 2], "b~/": {"c": 1}});
    for (operation, expected) in [
        (json!({"op": "add", "path": "/a/1", "value": 3}), Some(json!({"a": [1, 3, 2], "b~/": {"c": 1}}))),
        (json!({"op": "add", "path": "/a/-", "value": 3}), Some(json!({"a": [1, 2, 3], "b~/": {"c": 1}}))),
        (json!({"op": "remove", "path": "/a/-1"}), Some(json!({"a": [1], "b~/": {"c": 1}}))),
        (json!({"op": "remove", "path": "/b~0~1/c"}), Some(json!({"a": [1, 2], "b~/": {}}))),
        (
            json!({"op": "move", "from": "/a/0", "path": "/b~0~1/d"}),
            Some(json!({"a": [2], "b~/": {"c": 1, "d": 1}})),
        ),
        (json!({"op": "copy", "from": "/none", "path": "/a"}), Some(json!({"a": null, "b~/": {"c": 1}}))),
        (json!({"op": "copy", "from": "/a/2", "path": "/b"}), None),
        (json!({"op": "test", "path": "/none", "value": null}), Some(object.clone())),
        (json!({"op": "test", "path": "/a", "value": [1]}), None),
        (json!({"op": "test", "path": "/none/none", "value": null}), None),
        (json!({"op": "test", "path": "/a/2", "value": null}), None),
        (json!({"op": "test", "path": "/a/-1", "value": 2}), Some(object.clone())),
        (json!({"op": "test", "path": "/a/+0", "value": 1}), Some(object.clone())),
        (json!({"op": "test", "path": "a/a/00", "value": 1}), Some(object.clone())),
        (json!({"op": "test", "value": object}), None),
        (json!({"op": "copy", "from": "", "path": "/c"}), None),
        (json!({"op": "add", "path": "", "value": {}}), None),
        (json!({"op": "replace", "path": "", "value": 1}), None),
        (json!({"op": "replace", "path": "", "value": {}}), Some(json!({}))),
        (json!({"op": "add", "path": "/a"}), Some(json!({"a": null, "b~/": {"c": 1}}))),
        (json!({"op": "replace", "path": "/a/0"}), Some(json!({"a": [null, 2], "b~/": {"c": 1}}))),
        (
            json!({"op": "copy", "from": "/a/-2", "path": "/a/-1"}),
            Some(json!({"a": [1, 2, 1], "b~/": {"c": 1}})),
        ),
        (json!({"op": "remove", "path": "/none"}), None),
        (json!({"op": "add", "path": "/a/3", "value": 1}), None),
        (json!({"op": "add", "path": "/none/none", "value": 1}), None),
        (json!({"op": "other", "path": "/a"}), None),
    ] {
        let mut patched = object.clone();
        let operations = read(json!([operation]), true).unwrap();
        let result = apply(&operations, &mut patched);
        assert_eq!(result.is_ok().then_some(patched), expected, "{operation}");
    }
}

#[test]
fn operations_on_one_list_after_another_change_the_same_object() {
    let operations = json!([
        {"op": "add", "path": "/a/0", "value": 1}, {"op": "add", "path": "/a/-", "value": [2]},
        {"op": "add", "path": "/a/1/0", "value": 3}, {"op": "replace", "path": "/a/0", "value": 4},
        {"op": "copy", "from": "/a", "path": "/b/0"}, {"op": "move", "from": "/a/1/1", "path": "/b/-"},
        {"op": "test", "path": "/b/1", "value": 2}, {"op": "remove", "path": "/a/0"},
        {"op": "move", "from": "/b", "path": "/a/-"}, {"op": "add", "path": "/a/-", "value": 5},
    ]);
    let mut object = json!({"a": [], "b": []});
    assert!(apply(&read(operations, true).unwrap(), &mut object).is_ok());
    assert_eq!(object, json!({"a": [[3], [[4, [3, 2]], 2], 5]}));
}

/// Checks the order of fields after a patch. Users see this order in errors about unreadable patched objects.
#[test]
fn values_are_copied_in_the_order_in_which_they_were_read() {
    let order = |operations: Value| {
        let mut object = json!({"z": {"y": 1, "b": {"d": 1, "c": 1}}, "a": {"t": 1, "s": 1}});
        assert!(apply(&read(operations, true).unwrap(), &mut object).is_ok());
        object.to_string()
    };
    for (operations, expected) in [
        (
            json!([{"op": "copy", "from": "/z", "path": "/n"}]),
            r#"{"a":{"t":1,"s":1},"n":{"y":1,"b":{"d":1,"c":1}},"z":{"y":1,"b":{"d":1,"c":1}}}"#,
        ),
        (
            json!([{"op": "copy", "from": "/z", "path": "/z/b/c"}]),
            r#"{"a":{"t":1,"s":1},"z":{"b":{"c":{"b":{"c":1,"d":1},"y":1},"d":1},"y":1}}"#,
        ),
        (
            json!([{"op": "replace", "path": "/z/y", "value": 2}, {"op": "move", "from": "/z", "path": "/m"}]),
            r#"{"a":{"t":1,"s":1},"m":{"b":{"d":1,"c":1},"y":2}}"#,
        ),
        (
            json!([{"op": "test", "path": "/a", "value": {"s": 1, "t": 1}}, {"op": "add", "path": "/a/a", "value": 1}]),
            r#"{"a":{"a":1,"s":1,"t":1},"z":{"y":1,"b":{"d":1,"c":1}}}"#,
        ),
        (
            json!([{"op": "replace", "path": "", "value": {"b": {"d": 1, "c": 1}, "a": 1}}]),
            r#"{"a":1,"b":{"d":1,"c":1}}"#,
        ),
    ] {
        assert_eq!(order(operations.clone()), expected, "{operations}");
    }
}

#[test]
fn moves_of_many_values_end_with_a_timeout() {
    let object = json!({"list": vec![1; 20_000], "value": {"deep": vec![1; 20_000]}});
    for (operation, times) in [
        (json!({"op": "add", "path": "/list/9000", "value": 1}), MOST_OPERATIONS),
        (json!({"op": "move", "from": "/list/9000", "path": "/list/12000"}), MOST_OPERATIONS),
        (json!({"op": "move", "from": "/value/deep", "path": "/value/deep"}), MOST_OPERATIONS),
    ] {
        let operations = |times| read(Value::Array(vec![operation.clone(); times]), true).unwrap();
        let failure = apply(&operations(times), &mut object.clone()).unwrap_err();
        assert_eq!(failure.code, 504, "{operation}");
        assert!(apply(&operations(100), &mut object.clone()).is_ok(), "{operation}");
    }
}

#[test]
fn maps_on_the_way_to_a_moved_value_are_sorted() {
    let mut object = json!({"from": {"a": 1}, "to": {"z": 1, "list": [], "b": 2}});
    let operations = read(json!([{"op": "move", "from": "/from/a", "path": "/to/list/0"}]), true).unwrap();
    assert!(apply(&operations, &mut object).is_ok());
    assert_eq!(object.to_string(), r#"{"from":{},"to":{"b":2,"list":[1],"z":1}}"#);
}
