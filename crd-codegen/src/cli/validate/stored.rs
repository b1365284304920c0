//! The stored objects of a run -> the one that an object replaces.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::input::{self, Error, Limits, in_parallel};

/// The objects that are stored, by the path of their file below the folder, or all under one name where they are in one
/// file.
pub(super) struct Stored {
    is_folder: bool,
    files: HashMap<PathBuf, Vec<Value>>,
}

impl Stored {
    /// Reads them.
    pub(super) fn read(place: &Path, limits: &Limits) -> (Self, Vec<Error>) {
        let (sources, mut errors) = input::sources(&[place], limits);
        let is_folder = place.is_dir();
        let mut files = HashMap::new();
        let read = in_parallel(&sources, |source| {
            let mut values = Vec::new();
            let errors = input::each_kept_document(source, limits, &mut |value| values.push(value));
            (values, errors)
        });
        for (source, (values, unread)) in sources.iter().zip(read) {
            let below = source.path().and_then(|path| path.strip_prefix(place).ok()).filter(|_| is_folder);
            files.insert(below.map(Path::to_owned).unwrap_or_default(), values);
            errors.extend(unread);
        }
        (Self { is_folder, files }, errors)
    }

    /// The object that `object`, one of `count` in the file at `path` below its folder, replaces: the one of its kind and
    /// name. Where both files hold one object, it is that.
    pub(super) fn of(&self, object: &Value, path: &Path, count: usize) -> Option<&Value> {
        let candidates = self.files.get(if self.is_folder { path } else { Path::new("") })?;
        let same = candidates.iter().find(|old| is_same(object, old));
        same.or_else(|| candidates.first().filter(|_| candidates.len() == 1 && count == 1))
    }
}

fn is_same(object: &Value, old: &Value) -> bool {
    let group = |value: &Value| {
        value["apiVersion"].as_str().map(|version| version.split('/').next().map(str::to_owned))
    };
    let namespaces = [&object["metadata"]["namespace"], &old["metadata"]["namespace"]];
    object["kind"] == old["kind"]
        && group(object) == group(old)
        && object["metadata"]["name"] == old["metadata"]["name"]
        && (namespaces[0] == namespaces[1] || namespaces.iter().any(|namespace| namespace.is_null()))
}
