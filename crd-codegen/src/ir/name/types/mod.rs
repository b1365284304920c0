//! Assigns names to generated types. In a kind's file, a type is named after the kind and the type's first path. The first path is the
//! least nested path; if several paths are equally nested, it is the first of them in document order. `NOTES.md` has the whole rule.

mod candidates;
mod elided;
mod naming;
mod places;
mod shared;
mod singular;

use std::collections::HashSet;

use super::case;
use super::reserved::RESERVED;
use crate::config::{KindPath, NameOverride};
use crate::ir::apply::{ApplyTypes, apply_name};
use crate::ir::{Model, TypeId};
use naming::{Naming, View};

pub(crate) use naming::SELECTABLE_FIELD;
pub(crate) use places::kept_elsewhere;

/// The names of all types in a group and version.
///
/// Each kind has its own names for all types that it uses, including shared types. The names do not depend on other kinds.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// For each kind, the type names in the kind's file.
    kinds: Vec<View>,
    /// The type names in the file with the shared types.
    shared: View,
    /// For each type, the kind that uses it, if there is only one such kind.
    owners: Vec<Option<usize>>,
    /// The k8s-openapi types. Only their apply configurations are declared.
    taken: HashSet<TypeId>,
    /// For each kind, the name of the root type.
    roots: Vec<String>,
    /// Names that the user requested, but that could not be assigned.
    pub(crate) refused: Vec<String>,
}

impl Names {
    /// Returns the type names in a kind's file.
    pub(crate) fn for_kind(&self, kind: usize) -> TypeNames<'_> {
        let view = &self.kinds[kind];
        let (own, shared): (Vec<TypeId>, Vec<TypeId>) =
            view.order.iter().partition(|id| self.owners[id.index()].is_some());
        let mut exports = Vec::with_capacity(shared.len());
        for id in shared {
            if !self.taken.contains(&id) {
                exports.push((self.shared.names[&id].clone(), view.names[&id].clone()));
            }
            if let (Some(shared), Some(own)) = (self.shared.forms.get(&id), view.forms.get(&id)) {
                exports.push((shared.clone(), own.clone()));
            }
        }
        let aliases = view.aliases.iter().filter(|(id, _)| !self.taken.contains(id));
        let aliases = aliases.map(|(id, alias)| (&*view.names[id], &**alias));
        let form_aliases = view.form_aliases.iter().map(|(id, alias)| (&*view.forms[id], &**alias));
        let aliases = aliases.chain(form_aliases).collect();
        TypeNames { root: self.roots[kind].clone(), order: own, exports, aliases, view, all: self }
    }

    /// Returns the type names in the file with the shared types.
    pub(crate) fn for_shared(&self) -> TypeNames<'_> {
        let order = self.shared.order.clone();
        TypeNames {
            root: String::new(),
            order,
            exports: Vec::new(),
            aliases: Vec::new(),
            view: &self.shared,
            all: self,
        }
    }

    /// Returns `true` if several kinds share a type.
    pub(crate) fn has_shared(&self) -> bool {
        !self.shared.order.is_empty()
    }

    /// Returns `true` if the type has the name in some file.
    pub(crate) fn is_called(&self, id: TypeId, name: &str) -> bool {
        let has = |view: &View| view.names.get(&id).is_some_and(|own| own == name);
        has(&self.shared) || self.kinds.iter().any(has)
    }

    /// Returns each name, with the path after which the type is named.
    pub(crate) fn with_places(&self, kinds: &[&str]) -> Vec<(String, KindPath)> {
        let views = self.kinds.iter().zip(kinds);
        let named = views.flat_map(|(view, kind)| {
            view.order.iter().map(|id| (view.names[id].clone(), view.places[id].place(kind)))
        });
        named.collect()
    }
}

/// The type names in one file.
#[derive(Debug)]
pub(crate) struct TypeNames<'a> {
    /// The name of the root type.
    pub(crate) root: String,
    /// The types that are declared in the file, in this order.
    pub(crate) order: Vec<TypeId>,
    /// The shared types that the kind uses. Each entry has the name in the shared module, followed by the kind's own name.
    pub(crate) exports: Vec<(String, String)>,
    /// Additional names for the kind's types. Each entry has the declared or exported name, followed by the additional name.
    pub(crate) aliases: Vec<(&'a str, &'a str)>,
    view: &'a View,
    all: &'a Names,
}

impl TypeNames<'_> {
    /// Returns the name of a struct or an enum.
    pub(crate) fn type_name(&self, id: TypeId) -> &str {
        self.view.names.get(&id).expect("every struct and enum below a root was named")
    }

    /// Returns the names of the types that the file declares, except for apply configurations.
    pub(crate) fn declared(&self) -> impl Iterator<Item = &str> {
        let is_declared = |id: &&TypeId| !self.all.taken.contains(id);
        self.order.iter().filter(is_declared).map(|id| self.type_name(*id))
    }

    /// Returns `true` if a type in the file, or its apply configuration, has the name.
    pub(crate) fn has(&self, name: &str) -> bool {
        let is_name = |own: &String| own == name;
        self.root == name
            || apply_name(&self.root) == name
            || self.view.names.values().any(is_name)
            || self.view.forms.values().any(is_name)
    }

    /// Returns the name of a struct's apply configuration.
    pub(crate) fn apply_type_name(&self, id: TypeId) -> &str {
        self.view.forms.get(&id).expect("every form has a name where forms are printed")
    }

    /// Returns `true` if the type has the name in some file.
    pub(crate) fn is_called(&self, id: TypeId, name: &str) -> bool {
        self.all.is_called(id, name)
    }

    /// Returns the path after which a type is named, such as `spec.rules[].match`, preceded by the kind if the type is shared.
    pub(crate) fn place(&self, id: TypeId) -> String {
        let Some(path) = self.view.places.get(&id) else { return String::new() };
        match self.all.owners[id.index()] {
            Some(_) => path.shown(),
            None => format!("{}.{}", self.all.roots[path.kind], path.shown()),
        }
    }
}

/// The names that the user requested, and the names from the last run.
pub(crate) struct WantedNames<'a> {
    pub(crate) overrides: &'a [NameOverride],
    /// The names to keep, with the paths of the types.
    pub(crate) kept: &'a [(String, KindPath)],
    /// Further names that cannot be assigned.
    pub(crate) reserved: &'a [&'a str],
    /// `true` if types are also given names after their other paths.
    pub(crate) all_places: bool,
}

/// Assigns names to the types in these models. The models belong to one group and version, and share a graph.
pub(crate) fn types(
    models: &[Model],
    kinds: &[&str],
    wanted: &WantedNames<'_>,
    forms: Option<&ApplyTypes>,
) -> Names {
    let Some(first) = models.first() else {
        return Names::default();
    };
    let graph = &*first.graph;
    let owners = places::owners(models, graph);
    let prefixes: Vec<String> = kinds.iter().map(|kind| camel(kind)).collect();
    let roots: Vec<String> = prefixes.iter().map(|prefix| root(prefix, wanted.reserved)).collect();
    let mut refused = Vec::new();
    let mut views = Vec::with_capacity(models.len());
    for (at, model) in models.iter().enumerate() {
        let mut naming =
            Naming::new(&roots[at..=at], wanted.reserved, places::places(&models[at..=at], &[at]));
        refused.extend(naming.pin(graph, |name| {
            let mut rules = wanted.overrides.iter();
            rules.any(|rule| rule.name == name && rule.place.is_about(kinds[at]))
        }));
        naming.keep(model, at, kinds[at], wanted.kept);
        naming.name_by_places(&prefixes[at]);
        naming.name_forms(graph, forms);
        if wanted.all_places {
            naming.name_by_other_places(&prefixes[at], places::all(model, at));
        }
        views.push(naming.view);
    }
    let mut by_length: Vec<usize> = (0..models.len()).collect();
    by_length.sort_by_key(|kind| (kinds[*kind].len(), kinds[*kind]));
    let mut places = places::places(models, &by_length);
    places.order.retain(|id| owners[id.index()].is_none());
    let mut naming = Naming::new(&roots, wanted.reserved, places);
    // A name that cannot be had here is rejected in the file of the kind.
    naming.pin(graph, |_| true);
    shared::name(&mut naming, graph, &views, &prefixes);
    naming.name_forms(graph, forms);
    let taken = graph.iter().filter(|(_, type_)| type_.kubernetes().is_some()).map(|(id, _)| id).collect();
    Names { kinds: views, shared: naming.view, owners, taken, roots, refused }
}

/// Returns the kind as a prefix for names.
fn camel(kind: &str) -> String {
    match case::camel(kind) {
        name if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) => format!("Kind{name}"),
        name => name,
    }
}

/// Returns the root type's name.
fn root(camel: &str, reserved: &[&str]) -> String {
    // `kind` is checked by nobody yet; a reserved one still is the name of nothing else.
    if RESERVED.contains(&camel) || reserved.contains(&camel) {
        format!("{camel}Resource")
    } else {
        camel.to_owned()
    }
}
