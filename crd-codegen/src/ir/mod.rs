//! The type graph for all kinds in a group and version.
//!
//! `lower` builds a tree of types from a schema. `unify` merges equal types, first within a kind and then among the kinds. `name` assigns
//! names to the types, and `traits` determines which traits can be derived. Types refer to each other only by [`TypeId`].

pub(crate) mod apply;
pub(crate) mod attributes;
pub(crate) mod kube_root;
pub(crate) mod kubernetes;
pub(crate) mod lower;
pub(crate) mod name;
pub(crate) mod traits;
pub(crate) mod unify;

use std::sync::Arc;

use crd_core::schema::IntegerType;
use serde_json::{Number, Value};

use attributes::{FieldAttributes, ObjectAttributes, TypeAttributes};
use kubernetes::Kubernetes;

/// The identifier of a type in a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TypeId(u32);

/// Types that refer to each other. A type comes after all types that it refers to.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    types: Vec<Type>,
}

impl Graph {
    /// Adds a type. All types that it refers to must have been added before.
    pub(crate) fn add(&mut self, type_: Type) -> TypeId {
        let id = TypeId(u32::try_from(self.types.len()).unwrap_or(u32::MAX));
        self.types.push(type_);
        id
    }

    /// Returns all types. Each type comes after the types that it refers to.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        (0..).map(TypeId).zip(&self.types)
    }

    /// Returns the number of types.
    pub(crate) fn len(&self) -> usize {
        self.types.len()
    }
}

impl std::ops::Index<TypeId> for Graph {
    type Output = Type;

    fn index(&self, id: TypeId) -> &Type {
        &self.types[id.index()]
    }
}

impl std::ops::IndexMut<TypeId> for Graph {
    fn index_mut(&mut self, id: TypeId) -> &mut Type {
        &mut self.types[id.index()]
    }
}

impl TypeId {
    /// Returns the index for tables with an entry for every type in the graph.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The Rust type of a value.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    /// Any JSON value.
    Any,
    Boolean,
    String,
    DateTime,
    Bytes,
    Integer(IntegerType),
    Number,
    IntOrString,
    Quantity,
    /// An object in which the API server preserves no fields.
    Empty,
    ObjectMeta,
    /// Any Kubernetes object.
    EmbeddedResource,
    List(TypeId),
    /// A map from strings to values.
    Map(TypeId),
    /// A value of this type, or `null`.
    Nullable(TypeId),
    Struct(Struct),
    Enum(Enum),
    Union(Union),
    /// A type of k8s-openapi.
    Kubernetes(Kubernetes),
    /// A type that the user has written.
    External(Box<str>),
}

/// An object with known properties.
#[derive(Clone, Debug, Default)]
pub(crate) struct Struct {
    pub(crate) about: About,
    pub(crate) fields: Vec<Field>,
    /// `true` if unknown properties are preserved.
    pub(crate) keeps_rest: bool,
    /// The properties that identify an item, if the object is in a list of type `map`.
    pub(crate) map_keys: Vec<Box<str>>,
    /// The index in [`kubernetes::TABLE`], if the object's type is from k8s-openapi. The fields are then only used for the apply
    /// configuration, because the k8s-openapi type serializes fields that were not set.
    pub(crate) kubernetes: Option<u16>,
}

impl Struct {
    /// Returns `true` if one of the fields is a union.
    pub(crate) fn has_unions(&self) -> bool {
        self.fields.iter().any(|field| field.is_flattened)
    }
}

/// A property of a [`Struct`].
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) property: Box<str>,
    pub(crate) type_: TypeId,
    pub(crate) presence: Presence,
    pub(crate) doc: Option<Box<str>>,
    /// The value that `Default` sets, with `defaults = "schema"`.
    pub(crate) default: Option<Value>,
    /// The attributes. They are set only for the form `derive`.
    pub(crate) attributes: Option<Box<FieldAttributes>>,
    /// `true` for a union whose members are properties of the object itself.
    pub(crate) is_flattened: bool,
}

/// An object with exactly one of several properties.
#[derive(Clone, Debug, Default)]
pub(crate) struct Union {
    pub(crate) about: About,
    /// The members of the union, of which exactly one is set.
    pub(crate) fields: Vec<Field>,
    /// The discriminator, if there is one.
    pub(crate) discriminator: Option<Discriminator>,
}

/// A required property of a [`Union`], whose value determines which other property is set.
#[derive(Clone, Debug)]
pub(crate) struct Discriminator {
    pub(crate) property: Box<str>,
    pub(crate) doc: Option<Box<str>>,
    /// The type of the discriminator's value, a string.
    pub(crate) text: TypeId,
    /// The cases of the union, one for each value of the discriminator.
    pub(crate) cases: Vec<Case>,
    /// `true` if other values of the discriminator are preserved.
    pub(crate) is_open: bool,
    /// The struct that represents the union in JSON, with fields for the discriminator and the members. It is set only for the form
    /// `derive`.
    pub(crate) wire: Option<TypeId>,
}

impl Discriminator {
    /// Returns the discriminator as a required field.
    pub(crate) fn field(&self) -> Field {
        Field {
            property: self.property.clone(),
            type_: self.text,
            presence: Presence::Required,
            doc: self.doc.clone(),
            default: None,
            attributes: None,
            is_flattened: false,
        }
    }
}

/// The last element in the path of the struct [`Discriminator::wire`], as if the struct were a property of the union.
pub(crate) const WIRE: &str = "wire";

/// A value of a [`Discriminator`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Case {
    pub(crate) value: Box<str>,
    /// The index of the union's field that this value selects.
    pub(crate) member: Option<usize>,
    /// `true` if this field is always present.
    pub(crate) is_required: bool,
}

/// Presence of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Presence {
    /// The field is always present; it may be `null` if its type allows it.
    Required,
    /// The field may be absent; `null` is equivalent to absent.
    Optional,
    /// The field may be absent; if it is present, `null` is a distinct value.
    OptionalWithNull,
}

/// An enum: one of several values.
#[derive(Clone, Debug)]
pub(crate) struct Enum {
    pub(crate) about: About,
    pub(crate) values: Values,
    /// `true` if other strings are preserved.
    pub(crate) is_open: bool,
}

/// The values of an [`Enum`], without duplicates.
#[derive(Clone, Debug)]
pub(crate) enum Values {
    Strings(Vec<Box<str>>),
    Booleans(Vec<bool>),
    Integers(Vec<i64>),
    Numbers(Vec<Number>),
}

impl Values {
    pub(crate) fn are_strings(&self) -> bool {
        matches!(self, Self::Strings(_))
    }

    fn len(&self) -> usize {
        match self {
            Self::Strings(values) => values.len(),
            Self::Booleans(values) => values.len(),
            Self::Integers(values) => values.len(),
            Self::Numbers(values) => values.len(),
        }
    }
}

/// Documentation, name and attributes of a named type.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    pub(crate) doc: Option<Box<str>>,
    /// The name that the user chose.
    pub(crate) pinned_name: Option<Box<str>>,
    /// The number of uses of the type.
    pub(crate) places: usize,
    /// `true` if the description is the same for all uses.
    pub(crate) one_doc: bool,
    /// `true` if a field with an equal description uses the type.
    pub(crate) is_on_field: bool,
    /// The attributes. They are set only for the form `derive`.
    pub(crate) attributes: Option<Box<TypeAttributes>>,
}

impl Type {
    /// Returns the documentation, name and attributes of the type, if it is a named type.
    pub(crate) fn about(&self) -> Option<&About> {
        match self {
            Self::Struct(Struct { about, .. })
            | Self::Enum(Enum { about, .. })
            | Self::Union(Union { about, .. }) => Some(about),
            _ => None,
        }
    }

    pub(crate) fn about_mut(&mut self) -> Option<&mut About> {
        match self {
            Self::Struct(Struct { about, .. })
            | Self::Enum(Enum { about, .. })
            | Self::Union(Union { about, .. }) => Some(about),
            _ => None,
        }
    }

    /// Returns the k8s-openapi type, if there is one. It is returned even if an apply configuration is generated for it.
    pub(crate) fn kubernetes(&self) -> Option<Kubernetes> {
        match self {
            Self::Kubernetes(type_) => Some(*type_),
            Self::Struct(struct_) => struct_.kubernetes.map(Kubernetes::Struct),
            _ => None,
        }
    }

    /// Returns `true` if the generated code declares the type.
    pub(crate) fn is_generated(&self) -> bool {
        self.about().is_some() && self.kubernetes().is_none()
    }

    /// Returns the struct that serde uses to read and write a union with a discriminator. Only the form `derive` has such structs.
    pub(crate) fn wire(&self) -> Option<TypeId> {
        match self {
            Self::Union(Union { discriminator: Some(own), .. }) => own.wire,
            _ => None,
        }
    }

    /// Returns the fields of a struct, or the members of a union.
    pub(crate) fn fields(&self) -> &[Field] {
        match self {
            Self::Struct(Struct { fields, .. }) | Self::Union(Union { fields, .. }) => fields,
            _ => &[],
        }
    }
}

/// The root type for one version of a CRD, and all types that it uses.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) graph: Graph,
    /// The object's properties, except `apiVersion`, `kind` and `metadata`.
    pub(crate) root: Struct,
    /// The root type's attributes. They are set only for the form `derive`.
    pub(crate) object: Option<Box<ObjectAttributes>>,
}

impl Tree {
    /// Returns the number of fields and variants of all types.
    pub(crate) fn size(&self) -> usize {
        let sizes = self.graph.iter().map(|(_, type_)| match type_ {
            Type::Struct(_) | Type::Union(_) => type_.fields().len(),
            Type::Enum(enum_) => enum_.values.len(),
            _ => 0,
        });
        self.root.fields.len() + sizes.sum::<usize>()
    }

    /// Returns the number of fields of the largest struct.
    pub(crate) fn most_fields(&self) -> usize {
        let counts = self.graph.iter().map(|(_, type_)| type_.fields().len());
        counts.fold(self.root.fields.len(), usize::max)
    }
}

/// One of the kinds that share a graph.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// The types of all kinds in the group and version.
    pub(crate) graph: Arc<Graph>,
    /// The root type, as in [`Tree::root`]. It is empty for the module with the shared types.
    pub(crate) root: Struct,
    /// The root type's attributes, as in [`Tree::object`].
    pub(crate) object: Option<Box<ObjectAttributes>>,
}

impl Model {
    /// Calls `visit` for the types of these fields, and for the types inside them. Structs and enums are visited, but not entered.
    pub(crate) fn parts(&self, fields: &[Field], mut visit: impl FnMut(TypeId)) {
        for field in fields {
            let mut id = field.type_;
            loop {
                visit(id);
                id = match self.graph[id] {
                    Type::List(part) | Type::Map(part) | Type::Nullable(part) => part,
                    _ => break,
                };
            }
        }
    }
}
