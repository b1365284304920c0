//! The recorded answers of real API servers.

use std::collections::BTreeMap;
use std::path::Path;

use crd_core::KubeVersion;
use serde_json::{Map, Value};

use super::cases::{RELEASES, folder};

/// Returns the recorded answers to the cases of a file, by the name of the case.
pub(crate) fn records(file: &str, release: KubeVersion) -> BTreeMap<String, Value> {
    records_in(&folder(), file, release)
}

/// Returns the recorded answers in a folder.
pub(crate) fn records_in(folder: &Path, file: &str, release: KubeVersion) -> BTreeMap<String, Value> {
    let read = |name: String| -> BTreeMap<String, Value> {
        serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
    };
    let mut all = read(format!("{file}.server.json"));
    if release != RELEASES[0] {
        all.extend(read(format!("{file}.server-{release}.json")));
    }
    all
}

/// A recorded answer: `[CODE]`, `[CODE, OBJECT]` or `[CODE, MESSAGE, FIELDS]`.
#[derive(Clone, Copy)]
pub(crate) struct Answer<'r> {
    value: &'r Value,
    /// The object that was sent.
    sent: &'r Value,
}

impl<'r> Answer<'r> {
    /// Returns the answer of a step, if the step was recorded.
    pub(crate) fn from_record(record: &'r Value, step: &str, sent: &'r Value) -> Option<Self> {
        record.get(step).map(|value| Self { value, sent })
    }

    pub(crate) fn code(self) -> u64 {
        self.value[0].as_u64().unwrap()
    }

    pub(crate) fn is_ok(self) -> bool {
        self.code() < 300
    }

    /// Returns `true` if there is nothing at the address.
    pub(crate) fn is_gone(self) -> bool {
        self.code() == 404
    }

    /// Returns the object of the answer, without `apiVersion` and metadata.
    pub(crate) fn object(self) -> Value {
        plain(self.value.get(1).unwrap_or(self.sent))
    }

    /// Returns the fields that the causes of a refusal name.
    pub(crate) fn fields(self) -> impl Iterator<Item = &'r str> {
        self.value.get(2).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }

    /// Returns the message of a refusal.
    fn message(self) -> &'r str {
        self.value.get(1).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns `true` if a refusal has the causes of another message. The server checks the fields of an object in any order, and
    /// the name of the object differs between requests.
    pub(crate) fn has_causes_of(self, message: &str) -> bool {
        let fields: Vec<&str> = self.fields().chain(["<nil>"]).collect();
        causes(self.message(), &fields) == causes(message, &fields)
    }

    pub(crate) fn text(self) -> String {
        self.value.to_string()
    }
}

/// Returns an object without `apiVersion` and metadata, as answers hold it.
pub(crate) fn plain(object: &Value) -> Value {
    without(object, &["apiVersion", "metadata"])
}

/// Returns an object without some of its fields.
pub(crate) fn without(object: &Value, names: &[&str]) -> Value {
    let fields = object.as_object().into_iter().flatten();
    let kept = fields.filter(|(name, _)| !names.contains(&name.as_str()));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>().into()
}

/// Returns the causes of a message, sorted. `fields` are those that begin a cause.
fn causes<'m>(message: &'m str, fields: &[&str]) -> Vec<&'m str> {
    let message = message.split_once(" is invalid: ").map_or(message, |(_, causes)| causes);
    let list = message.strip_prefix('[').and_then(|list| list.strip_suffix(']'));
    let mut rest = list.unwrap_or(message);
    let begins = |text: &str| {
        fields.iter().any(|field| text.strip_prefix(field).is_some_and(|text| text.starts_with(": ")))
    };
    let mut out = Vec::new();
    while let Some((at, _)) = rest.match_indices(", ").find(|(at, _)| begins(&rest[at + 2..])) {
        out.push(&rest[..at]);
        rest = &rest[at + 2..];
    }
    out.push(rest);
    out.sort_unstable();
    out
}
