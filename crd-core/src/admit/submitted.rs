//! The objects of a request, and the treatment of unknown fields.

use serde_json::Value;

use crate::FieldPath;

/// The object of a request.
///
/// ```
/// use crd_core::FieldPath;
/// use crd_core::admit::Submitted;
/// use serde_json::json;
///
/// let twice = FieldPath::new("spec").child("cron");
/// let submitted = Submitted::from(json!({"kind": "CronTab"})).with_duplicate_fields([twice]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Submitted {
    pub(super) value: Value,
    pub(super) duplicate_fields: Vec<FieldPath>,
    pub(super) source: Source,
}

/// The origin of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The body of a request, or the result of a patch.
    Text,
    /// The result of server-side apply.
    Merged,
    /// The stored object, which server-side apply did not change.
    Unchanged,
}

impl Submitted {
    /// Sets the fields that the text of the object contains twice. The parsed value has each field only once.
    #[must_use]
    pub fn with_duplicate_fields(mut self, fields: impl IntoIterator<Item = FieldPath>) -> Self {
        self.duplicate_fields = fields.into_iter().collect();
        self
    }

    /// Marks the object as the result of server-side apply. The API server drops unknown fields, and `null` values that are
    /// not allowed, only from objects that it reads from text. The API server does not read a merged object from text, and therefore
    /// rejects such `null` values.
    ///
    /// ```
    /// use crd_core::admit::Submitted;
    /// use serde_json::json;
    ///
    /// let merged = Submitted::from(json!({"kind": "CronTab", "spec": null})).merged();
    /// ```
    #[must_use]
    pub fn merged(mut self) -> Self {
        self.source = Source::Merged;
        self
    }

    /// Marks the object as one that server-side apply did not change. The API server does not fill in defaults in such an object.
    ///
    /// ```
    /// use crd_core::admit::Submitted;
    /// use serde_json::json;
    ///
    /// let unchanged = Submitted::from(json!({"kind": "CronTab"})).unchanged();
    /// ```
    #[must_use]
    pub fn unchanged(mut self) -> Self {
        self.source = Source::Unchanged;
        self
    }
}

impl From<Value> for Submitted {
    fn from(value: Value) -> Self {
        Self { value, duplicate_fields: Vec::new(), source: Source::Text }
    }
}

impl From<&Value> for Submitted {
    fn from(value: &Value) -> Self {
        value.clone().into()
    }
}

/// The stored object that a request replaces. An owned value is moved into the response; a borrowed value is cloned.
///
/// ```
/// # use serde_json::Value;
/// # fn example(validator: crd_core::admit::Validator, sent: &Value, stored: Value) {
/// assert!(validator.update(sent, &stored).is_accepted());
/// assert!(validator.update(sent, stored).is_accepted());
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StoredObject(pub(super) Value);

impl From<Value> for StoredObject {
    fn from(value: Value) -> Self {
        Self(value)
    }
}

impl From<&Value> for StoredObject {
    fn from(value: &Value) -> Self {
        value.clone().into()
    }
}

/// The treatment of unknown and duplicate fields, which are never stored.
///
/// This is the API server's query parameter `fieldValidation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FieldValidation {
    /// Unknown and duplicate fields are silently dropped.
    Ignore,
    /// Each unknown or duplicate field causes a warning.
    #[default]
    Warn,
    /// An object with unknown or duplicate fields is rejected. This is the default of `kubectl`.
    Strict,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::CustomResourceDefinition;
    use crate::admit::Validator;

    #[test]
    fn an_unchanged_object_lacks_its_defaults() {
        let size = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer", "default": 1}}});
        let schema = json!({"type": "object", "properties": {"size": size}});
        let crd = CustomResourceDefinition::from_value(json!({
            "metadata": {"name": "shirts.example.com"},
            "spec": {
                "group": "example.com", "scope": "Cluster", "names": {"plural": "shirts", "kind": "Shirt"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
            },
        }));
        let validator = Validator::new(&crd.unwrap()).unwrap();
        let shirt = json!({"apiVersion": "example.com/v1", "kind": "Shirt", "metadata": {"name": "a"}});
        let old = validator.create(&shirt).result.unwrap();
        let mut new = old.clone();
        new["size"] = json!({});
        let update = |new: Submitted| validator.update(new, &old).result;
        assert_eq!(update(Submitted::from(&new)).unwrap()["size"], json!({"a": 1}));
        assert_eq!(update(Submitted::from(&new).merged()).unwrap()["size"], json!({"a": 1}));
        let rejection = update(Submitted::from(&new).unchanged()).unwrap_err();
        assert_eq!(rejection.causes[0].to_string(), "size.a: Required value");
    }
}
