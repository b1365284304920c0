//! What comes in with a request: an object, and how strictly it is read.

use serde_json::Value;

/// An object as it was sent.
///
/// ```
/// use crd_core::admit::Submitted;
/// use serde_json::json;
///
/// let submitted = Submitted::from(json!({"kind": "CronTab"})).with_duplicate_fields(["spec.cron"]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Submitted {
    pub(super) value: Value,
    pub(super) duplicate_fields: Vec<String>,
}

impl Submitted {
    /// Names the fields that the text of the object has twice, which a value cannot show: `spec.items[1].name`.
    #[must_use]
    pub fn with_duplicate_fields<S: Into<String>>(mut self, fields: impl IntoIterator<Item = S>) -> Self {
        self.duplicate_fields = fields.into_iter().map(Into::into).collect();
        self
    }
}

impl From<Value> for Submitted {
    fn from(value: Value) -> Self {
        Self { value, duplicate_fields: Vec::new() }
    }
}

impl From<&Value> for Submitted {
    fn from(value: &Value) -> Self {
        value.clone().into()
    }
}

/// What becomes of fields that the schema does not know or that are given twice; they are never stored.
///
/// This is the query parameter `fieldValidation` of the API server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FieldValidation {
    /// They go without a word.
    Ignore,
    /// Each gives a warning.
    #[default]
    Warn,
    /// The object is refused; this is what `kubectl` asks for.
    Strict,
}
