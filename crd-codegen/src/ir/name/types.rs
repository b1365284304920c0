//! Names of types: kind and path of property names in `UpperCamelCase`. A type's name comes from its first place: the
//! shallowest, then the one in the kind with the shortest name, then the first in document order.

mod places;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Numbers, case};
use crate::config::Place;
use crate::ir::apply::{ApplyForms, form_name};
use crate::ir::{Graph, Model, TypeId};
use places::{Path, Places};

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
#[derive(Debug, Default)]
pub(crate) struct Names {
    names: Vec<Option<String>>,
    places: Vec<Option<Arc<Path>>>,
    owners: Vec<Option<usize>>,
    /// For each kind, the type of the whole object.
    roots: Vec<String>,
    /// For each kind, the types that stand in its objects only, in the order in which they are printed.
    own: Vec<Vec<TypeId>>,
    /// The types that stand in objects of several kinds.
    shared: Vec<TypeId>,
    /// For each kind, names by which everybody looks for types that have the name of another kind.
    aliases: Vec<Vec<(String, TypeId)>>,
    /// The names of the apply forms, by the types of which they are the forms.
    forms: Vec<Option<String>>,
    /// Names that the user wants and that were not to be had.
    pub(crate) refused: Vec<String>,
}

impl Names {
    /// The name of a struct or an enum.
    pub(crate) fn of(&self, id: TypeId) -> &str {
        self.names[id.index()].as_deref().expect("every struct and enum below a root was named")
    }

    /// The name of the apply form of a struct.
    pub(crate) fn of_form(&self, id: TypeId) -> &str {
        self.forms[id.index()].as_deref().expect("every form has a name where forms are printed")
    }

    /// The names in the file of a kind.
    pub(crate) fn of_kind(&self, kind: usize) -> TypeNames<'_> {
        TypeNames {
            root: self.roots[kind].clone(),
            order: self.own[kind].clone(),
            aliases: self.aliases[kind].clone(),
            all: self,
        }
    }

    /// The names in the file of shared types.
    pub(crate) fn of_shared(&self) -> TypeNames<'_> {
        TypeNames { root: String::new(), order: self.shared.clone(), aliases: Vec::new(), all: self }
    }

    /// Returns `true` if several kinds share a type.
    pub(crate) fn has_shared(&self) -> bool {
        !self.shared.is_empty()
    }

    /// Each name with the place that it comes from: the kind, and what leads there.
    pub(crate) fn with_places(&self, kinds: &[&str]) -> Vec<(String, Place)> {
        let all = self.shared.iter().chain(self.own.iter().flatten());
        all.filter_map(|id| {
            let place = self.places[id.index()].as_ref()?;
            Some((self.of(*id).to_owned(), place.place(kinds[place.kind])))
        })
        .collect()
    }
}

/// The names of the types of one file.
#[derive(Debug)]
pub(crate) struct TypeNames<'a> {
    /// The type of the whole object.
    pub(crate) root: String,
    /// The types that are printed here, in this order.
    pub(crate) order: Vec<TypeId>,
    /// Other names for shared types.
    pub(crate) aliases: Vec<(String, TypeId)>,
    all: &'a Names,
}

impl TypeNames<'_> {
    /// The name of a struct or an enum.
    pub(crate) fn of(&self, id: TypeId) -> &str {
        self.all.of(id)
    }

    /// The name of the apply form of a struct.
    pub(crate) fn of_form(&self, id: TypeId) -> &str {
        self.all.of_form(id)
    }

    /// The place after which a type is named, as it is shown to readers: `spec.rules[].match`, with the kind before
    /// it if the type stands in several.
    pub(crate) fn place(&self, id: TypeId) -> String {
        let Some(path) = &self.all.places[id.index()] else { return String::new() };
        match self.all.owners[id.index()] {
            Some(_) => path.shown(),
            None => format!("{}.{}", self.all.roots[path.kind], path.shown()),
        }
    }
}

/// Names the types of these models, which are of one group and version and share a graph. `kept` are names that are
/// to stay, with a place of each; `reserved` are further names that types cannot have.
pub(crate) fn types(
    models: &[Model],
    kinds: &[&str],
    kept: &[(String, Place)],
    forms: Option<&ApplyForms>,
    reserved: &[&str],
) -> Names {
    let Some(first) = models.first() else {
        return Names::default();
    };
    let graph = &*first.graph;
    let Places { order, first: mut places, owners } = places::places(models, kinds);
    let camel: Vec<String> = kinds.iter().map(|kind| camel(kind)).collect();
    let roots: Vec<String> = camel.iter().map(|kind| root(kind, reserved)).collect();
    let mut naming = Naming {
        used: Used::new(&roots, reserved),
        owners: &owners,
        names: vec![None; graph.len()],
        numbers: (0..=roots.len()).map(|_| Numbers { separator: "", next: HashMap::new() }).collect(),
    };
    // Names that the user pins come first, then those of the last run.
    let refused = naming.pin(graph, &order);
    for (name, place) in kept {
        let found = kinds.iter().position(|kind| place.is_about(kind));
        let found = found.and_then(|kind| places::find(&models[kind], kind, place.steps()));
        if let Some((id, path)) = found
            && naming.names[id.index()].is_none()
            && naming.give(id, name)
        {
            // The name goes on to come from there, whatever is shallower now.
            places[id.index()] = Some(path);
        }
    }
    for &id in &order {
        if let Some(place) = &places[id.index()]
            && naming.names[id.index()].is_none()
        {
            naming.name(id, &camel[place.kind], &place.properties());
        }
    }
    let aliases = models.iter().zip(&camel).enumerate();
    let aliases = aliases.map(|(kind, (model, camel))| naming.aliases(model, kind, camel)).collect();
    let mut form_names = vec![None; graph.len()];
    if let Some(forms) = forms {
        for &id in order.iter().filter(|id| !graph[**id].fields().is_empty()) {
            form_names[id.index()] = Some(naming.form(id, forms.of(id)));
        }
    }
    let names = naming.names;
    let (own, shared) = by_owner(&order, &owners, models.len());
    Names { names, places, owners, roots, own, shared, aliases, forms: form_names, refused }
}

/// The types of each kind, and those that several kinds share.
fn by_owner(order: &[TypeId], owners: &[Option<usize>], kinds: usize) -> (Vec<Vec<TypeId>>, Vec<TypeId>) {
    let mut own = vec![Vec::new(); kinds];
    let mut shared = Vec::new();
    for &id in order {
        match owners[id.index()] {
            Some(kind) => own[kind].push(id),
            None => shared.push(id),
        }
    }
    (own, shared)
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

/// Names that are being given.
struct Naming<'a> {
    used: Used,
    owners: &'a [Option<usize>],
    names: Vec<Option<String>>,
    /// Numbers for the types of each kind, the last ones for shared types.
    numbers: Vec<Numbers<'static>>,
}

impl Naming<'_> {
    /// Gives types the names that the user pins. Returns those that cannot be given.
    fn pin(&mut self, graph: &Graph, order: &[TypeId]) -> Vec<String> {
        let mut refused = Vec::new();
        for &id in order {
            if let Some(pinned) = pinned_name(graph, id)
                && !self.give(id, pinned)
            {
                refused.push(pinned.to_owned());
            }
        }
        refused
    }

    /// Gives a type the name, if that is free.
    fn give(&mut self, id: TypeId, name: &str) -> bool {
        let is_free = self.used.claim(name, self.owners[id.index()]);
        if is_free {
            self.names[id.index()] = Some(name.to_owned());
        }
        is_free
    }

    /// Gives a type a name after its place.
    fn name(&mut self, id: TypeId, kind: &str, properties: &[&str]) {
        let long = joined(kind, properties);
        if self.give(id, &joined(kind, without_spec(properties))) || self.give(id, &long) {
            return;
        }
        let owner = self.owners[id.index()];
        let last = self.numbers.len() - 1;
        let numbers = &mut self.numbers[owner.unwrap_or(last)];
        let used = &mut self.used;
        self.names[id.index()] = Some(numbers.name(&long, |name| used.claim(name, owner)));
    }
}

impl Naming<'_> {
    /// `KindSpec` and `KindStatus` where those are shared types with the name of another kind.
    fn aliases(&mut self, model: &Model, kind: usize, camel: &str) -> Vec<(String, TypeId)> {
        let shared = model.root.fields.iter().filter(|field| {
            let is_named = model.graph[field.type_].about().is_some();
            is_named && self.owners[field.type_.index()].is_none()
        });
        let wishes = shared.map(|field| (joined(camel, &[&field.property]), field.type_));
        let free = |(name, _): &(String, TypeId)| self.used.claim(name, Some(kind));
        wishes.filter(free).collect()
    }
}

impl Naming<'_> {
    /// Names the apply form of a type, and the type that is the form unless that is the same.
    fn form(&mut self, full: TypeId, form: TypeId) -> String {
        let owner = self.owners[full.index()];
        let mut name = form_name(self.names[full.index()].as_deref().unwrap_or_default());
        if !self.used.claim(&name, owner) {
            let last = self.numbers.len() - 1;
            let (numbers, used) = (&mut self.numbers[owner.unwrap_or(last)], &mut self.used);
            name = numbers.name(&name, |name| used.claim(name, owner));
        }
        if form != full {
            self.names[form.index()] = Some(name.clone());
        }
        name
    }
}

/// The names that are taken: those of shared types everywhere, those of a kind's own types in its file only.
struct Used {
    everywhere: HashSet<String>,
    somewhere: HashSet<String>,
    kinds: Vec<HashSet<String>>,
}

impl Used {
    fn new(roots: &[String], reserved: &[&str]) -> Self {
        // With clients and apply forms, a kind may have types of these names.
        let own = |root: &String| [root.clone(), form_name(root), format!("{root}{SELECTABLE_FIELD}")];
        Self {
            everywhere: RESERVED.iter().chain(reserved).map(|&name| name.to_owned()).collect(),
            somewhere: roots.iter().flat_map(&own).collect(),
            kinds: roots.iter().map(|root| own(root).into()).collect(),
        }
    }

    /// Takes a name for a type of this kind, or of several kinds; false if it is not to be had.
    fn claim(&mut self, name: &str, owner: Option<usize>) -> bool {
        if self.everywhere.contains(name) {
            return false;
        }
        let Some(kind) = owner else {
            return !self.somewhere.contains(name) && self.everywhere.insert(name.to_owned());
        };
        let is_free = self.kinds[kind].insert(name.to_owned());
        if is_free {
            self.somewhere.insert(name.to_owned());
        }
        is_free
    }
}

fn pinned_name(graph: &Graph, id: TypeId) -> Option<&str> {
    graph[id].about()?.pinned_name.as_deref()
}

/// Nearly every property is below `spec`, so its name is left out.
fn without_spec<'a>(properties: &'a [&'a str]) -> &'a [&'a str] {
    match properties {
        ["spec", below @ ..] if !below.is_empty() => below,
        all => all,
    }
}

fn joined(kind: &str, properties: &[&str]) -> String {
    let mut name = kind.to_owned();
    for property in properties {
        let part = case::camel(property);
        name += &if part.is_empty() { case::camel(&case::spelled(property)) } else { part };
    }
    // Beyond that a file would be mostly names.
    name.truncate(200);
    name
}
