//! The demanding definitions of the corpus next to the project, and the objects that the API server accepted for them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crd_codegen::{Config, Definition, Generated, ProblemSeverity, generate};
use crd_input::Limits;
use serde_json::Value;

use crate::shared;

/// Returns the paths of the demanding definitions below the directory of definitions, or `None` if the corpus is not next to the project.
#[must_use]
pub fn demanding() -> Option<BTreeSet<String>> {
    let lines = lines(&shared("corpus")?.join("demanding.txt"));
    Some(lines.iter().map(|line| line.trim_start_matches("crds/").to_owned()).collect())
}

/// Returns the definitions of files below the directory of definitions.
///
/// # Panics
/// The corpus is not next to the project, or a file cannot be read.
#[must_use]
pub fn definitions_in(files: &BTreeSet<String>) -> Vec<Definition> {
    let folder = shared("corpus").expect("the names of its files were read").join("crds");
    read(&files.iter().map(|path| folder.join(path)).collect::<Vec<_>>())
}

/// Returns the definitions of files and directories.
///
/// # Panics
/// One of them cannot be found.
#[must_use]
pub fn read(paths: &[PathBuf]) -> Vec<Definition> {
    let limits = Limits::default();
    let (sources, errors) = crd_input::sources(paths, &limits);
    assert!(errors.is_empty(), "{}", errors[0]);
    crd_input::definitions(&sources, &limits, &|| ()).definitions
}

/// Returns the generated code, without errors.
///
/// # Panics
/// There are errors.
#[must_use]
pub fn generated(definitions: &[Definition], config: &Config) -> Generated {
    let generated = generate(definitions, config);
    assert_eq!(errors(&generated), [""; 0]);
    generated
}

/// Returns the errors of a run.
#[must_use]
pub fn errors(generated: &Generated) -> Vec<String> {
    let errors = generated.findings.iter().filter(|finding| finding.severity == ProblemSeverity::Error);
    errors.map(|finding| format!("{}: {}", finding.origin.file, finding.diagnostic)).collect()
}

/// Returns the objects that the API server accepted for these definitions, as it would store them.
///
/// # Panics
/// The corpus is not next to the project.
#[must_use]
pub fn accepted_objects(definitions: &BTreeSet<String>) -> Vec<Value> {
    let corpus = shared("corpus").expect("the names of its files were read");
    let verdicts = lines(&corpus.join("sample-verdicts.jsonl")).into_iter();
    let verdicts = verdicts.map(|line| serde_json::from_str(&line).expect("a line is JSON"));
    let accepted = verdicts.filter(|verdict: &Value| {
        verdict["accepted"] == true && verdict["crd"].as_str().is_some_and(|crd| definitions.contains(crd))
    });
    accepted.map(|mut verdict| verdict["object"].take()).collect()
}

/// Returns the lines of a file.
fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).expect("the file is part of the corpus").lines().map(str::to_owned).collect()
}
