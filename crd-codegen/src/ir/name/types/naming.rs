//! Assigns names to the types in one file.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::candidates::candidates;
use super::places::{self, Path, Places};
use crate::config::KindPath;
use crate::ir::apply::{ApplyTypes, apply_name};
use crate::ir::name::Numbers;
use crate::ir::name::reserved::RESERVED;
use crate::ir::{Graph, Model, TypeId};

/// The suffix for the name of the enum with a kind's selectable fields.
pub(crate) const SELECTABLE_FIELD: &str = "SelectableField";

/// The names of types in one file.
#[derive(Debug, Default)]
pub(super) struct View {
    pub(super) names: HashMap<TypeId, String>,
    /// For each type, the name of its apply configuration.
    pub(super) forms: HashMap<TypeId, String>,
    pub(super) places: HashMap<TypeId, Arc<Path>>,
    /// Additional names of types, after the types' other paths.
    pub(super) aliases: Vec<(TypeId, String)>,
    /// Additional names of the apply configurations.
    pub(super) form_aliases: Vec<(TypeId, String)>,
    /// The types that the file declares, in this order, followed by the shared types that it uses.
    pub(super) order: Vec<TypeId>,
}

/// An assignment of names in progress.
pub(super) struct Naming {
    used: HashSet<String>,
    numbers: Numbers<'static>,
    pub(super) view: View,
}

impl Naming {
    pub(super) fn new(roots: &[String], reserved: &[&str], places: Places) -> Self {
        // With clients and apply forms, a kind may have types of these names.
        let own = |root: &String| [root.clone(), apply_name(root), format!("{root}{SELECTABLE_FIELD}")];
        let reserved = RESERVED.iter().chain(reserved).map(|&name| name.to_owned());
        Self {
            used: reserved.chain(roots.iter().flat_map(own)).collect(),
            numbers: Numbers { separator: "", next: HashMap::new() },
            view: View { places: places.first, order: places.order, ..View::default() },
        }
    }

    /// Assigns the names that the user has requested. Returns the names that cannot be assigned.
    pub(super) fn pin(&mut self, graph: &Graph, is_meant: impl Fn(&str) -> bool) -> Vec<String> {
        let mut refused = Vec::new();
        for id in self.view.order.clone() {
            let pinned = graph[id].about().and_then(|about| about.pinned_name.as_deref());
            if let Some(pinned) = pinned.filter(|name| is_meant(name))
                && !self.give(id, pinned)
            {
                refused.push(pinned.to_owned());
            }
        }
        refused
    }

    /// Assigns the names from the last run.
    pub(super) fn keep(&mut self, model: &Model, at: usize, kind: &str, kept: &[(String, KindPath)]) {
        for (name, place) in kept.iter().filter(|(_, place)| place.is_about(kind)) {
            if let Some((id, path)) = places::find(model, at, place.steps())
                && !self.view.names.contains_key(&id)
                && self.give(id, name)
            {
                // The name goes on to come from there, whatever is shallower now.
                self.view.places.insert(id, path);
            }
        }
    }

    /// Names each type that has no name yet after its first path.
    pub(super) fn name_by_places(&mut self, prefix: &str) {
        for id in self.view.order.clone() {
            if !self.view.names.contains_key(&id) {
                let path = Arc::clone(&self.view.places[&id]);
                self.give_one_of(id, candidates(prefix, &path.segments()));
            }
        }
    }

    /// Assigns the first of these names that is not used, or the last of these names with a number.
    pub(super) fn give_one_of(&mut self, id: TypeId, candidates: impl IntoIterator<Item = String>) {
        let mut last = "Type".to_owned();
        for name in candidates {
            if self.give(id, &name) {
                return;
            }
            last = name;
        }
        let used = &mut self.used;
        self.view.names.insert(id, self.numbers.name(&last, |name| used.insert(name.to_owned())));
    }

    /// Assigns the name to a type, and returns `true`, if no other type has this name.
    pub(super) fn give(&mut self, id: TypeId, name: &str) -> bool {
        let is_free = self.used.insert(name.to_owned());
        if is_free {
            self.view.names.insert(id, name.to_owned());
        }
        is_free
    }

    /// Assigns additional names after these paths. If all names for a path are used, no name is added, because a name with a number would
    /// depend on other types.
    pub(super) fn name_by_other_places(&mut self, prefix: &str, places: Vec<(TypeId, Arc<Path>)>) {
        let named = self.view.names.iter();
        let mut owners: HashMap<String, TypeId> = named.map(|(id, name)| (name.clone(), *id)).collect();
        let mut wanted = HashSet::new();
        for (id, path) in places {
            for name in candidates(prefix, &path.segments()) {
                let is_own = owners.get(&name) == Some(&id);
                if !is_own && self.used.insert(name.clone()) {
                    if self.view.forms.contains_key(&id) && self.used.insert(apply_name(&name)) {
                        self.view.form_aliases.push((id, apply_name(&name)));
                    }
                    self.view.aliases.push((id, name.clone()));
                    owners.insert(name.clone(), id);
                } else if !is_own {
                    continue;
                }
                // Two places that have one type now may have had two, and the later one its next name.
                if wanted.insert(name) {
                    break;
                }
            }
        }
    }

    /// Assigns names to apply configurations.
    pub(super) fn name_forms(&mut self, graph: &Graph, forms: Option<&ApplyTypes>) {
        for id in self.view.order.clone() {
            if let Some(forms) = forms
                && !graph[id].fields().is_empty()
            {
                self.form(id, forms.apply_type(id));
            }
        }
    }

    /// Names a type's apply configuration. If the apply configuration is a separate type in the graph, the name is also stored for that
    /// type.
    pub(super) fn form(&mut self, full: TypeId, form: TypeId) {
        let mut name = apply_name(&self.view.names[&full]);
        let used = &mut self.used;
        if !used.insert(name.clone()) {
            name = self.numbers.name(&name, |name| used.insert(name.to_owned()));
        }
        if form != full {
            self.view.names.insert(form, name.clone());
        }
        self.view.forms.insert(full, name);
    }
}
