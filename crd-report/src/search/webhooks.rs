//! Finds conversion webhooks that kustomize adds to CRDs.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crd_core::crd::KIND;
use crd_input::{Limits, Source, clean, documents};
use serde_json::Value;

use super::patches::is_kustomization;

/// Returns the names of the CRDs to which a patch in a `kustomization.yaml` adds a conversion webhook.
pub(super) fn webhooks(sources: &[Source], patches: &[Source], limits: &Limits) -> BTreeSet<String> {
    let by_path =
        || sources.iter().chain(patches).filter_map(|source| Some((clean(source.tree_path()?), source)));
    let mut files: Option<HashMap<PathBuf, &Source>> = None;
    let mut found = BTreeSet::new();
    for source in sources {
        let Some(path) = source.tree_path().filter(|path| is_kustomization(path)) else { continue };
        let files = files.get_or_insert_with(|| by_path().collect());
        let directory = path.parent().unwrap_or(Path::new(""));
        for document in documents(source, limits).0 {
            for key in ["patches", "patchesStrategicMerge", "patchesJson6902"] {
                for entry in document.value[key].as_array().into_iter().flatten() {
                    let text = |file: &str| files.get(&clean(&directory.join(file)))?.read(limits).ok();
                    found.extend(patched(entry, &text, limits));
                }
            }
        }
    }
    found
}

/// Returns the names of the CRDs to which an entry adds a webhook. `text` reads a file that the entry refers to.
fn patched(entry: &Value, text: &dyn Fn(&str) -> Option<Arc<str>>, limits: &Limits) -> Vec<String> {
    let file = entry["path"].as_str().or(entry.as_str()).filter(|file| !file.contains('\n'));
    let inline = entry["patch"].as_str().or(entry.as_str()).map(Arc::from);
    let Some(patch) = file.and_then(text).or(inline) else { return Vec::new() };
    let mut lines = patch.lines().filter(|line| !line.trim().is_empty() && !line.starts_with(['#']));
    if lines.find(|line| *line != "---").is_some_and(|line| line.starts_with("- ") || line.starts_with('[')) {
        // The operations of JSON Patch, which name no object.
        let lines: String =
            patch.lines().filter(|line| *line != "---").map(|line| format!(" {line}\n")).collect();
        let wrapped = Source::from_string("patch", format!("operations:\n{lines}"));
        let documents = documents(&wrapped, limits).0;
        let mut operations =
            documents.iter().filter_map(|document| document.value["operations"].as_array()).flatten();
        let target = entry["target"]["name"].as_str();
        return target.filter(|_| operations.any(is_operation)).map(str::to_owned).into_iter().collect();
    }
    let documents = documents(&Source::from_string("patch", patch), limits).0;
    let is_webhook =
        |value: &Value| value["kind"] == *KIND && value["spec"]["conversion"]["strategy"] == "Webhook";
    let names = documents.iter().filter(|document| is_webhook(&document.value));
    names.filter_map(|document| document.value["metadata"]["name"].as_str().map(str::to_owned)).collect()
}

/// Returns `true` for a JSON Patch operation that sets the conversion strategy.
fn is_operation(operation: &Value) -> bool {
    let value = &operation["value"];
    match operation["path"].as_str() {
        Some("/spec/conversion") => value["strategy"] == "Webhook",
        Some("/spec/conversion/strategy") => value == "Webhook",
        _ => false,
    }
}
