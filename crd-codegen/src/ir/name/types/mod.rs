//! Names of types. In the file of a kind, a type is named after the kind and its first place there: the shallowest,
//! then the first in document order. `NOTES.md` has the whole rule.

mod candidates;
mod elided;
mod places;
mod shared;
mod singular;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Numbers, case};
use crate::config::{KindPath, NameOverride};
use crate::ir::apply::{ApplyTypes, apply_name};
use crate::ir::{Graph, Model, TypeId};
use candidates::candidates;
use places::{Path, Places};

/// The length of the longest name of a type, without its number and without `Apply`; with them it is below 60.
const MAX_LENGTH: usize = 52;

/// How the name of the enum of a kind's selectable fields ends.
pub(crate) const SELECTABLE_FIELD: &str = "SelectableField";

/// Names that stand for something else in generated files, type parameters among them.
const RESERVED: &[&str] = &[
    "Any",
    "AsMut",
    "AsRef",
    "BTreeMap",
    "Box",
    "ByteString",
    "Clone",
    "Copy",
    "D",
    "Cow",
    "Debug",
    "Default",
    "Deserialize",
    "Deserializer",
    "Drop",
    "EmbeddedResource",
    "Empty",
    "Eq",
    "Err",
    "Fn",
    "From",
    "HashMap",
    "Hash",
    "IntOrString",
    "Into",
    "IntoIterator",
    "Iterator",
    "None",
    "Number",
    "ObjectMeta",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Quantity",
    "Resource",
    "Result",
    "S",
    "Self",
    "Send",
    "Serialize",
    "Serializer",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToString",
    "Value",
    "Vec",
    "Wire",
];

/// Returns `true` if no type can have the name, because it stands for something else in generated files.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// The names that the form `derive` also imports.
pub(crate) const RESERVED_WITH_DERIVES: &[&str] = &["CrdSchema", "CustomResource"];

/// The names of the types of all kinds of a group and version.
///
/// Each kind names all types below it by its own places, also those that other kinds share, so that its names do not
/// depend on the other kinds.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// For each kind, the names in its file.
    kinds: Vec<View>,
    /// The names in the file of the shared types.
    shared: View,
    /// The kind of each type that stands in one kind only.
    owners: Vec<Option<usize>>,
    /// Types of k8s-openapi: nothing but their apply forms is declared.
    taken: HashSet<TypeId>,
    /// For each kind, the type of the whole object.
    roots: Vec<String>,
    /// Names that the user wants and that were not to be had.
    pub(crate) refused: Vec<String>,
}

/// The names of types as one file sees them.
#[derive(Debug, Default)]
struct View {
    names: HashMap<TypeId, String>,
    /// The names of the apply forms, by the types of which they are the forms.
    forms: HashMap<TypeId, String>,
    places: HashMap<TypeId, Arc<Path>>,
    /// The names that types have by their other places.
    aliases: Vec<(TypeId, String)>,
    /// The same of their apply forms.
    form_aliases: Vec<(TypeId, String)>,
    /// The types of the file, in the order in which they are printed, then those that it has from the shared ones.
    order: Vec<TypeId>,
}

impl Names {
    /// The names in the file of a kind.
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

    /// The names in the file of shared types.
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

    /// Each name of a kind with the place that it comes from: the kind, and what leads there.
    pub(crate) fn with_places(&self, kinds: &[&str]) -> Vec<(String, KindPath)> {
        let views = self.kinds.iter().zip(kinds);
        let named = views.flat_map(|(view, kind)| {
            view.order.iter().map(|id| (view.names[id].clone(), view.places[id].place(kind)))
        });
        named.collect()
    }
}

/// The names of the types of one file.
#[derive(Debug)]
pub(crate) struct TypeNames<'a> {
    /// The type of the whole object.
    pub(crate) root: String,
    /// The types that are printed here, in this order.
    pub(crate) order: Vec<TypeId>,
    /// The shared types of the kind: the name among the shared types, then the kind's own.
    pub(crate) exports: Vec<(String, String)>,
    /// Further names for types of the kind: the name that is declared or exported, then the other one.
    pub(crate) aliases: Vec<(&'a str, &'a str)>,
    view: &'a View,
    all: &'a Names,
}

impl TypeNames<'_> {
    /// The name of a struct or an enum.
    pub(crate) fn type_name(&self, id: TypeId) -> &str {
        self.view.names.get(&id).expect("every struct and enum below a root was named")
    }

    /// The names of the types that are declared here, without apply forms.
    pub(crate) fn declared(&self) -> impl Iterator<Item = &str> {
        let is_declared = |id: &&TypeId| !self.all.taken.contains(id);
        self.order.iter().filter(is_declared).map(|id| self.type_name(*id))
    }

    /// Returns `true` if a type of the file, or the apply form of one, has the name.
    pub(crate) fn has(&self, name: &str) -> bool {
        let is_name = |own: &String| own == name;
        self.root == name
            || apply_name(&self.root) == name
            || self.view.names.values().any(is_name)
            || self.view.forms.values().any(is_name)
    }

    /// The name of the apply form of a struct.
    pub(crate) fn apply_type_name(&self, id: TypeId) -> &str {
        self.view.forms.get(&id).expect("every form has a name where forms are printed")
    }

    /// Returns `true` if the type has the name in some file.
    pub(crate) fn is_called(&self, id: TypeId, name: &str) -> bool {
        self.all.is_called(id, name)
    }

    /// The place after which a type is named, as it is shown to readers: `spec.rules[].match`, with the kind before
    /// it if the type stands in several.
    pub(crate) fn place(&self, id: TypeId) -> String {
        let Some(path) = self.view.places.get(&id) else { return String::new() };
        match self.all.owners[id.index()] {
            Some(_) => path.shown(),
            None => format!("{}.{}", self.all.roots[path.kind], path.shown()),
        }
    }
}

/// The names that the user and the last run ask for.
pub(crate) struct WantedNames<'a> {
    pub(crate) overrides: &'a [NameOverride],
    /// Names that are to stay, with a place of each.
    pub(crate) kept: &'a [(String, KindPath)],
    /// Further names that types cannot have.
    pub(crate) reserved: &'a [&'a str],
    /// `true` if types also have the names of their other places.
    pub(crate) all_places: bool,
}

/// Names the types of these models, which are of one group and version and share a graph.
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
    // A name that cannot be had here is refused in the file of the kind.
    naming.pin(graph, |_| true);
    shared::name(&mut naming, graph, &views, &prefixes);
    naming.name_forms(graph, forms);
    let taken = graph.iter().filter(|(_, type_)| type_.kubernetes().is_some()).map(|(id, _)| id).collect();
    Names { kinds: views, shared: naming.view, owners, taken, roots, refused }
}

/// The kind as the beginning of names.
fn camel(kind: &str) -> String {
    match case::camel(kind) {
        name if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) => format!("Kind{name}"),
        name => name,
    }
}

/// The name of the type of whole objects.
fn root(camel: &str, reserved: &[&str]) -> String {
    // `kind` is checked by nobody yet; a reserved one still is the name of nothing else.
    if RESERVED.contains(&camel) || reserved.contains(&camel) {
        format!("{camel}Resource")
    } else {
        camel.to_owned()
    }
}

/// Names that are being given in one file.
struct Naming {
    used: HashSet<String>,
    numbers: Numbers<'static>,
    view: View,
}

impl Naming {
    fn new(roots: &[String], reserved: &[&str], places: Places) -> Self {
        // With clients and apply forms, a kind may have types of these names.
        let own = |root: &String| [root.clone(), apply_name(root), format!("{root}{SELECTABLE_FIELD}")];
        let reserved = RESERVED.iter().chain(reserved).map(|&name| name.to_owned());
        Self {
            used: reserved.chain(roots.iter().flat_map(own)).collect(),
            numbers: Numbers { separator: "", next: HashMap::new() },
            view: View { places: places.first, order: places.order, ..View::default() },
        }
    }

    /// Gives types the names that the user pins. Returns those that cannot be given.
    fn pin(&mut self, graph: &Graph, is_meant: impl Fn(&str) -> bool) -> Vec<String> {
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

    /// Gives types the names of the last run.
    fn keep(&mut self, model: &Model, at: usize, kind: &str, kept: &[(String, KindPath)]) {
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

    /// Names the types that have no name yet by their first places.
    fn name_by_places(&mut self, prefix: &str) {
        for id in self.view.order.clone() {
            if !self.view.names.contains_key(&id) {
                let path = Arc::clone(&self.view.places[&id]);
                self.give_one_of(id, candidates(prefix, &path.segments()));
            }
        }
    }

    /// Gives a type the first of these names that is free, or the last one with a number.
    fn give_one_of(&mut self, id: TypeId, candidates: impl IntoIterator<Item = String>) {
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

    /// Gives a type the name, if that is free.
    fn give(&mut self, id: TypeId, name: &str) -> bool {
        let is_free = self.used.insert(name.to_owned());
        if is_free {
            self.view.names.insert(id, name.to_owned());
        }
        is_free
    }

    /// Names the types by all of these places. A place whose names belong to other types gives none: a number would
    /// depend on them.
    fn name_by_other_places(&mut self, prefix: &str, places: Vec<(TypeId, Arc<Path>)>) {
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

    /// Names the apply forms, too.
    fn name_forms(&mut self, graph: &Graph, forms: Option<&ApplyTypes>) {
        for id in self.view.order.clone() {
            if let Some(forms) = forms
                && !graph[id].fields().is_empty()
            {
                self.form(id, forms.apply_type(id));
            }
        }
    }

    /// Names the apply form of a type, and the type that is the form unless that is the same.
    fn form(&mut self, full: TypeId, form: TypeId) {
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

/// The property in `UpperCamelCase`; symbols become words if there is nothing else.
fn camel_of(property: &str) -> String {
    let name = case::camel(property);
    if name.is_empty() { case::camel(&case::spelled(property)) } else { name }
}
