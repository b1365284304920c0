//! Generates the module `definitions`, with a function that returns each kind's CRD.

use std::collections::BTreeMap;

use super::modules::{ModulePath, ModuleText, VersionOf};
use crate::emit::{self, DefinitionFunction};
use crate::ir::name::modules;

/// A version of a kind, and the path of its root type.
struct Kind<'a> {
    path: &'a ModulePath,
    root_type: &'a str,
    of: &'a VersionOf,
}

/// Returns the text of the module `definitions`. A CRD whose storage version is not generated has no function, because no API server would
/// accept the CRD.
pub(super) fn file(texts: &[ModuleText], header: &str) -> String {
    let mut by_name: BTreeMap<&str, Vec<Kind<'_>>> = BTreeMap::new();
    for ModuleText { path, root_type, of, .. } in texts {
        if let (Some(root_type), Some(of)) = (root_type, of) {
            by_name.entry(&of.name).or_default().push(Kind { path, root_type, of });
        }
    }
    by_name.retain(|_, kinds| kinds.iter().any(|kind| kind.of.is_storage));
    let names: Vec<&str> = by_name.keys().copied().collect();
    let functions = modules(&names, &["all"]);
    let functions = by_name.into_iter().zip(&functions).map(|((name, mut kinds), function)| {
        kinds.sort_by_key(|kind| kind.of.at);
        let types = kinds.iter().map(|kind| {
            let path = &kind.path;
            [path.group.as_str(), &path.version, &path.kind, kind.root_type]
        });
        let storage = kinds.iter().find_map(|kind| kind.of.storage.as_deref()).unwrap_or_default();
        DefinitionFunction { function, name, storage, types: types.collect() }
    });
    let text = emit::definition_functions_file(&functions.collect::<Vec<_>>(), header);
    text.expect("functions are made of checked names only")
}
