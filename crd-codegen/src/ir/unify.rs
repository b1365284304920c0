//! Merges equal types, from the leaves up. Descriptions may differ.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{About, Case, Enum, Field, Graph, Struct, Tree, Type, TypeId, Union, Values};

/// Returns an equivalent graph without equal types. A merged type has the first description in document order. [`About::one_doc`] is `true`
/// if all descriptions were the same.
pub(crate) fn unify(mut tree: Tree) -> Tree {
    let mut unifier = Unifier::default();
    let object = tree.object.take();
    let root = unifier.add(tree);
    Tree { graph: unifier.graph, root, object }
}

/// Merges all trees into one graph without equal types. Returns the graph and the roots.
pub(crate) fn join(trees: Vec<Tree>) -> (Graph, Vec<Struct>) {
    let mut unifier = Unifier::default();
    let roots = trees.into_iter().map(|tree| unifier.add(tree)).collect();
    (unifier.graph, roots)
}

/// A graph without equal types, with an index for finding equal types.
#[derive(Default)]
struct Unifier {
    graph: Graph,
    known: HashMap<u64, Vec<TypeId>>,
}

impl Unifier {
    /// Adds a tree's types to the graph, and returns the root.
    fn add(&mut self, tree: Tree) -> Struct {
        let mut unified: Vec<TypeId> = Vec::with_capacity(tree.graph.len());
        for mut type_ in tree.graph.types {
            rewrite_parts(&mut type_, &unified);
            let candidates = self.known.entry(fingerprint(&type_)).or_default();
            let same = candidates.iter().copied().find(|candidate| is_same(&self.graph[*candidate], &type_));
            let id = match same {
                Some(id) => {
                    merge(&mut self.graph[id], type_);
                    id
                }
                None => {
                    let id = self.graph.add(type_);
                    candidates.push(id);
                    id
                }
            };
            unified.push(id);
        }
        let mut root = tree.root;
        rewrite_fields(&mut root.fields, &unified);
        root
    }
}

fn rewrite_parts(type_: &mut Type, unified: &[TypeId]) {
    match type_ {
        Type::List(part) | Type::Map(part) | Type::Nullable(part) => *part = unified[part.index()],
        Type::Struct(Struct { fields, .. }) => rewrite_fields(fields, unified),
        Type::Union(Union { fields, discriminator, .. }) => {
            rewrite_fields(fields, unified);
            if let Some(discriminator) = discriminator {
                discriminator.text = unified[discriminator.text.index()];
                discriminator.wire = discriminator.wire.map(|wire| unified[wire.index()]);
            }
        }
        _ => {}
    }
}

fn rewrite_fields(fields: &mut [Field], unified: &[TypeId]) {
    for field in fields {
        field.type_ = unified[field.type_.index()];
    }
}

/// Returns a hash that is the same for equal types. Names requested by the user are ignored, because types with and without such a name are
/// merged.
fn fingerprint(type_: &Type) -> u64 {
    let mut hasher = DefaultHasher::new();
    std::mem::discriminant(type_).hash(&mut hasher);
    match type_ {
        Type::List(part) | Type::Map(part) | Type::Nullable(part) => part.hash(&mut hasher),
        Type::Integer(integer) => integer.hash(&mut hasher),
        Type::External(path) => path.hash(&mut hasher),
        Type::Kubernetes(type_) => type_.hash(&mut hasher),
        Type::Struct(Struct { fields, keeps_rest, kubernetes, .. }) => {
            (keeps_rest, kubernetes).hash(&mut hasher);
            fields_fingerprint(fields).hash(&mut hasher);
        }
        Type::Union(Union { fields, discriminator, .. }) => {
            fields_fingerprint(fields).hash(&mut hasher);
            discriminator.as_ref().map(|own| (&own.property, own.cases.len())).hash(&mut hasher);
        }
        Type::Enum(Enum { values, is_open, .. }) => {
            is_open.hash(&mut hasher);
            match values {
                Values::Strings(values) => values.hash(&mut hasher),
                Values::Booleans(values) => values.hash(&mut hasher),
                Values::Integers(values) => values.hash(&mut hasher),
                Values::Numbers(values) => values.hash(&mut hasher),
            }
        }
        _ => {}
    }
    hasher.finish()
}

/// Returns a hash that does not depend on the order of the fields.
fn fields_fingerprint(fields: &[Field]) -> u64 {
    fields.iter().fold(0, |sum: u64, field| sum.wrapping_add(field_fingerprint(field)))
}

fn field_fingerprint(field: &Field) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&field.property, field.type_, field.presence, field.is_flattened, &field.default, &field.attributes)
        .hash(&mut hasher);
    hasher.finish()
}

fn is_same(a: &Type, b: &Type) -> bool {
    let pins_agree = match (a.about(), b.about()) {
        (Some(About { pinned_name: Some(a), .. }), Some(About { pinned_name: Some(b), .. })) => a == b,
        _ => true,
    };
    pins_agree
        && say_the_same(a.about(), b.about())
        && match (a, b) {
            (Type::List(a), Type::List(b))
            | (Type::Map(a), Type::Map(b))
            | (Type::Nullable(a), Type::Nullable(b)) => a == b,
            (Type::Integer(a), Type::Integer(b)) => a == b,
            (Type::External(a), Type::External(b)) => a == b,
            (Type::Kubernetes(a), Type::Kubernetes(b)) => a == b,
            (Type::Struct(a), Type::Struct(b)) => {
                a.keeps_rest == b.keeps_rest
                    && a.kubernetes == b.kubernetes
                    && are_same_fields(&a.fields, &b.fields)
            }
            (Type::Union(a), Type::Union(b)) => {
                are_same_fields(&a.fields, &b.fields) && have_same_cases(a, b)
            }
            (Type::Enum(a), Type::Enum(b)) => {
                a.is_open == b.is_open
                    && match (&a.values, &b.values) {
                        (Values::Strings(a), Values::Strings(b)) => a == b,
                        (Values::Booleans(a), Values::Booleans(b)) => a == b,
                        (Values::Integers(a), Values::Integers(b)) => a == b,
                        (Values::Numbers(a), Values::Numbers(b)) => a == b,
                        _ => false,
                    }
            }
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
}

/// Returns `true` if the attributes are equal. `Description::Any` is equal to any description.
fn say_the_same(a: Option<&About>, b: Option<&About>) -> bool {
    match (a.and_then(|about| about.attributes.as_deref()), b.and_then(|about| about.attributes.as_deref())) {
        (Some(a), Some(b)) => {
            a.rules == b.rules && a.patch == b.patch && a.description.both(&b.description).is_some()
        }
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn are_same_fields(a: &[Field], b: &[Field]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let same = |a: &Field, b: &Field| {
        a.property == b.property
            && a.type_ == b.type_
            && a.presence == b.presence
            && a.default == b.default
            && a.attributes == b.attributes
            && a.is_flattened == b.is_flattened
    };
    // Almost always both are in the same order.
    if a.iter().zip(b).all(|(a, b)| same(a, b)) {
        return true;
    }
    let by_name: HashMap<_, _> = b.iter().map(|field| (&field.property, field)).collect();
    a.iter().all(|field| by_name.get(&field.property).is_some_and(|other| same(field, other)))
}

/// Returns `true` if the discriminators are equal, or if neither union has one.
fn have_same_cases(a: &Union, b: &Union) -> bool {
    fn cases(union: &Union) -> Option<impl Iterator<Item = (&str, Option<&str>, bool)>> {
        let member = |case: &Case| case.member.map(|at| &*union.fields[at].property);
        let own = union.discriminator.as_ref()?;
        Some(own.cases.iter().map(move |case| (&*case.value, member(case), case.is_required)))
    }
    let about =
        |union: &Union| union.discriminator.as_ref().map(|own| (own.property.clone(), own.is_open, own.wire));
    about(a) == about(b)
        && match (cases(a), cases(b)) {
            (Some(a), Some(b)) => a.eq(b),
            _ => true,
        }
}

fn merge(kept: &mut Type, other: Type) {
    if let (Type::Struct(kept), Type::Struct(other)) = (&mut *kept, &other) {
        for key in &other.map_keys {
            if !kept.map_keys.contains(key) {
                kept.map_keys.push(key.clone());
            }
        }
    }
    let Some(other) = (match other {
        Type::Struct(Struct { about, .. })
        | Type::Enum(Enum { about, .. })
        | Type::Union(Union { about, .. }) => Some(about),
        _ => None,
    }) else {
        return;
    };
    if let Some(kept) = kept.about_mut() {
        kept.places += other.places;
        kept.one_doc &= other.one_doc && kept.doc == other.doc;
        kept.pinned_name = kept.pinned_name.take().or(other.pinned_name);
        if let (Some(kept), Some(other)) = (&mut kept.attributes, other.attributes)
            && let Some(both) = kept.description.both(&other.description)
        {
            kept.description = both.clone();
        }
    }
}
