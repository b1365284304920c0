//! A stored object, which never changes.

use std::sync::OnceLock;

use bytes::Bytes;
use serde_json::Value;

use crate::json::print_sorted;

/// A namespace and a name, in the order in which lists have them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(String);

impl Key {
    /// The key of an object; the namespace is empty for objects of the cluster.
    pub(crate) fn new(namespace: &str, name: &str) -> Self {
        Self(format!("{}{name}", Self::prefix(namespace)))
    }

    /// The beginning of all keys in a namespace, or of all keys.
    pub(crate) fn prefix(namespace: &str) -> String {
        if namespace.is_empty() { String::new() } else { format!("{namespace}/") }
    }

    /// A key from its text, which orders before all keys that are longer.
    pub(crate) fn from_text(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn namespace(&self) -> &str {
        self.0.split_once('/').map_or("", |(namespace, _)| namespace)
    }

    pub(crate) fn name(&self) -> &str {
        self.0.split_once('/').map_or(&self.0, |(_, name)| name)
    }
}

/// An object with the revision in which it was written.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) key: Key,
    pub(crate) revision: u64,
    /// The whole object, with its `resourceVersion`.
    pub(crate) value: Value,
    /// The object as it is read under a definition: the epoch of the definition, the version, and JSON.
    view: OnceLock<(u64, String, Bytes)>,
}

impl Stored {
    /// An object that is written; the value has no `resourceVersion` yet.
    pub(super) fn new(key: Key, revision: u64, mut value: Value) -> Self {
        if let Some(metadata) = crate::json::metadata_mut(&mut value) {
            metadata.insert("resourceVersion".to_owned(), revision.to_string().into());
        }
        Self { key, revision, value, view: OnceLock::new() }
    }

    /// The object as JSON in a version, under the definition of that epoch. `read` is asked at most once for the view that is
    /// kept.
    pub(crate) fn view<E>(
        &self,
        epoch: u64,
        version: &str,
        read: impl FnOnce() -> Result<Value, E>,
    ) -> Result<Bytes, E> {
        if let Some((of_epoch, of_version, bytes)) = self.view.get() {
            if (*of_epoch, of_version.as_str()) == (epoch, version) {
                return Ok(bytes.clone());
            }
            return Ok(print_sorted(&read()?));
        }
        let bytes = print_sorted(&read()?);
        // Another thread may have been faster; then its view stays.
        _ = self.view.set((epoch, version.to_owned(), bytes.clone()));
        Ok(bytes)
    }

    /// A field of the metadata.
    pub(crate) fn meta(&self, field: &str) -> Option<&Value> {
        self.value.get("metadata")?.get(field)
    }

    /// A text of the metadata, empty where it is absent.
    pub(crate) fn meta_text(&self, field: &str) -> &str {
        self.meta(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// The finalizers.
    pub(crate) fn finalizers(&self) -> Vec<&str> {
        let finalizers = self.meta("finalizers").and_then(Value::as_array).into_iter().flatten();
        finalizers.filter_map(Value::as_str).collect()
    }
}
