//! Assigns names to shared types, which are in a separate module. These names do not contain a kind. In its own module, each kind has its
//! own names for the shared types.

use std::collections::HashMap;

use super::candidates::MAX_LENGTH;
use super::naming::{Naming, View};
use super::places::Segment;
use crate::ir::kubernetes::TABLE;
use crate::ir::name::case::camel_of;
use crate::ir::{Graph, Struct, Type, TypeId};

/// Words that follow a type's name at the beginning of its description, by Go's conventions.
const VERBS: &[&str] = &[
    "allows",
    "configures",
    "contains",
    "controls",
    "declares",
    "defines",
    "describes",
    "encapsulates",
    "encodes",
    "groups",
    "holds",
    "identifies",
    "indicates",
    "is",
    "lists",
    "matches",
    "provides",
    "references",
    "refers",
    "represents",
    "selects",
    "specifies",
    "stores",
    "wraps",
];

/// Names the types of `naming` that do not have a name yet.
pub(super) fn name(naming: &mut Naming, graph: &Graph, views: &[View], prefixes: &[String]) {
    let mut kinds_of: HashMap<TypeId, Vec<usize>> = HashMap::new();
    for (kind, view) in views.iter().enumerate() {
        for id in &view.order {
            kinds_of.entry(*id).or_default().push(kind);
        }
    }
    for id in naming.view.order.clone() {
        if naming.view.names.contains_key(&id) {
            continue;
        }
        let first = naming.view.places[&id].kind;
        let places = kinds_of[&id].iter().map(|kind| words(&views[*kind], id));
        let mut candidates: Vec<String> =
            [kubernetes_name(&graph[id]), go_name(&graph[id])].into_iter().flatten().collect();
        let common = common_end(places.collect()).concat();
        candidates.push(common.clone());
        let all = words(&views[first], id);
        candidates.extend((1..=all.len().min(8)).rev().map(|count| all[all.len() - count..].concat()));
        candidates.push(format!("Common{common}"));
        candidates.retain(|name| name.len() <= MAX_LENGTH);
        naming.give_one_of(id, candidates.iter().map(|name| neutral(name, prefixes)));
    }
}

/// Returns the properties on the path to a type, without `spec`.
fn words(view: &View, id: TypeId) -> Vec<String> {
    let mut words: Vec<String> = view.places[&id].segments().iter().map(Segment::word).collect();
    if words.len() > 1 && words[0] == "Spec" {
        words.remove(0);
    }
    words
}

/// Returns the longest common end of all paths. If there is none, returns the last word of one of the paths.
fn common_end(mut places: Vec<Vec<String>>) -> Vec<String> {
    let Some(mut common) = places.pop() else { return Vec::new() };
    let last = common.last().cloned();
    for place in &places {
        let same = common.iter().rev().zip(place.iter().rev()).take_while(|(a, b)| a == b).count();
        common.drain(..common.len() - same);
    }
    if common.is_empty() { last.into_iter().collect() } else { common }
}

/// Returns the name, prefixed with `Common` if it suggests that the type belongs to one kind, or is the type of whole objects.
fn neutral(name: &str, prefixes: &[String]) -> String {
    let owned = prefixes.iter().filter_map(|prefix| name.strip_prefix(prefix.as_str()));
    let mut is_taken = owned.filter(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()));
    let is_plain = matches!(name, "Spec" | "Status") || !name.starts_with(|c: char| c.is_ascii_uppercase());
    if is_plain || is_taken.next().is_some() { format!("Common{name}") } else { name.to_owned() }
}

/// Returns the name of the only Kubernetes type with these properties.
fn kubernetes_name(type_: &Type) -> Option<String> {
    let Type::Struct(Struct { fields, keeps_rest: false, .. }) = type_ else { return None };
    let properties: Vec<&str> = fields.iter().map(|field| &*field.property).collect();
    // Fewer are found in types of all meanings, unless one of them is found nowhere else.
    let is_rare = |property: &&str| TABLE.with_property(property).len() == 1;
    let is_telling = properties.len() > 2 || properties.iter().any(is_rare);
    match *TABLE.with_exact_properties(&properties) {
        [at] if is_telling => Some(camel_of(TABLE.get(at).name())),
        _ => None,
    }
}

/// Returns the Go name at the beginning of a type's description, such as `ParentReference` in "`ParentReference` identifies an API object".
fn go_name(type_: &Type) -> Option<String> {
    let about = type_.about().filter(|about| about.one_doc)?;
    let mut words = about.doc.as_deref()?.split_whitespace();
    let (name, verb) = (words.next()?, words.next()?);
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && name.chars().skip(1).any(|c| c.is_ascii_uppercase())
        && name.chars().any(|c| c.is_ascii_lowercase());
    (is_name && VERBS.contains(&verb)).then(|| camel_of(name))
}
