//! Finds the paths in objects at which types are used. A place is a kind and such a path.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::singular;
use crate::config::{KindPath, KindPathStep, TypeOverride};
use crate::ir::name::case;
use crate::ir::{Field, Graph, Model, Tree, Type, TypeId, WIRE};

/// The first places of types.
pub(super) struct Places {
    /// The types that have a name, ordered by their first places.
    pub(super) order: Vec<TypeId>,
    /// The first place of each type.
    pub(super) first: HashMap<TypeId, Arc<Path>>,
}

/// A property on the path to a type.
pub(super) struct Segment<'a> {
    pub(super) property: &'a str,
    /// `true` if the path continues with `[]` or `{}`.
    pub(super) is_item: bool,
}

impl Segment<'_> {
    /// Returns the property in `UpperCamelCase`. If the path continues in an item, the property's last word is in the singular.
    pub(super) fn word(&self) -> String {
        let word = case::camel_of(self.property);
        if self.is_item { singular::last_word(&word) } else { word }
    }
}

/// The path from the object to a type: property names, each followed by `[]` for items and `{}` for map values.
#[derive(Debug)]
pub(super) struct Path {
    pub(super) kind: usize,
    above: Option<Arc<Path>>,
    property: Box<str>,
    inner: Vec<KindPathStep>,
}

impl Path {
    /// Returns the path's elements, from the object downwards.
    fn steps(&self) -> Vec<&Self> {
        let mut steps: Vec<&Self> = std::iter::successors(Some(self), |path| path.above.as_deref()).collect();
        steps.reverse();
        steps
    }

    pub(super) fn segments(&self) -> Vec<Segment<'_>> {
        let steps = self.steps().into_iter();
        steps.map(|path| Segment { property: &path.property, is_item: !path.inner.is_empty() }).collect()
    }

    pub(super) fn shown(&self) -> String {
        let steps = self.steps();
        let steps = steps.iter().map(|path| {
            let inner = path.inner.iter().map(|step| if *step == KindPathStep::Items { "[]" } else { "{}" });
            format!("{}{}", path.property, inner.collect::<String>())
        });
        steps.collect::<Vec<_>>().join(".")
    }

    pub(super) fn place(&self, kind: &str) -> KindPath {
        let steps = self.steps();
        let steps = steps.iter().flat_map(|path| {
            let property = KindPathStep::Property(path.property.as_ref().to_owned());
            std::iter::once(property).chain(path.inner.iter().cloned())
        });
        KindPath::new(kind, steps.collect())
    }
}

/// Finds the first place of each type. `kinds` are indexes of models, in search order.
pub(super) fn places(models: &[Model], kinds: &[usize]) -> Places {
    let (mut first, mut order) = (HashMap::new(), Vec::new());
    walk(models, kinds, |id, path| {
        let is_new = !first.contains_key(&id);
        if is_new {
            order.push(id);
            first.insert(id, Arc::clone(path));
        }
        is_new
    });
    Places { order, first }
}

/// Returns every place of a kind's types, the least nested ones first. There are not more places than schemas in the CRD.
pub(super) fn all(model: &Model, kind: usize) -> Vec<(TypeId, Arc<Path>)> {
    let mut all = Vec::new();
    walk(std::slice::from_ref(model), &[kind], |id, path| {
        all.push((id, Arc::clone(path)));
        true
    });
    all
}

/// Visits places, the least nested ones first. The places inside a place are visited if `visit` returns `true`.
fn walk(models: &[Model], kinds: &[usize], mut visit: impl FnMut(TypeId, &Arc<Path>) -> bool) {
    let Some(graph) = models.first().map(|model| &*model.graph) else { return };
    let mut queue = VecDeque::new();
    for &kind in kinds {
        let model = if models.len() == 1 { &models[0] } else { &models[kind] };
        enter(graph, &model.root.fields, kind, None, &mut queue);
    }
    while let Some(Reached { type_: id, path, is_flattened }) = queue.pop_front() {
        if !visit(id, &path) {
            continue;
        }
        if !is_flattened {
            enter(graph, graph[id].fields(), path.kind, Some(&path), &mut queue);
        }
        if let Some(wire) = graph[id].wire() {
            // Its fields are those of the union.
            let path = Path { kind: path.kind, above: Some(path), property: WIRE.into(), inner: Vec::new() };
            queue.push_back(Reached { type_: wire, path: Arc::new(path), is_flattened: true });
        }
    }
}

/// Returns the kind that uses each type, or `None` for types that several kinds use.
pub(super) fn owners(models: &[Model], graph: &Graph) -> Vec<Option<usize>> {
    let mut owners = vec![None; graph.len()];
    let mut is_shared = vec![false; graph.len()];
    for (kind, model) in models.iter().enumerate() {
        let mut stack = vec![&*model.root.fields];
        while let Some(fields) = stack.pop() {
            for field in fields {
                let (id, _) = unwrapped(graph, field.type_);
                if graph[id].about().is_none() || owners[id.index()] == Some(kind) {
                    continue;
                }
                is_shared[id.index()] |= owners[id.index()].is_some();
                owners[id.index()] = Some(kind);
                if let Some(wire) = graph[id].wire() {
                    is_shared[wire.index()] |= is_shared[id.index()];
                    owners[wire.index()] = Some(kind);
                }
                stack.push(graph[id].fields());
            }
        }
    }
    owners.into_iter().zip(is_shared).map(|(owner, is_shared)| owner.filter(|_| !is_shared)).collect()
}

/// Returns the named type at a path, if there is one.
pub(super) fn find(model: &Model, kind: usize, steps: &[KindPathStep]) -> Option<(TypeId, Arc<Path>)> {
    let graph = &*model.graph;
    let mut fields = &*model.root.fields;
    let mut steps = steps.iter().peekable();
    let mut above: Option<Arc<Path>> = None;
    let mut wire = None;
    loop {
        let Some(KindPathStep::Property(name)) = steps.next() else { return None };
        let Some(field) = field(graph, fields, name) else {
            let wire = wire.filter(|_| name == WIRE && steps.peek().is_none())?;
            return Some((wire, Arc::new(Path { kind, above, property: WIRE.into(), inner: Vec::new() })));
        };
        let (id, inner) = unwrapped(graph, field.type_);
        if inner.iter().any(|step| steps.next() != Some(step)) {
            return None;
        }
        let path = Arc::new(Path { kind, above, property: field.property.clone(), inner });
        match &graph[id] {
            type_ if !type_.fields().is_empty() && steps.peek().is_some() => {
                (fields, wire) = (type_.fields(), type_.wire());
            }
            type_ => return (steps.peek().is_none() && type_.about().is_some()).then_some((id, path)),
        }
        above = Some(path);
    }
}

/// Returns the field for a property. This may be a member of a flattened union.
fn field<'a>(graph: &'a Graph, fields: &'a [Field], property: &str) -> Option<&'a Field> {
    let members =
        fields.iter().filter(|field| field.is_flattened).flat_map(|field| graph[field.type_].fields());
    fields.iter().chain(members).find(|field| *field.property == *property)
}

/// Returns two lists of names that the last run assigned to a kind's types. The first list contains each name whose path is affected by one
/// of `overrides`, with the other paths of the same type in `tree`, in which no type is replaced. The second list contains all other names,
/// with their paths.
pub(crate) fn kept_elsewhere(
    tree: Tree,
    kind: &str,
    kept: &[(String, KindPath)],
    overrides: &[TypeOverride],
) -> [Vec<(String, KindPath)>; 2] {
    let Tree { graph, root, object } = tree;
    let model = Model { graph: Arc::new(graph), root, object };
    let mut places: HashMap<TypeId, Vec<KindPath>> = HashMap::new();
    for (id, path) in all(&model, 0) {
        places.entry(id).or_default().push(path.place(kind));
    }
    let overrides = overrides.iter().map(|rule| &rule.place).filter(|place| place.is_about(kind));
    let overrides: Vec<&[KindPathStep]> = overrides.map(KindPath::steps).collect();
    let is_changed = |place: &KindPath| {
        let steps = place.steps();
        overrides.iter().any(|other| steps.starts_with(other) || other.starts_with(steps))
    };
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (name, own) in kept.iter().filter(|(_, place)| place.is_about(kind)) {
        let Some((id, _)) = find(&model, 0, own.steps()) else { continue };
        for place in places.get(&id).into_iter().flatten() {
            let counts = if is_changed(own) && !is_changed(place) { &mut before } else { &mut after };
            counts.push((name.clone(), place.clone()));
        }
    }
    [before, after]
}

/// A type to visit.
struct Reached {
    type_: TypeId,
    path: Arc<Path>,
    /// `true` for a type whose fields are properties of the enclosing object, such as a flattened union.
    is_flattened: bool,
}

/// Adds the types of these fields to the queue.
fn enter(
    graph: &Graph,
    fields: &[Field],
    kind: usize,
    above: Option<&Arc<Path>>,
    queue: &mut VecDeque<Reached>,
) {
    for field in fields {
        if field.is_flattened {
            // Its members are properties of the object, whose names do not describe the union.
            enter(graph, graph[field.type_].fields(), kind, above, queue);
        }
        let (type_, inner) = unwrapped(graph, field.type_);
        if graph[type_].about().is_some() {
            let path = Path { kind, above: above.cloned(), property: field.property.clone(), inner };
            queue.push_back(Reached { type_, path: Arc::new(path), is_flattened: field.is_flattened });
        }
    }
}

/// Returns the type inside lists, maps and nullable types, and the path to it.
fn unwrapped(graph: &Graph, mut id: TypeId) -> (TypeId, Vec<KindPathStep>) {
    let mut inner = Vec::new();
    loop {
        id = match graph[id] {
            Type::List(items) => {
                inner.push(KindPathStep::Items);
                items
            }
            Type::Map(values) => {
                inner.push(KindPathStep::Values);
                values
            }
            Type::Nullable(part) => part,
            _ => return (id, inner),
        };
    }
}
