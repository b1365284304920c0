//! Apply configurations, for server-side apply: types with the same fields as the generated types, but optional. An object thus contains
//! only the fields to own. In list maps, the keys stay required, because they identify an item.

use super::{About, Field, Graph, Presence, Struct, Type, TypeId, Union};

/// The apply configurations for the types in a graph.
#[derive(Debug)]
pub(crate) struct ApplyTypes {
    /// For each type, its apply configuration, or the type itself if all fields are already optional.
    of: Vec<TypeId>,
    /// For each type, `true` if it contains a k8s-openapi type for which an apply configuration is generated.
    has_kubernetes: Vec<bool>,
    /// For each kind, the root type's apply configuration.
    pub(crate) roots: Vec<Struct>,
}

impl ApplyTypes {
    /// Returns `true` if one of the fields contains a k8s-openapi type for which an apply configuration is generated. The conversion can
    /// fail, because the apply configuration has the schema's constraints.
    pub(crate) fn have_kubernetes(&self, fields: &[Field]) -> bool {
        fields.iter().any(|field| self.has_kubernetes(field.type_))
    }

    /// Returns `true` if the type is or contains a k8s-openapi type for which an apply configuration is generated.
    pub(crate) fn has_kubernetes(&self, id: TypeId) -> bool {
        self.has_kubernetes.get(id.index()).copied().unwrap_or_default()
    }

    /// Returns the apply configuration of a type.
    pub(crate) fn apply_type(&self, id: TypeId) -> TypeId {
        self.of.get(id.index()).copied().unwrap_or(id)
    }
}

/// Returns the preferred name for an apply configuration. Another type may already have this name.
pub(crate) fn apply_name(full: &str) -> String {
    format!("{full}Apply")
}

/// Returns the documentation for an apply configuration.
pub(crate) fn doc(full: &str) -> String {
    format!("Fields of `{full}` to apply; absent fields are not changed.")
}

/// Adds an apply configuration for each type.
pub(crate) fn add(graph: &mut Graph, roots: &[Struct]) -> ApplyTypes {
    let count = graph.len();
    let (of, has_kubernetes) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut forms = ApplyTypes { of, has_kubernetes, roots: Vec::new() };
    // A type stands after its parts, so their forms are there.
    for at in 0..count {
        let id = TypeId(u32::try_from(at).unwrap_or(u32::MAX));
        let form = match &graph[id] {
            Type::List(part) => Some((*part, Type::List(forms.apply_type(*part)))),
            Type::Map(part) => Some((*part, Type::Map(forms.apply_type(*part)))),
            Type::Nullable(part) => Some((*part, Type::Nullable(forms.apply_type(*part)))),
            _ => None,
        };
        let form = match form {
            Some((part, form)) => (forms.apply_type(part) != part).then_some(form),
            None => match graph[id].clone() {
                Type::Struct(struct_) => struct_form(graph, &struct_, &forms).map(Type::Struct),
                Type::Union(union) => Some(Type::Struct(union_form(graph, &union, &forms))),
                _ => None,
            },
        };
        let has_kubernetes = match &graph[id] {
            Type::List(part) | Type::Map(part) | Type::Nullable(part) => forms.has_kubernetes(*part),
            Type::Struct(struct_) => struct_.kubernetes.is_some() || forms.have_kubernetes(&struct_.fields),
            Type::Union(union) => forms.have_kubernetes(&union.fields),
            _ => false,
        };
        let form = form.map_or(id, |form| graph.add(form));
        forms.of.push(form);
        forms.has_kubernetes.push(has_kubernetes);
    }
    forms.roots =
        roots.iter().map(|root| struct_form(graph, root, &forms).unwrap_or_else(|| root.clone())).collect();
    forms
}

/// Returns the apply configuration of a struct, or `None` if it equals the struct.
fn struct_form(graph: &mut Graph, struct_: &Struct, forms: &ApplyTypes) -> Option<Struct> {
    let mut fields: Vec<Field> = Vec::with_capacity(struct_.fields.len());
    for field in &struct_.fields {
        match &graph[field.type_] {
            // A part of an object may have none of them, or another one than before.
            Type::Union(union) if field.is_flattened => fields.extend(members(graph, union, forms)),
            _ if struct_.map_keys.contains(&field.property) => fields.push(key(field, forms)),
            _ => fields.push(optional(graph, field, forms)),
        }
    }
    let is_same = |(form, field): (&Field, &Field)| {
        !field.is_flattened && form.type_ == field.type_ && form.presence == field.presence
    };
    if struct_.kubernetes.is_none() && fields.iter().zip(&struct_.fields).all(is_same) {
        return None;
    }
    Some(Struct {
        about: about(),
        fields,
        keeps_rest: struct_.keeps_rest,
        map_keys: struct_.map_keys.clone(),
        kubernetes: None,
    })
}

/// Returns the apply configuration of a union, a struct whose fields are all optional.
fn union_form(graph: &Graph, union: &Union, forms: &ApplyTypes) -> Struct {
    let fields = members(graph, union, forms).collect();
    Struct { about: about(), fields, ..Struct::default() }
}

/// Returns the discriminator, if there is one, and the members of a union, as optional fields.
fn members(graph: &Graph, union: &Union, forms: &ApplyTypes) -> impl Iterator<Item = Field> {
    let discriminator = union.discriminator.as_ref().map(|own| optional(graph, &own.field(), forms));
    discriminator.into_iter().chain(union.fields.iter().map(|field| optional(graph, field, forms)))
}

fn about() -> About {
    About { one_doc: true, places: 1, ..About::default() }
}

fn key(field: &Field, forms: &ApplyTypes) -> Field {
    Field { type_: forms.apply_type(field.type_), default: None, ..field.clone() }
}

fn optional(graph: &Graph, field: &Field, forms: &ApplyTypes) -> Field {
    let presence = match (field.presence, &graph[field.type_]) {
        // `null` must be told from absent.
        (Presence::Required, Type::Nullable(_) | Type::Any) => Presence::OptionalWithNull,
        (Presence::Required, _) => Presence::Optional,
        (presence, _) => presence,
    };
    // Nothing is put in that one does not say.
    Field { type_: forms.apply_type(field.type_), presence, default: None, ..field.clone() }
}
