//! Stored objects, which are immutable.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::json::PrintedObject;

/// A resource's objects by key.
pub(super) type Objects = BTreeMap<Key, Arc<Stored>>;

/// A namespace and a name. Keys are sorted like the objects in lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(Arc<str>);

impl Key {
    /// Returns an object's key. The namespace is empty for cluster-scoped objects.
    pub(crate) fn new(namespace: &str, name: &str) -> Self {
        Self(format!("{}{name}", Self::prefix(namespace)).into())
    }

    /// Returns the prefix of all keys in a namespace, or an empty prefix without a namespace.
    pub(crate) fn prefix(namespace: &str) -> String {
        if namespace.is_empty() { String::new() } else { format!("{namespace}/") }
    }

    /// Returns the key with this text. The key sorts before all longer keys that begin with the text.
    pub(crate) fn from_text(text: &str) -> Self {
        Self(text.into())
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

/// An object to be stored. It is serialized before the store is locked.
#[derive(Debug)]
pub(crate) struct Draft {
    printed: PrintedObject,
    /// The unique number of the definition that was used to write the object. `None` if the object lacks some defaults.
    epoch: Option<u64>,
    meta: Meta,
}

/// The metadata that is needed when a stored object is written or removed.
#[derive(Clone, Debug)]
struct Meta {
    uid: Box<str>,
    finalizers: Box<[Box<str>]>,
    is_going: bool,
}

/// An object with the revision of its last write. Only the object's JSON is kept, which takes a tenth of the memory of parsed values.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) key: Key,
    pub(crate) revision: u64,
    /// The whole object in the stored version, including `resourceVersion` and a line feed.
    printed: PrintedObject,
    epoch: Option<u64>,
    meta: Meta,
    /// A cached conversion of the object to another version or by another definition.
    view: OnceLock<Box<View>>,
}

#[derive(Debug)]
struct View {
    epoch: u64,
    version: Box<str>,
    json: Bytes,
}

impl Draft {
    /// Prepares an object for storage. Its kind has no Go type in the API server, so its keys are sorted.
    pub(crate) fn new(value: Value, epoch: Option<u64>) -> Self {
        let meta = Meta::from_object(&value);
        Self { printed: PrintedObject::sorted(value), epoch, meta }
    }

    /// Prepares an object for storage. Its kind has a Go type in the API server, so its keys keep their order.
    pub(crate) fn typed(value: Value, epoch: Option<u64>) -> Self {
        let meta = Meta::from_object(&value);
        Self { printed: PrintedObject::ordered(value), epoch, meta }
    }

    /// Records that the object is stored without some of its defaults. Any write adds these defaults, even a write that changes nothing.
    pub(crate) fn without_defaults(self) -> Self {
        Self { epoch: None, ..self }
    }

    /// Returns the object's size in bytes.
    pub(crate) fn size(&self) -> usize {
        self.printed.json().len()
    }

    pub(super) fn stored(self, key: Key, revision: u64) -> Stored {
        let Self { printed, epoch, meta } = self;
        Stored { key, revision, printed: printed.with_revision(revision), epoch, meta, view: OnceLock::new() }
    }
}

impl Meta {
    fn from_object(value: &Value) -> Self {
        let metadata = crate::json::metadata(value);
        let field = |name: &str| metadata.and_then(|metadata| metadata.get(name));
        let finalizers = field("finalizers").and_then(Value::as_array).into_iter().flatten();
        Self {
            uid: field("uid").and_then(Value::as_str).unwrap_or_default().into(),
            finalizers: finalizers.filter_map(Value::as_str).map(Box::from).collect(),
            is_going: field("deletionTimestamp").is_some(),
        }
    }
}

impl Stored {
    /// Parses the stored JSON, which contains `resourceVersion`.
    pub(crate) fn value(&self) -> Value {
        let mut json = serde_json::Deserializer::from_slice(self.printed.json());
        // The values were in memory before, so that their depth is bounded.
        json.disable_recursion_limit();
        Value::deserialize(&mut json).expect("the JSON was printed from values")
    }

    /// Returns an object with only the labels. The rest of the JSON is not parsed.
    pub(crate) fn labels(&self) -> Value {
        #[derive(Deserialize)]
        struct Labelled {
            metadata: Labels,
        }
        #[derive(Deserialize)]
        struct Labels {
            #[serde(default)]
            labels: Value,
        }
        let mut json = serde_json::Deserializer::from_slice(self.printed.json());
        json.disable_recursion_limit();
        let labels = Labelled::deserialize(&mut json).map_or(Value::Null, |object| object.metadata.labels);
        json!({"metadata": {"labels": labels}})
    }

    /// Returns the object as JSON in a version. `epoch` is the unique number of the definition, and `stored_version` is the storage
    /// version. `print` is called if the stored object must be converted.
    pub(crate) fn view<E>(
        &self,
        epoch: u64,
        version: &str,
        stored_version: &str,
        print: impl FnOnce() -> Result<Bytes, E>,
    ) -> Result<Bytes, E> {
        if Some(epoch) == self.epoch && version == stored_version {
            return Ok(self.printed.json().clone());
        }
        if let Some(view) = self.view.get() {
            if (view.epoch, &*view.version) == (epoch, version) {
                return Ok(view.json.clone());
            }
            return print();
        }
        let json = print()?;
        // Another thread may have been faster; then its view stays.
        _ = self.view.set(Box::new(View { epoch, version: version.into(), json: json.clone() }));
        Ok(json)
    }

    /// Returns the stored JSON.
    pub(crate) fn json(&self) -> Bytes {
        self.printed.json().clone()
    }

    /// Returns the object's last state with the revision of the removal.
    pub(super) fn removed(&self, revision: u64) -> Self {
        let (key, epoch, meta) = (self.key.clone(), self.epoch, self.meta.clone());
        let printed = self.printed.with_revision(revision);
        Self { key, revision, printed, epoch, meta, view: OnceLock::new() }
    }

    /// Returns the object's approximate size in bytes.
    pub(super) fn size(&self) -> usize {
        self.printed.json().len()
    }

    /// Returns the approximate memory use in bytes, which includes all fields besides the JSON.
    pub(super) fn memory(&self) -> usize {
        let finalizers: usize = self.meta.finalizers.iter().map(|name| size_of_val(name) + name.len()).sum();
        self.size() + size_of::<Self>() + self.key.as_str().len() + self.meta.uid.len() + finalizers
    }

    pub(crate) fn uid(&self) -> &str {
        &self.meta.uid
    }

    /// Returns `true` if the object was stored with all defaults.
    pub(crate) fn has_defaults(&self) -> bool {
        self.epoch.is_some()
    }

    /// Returns `true` if the object is being deleted.
    pub(crate) fn is_going(&self) -> bool {
        self.meta.is_going
    }

    /// Returns the object's finalizers.
    pub(crate) fn finalizers(&self) -> Vec<&str> {
        self.meta.finalizers.iter().map(|name| &**name).collect()
    }
}
