//! Types: kind and path of property names to `UpperCamelCase`. A type's name comes from its first place: the
//! shallowest, then the first in document order.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use super::{Numbers, case};
use crate::ir::{Field, Graph, Model, Type, TypeId};

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

/// The names of the types of a model.
#[derive(Debug)]
pub(crate) struct TypeNames {
    /// The type of the whole object.
    pub(crate) root: String,
    names: Vec<Option<String>>,
    /// The types that have a name, in the order in which they are printed.
    pub(crate) order: Vec<TypeId>,
    places: Vec<Option<Rc<Path>>>,
    /// Names that the user wants and that were not to be had.
    pub(crate) refused: Vec<String>,
}

impl TypeNames {
    /// The name of a struct or an enum.
    pub(crate) fn of(&self, id: TypeId) -> &str {
        self.names[id.index()].as_deref().expect("every struct and enum below the root was named")
    }

    /// The first place of a type, as it is shown to readers: `spec.rules[].match`.
    pub(crate) fn place(&self, id: TypeId) -> String {
        self.places[id.index()].as_deref().map(Path::shown).unwrap_or_default()
    }
}

/// The way from the root to a type: names of properties, with `[]` and `{}` behind for items and values.
#[derive(Debug)]
struct Path {
    above: Option<Rc<Path>>,
    property: Box<str>,
    inner: String,
}

impl Path {
    fn properties(&self) -> Vec<&str> {
        let mut names: Vec<&str> = std::iter::successors(Some(self), |path| path.above.as_deref())
            .map(|path| &*path.property)
            .collect();
        names.reverse();
        names
    }

    fn shown(&self) -> String {
        let above = self.above.as_ref().map(|above| format!("{}.", above.shown())).unwrap_or_default();
        format!("{above}{}{}", self.property, self.inner)
    }
}

/// Names the types of a model for objects of `kind`.
pub(crate) fn types(model: &Model, kind: &str) -> TypeNames {
    let (order, places) = first_places(model);
    let kind = match case::camel(kind) {
        name if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) => format!("Kind{name}"),
        name => name,
    };
    // `kind` is checked by nobody yet; a reserved one still is the name of nothing else.
    let root = if RESERVED.contains(&kind.as_str()) { format!("{kind}Resource") } else { kind.clone() };
    let mut used: HashSet<String> = RESERVED.iter().map(|&name| name.to_owned()).collect();
    used.insert(root.clone());
    let mut names: Vec<Option<String>> = vec![None; model.graph.len()];
    let mut refused = Vec::new();
    // What the user pins comes first; then `KindSpec` and `KindStatus`, which everybody expects to find.
    for &id in &order {
        if let Some(pinned) = pinned_name(&model.graph, id) {
            if used.insert(pinned.to_owned()) {
                names[id.index()] = Some(pinned.to_owned());
            } else {
                refused.push(pinned.to_owned());
            }
        }
    }
    let mut numbers = Numbers { separator: "", next: HashMap::new() };
    for &id in &order {
        if names[id.index()].is_some() {
            continue;
        }
        let Some(place) = &places[id.index()] else { continue };
        let properties = place.properties();
        let short = joined(&kind, without_spec(&properties));
        let long = joined(&kind, &properties);
        let name = if used.insert(short.clone()) {
            short
        } else if used.insert(long.clone()) {
            long
        } else {
            numbers.name(&long, &mut used)
        };
        names[id.index()] = Some(name);
    }
    TypeNames { root, names, order, places, refused }
}

fn pinned_name(graph: &Graph, id: TypeId) -> Option<&str> {
    graph[id].about()?.pinned_name.as_deref()
}

/// Nearly everything stands below `spec`: its name says nothing.
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

/// The types with names in the order of their first places, and these places.
fn first_places(model: &Model) -> (Vec<TypeId>, Vec<Option<Rc<Path>>>) {
    let graph = &model.graph;
    let mut places: Vec<Option<Rc<Path>>> = vec![None; graph.len()];
    let mut order = Vec::new();
    let mut queue: VecDeque<(TypeId, Rc<Path>)> = VecDeque::new();
    enter(graph, &model.root.fields, None, &mut queue);
    while let Some((id, path)) = queue.pop_front() {
        if places[id.index()].is_some() {
            continue;
        }
        order.push(id);
        if let Type::Struct(struct_) = &graph[id] {
            enter(graph, &struct_.fields, Some(&path), &mut queue);
        }
        places[id.index()] = Some(path);
    }
    (order, places)
}

/// Puts the types of these fields into the queue.
fn enter(
    graph: &Graph,
    fields: &[Field],
    above: Option<&Rc<Path>>,
    queue: &mut VecDeque<(TypeId, Rc<Path>)>,
) {
    for field in fields {
        let (type_, inner) = unwrapped(graph, field.type_);
        if graph[type_].about().is_some() {
            let path = Path { above: above.cloned(), property: field.property.clone(), inner };
            queue.push_back((type_, Rc::new(path)));
        }
    }
}

/// The type at the bottom of lists, maps and nullable types, and how it is reached.
fn unwrapped(graph: &Graph, mut id: TypeId) -> (TypeId, String) {
    let mut inner = String::new();
    loop {
        let (below, shown) = match graph[id] {
            Type::List(items) => (items, "[]"),
            Type::Map(values) => (values, "{}"),
            Type::Nullable(part) => (part, ""),
            _ => return (id, inner),
        };
        inner.push_str(shown);
        id = below;
    }
}
