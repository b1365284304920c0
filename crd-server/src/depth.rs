//! Measures the nesting depth of values, and provides a stack that is large enough for deeply nested values.
//!
//! The API server accepts values with 10,000 levels of nesting. Hardly any request contains such a value, so requests are first handled on
//! the current thread's stack. If this stack is too small, the server stops before it writes anything, and repeats the request on a large
//! stack. From then on, all requests use a large stack, because the server may contain deep objects.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::{io, thread};

use serde_json::Value;

/// Maximum number of levels in a value: `maxNestingDepth` of `encoding/json`, and `max_depth` of `go.yaml.in/yaml/v2`.
pub(crate) const MOST: usize = 10_000;
/// Maximum number of levels in a CRD, including defaults. The API server accepts more levels. The limit is lower here, because a CRD may be
/// dropped on any thread's stack.
pub(crate) const MOST_OF_DEFINITION: usize = 1_000;
/// Maximum number of levels in a value on a small stack.
const SMALL: usize = 127;
/// Size of a large stack in bytes. The system allocates only the used part.
const LARGE: usize = 1 << 29;

/// The state of the current thread's stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stack {
    Small,
    /// The stack is small, and a value was too deep for it.
    TooSmall,
    Large,
}

thread_local! {
    static STACK: Cell<Stack> = const { Cell::new(Stack::Small) };
}

/// Returns the maximum number of levels in a value on the current stack.
pub(crate) fn most() -> usize {
    if is_large() { MOST } else { SMALL }
}

/// Returns `true` if the current stack is large enough for deep values.
pub(crate) fn is_large() -> bool {
    STACK.get() == Stack::Large
}

/// Records that a value has more levels than the current stack allows.
pub(crate) fn exceed() {
    if STACK.get() == Stack::Small {
        STACK.set(Stack::TooSmall);
    }
}

/// Calls `work` on the current stack. Returns `None` if a value was too deep. `work` must not have changed anything in this case.
pub(crate) fn on_small_stack<T>(work: impl FnOnce() -> T) -> Option<T> {
    if is_large() {
        return Some(work());
    }
    STACK.set(Stack::Small);
    let result = work();
    (STACK.get() == Stack::Small).then_some(result)
}

/// Calls `work` on a large stack.
///
/// # Errors
/// - The system has no thread or memory left.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    if is_large() {
        return Ok(work());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(LARGE).spawn_scoped(scope, || {
            STACK.set(Stack::Large);
            work()
        })?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Checks that the current stack is large enough for a JSON text. The error contains the opening bracket of the first level that is too
/// deep.
pub(crate) fn check_json(json: &[u8]) -> Result<(), char> {
    let most = most();
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    for &byte in json {
        if is_text {
            is_text = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => is_text = true,
            b'{' | b'[' => {
                depth += 1;
                if depth > most {
                    exceed();
                    return Err(char::from(byte));
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

/// Returns `true` if a value has at most this many levels.
pub(crate) fn is_within(value: &Value, most: usize) -> bool {
    let mut rest = vec![(value, 1)];
    while let Some((value, depth)) = rest.pop() {
        match value {
            Value::Array(_) | Value::Object(_) if depth > most => return false,
            Value::Array(items) => rest.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => rest.extend(fields.values().map(|field| (field, depth + 1))),
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn levels_are_lists_and_maps() {
        let value = json!({"a": [{"b": 1}], "c": "[[[[["});
        assert!(is_within(&value, 3));
        assert!(!is_within(&value, 2));
    }

    #[test]
    fn the_first_level_beyond_the_limit_is_named() {
        let list = |depth: usize| format!("{{\"a\":\"]\",\"b\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(on_small_stack(|| check_json(list(SMALL - 1).as_bytes())), Some(Ok(())));
        assert_eq!(on_small_stack(|| check_json(list(SMALL).as_bytes())), None);
        let large = |depth| on_large_stack(|| check_json(list(depth).as_bytes())).unwrap();
        assert_eq!(large(MOST - 1), Ok(()));
        assert_eq!(large(MOST), Err('['));
    }
}
