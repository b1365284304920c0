//! JSON patches: RFC 6902 as implemented by `gopkg.in/evanphx/json-patch.v4`.

use std::collections::VecDeque;

use crd_go::budget::{Budget, Exhausted, Reserve};
use crd_go::json::marshal;
use crd_go::strings::quote;
use serde_json::Value;

use crate::depth;
use crate::json::json_type;
use crate::status::{Failure, exhausted};
use Stop::Inapplicable;

/// Maximum number of operations in a patch: `maxJSONPatchOperations`.
const MOST_OPERATIONS: usize = 10_000;

/// Maximum number of bytes that `copy` operations add to an object: `JSONPatchMaxCopyBytes` in `k8s.io/apiserver/pkg/server/config.go`.
const MOST_COPIED_BYTES: usize = 3 * 1024 * 1024;

/// Number of map fields that a patch may sort, in addition to `MOVES` for each value. Beyond this limit, maps are no longer sorted.
const SORTED: u64 = 4_000_000;

/// Number of elements that a patch may move inside lists and maps, for each value in the object and in the patch.
const MOVES: u64 = 400;
/// Number of additional moves, independent of the sizes of the object and the patch.
const RESERVE: u64 = 4_000_000;

/// An operation of a patch.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    op: String,
    path: String,
    from: String,
    /// `None` if the operation has no value. `null` is added in this case.
    value: Option<Value>,
}

/// Reads the operations of a patch. With strict or warning field validation (`is_checked`), the API server first reads the operations into
/// its own Go type, and errors mention this type.
pub(super) fn read(patch: Value, is_checked: bool) -> Result<Vec<Operation>, Failure> {
    let (prefix, list, item) = match is_checked {
        true => ("error decoding patch: ", "[]handlers.jsonPatchOp", "handlers.jsonPatchOp"),
        false => ("", "jsonpatch.Patch", "jsonpatch.Operation"),
    };
    let other_type = |found: &Value, expected: &str| {
        let found = json_type(found);
        let message = format!("{prefix}json: cannot unmarshal {found} into Go value of type {expected}");
        Failure::bad_request(message)
    };
    let operations = match patch {
        Value::Array(operations) => operations,
        Value::Null => Vec::new(),
        other => return Err(other_type(&other, list)),
    };
    if let Some(other) = operations.iter().find(|operation| !operation.is_object() && !operation.is_null()) {
        return Err(other_type(other, item));
    }
    if operations.len() > MOST_OPERATIONS {
        let message = format!(
            "Request entity too large: The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}, got {}",
            operations.len()
        );
        return Err(Failure::new(413, "RequestEntityTooLarge", message));
    }
    // A path without a slash leads nowhere. An empty one would be the object itself.
    let text = |operation: &Value, name: &str| {
        operation.get(name).and_then(Value::as_str).unwrap_or("unknown").to_owned()
    };
    let read = |operation: Value| Operation {
        op: text(&operation, "op"),
        path: text(&operation, "path"),
        from: text(&operation, "from"),
        value: operation.get("value").cloned(),
    };
    Ok(operations.into_iter().map(read).collect())
}

/// Returns the operations' unknown fields, as reported by strict field validation.
pub(super) fn unknown_fields(patch: &Value) -> Vec<String> {
    const KNOWN: [&str; 4] = ["op", "path", "from", "value"];
    let operations = patch.as_array().into_iter().flatten().filter_map(Value::as_object).enumerate();
    let unknown = operations.flat_map(|(i, operation)| {
        let names = operation.keys().filter(|name| !KNOWN.contains(&name.as_str()));
        names.map(move |name| format!("json patch unknown field {}", quote(&format!("[{i}].{name}"))))
    });
    unknown.collect()
}

/// Applies operations; if an operation fails, the patch is rejected.
pub(super) fn apply(operations: &[Operation], object: &mut Value) -> Result<(), Failure> {
    let values = operations.iter().filter_map(|operation| operation.value.as_ref());
    let size = nodes(object) + values.map(nodes).sum::<u64>();
    let mut reserve = Reserve::new(RESERVE);
    let work = reserve.budget(size.saturating_mul(MOVES));
    let mut sorted_reserve = Reserve::new(SORTED);
    let sorted = sorted_reserve.budget(size.saturating_mul(MOVES));
    let mut patched = Patched { object, open: None, copied_bytes: 0, work, sorted };
    let result = operations.iter().try_for_each(|operation| patched.step(operation));
    let result = result.and_then(|()| patched.close());
    result.map_err(|stop| match stop {
        Stop::Exhausted => exhausted(),
        Inapplicable => {
            let message = "the server rejected our request due to an error in our request";
            Failure::new(422, "Invalid", message).about("", "", "")
        }
    })
}

/// Returns the number of nested values, including the value itself.
fn nodes(value: &Value) -> u64 {
    let (mut rest, mut count) = (vec![value], 0);
    while let Some(value) = rest.pop() {
        count += 1;
        match value {
            Value::Array(items) => rest.extend(items),
            Value::Object(fields) => rest.extend(fields.values()),
            _ => {}
        }
    }
    count
}

/// Checks that a value is not too deep at its new path. The API server checks the depth after all operations.
fn check_depth(path: &str, value: &Value) -> Result<(), Stop> {
    let above = path.matches('/').count();
    if depth::most().checked_sub(above).is_some_and(|most| depth::is_within(value, most)) {
        return Ok(());
    }
    depth::exceed();
    Err(Inapplicable)
}

/// The reason why a patch is not applied.
enum Stop {
    /// An operation cannot be applied to the object. The API server gives no reason.
    Inapplicable,
    /// The operations move too many values.
    Exhausted,
}

impl From<Exhausted> for Stop {
    fn from(_: Exhausted) -> Self {
        Self::Exhausted
    }
}

/// An object that is being patched.
struct Patched<'o, 'r> {
    object: &'o mut Value,
    /// The list that the last operation changed, and its path. The list is kept here because changes at both ends of a `VecDeque` are fast.
    /// Until the list is put back, the object contains an empty list.
    open: Option<(String, VecDeque<Value>)>,
    copied_bytes: usize,
    work: Budget<'r>,
    /// The remaining number of map fields that may be sorted.
    sorted: Budget<'r>,
}

impl Patched<'_, '_> {
    fn step(&mut self, operation: &Operation) -> Result<(), Stop> {
        // Where a value is added, the last index may be the length of the list.
        let is_read = operation.op == "test";
        if let Some(path) = self.standard(&operation.path, is_read)? {
            return self.step(&Operation { path, ..operation.clone() });
        }
        if let Some(from) = self.standard(&operation.from, true)? {
            return self.step(&Operation { from, ..operation.clone() });
        }
        self.sort_read(operation)?;
        self.change(operation)?;
        // A new field is the last one.
        self.sort_way(&operation.path)
    }

    /// Converts a path to a JSON Pointer. Returns `None` if the path already is a JSON Pointer, or has no slash. The API server's library
    /// also accepts other paths: it ignores the characters before the first slash, parses indices like Go, and counts negative indices from
    /// the end.
    fn standard(&mut self, path: &str, is_last_read: bool) -> Result<Option<String>, Stop> {
        let is_odd = |part: &str| part.starts_with(['-', '+']) || part.len() > 1 && part.starts_with('0');
        let (Some(start), Some(last)) = (path.find('/'), path.rfind('/')) else { return Ok(None) };
        let (read, rest) = path.split_at(if is_last_read { path.len() } else { last });
        let read = || read[start..].split('/').skip(1);
        if start == 0 && !read().any(is_odd) {
            return Ok(None);
        }
        self.close()?;
        let (mut at, mut standard) = (Some(&*self.object), String::new());
        for part in read() {
            let found = at.take();
            standard.push('/');
            match found {
                Some(Value::Array(items)) => {
                    let index = place(&unescaped(part), items.len())?;
                    standard += &index.to_string();
                    at = items.get(index);
                }
                Some(Value::Object(fields)) => {
                    standard += part;
                    at = fields.get(&unescaped(part));
                }
                _ => standard += part,
            }
        }
        standard += rest;
        Ok(Some(standard).filter(|standard| standard != path))
    }

    /// Sorts the maps that an operation reads: the maps along its paths, and all maps in a tested value. The API server's library writes
    /// all other maps, including copies, without sorting.
    fn sort_read(&mut self, operation: &Operation) -> Result<(), Stop> {
        if matches!(operation.op.as_str(), "move" | "copy") {
            self.sort_way(&operation.from)?;
        }
        // The new path of a moved value is read when the value is gone.
        if operation.op != "move" {
            self.sort_way(&operation.path)?;
        }
        if operation.op == "test"
            && let Some(value) = self.object.pointer_mut(&operation.path)
            && self.sorted.take(nodes(value)).is_ok()
        {
            value.sort_all_objects();
        }
        Ok(())
    }

    /// Sorts the maps along a path.
    fn sort_way(&mut self, pointer: &str) -> Result<(), Stop> {
        let parent = pointer.rsplit_once('/').map(|(parent, _)| parent);
        // The maps above an open list are sorted, and there is none within.
        if self.open.as_ref().is_some_and(|(open, _)| Some(open.as_str()) == parent) {
            return Ok(());
        }
        self.close()?;
        for (end, _) in pointer.match_indices('/') {
            if let Some(Value::Object(fields)) = self.object.pointer_mut(&pointer[..end])
                && self.sorted.take(fields.len() as u64).is_ok()
                && !fields.keys().is_sorted()
            {
                fields.sort_keys();
            }
        }
        Ok(())
    }

    fn change(&mut self, operation: &Operation) -> Result<(), Stop> {
        let value = || operation.value.clone().unwrap_or(Value::Null);
        match operation.op.as_str() {
            "add" => self.add(&operation.path, value()),
            "remove" => self.remove(&operation.path).map(drop),
            "replace" => {
                self.close()?;
                replace(self.object, &operation.path, value())
            }
            "move" => {
                let moved = self.remove(&operation.from)?;
                self.sort_way(&operation.path)?;
                // The depth of what is moved is checked anew.
                self.work.take(nodes(&moved))?;
                self.add(&operation.path, moved)
            }
            "copy" => {
                self.close()?;
                if operation.from.is_empty() {
                    return Err(Inapplicable);
                }
                let copied = read_at(self.object, &operation.from)?;
                self.copied_bytes += marshal(copied).len();
                if self.copied_bytes > MOST_COPIED_BYTES {
                    return Err(Inapplicable);
                }
                let copied = copied.clone();
                self.add(&operation.path, copied)
            }
            "test" => {
                self.close()?;
                let found = read_at(self.object, &operation.path)?;
                let expected = operation.value.as_ref().unwrap_or(&Value::Null);
                if crd_go::json::deep_equal(found, expected) { Ok(()) } else { Err(Inapplicable) }
            }
            _ => Err(Inapplicable),
        }
    }

    fn add(&mut self, path: &str, value: Value) -> Result<(), Stop> {
        check_depth(path, &value)?;
        let (parent, last) = path.rsplit_once('/').ok_or(Inapplicable)?;
        if self.open(parent)?
            && let Some((_, items)) = &mut self.open
        {
            let index = if last == "-" { items.len() } else { place(&unescaped(last), items.len() + 1)? };
            self.work.take(index.min(items.len() - index) as u64)?;
            items.insert(index, value);
            return Ok(());
        }
        let Value::Object(fields) = container(self.object, parent)? else { return Err(Inapplicable) };
        fields.insert(unescaped(last), value);
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<Value, Stop> {
        let (parent, last) = path.rsplit_once('/').ok_or(Inapplicable)?;
        if self.open(parent)?
            && let Some((_, items)) = &mut self.open
        {
            let index = place(&unescaped(last), items.len())?;
            self.work.take(index.min(items.len() - index) as u64)?;
            return items.remove(index).ok_or(Inapplicable);
        }
        let Value::Object(fields) = container(self.object, parent)? else { return Err(Inapplicable) };
        self.work.take(fields.len() as u64)?;
        crd_go::json::remove(fields, &unescaped(last)).ok_or(Inapplicable)
    }

    /// Moves the list at a path from the object to `open`. Returns `false` if there is no list at the path.
    fn open(&mut self, path: &str) -> Result<bool, Stop> {
        if self.open.as_ref().is_some_and(|(open, _)| open == path) {
            return Ok(true);
        }
        self.close()?;
        let Some(Value::Array(items)) = self.object.pointer_mut(path) else { return Ok(false) };
        self.open = Some((path.to_owned(), std::mem::take(items).into()));
        Ok(true)
    }

    /// Puts the open list back into the object.
    fn close(&mut self) -> Result<(), Stop> {
        let Some((path, items)) = self.open.take() else { return Ok(()) };
        self.work.take(items.len() as u64)?;
        if let Some(place) = self.object.pointer_mut(&path) {
            *place = Vec::from(items).into();
        }
        Ok(())
    }
}

/// Returns the value at a path. A field that is absent from a map is `null`.
fn read_at<'a>(object: &'a Value, path: &str) -> Result<&'a Value, Stop> {
    let is_in_map = || {
        let (parent, _) = path.rsplit_once('/')?;
        object.pointer(parent).filter(|parent| parent.is_object())
    };
    object.pointer(path).or_else(|| is_in_map().map(|_| &Value::Null)).ok_or(Inapplicable)
}

/// Returns the list or the map at a path.
fn container<'a>(object: &'a mut Value, path: &str) -> Result<&'a mut Value, Stop> {
    object.pointer_mut(path).ok_or(Inapplicable)
}

/// Returns the field name in a path segment.
fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

/// Replaces the value at a path. A missing field is added, because the library checks only that the object exists.
fn replace(object: &mut Value, path: &str, value: Value) -> Result<(), Stop> {
    check_depth(path, &value)?;
    let Some((parent, last)) = path.rsplit_once('/') else {
        let is_whole = path.is_empty() && matches!(value, Value::Array(_) | Value::Object(_));
        *object = value;
        // The library prints the fields of the object in order, and what is in them as it was read.
        if let Value::Object(fields) = object {
            fields.sort_keys();
        }
        return if is_whole { Ok(()) } else { Err(Inapplicable) };
    };
    match container(object, parent)? {
        Value::Array(items) => {
            let index = place(&unescaped(last), items.len())?;
            items[index] = value;
        }
        Value::Object(fields) => {
            fields.insert(unescaped(last), value);
        }
        _ => return Err(Inapplicable),
    }
    Ok(())
}

/// Parses an index into a list with this number of items. Negative indices count from the end.
fn place(text: &str, places: usize) -> Result<usize, Stop> {
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
mod tests;
