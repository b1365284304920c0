//! Determines which standard traits each type derives, and which structs are so large that fields hold them in a `Box`.

use std::ops::{BitAnd, BitOr};

use super::kubernetes::{Kubernetes, TABLE};
use super::{Field, Graph, Presence, Struct, Type, TypeId, Values};
use crate::config::{DateTimeType, MapType, NumberType};

/// A set of derivable standard traits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Traits(u16);

impl Traits {
    pub(crate) const CLONE: Self = Self(1);
    pub(crate) const COPY: Self = Self(1 << 1);
    pub(crate) const DEBUG: Self = Self(1 << 2);
    pub(crate) const DEFAULT: Self = Self(1 << 3);
    pub(crate) const PARTIAL_EQ: Self = Self(1 << 4);
    pub(crate) const EQ: Self = Self(1 << 5);
    pub(crate) const PARTIAL_ORD: Self = Self(1 << 6);
    pub(crate) const ORD: Self = Self(1 << 7);
    pub(crate) const HASH: Self = Self(1 << 8);
    const ALL: Self = Self((1 << 9) - 1);
    const ORDERED: Self = Self(Self::PARTIAL_ORD.0 | Self::ORD.0);
    /// The traits that an external type is assumed to implement.
    const USUAL: Self = Self(Self::CLONE.0 | Self::DEBUG.0 | Self::DEFAULT.0 | Self::PARTIAL_EQ.0);

    /// All traits by name, in the order in which they are derived.
    pub(crate) const NAMES: [(&'static str, Self); 9] = [
        ("Clone", Self::CLONE),
        ("Copy", Self::COPY),
        ("Debug", Self::DEBUG),
        ("Default", Self::DEFAULT),
        ("PartialEq", Self::PARTIAL_EQ),
        ("Eq", Self::EQ),
        ("PartialOrd", Self::PARTIAL_ORD),
        ("Ord", Self::ORD),
        ("Hash", Self::HASH),
    ];

    /// Returns the trait with that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, trait_)| *trait_)
    }

    pub(crate) fn has(self, other: Self) -> bool {
        self & other == other
    }

    #[must_use]
    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns the trait with its supertraits.
    pub(crate) fn with_supertraits(self) -> Self {
        match self {
            Self::COPY => self | Self::CLONE,
            Self::EQ | Self::PARTIAL_ORD => self | Self::PARTIAL_EQ,
            Self::ORD => self | Self::PARTIAL_ORD | Self::EQ | Self::PARTIAL_EQ,
            _ => self,
        }
    }

    /// Removes traits whose supertraits are missing.
    fn consistent(self) -> Self {
        let mut set = self;
        let needs = [
            (Self::COPY, Self::CLONE),
            (Self::EQ, Self::PARTIAL_EQ),
            (Self::PARTIAL_ORD, Self::PARTIAL_EQ),
            (Self::ORD, Self::PARTIAL_ORD | Self::EQ),
        ];
        for (trait_, needed) in needs {
            if !set.has(needed) {
                set = set.without(trait_);
            }
        }
        set
    }
}

impl BitAnd for Traits {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Traits {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The settings that determine the traits of leaf types.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaves {
    pub(crate) map_type: MapType,
    pub(crate) date_time: DateTimeType,
    pub(crate) numbers: NumberType,
    pub(crate) kube: bool,
}

/// The traits and the sizes of all types in a graph.
#[derive(Debug)]
pub(crate) struct Known {
    traits: Vec<Traits>,
    sizes: Vec<usize>,
    has_number: Vec<bool>,
    depths: Vec<usize>,
}

impl Known {
    /// Returns the recursion limit that rustc needs to check whether a struct is `Send`, if the default is too low.
    pub(crate) fn needed_recursion_limit(&self, root: &Struct) -> Option<usize> {
        const DEFAULT: usize = 128;
        let depth = root.fields.iter().map(|field| 3 + self.depths[field.type_.index()]).max()?;
        // Checks begin some levels above: in a list of objects, in a future.
        (depth + 16 > DEFAULT).then(|| (depth + 16).next_power_of_two())
    }

    /// Returns the traits that the type derives, or implements if it is external.
    pub(crate) fn traits(&self, id: TypeId) -> Traits {
        self.traits[id.index()]
    }

    /// Returns `true` if a field of this type is boxed.
    pub(crate) fn is_boxed(&self, graph: &Graph, id: TypeId) -> bool {
        // Below that a box costs more than it saves.
        const LARGE: usize = 1024;
        matches!(graph[id], Type::Struct(_) | Type::Union(_) | Type::Kubernetes(_))
            && self.sizes[id.index()] > LARGE
    }

    /// Returns `true` if the type contains an `f64` directly, not in a separate struct.
    pub(crate) fn has_number(&self, id: TypeId) -> bool {
        self.has_number[id.index()]
    }

    /// Returns the traits that a struct with these fields can derive.
    pub(crate) fn traits_of_struct(&self, struct_: &Struct, leaves: Leaves) -> Traits {
        let rest = if struct_.keeps_rest { map_traits(leaves, any_traits()) } else { Traits::ALL };
        struct_.fields.iter().fold(rest, |traits, field| traits & self.traits_of_field(field))
    }

    fn traits_of_field(&self, field: &Field) -> Traits {
        let traits = self.traits(field.type_);
        if field.presence == Presence::Required { traits } else { traits | Traits::DEFAULT }
    }
}

/// Computes the traits and the size of each type. `wanted` returns the traits that a struct or an enum should derive.
pub(crate) fn traits(graph: &Graph, leaves: Leaves, wanted: impl Fn(TypeId) -> Traits) -> Known {
    let count = graph.len();
    let mut known = Known {
        traits: Vec::with_capacity(count),
        sizes: Vec::with_capacity(count),
        has_number: Vec::with_capacity(count),
        depths: Vec::with_capacity(count),
    };
    for (id, type_) in graph.iter() {
        let mut traits = traits_of(type_, &known, leaves);
        if type_.is_generated() {
            traits = (traits & wanted(id)).consistent();
        }
        let has_number = match type_ {
            Type::Number => leaves.numbers == NumberType::F64,
            Type::List(part) | Type::Map(part) | Type::Nullable(part) => known.has_number(*part),
            _ => false,
        };
        let size = size(graph, type_, &known);
        known.traits.push(traits);
        known.sizes.push(size);
        known.has_number.push(has_number);
        let depth = depth(type_, &known);
        known.depths.push(depth);
    }
    known
}

/// Returns those of the `wanted` traits that a root type can derive.
pub(crate) fn root_traits(root: &Struct, known: &Known, leaves: Leaves, wanted: Traits) -> Traits {
    let metadata = if leaves.kube { Traits::USUAL } else { any_traits() };
    (known.traits_of_struct(root, leaves) & metadata & wanted).without(Traits::COPY).consistent()
}

fn any_traits() -> Traits {
    Traits::ALL.without(Traits::COPY | Traits::ORDERED)
}

fn map_traits(leaves: Leaves, values: Traits) -> Traits {
    let not_had = match leaves.map_type {
        MapType::Btree => Traits::COPY,
        MapType::Hash => Traits::COPY | Traits::ORDERED | Traits::HASH,
    };
    values.without(not_had) | Traits::DEFAULT
}

fn traits_of(type_: &Type, known: &Known, leaves: Leaves) -> Traits {
    let owned = Traits::ALL.without(Traits::COPY);
    match type_ {
        Type::Boolean | Type::Integer(_) | Type::Empty => Traits::ALL,
        Type::String | Type::IntOrString | Type::Bytes => owned,
        Type::DateTime => match leaves.date_time {
            DateTimeType::String => owned,
            DateTimeType::Chrono | DateTimeType::Jiff => Traits::ALL,
        },
        Type::Number => match leaves.numbers {
            NumberType::F64 => Traits::USUAL | Traits::COPY | Traits::PARTIAL_ORD,
            NumberType::Exact => owned.without(Traits::ORDERED | Traits::DEFAULT),
        },
        // k8s-openapi derives neither `Eq` nor `Hash`; the same is taken for granted of a type of the user's.
        Type::ObjectMeta | Type::EmbeddedResource if leaves.kube => Traits::USUAL,
        Type::Kubernetes(type_) => kubernetes_traits(*type_),
        Type::Struct(Struct { kubernetes: Some(at), .. }) => kubernetes_traits(Kubernetes::Struct(*at)),
        Type::External(_) => Traits::USUAL,
        Type::Any | Type::Quantity | Type::ObjectMeta | Type::EmbeddedResource => any_traits(),
        Type::List(items) => known.traits(*items).without(Traits::COPY) | Traits::DEFAULT,
        Type::Map(values) => map_traits(leaves, known.traits(*values)),
        Type::Nullable(part) => known.traits(*part) | Traits::DEFAULT,
        Type::Union(union) => {
            let parts = union.fields.iter().map(|field| known.traits(field.type_));
            parts.fold(Traits::ALL, |all, part| all & part).without(Traits::COPY | Traits::DEFAULT)
        }
        // A new field would take `Copy` away again.
        Type::Struct(struct_) => known.traits_of_struct(struct_, leaves).without(Traits::COPY),
        Type::Enum(enum_) => match enum_.values {
            Values::Strings(_) if enum_.is_open => owned.without(Traits::DEFAULT),
            _ => Traits::ALL.without(Traits::DEFAULT),
        },
    }
}

fn kubernetes_traits(type_: Kubernetes) -> Traits {
    match type_ {
        Kubernetes::Struct(at) if TABLE.get(at).has_default => Traits::USUAL,
        Kubernetes::Struct(_) => Traits::USUAL.without(Traits::DEFAULT),
        Kubernetes::IntOrString => Traits::USUAL | Traits::EQ,
        Kubernetes::Quantity => Traits::USUAL,
        Kubernetes::Time => Traits::USUAL.without(Traits::DEFAULT) | Traits::EQ | Traits::ORDERED,
    }
}

/// Estimates the size in memory on a 64-bit machine.
fn size(graph: &Graph, type_: &Type, known: &Known) -> usize {
    match type_ {
        Type::Boolean | Type::Enum(_) | Type::Empty => 1,
        Type::Integer(_) | Type::Number => 8,
        Type::ObjectMeta => 300,
        Type::EmbeddedResource => 380,
        Type::Kubernetes(Kubernetes::Struct(at)) | Type::Struct(Struct { kubernetes: Some(at), .. }) => {
            TABLE.get(*at).size
        }
        Type::Any => 72,
        Type::Nullable(part) => known.sizes[part.index()] + 8,
        Type::Struct(struct_) => struct_.fields.iter().fold(0, |sum: usize, field| {
            let boxed = known.is_boxed(graph, field.type_);
            sum.saturating_add(if boxed { 8 } else { 8 + known.sizes[field.type_.index()] })
        }),
        Type::Union(union) => {
            let held = |field: &Field| {
                if known.is_boxed(graph, field.type_) { 8 } else { known.sizes[field.type_.index()] }
            };
            8 + union.fields.iter().map(held).max().unwrap_or_default()
        }
        _ => 24,
    }
}

/// Returns the depth to which rustc recurses for this type.
fn depth(type_: &Type, known: &Known) -> usize {
    let below = |part: &TypeId| known.depths[part.index()];
    match type_ {
        // `Vec`, `RawVec` and the pointer in it.
        Type::List(items) => 4 + below(items),
        Type::Map(values) => 4 + below(values),
        Type::Nullable(part) => 3 + below(part),
        // `Option` and `Box` around the field's type.
        Type::Struct(_) | Type::Union(_) => {
            1 + type_.fields().iter().map(|field| 3 + below(&field.type_)).max().unwrap_or(0)
        }
        _ => 1,
    }
}
