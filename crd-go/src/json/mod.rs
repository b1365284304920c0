//! JSON values as Go decodes, compares and prints them.
//!
//! A [`serde_json::Value`] represents what Kubernetes' `encoding/json` decodes. A number is an `int64` if it is an integer
//! in that range, and otherwise a `float64`.
//!
//! ```
//! use crd_go::json::{deep_equal, marshal, show, type_of};
//! use serde_json::json;
//!
//! let value = json!({"b": [1, 1.5, 1e21], "a": "<&>"});
//! assert_eq!(marshal(&value), r#"{"a":"\u003c\u0026\u003e","b":[1,1.5,1e+21]}"#);
//! assert_eq!(show(&value), "map[a:<&> b:[1 1.5 1e+21]]");
//! assert_eq!(type_of(&value), "map[string]interface {}");
//! assert!(!deep_equal(&json!(1), &json!(1.0)));
//! ```

mod equal;
mod fields;
mod marshal;
mod number;
mod show;

pub use equal::deep_equal;
pub use fields::remove;
pub use marshal::{marshal, write_json};
pub use number::Num;
pub use show::{go_syntax, show, type_of};

use serde_json::{Map, Value};

/// Returns the approximate size of a value's JSON in bytes: the bytes of its strings and keys, and two for every value.
///
/// ```
/// use serde_json::json;
///
/// assert_eq!(crd_go::json::size(&json!({"ab": [1, "c"]})), 11);
/// ```
#[must_use]
pub fn size(value: &Value) -> usize {
    2 + match value {
        Value::Object(fields) => fields.iter().map(|(key, value)| key.len() + size(value)).sum(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::String(text) => text.len(),
        _ => 0,
    }
}

/// Returns the fields of an object, sorted by name.
pub fn sorted(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_unstable_by(|a, b| a.0.cmp(b.0));
    fields
}
