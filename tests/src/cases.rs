//! The recorded cases of `tests/conformance`: requests, with the answers of a real API server.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crd_input::{Limits, Source};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::workspace;

/// A request with its answer.
pub struct Case {
    /// File and name, unique among all cases.
    pub name: String,
    /// The case as in the file.
    pub value: Value,
}

/// Requests that create definitions.
///
/// # Panics
/// The cases cannot be read.
#[must_use]
pub fn recorded_definitions() -> Vec<Case> {
    files("crd").iter().flat_map(|file| read(file)).collect()
}

/// A definition, and requests with objects of its kind.
pub struct ObjectCases {
    /// The definition.
    pub crd: Value,
    /// The requests.
    pub cases: Vec<Case>,
}

/// Requests that create or update objects.
///
/// # Panics
/// The cases cannot be read.
#[must_use]
pub fn recorded_objects() -> Vec<ObjectCases> {
    files("object").iter().map(|file| objects(file)).collect()
}

fn objects(path: &Path) -> ObjectCases {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let text = fs::read_to_string(path).expect("the file was listed");
    let Any(mut value) = serde_yaml::from_str(&text).expect("the file is YAML");
    let cases: Vec<Value> = serde_json::from_value(value["cases"].take()).expect("the file has cases");
    let name = |case: &Value| format!("{file}: {}", case["name"].as_str().unwrap_or_default());
    let cases = cases.into_iter().map(|value| Case { name: name(&value), value }).collect();
    ObjectCases { crd: value["crd"].take(), cases }
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = workspace().join("tests/conformance").join(folder);
    let entries = fs::read_dir(folder).expect("the cases are part of the project");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    files.sort();
    files
}

/// Reads the cases of a file with `serde_yaml`, because the requests contained `1.0`, which the reader of the project turns into 1 as
/// kubectl does. Cases that are nested too deeply for `serde_yaml` are read with the reader of the project.
fn read(path: &Path) -> Vec<Case> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let text = fs::read_to_string(path).expect("the file was listed");
    let starts: Vec<usize> = text.match_indices("- name: ").map(|(at, _)| at).collect();
    let starts = starts.into_iter().filter(|at| *at == 0 || text.as_bytes()[at - 1] == b'\n');
    let starts: Vec<usize> = starts.chain([text.len()]).collect();
    let case = |range: &[usize]| {
        let value = read_case(&text[range[0]..range[1]]);
        Case { name: format!("{file}: {}", value["name"].as_str().unwrap_or_default()), value }
    };
    starts.windows(2).map(case).collect()
}

fn read_case(text: &str) -> Value {
    let mut cases = serde_yaml::from_str(text).unwrap_or_else(|_| {
        let (documents, errors) =
            crd_input::documents(&Source::from_string("case", text), &Limits::default());
        assert!(errors.is_empty(), "{errors:?}");
        documents.into_iter().next().expect("a case is a document").value
    });
    cases[0].take()
}

/// A value with integers of any size, as in JSON. Those that fit in no `u64` become floats.
struct Any(Value);

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor).map(Self)
    }
}

struct AnyVisitor;

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok((value as f64).into())
    }

    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok((value as f64).into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Any(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut fields = serde_json::Map::new();
        while let Some((key, Any(value))) = access.next_entry()? {
            fields.insert(key, value);
        }
        Ok(fields.into())
    }
}
