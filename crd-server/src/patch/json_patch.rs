//! JSON patches: RFC 6902, as `gopkg.in/evanphx/json-patch.v4` understands it.

use crd_go::json::marshal;
use crd_go::strings::quote;
use serde_json::Value;

use crate::depth;
use crate::json::json_type;
use crate::status::Failure;

/// The most operations of a patch: `maxJSONPatchOperations`.
const MOST_OPERATIONS: usize = 10_000;

/// The most bytes that the copies of a patch add to an object: `JSONPatchMaxCopyBytes` in `k8s.io/apiserver/pkg/server/config.go`.
const MOST_COPIED_BYTES: usize = 3 * 1024 * 1024;

/// One step of a patch.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    op: String,
    path: String,
    from: String,
    /// Absent where the operation has none.
    value: Option<Value>,
}

/// Reads the operations of a patch.
pub(super) fn read(patch: Value) -> Result<Vec<Operation>, Failure> {
    let Value::Array(operations) = patch else {
        let message = format!(
            "error decoding patch: json: cannot unmarshal {} into Go value of type []handlers.jsonPatchOp",
            json_type(&patch)
        );
        return Err(Failure::bad_request(message));
    };
    if operations.len() > MOST_OPERATIONS {
        let message = format!(
            "Request entity too large: The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}, got {}",
            operations.len()
        );
        return Err(Failure::new(413, "RequestEntityTooLarge", message));
    }
    let text = |operation: &Value, name: &str| {
        operation.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let read = |operation: Value| Operation {
        op: text(&operation, "op"),
        path: text(&operation, "path"),
        from: text(&operation, "from"),
        value: operation.get("value").cloned(),
    };
    Ok(operations.into_iter().map(read).collect())
}

/// Fields that operations do not have, as strict field validation reports them.
pub(super) fn unknown_fields(patch: &Value) -> Vec<String> {
    const KNOWN: [&str; 4] = ["op", "path", "from", "value"];
    let operations = patch.as_array().into_iter().flatten().filter_map(Value::as_object).enumerate();
    let unknown = operations.flat_map(|(i, operation)| {
        let names = operation.keys().filter(|name| !KNOWN.contains(&name.as_str()));
        names.map(move |name| format!("json patch unknown field {}", quote(&format!("[{i}].{name}"))))
    });
    unknown.collect()
}

/// Applies operations, of which the first that fails refuses the patch.
pub(super) fn apply(operations: &[Operation], object: &mut Value) -> Result<(), Failure> {
    let mut copied_bytes = 0;
    let mut steps = operations.iter();
    steps.try_for_each(|operation| step(operation, object, &mut copied_bytes)).map_err(|Inapplicable| {
        let message = "the server rejected our request due to an error in our request";
        Failure::new(422, "Invalid", message).about("", "", "")
    })
}

/// Checks that a value is not too deep at its new place. The API server checks the depth after all operations.
fn check_depth(path: &str, value: &Value) -> Result<(), Inapplicable> {
    let above = path.matches('/').count();
    if depth::most().checked_sub(above).is_some_and(|most| depth::is_within(value, most)) {
        return Ok(());
    }
    depth::exceed();
    Err(Inapplicable)
}

/// An operation that does not fit the object. The API server gives no reason.
struct Inapplicable;

fn step(operation: &Operation, object: &mut Value, copied_bytes: &mut usize) -> Result<(), Inapplicable> {
    let value = || operation.value.clone().ok_or(Inapplicable);
    match operation.op.as_str() {
        "add" => add(object, &operation.path, value()?),
        "remove" => remove(object, &operation.path).map(drop),
        "replace" => replace(object, &operation.path, value()?),
        "move" => {
            let moved = remove(object, &operation.from)?;
            add(object, &operation.path, moved)
        }
        "copy" => {
            let copied = get(object, &operation.from).ok_or(Inapplicable)?;
            *copied_bytes += marshal(copied).len();
            if *copied_bytes > MOST_COPIED_BYTES {
                return Err(Inapplicable);
            }
            let copied = copied.clone();
            add(object, &operation.path, copied)
        }
        "test" => {
            let found = get(object, &operation.path).unwrap_or(&Value::Null);
            let expected = operation.value.as_ref().unwrap_or(&Value::Null);
            if crd_go::json::deep_equal(found, expected) { Ok(()) } else { Err(Inapplicable) }
        }
        _ => Err(Inapplicable),
    }
}

/// The container of a path, and the last part of the path.
fn container<'a>(object: &'a mut Value, path: &str) -> Result<(&'a mut Value, String), Inapplicable> {
    let (parent, last) = path.rsplit_once('/').ok_or(Inapplicable)?;
    let container = object.pointer_mut(parent).filter(|found| found.is_object() || found.is_array());
    Ok((container.ok_or(Inapplicable)?, last.replace("~1", "/").replace("~0", "~")))
}

fn get<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    object.pointer(path)
}

fn add(object: &mut Value, path: &str, value: Value) -> Result<(), Inapplicable> {
    check_depth(path, &value)?;
    if path.is_empty() {
        *object = value;
        return Ok(());
    }
    let (container, last) = container(object, path)?;
    match container {
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => {
            let index = place(&last, items.len() + 1)?;
            items.insert(index, value);
        }
        Value::Object(fields) => {
            fields.insert(last, value);
        }
        _ => return Err(Inapplicable),
    }
    Ok(())
}

fn remove(object: &mut Value, path: &str) -> Result<Value, Inapplicable> {
    let (container, last) = container(object, path)?;
    match container {
        Value::Array(items) => {
            let index = place(&last, items.len())?;
            Ok(items.remove(index))
        }
        Value::Object(fields) => fields.shift_remove(&last).ok_or(Inapplicable),
        _ => Err(Inapplicable),
    }
}

/// Replaces a value. A field that is absent is added: the library asks only whether the object is there.
fn replace(object: &mut Value, path: &str, value: Value) -> Result<(), Inapplicable> {
    check_depth(path, &value)?;
    if path.is_empty() {
        *object = value;
        return Ok(());
    }
    let (container, last) = container(object, path)?;
    match container {
        Value::Array(items) => {
            let index = place(&last, items.len())?;
            items[index] = value;
        }
        Value::Object(fields) => {
            fields.insert(last, value);
        }
        _ => return Err(Inapplicable),
    }
    Ok(())
}

/// The index in a list with that many places. Negative ones count from the end.
fn place(text: &str, places: usize) -> Result<usize, Inapplicable> {
    let index: i64 = text.parse().map_err(|_| Inapplicable)?;
    let places = i64::try_from(places).map_err(|_| Inapplicable)?;
    let index = if index < 0 { index + places } else { index };
    if (0..places).contains(&index) {
        usize::try_from(index).map_err(|_| Inapplicable)
    } else {
        Err(Inapplicable)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn operations_change_objects() {
        let object = json!({"a": [1, 2], "b~/": {"c": 1}});
        for (operation, expected) in [
            (
                json!({"op": "add", "path": "/a/1", "value": 3}),
                Some(json!({"a": [1, 3, 2], "b~/": {"c": 1}})),
            ),
            (
                json!({"op": "add", "path": "/a/-", "value": 3}),
                Some(json!({"a": [1, 2, 3], "b~/": {"c": 1}})),
            ),
            (json!({"op": "remove", "path": "/a/-1"}), Some(json!({"a": [1], "b~/": {"c": 1}}))),
            (json!({"op": "remove", "path": "/b~0~1/c"}), Some(json!({"a": [1, 2], "b~/": {}}))),
            (
                json!({"op": "move", "from": "/a/0", "path": "/b~0~1/d"}),
                Some(json!({"a": [2], "b~/": {"c": 1, "d": 1}})),
            ),
            (json!({"op": "test", "path": "/none", "value": null}), Some(object.clone())),
            (json!({"op": "test", "path": "/a", "value": [1]}), None),
            (json!({"op": "remove", "path": "/none"}), None),
            (json!({"op": "add", "path": "/a/3", "value": 1}), None),
            (json!({"op": "add", "path": "/none/none", "value": 1}), None),
            (json!({"op": "other", "path": "/a"}), None),
        ] {
            let mut patched = object.clone();
            let operations = read(json!([operation])).unwrap();
            let result = apply(&operations, &mut patched);
            assert_eq!(result.is_ok().then_some(patched), expected, "{operation}");
        }
    }
}
