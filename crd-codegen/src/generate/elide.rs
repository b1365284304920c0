//! Omits types that the user writes.

use std::sync::Arc;

use crate::config::Elide;
use crate::ir::name::{self, WantedNames};
use crate::ir::{Graph, Model, Struct, Type};

/// The path from the module of a kind to the parent of the generated module, where the user declares the
/// type.
const BESIDE_THE_GENERATED: &str = "super::super::super::super";

/// Replaces the types that `rules` omit with the user's types of the same names. Returns `true` for each rule that had an effect.
///
/// Types are already named, since a rule may refer to a name.
pub(super) fn elide(
    graph: Graph,
    roots: &[Struct],
    kinds: &[&str],
    wanted: &WantedNames<'_>,
    rules: &[Elide],
) -> (Graph, Vec<bool>) {
    if rules.is_empty() {
        return (graph, Vec::new());
    }
    let graph = Arc::new(graph);
    let model = |root: &Struct| Model { graph: Arc::clone(&graph), root: root.clone(), object: None };
    let models: Vec<Model> = roots.iter().map(model).collect();
    let names = name::types(&models, kinds, wanted, None);
    let found: Vec<_> = rules.iter().map(|rule| names.elided(rule, &models, kinds)).collect();
    drop(models);
    let mut graph = Arc::into_inner(graph).expect("the models that shared the graph are gone");
    let used = found.iter().map(|types| !types.is_empty()).collect();
    for (id, name) in found.into_iter().flatten() {
        graph[id] = Type::External(format!("{BESIDE_THE_GENERATED}::{name}").into());
    }
    (graph, used)
}
