//! Reads stored objects, and finds the stored object that a new object replaces.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;
use serde_json::{Value, json};

use crd_input::{Error, Fault, Limits, Source, in_parallel};

/// The stored objects, by the file's path below the directory in `--old`. If `--old` is a single file, the path is empty.
pub(super) struct Stored {
    is_directory: bool,
    files: HashMap<PathBuf, StoredFile>,
}

/// The objects in a file, kept as JSON text. Parsed values would take many times the memory of the file.
#[derive(Default)]
struct StoredFile {
    texts: Vec<Box<str>>,
    by_name: HashMap<String, Namespaces>,
}

/// The objects with the same kind and name in a file, by namespace. Each number is the index of an object's first occurrence.
#[derive(Default)]
struct Namespaces {
    first: usize,
    without: Option<usize>,
    of: HashMap<String, usize>,
}

/// Number of bytes that stored objects may take in memory, regardless of the size of the files.
const LEAST: usize = 48 << 20;
/// Number of additional bytes in memory for each byte in the files. Without aliases, an object's JSON text is hardly longer than the text
/// in the file, and the index takes about three times the size of a small object.
const OF_A_BYTE: usize = 6;
/// Number of bytes that the index takes for an object, besides name and namespace.
const INDEXED: usize = 256;

impl Stored {
    /// Reads the stored objects in the files at a path.
    pub(super) fn read(sources: &[Source], place: &Path, limits: &Limits) -> (Self, Vec<Error>) {
        let mut errors = Vec::new();
        let is_directory = place.is_dir();
        let most = LEAST + OF_A_BYTE * sources.iter().map(|source| size(source, limits)).sum::<usize>();
        let room = AtomicUsize::new(most);
        let read = in_parallel(sources, |source| {
            let mut objects = StoredFile::default();
            let mut fits = true;
            let mut errors = crd_input::each_document(source, limits, &mut |object| {
                fits = fits && objects.add(&object.document.value, &room);
            });
            if !fits {
                let fault = Fault::new(format!(
                    "the stored objects of this file and of the files read with it would take more than {} MiB of memory",
                    most >> 20
                ));
                errors.push(Error::new(
                    source.name(),
                    fault.help("write the values of aliases out, or split the run"),
                ));
            }
            (objects, errors)
        });
        let mut files = HashMap::new();
        for (source, (objects, unread)) in sources.iter().zip(read) {
            let below = source.path().and_then(|path| path.strip_prefix(place).ok()).filter(|_| is_directory);
            files.insert(below.map(Path::to_owned).unwrap_or_default(), objects);
            errors.extend(unread);
        }
        (Self { is_directory, files }, errors)
    }

    /// Returns the stored object that `object` replaces, which has the same kind and name. `object` is one of `count` objects in the file
    /// at `path` below its directory. If the file and the file with stored objects each contain a single object, `object` replaces the
    /// stored object.
    pub(super) fn replaced_by(&self, object: &Value, path: &Path, count: usize) -> Option<Value> {
        let objects = self.files.get(if self.is_directory { path } else { Path::new("") })?;
        let only = (objects.texts.len() == 1 && count == 1).then_some(0);
        let text = objects.texts.get(objects.same(object).or(only)?)?;
        let mut deserializer = serde_json::Deserializer::from_str(text);
        // Reading has bounded the depth.
        deserializer.disable_recursion_limit();
        Value::deserialize(&mut deserializer).ok()
    }
}

impl StoredFile {
    /// Adds an object. Returns `false` if the memory limit is reached.
    fn add(&mut self, object: &Value, room: &AtomicUsize) -> bool {
        let (text, name, namespace) = (object.to_string(), name(object), namespace(object));
        let takes = INDEXED + text.len() + name.len() + namespace.as_ref().map_or(0, String::len);
        let take = |left: usize| left.checked_sub(takes);
        if room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            return false;
        }
        let number = self.texts.len();
        self.texts.push(text.into_boxed_str());
        let namespaces =
            self.by_name.entry(name).or_insert_with(|| Namespaces { first: number, ..Namespaces::default() });
        match namespace {
            None => _ = namespaces.without.get_or_insert(number),
            Some(namespace) => _ = namespaces.of.entry(namespace).or_insert(number),
        }
        true
    }

    /// Returns the first object with the same kind, group and name, if the namespaces are equal or one of the objects has no namespace.
    fn same(&self, object: &Value) -> Option<usize> {
        let namespaces = self.by_name.get(&name(object))?;
        let Some(namespace) = namespace(object) else { return Some(namespaces.first) };
        let same = namespaces.of.get(&namespace).copied();
        same.into_iter().chain(namespaces.without).min()
    }
}

/// Returns an object's kind, group and name as text.
fn name(object: &Value) -> String {
    let group = object["apiVersion"].as_str().map(|version| version.split('/').next());
    json!([object["kind"], group, object["metadata"]["name"]]).to_string()
}

fn namespace(object: &Value) -> Option<String> {
    let namespace = &object["metadata"]["namespace"];
    (!namespace.is_null()).then(|| namespace.to_string())
}

/// Returns a file's size in bytes.
fn size(source: &Source, limits: &Limits) -> usize {
    let file = source.path().and_then(|path| fs::metadata(path).ok()).filter(fs::Metadata::is_file);
    match file {
        Some(file) => usize::try_from(file.len()).unwrap_or(usize::MAX / OF_A_BYTE).min(1 << 32),
        None => source.read(limits).map_or(0, |text| text.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(values: &[Value]) -> StoredFile {
        let mut objects = StoredFile::default();
        assert!(values.iter().all(|value| objects.add(value, &AtomicUsize::new(LEAST))));
        objects
    }

    #[test]
    fn the_first_object_of_the_same_name_is_replaced() {
        let object = |version: &str, name: &str, namespace: Option<&str>| json!({"apiVersion": version, "kind": "A", "metadata": {"name": name, "namespace": namespace}});
        let stored = objects(&[
            object("g/v1", "a", Some("x")),
            object("g/v1", "a", None),
            object("g/v1", "a", Some("y")),
            object("h/v1", "a", None),
        ]);
        assert_eq!(stored.same(&object("g/v2", "a", Some("x"))), Some(0));
        assert_eq!(stored.same(&object("g/v2", "a", None)), Some(0));
        assert_eq!(stored.same(&object("g/v2", "a", Some("y"))), Some(1));
        assert_eq!(stored.same(&object("h/v1", "a", Some("z"))), Some(3));
        assert_eq!(stored.same(&object("h/v1", "b", None)), None);
    }

    #[test]
    fn stored_objects_share_one_bound() {
        let room = AtomicUsize::new(INDEXED + 100);
        let mut objects = StoredFile::default();
        assert!(objects.add(&json!({"kind": "A"}), &room));
        assert!(!objects.add(&json!({"kind": "A"}), &room));
    }
}
