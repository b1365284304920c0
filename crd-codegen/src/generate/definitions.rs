//! The kinds of a run, version by version -> the module that gives their definitions back.

use std::collections::BTreeMap;

use super::families::{ModuleText, Of};
use crate::emit::{self, DefinitionFunction};
use crate::ir::name::modules;

/// The text of the module. A definition of which the version is left out in which objects are stored has no function:
/// no API server would take it.
pub(super) fn file(kinds: &[ModuleText], header: &str) -> String {
    let mut by_name: BTreeMap<&str, Vec<(&ModuleText, &Of, &str)>> = BTreeMap::new();
    for kind in kinds {
        if let (Some(of), Some(root)) = (&kind.of, &kind.root_type) {
            by_name.entry(&of.name).or_default().push((kind, of, root));
        }
    }
    by_name.retain(|_, kinds| kinds.iter().any(|(_, of, _)| of.is_storage));
    let names: Vec<&str> = by_name.keys().copied().collect();
    let functions = modules(&names, &["all"]);
    let functions = by_name.into_iter().zip(&functions).map(|((name, mut kinds), function)| {
        kinds.sort_by_key(|(_, of, _)| of.at);
        let types = kinds.iter().map(|(kind, _, root)| {
            let path = &kind.path;
            [path.group.as_str(), &path.version, &path.kind, root]
        });
        let storage = kinds.iter().find_map(|(_, of, _)| of.storage.as_deref()).unwrap_or_default();
        DefinitionFunction { function, name, storage, types: types.collect() }
    });
    let text = emit::definitions_file(&functions.collect::<Vec<_>>(), header);
    text.expect("functions are made of checked names only")
}
