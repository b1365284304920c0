//! Reads the CRDs on each side of a comparison, and pairs old and new CRDs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crd_input::{Definition, Limits, Source};
use crd_report::{Found, LeftOut, Message};

use crate::read::Read;

/// The CRDs on one side.
#[derive(Default)]
pub(super) struct Side {
    pub(super) sources: Vec<Source>,
    /// The CRDs, by name and then by file path below the input. Charts and bundles often contain several CRDs with the same name.
    pub(super) definitions: BTreeMap<String, BTreeMap<PathBuf, Definition>>,
    pub(super) messages: Vec<Message>,
    pub(super) left_out: LeftOut,
    /// The names of the CRDs to which kustomize adds a conversion webhook.
    pub(super) webhooks: BTreeSet<String>,
}

impl Side {
    pub(super) fn read(found: Found, input: &str, limits: &Limits) -> Self {
        let webhooks = found.webhooks(limits);
        let Found { sources, errors, left_out, .. } = found;
        let Read { definitions: read, mut messages, left_out, .. } =
            Read::from_sources(&sources, errors, left_out, limits);
        // `git:REF:PATH`
        let root = input
            .strip_prefix("git:")
            .map_or(input, |rest| rest.split_once(':').map_or(".", |(_, path)| path));
        let root = crd_input::clean(Path::new(root));
        let paths: HashMap<&str, PathBuf> = sources
            .iter()
            .filter_map(|source| {
                let path = crd_input::clean(source.tree_path().filter(|_| source.is_found())?);
                Some((source.relative(), path.strip_prefix(&root).map(Path::to_owned).unwrap_or(path)))
            })
            .collect();
        let mut definitions: BTreeMap<String, BTreeMap<PathBuf, Definition>> = BTreeMap::new();
        for definition in read {
            let spec = &definition.crd.spec;
            let name = format!("{}.{}", spec.names.plural, spec.group);
            let path = paths.get(&*definition.origin.file).cloned().unwrap_or_default();
            let same = definitions.entry(name.clone()).or_default();
            if let Some(other) = same.get(&path) {
                let (first, second) = (&other.origin.file, &definition.origin.file);
                messages.push(Message {
                    file: definition.origin.file.clone(),
                    ..Message::for_run(format!("`{name}` is defined twice: in {first} and in {second}"))
                });
                continue;
            }
            same.insert(path, definition);
        }
        Self { sources, definitions, messages, left_out, webhooks }
    }
}

/// Pairs old and new CRDs of the same name by file path. If only one side has a path, the CRD is compared with the first CRD on the other
/// side. Pairs of identical copies are compared only once.
pub(super) fn pairs<'d>(
    old: Option<&'d BTreeMap<PathBuf, Definition>>,
    new: Option<&'d BTreeMap<PathBuf, Definition>>,
) -> Vec<(Option<&'d Definition>, Option<&'d Definition>)> {
    let find = |side: Option<&'d BTreeMap<PathBuf, Definition>>, path: &PathBuf| {
        side.and_then(|side| side.get(path).or_else(|| side.values().next()))
    };
    let paths: BTreeSet<&PathBuf> = [old, new].into_iter().flatten().flat_map(BTreeMap::keys).collect();
    let mut pairs: Vec<(Option<&Definition>, Option<&Definition>)> = Vec::new();
    let spec = |side: Option<&'d Definition>| side.map(|definition| &definition.crd.spec);
    for path in paths {
        let (old, new) = (find(old, path), find(new, path));
        if !pairs.iter().any(|pair| spec(pair.0) == spec(old) && spec(pair.1) == spec(new)) {
            pairs.push((old, new));
        }
    }
    pairs
}
