//! The recorded cases of `tests/conformance`: requests, and what a real API server answered.

use std::fs;
use std::path::Path;

use crd_codegen::input::{self, Limits, Source};
use serde_json::Value;

use crate::workspace;

/// A request with its answer.
pub struct Case {
    /// File and name, unique among all cases.
    pub name: String,
    /// The case as it stands in the file.
    pub value: Value,
}

/// The definitions that a server was asked to create.
///
/// # Panics
/// The cases cannot be read.
#[must_use]
pub fn recorded_definitions() -> Vec<Case> {
    let folder = workspace().join("tests/conformance/crd");
    let entries = fs::read_dir(folder).expect("the cases are part of the project");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    files.sort();
    files.iter().flat_map(|file| read(file)).collect()
}

/// Reads the cases of a file. Not with the toolkit's own reader, which reads `1.0` as kubectl does (1), while the requests
/// were made with 1.0; but that one takes what is nested too deep for the other.
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
        let (documents, errors) = input::documents(&Source::from_text("case", text), &Limits::default());
        assert!(errors.is_empty(), "{errors:?}");
        documents.into_iter().next().expect("a case is a document").value
    });
    cases[0].take()
}
