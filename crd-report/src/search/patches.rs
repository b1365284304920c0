//! Finds files that are not whole objects, because a `kustomization.yaml` or a test of kuttl or Chainsaw uses them as
//! patches or assertions.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crd_core::crd::KIND;
use crd_input::{Document, Limits, Source, clean, documents};
use serde_json::Value;

/// The API groups of tests for kuttl and Chainsaw.
const TEST_GROUPS: [&str; 2] = ["kuttl.dev/", "chainsaw.kyverno.io/"];

/// Returns the names of the sources that contain only parts of objects.
pub(super) fn patches(sources: &[Source], limits: &Limits) -> HashSet<String> {
    let named: HashSet<PathBuf> = sources.iter().flat_map(|source| named_by(source, limits)).collect();
    let is_named = |source: &&Source| {
        source.is_found()
            && source.tree_path().is_some_and(|path| named.contains(&clean(path)) || is_assertion(path))
    };
    let named: Vec<(&Source, Vec<Document>)> = sources
        .iter()
        .filter(is_named)
        .filter_map(|source| match documents(source, limits) {
            (documents, errors) if errors.is_empty() => Some((source, documents)),
            _ => None,
        })
        .collect();
    // Most patches of a CRD have neither names nor versions, so that no other file must be read for them.
    let has_complete = named.iter().any(|(_, documents)| documents.iter().any(is_complete));
    let complete = if has_complete { complete(sources, &named, limits) } else { HashSet::new() };
    let is_part = |document: &Document| !is_complete(document) || complete.contains(&name(document));
    let parts = named.iter().filter(|(_, documents)| documents.iter().all(is_part));
    parts.map(|(source, _)| source.name().to_owned()).collect()
}

/// Returns the paths in a file for kustomize, kuttl or Chainsaw.
fn named_by(source: &Source, limits: &Limits) -> Vec<PathBuf> {
    let Some(path) = source.tree_path().filter(|_| source.is_found()) else { return Vec::new() };
    let (name, is_kustomization) = (file_name(path), is_kustomization(path));
    let is_test = name.starts_with("chainsaw-test") || name.starts_with(|c: char| c.is_ascii_digit());
    // Most files whose names begin with a number are no steps of tests, and are not read as YAML twice.
    let is_step =
        || source.read(limits).is_ok_and(|text| TEST_GROUPS.iter().any(|group| text.contains(group)));
    let names_files = is_kustomization || is_test && is_step();
    if !names_files {
        return Vec::new();
    }
    let mut files = Vec::new();
    for Document { value, .. } in documents(source, limits).0 {
        let api = value["apiVersion"].as_str().unwrap_or_default();
        if is_kustomization {
            for key in ["patches", "patchesStrategicMerge", "patchesJson6902"] {
                add_files(&value[key], &mut files);
            }
        } else if TEST_GROUPS.iter().any(|group| api.starts_with(group)) {
            add_assertions(&value, &mut files);
        }
    }
    let directory = path.parent().unwrap_or(Path::new(""));
    files.into_iter().map(|file| clean(&directory.join(file))).collect()
}

/// Returns `true` for a file that kustomize reads.
pub(super) fn is_kustomization(path: &Path) -> bool {
    ["kustomization.yaml", "kustomization.yml"].contains(&&*file_name(path))
}

/// Adds the files in a list or an entry. An entry is a string, or has a field `path` or `file`.
fn add_files(value: &Value, files: &mut Vec<String>) {
    match value {
        Value::Array(entries) => entries.iter().for_each(|entry| add_files(entry, files)),
        // A patch may be written inline.
        Value::String(file) if !file.contains('\n') => files.push(file.clone()),
        Value::Object(entry) => {
            files.extend(
                ["path", "file"].iter().filter_map(|key| entry.get(*key)?.as_str()).map(str::to_owned),
            );
        }
        _ => {}
    }
}

/// Adds the files in the steps of a test.
fn add_assertions(value: &Value, files: &mut Vec<String>) {
    match value {
        Value::Array(steps) => steps.iter().for_each(|step| add_assertions(step, files)),
        Value::Object(step) => {
            for (key, value) in step {
                match key.as_str() {
                    "assert" | "error" | "errors" | "patch" => add_files(value, files),
                    _ => add_assertions(value, files),
                }
            }
        }
        _ => {}
    }
}

/// Returns `true` for a file that kuttl treats as an assertion because of its name: `00-assert.yaml`,
/// `00-errors.yaml`.
fn is_assertion(path: &Path) -> bool {
    let name = file_name(path);
    let step = name.trim_start_matches(|c: char| c.is_ascii_digit());
    step.len() < name.len() && ["-assert", "-errors"].iter().any(|kind| step.starts_with(kind))
}

/// Returns the names of the complete CRDs in the other sources.
fn complete(sources: &[Source], named: &[(&Source, Vec<Document>)], limits: &Limits) -> HashSet<String> {
    let named: HashSet<&str> = named.iter().map(|(source, _)| source.name()).collect();
    let others = sources.iter().filter(|source| !named.contains(source.name()));
    let may_be = |source: &&Source| source.read(limits).is_ok_and(|text| text.contains(KIND));
    let documents = others.filter(may_be).flat_map(|source| documents(source, limits).0);
    documents.filter(is_complete).map(|document| name(&document)).collect()
}

/// Returns `true` for a CRD with names or versions.
fn is_complete(document: &Document) -> bool {
    let spec = &document.value["spec"];
    document.is_definition() && ["names", "versions"].iter().any(|field| spec.get(field).is_some())
}

fn name(document: &Document) -> String {
    document.value["metadata"]["name"].as_str().unwrap_or_default().to_owned()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
