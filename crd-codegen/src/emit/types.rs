//! Generates the tokens of Rust types.

use crd_core::schema::IntegerType;
use proc_macro2::TokenStream;
use quote::quote;

use super::scope::Scope;
use super::{literal, syntax};
use crate::config::{BytesType, DateTimeType, MapType, NumberType};
use crate::ir::kubernetes::{Kubernetes, TABLE};
use crate::ir::{Field, Struct, Type, TypeId};

/// The representation of large structs in fields: boxed or inline.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Boxes {
    Allowed,
    Never,
}

/// Returns the Rust type for an item of a list or a value of a map.
pub(super) fn type_(scope: &Scope<'_>, id: TypeId) -> TokenStream {
    let settings = scope.settings;
    match &scope.model.graph[id] {
        Type::Any => quote!(Value),
        Type::Boolean => quote!(bool),
        Type::String => quote!(String),
        Type::DateTime => match settings.date_time {
            DateTimeType::String => quote!(String),
            DateTimeType::Chrono => quote!(chrono::DateTime<chrono::Utc>),
            DateTimeType::Jiff => quote!(jiff::Timestamp),
        },
        Type::Bytes => match settings.bytes {
            BytesType::String => quote!(String),
            BytesType::Bytes => quote!(ByteString),
        },
        Type::Integer(integer) => self::integer(*integer),
        // `f64` for `format: float` too: an `f32` would not keep what the API server keeps.
        Type::Number => match settings.numbers {
            NumberType::F64 => quote!(f64),
            NumberType::Exact => quote!(serde_json::Number),
        },
        Type::IntOrString => quote!(IntOrString),
        Type::Quantity => quote!(Quantity),
        Type::Empty => quote!(Empty),
        Type::ObjectMeta => quote!(ObjectMeta),
        Type::EmbeddedResource => quote!(EmbeddedResource),
        Type::List(items) => {
            let items = type_(scope, *items);
            quote!(Vec<#items>)
        }
        Type::Map(values) => map(scope, &type_(scope, *values)),
        Type::Nullable(part) => {
            let part = held(scope, *part);
            quote!(Option<#part>)
        }
        Type::Struct(Struct { kubernetes: Some(at), .. }) => kubernetes(Kubernetes::Struct(*at)),
        Type::Struct(_) | Type::Enum(_) | Type::Union(_) => {
            let name = literal::ident(scope.names.type_name(id));
            quote!(#name)
        }
        Type::Kubernetes(type_) => kubernetes(*type_),
        Type::External(path) => syntax::tokens(path),
    }
}

/// Returns the name of a struct, an enum or a union. The path of a k8s-openapi type is omitted.
pub(super) fn name<'s>(scope: &'s Scope<'_>, id: TypeId) -> &'s str {
    match scope.model.graph[id].kubernetes() {
        Some(Kubernetes::Struct(at)) => TABLE.get(at).name(),
        _ => scope.names.type_name(id),
    }
}

/// Returns the Rust type of a field, in a `Box` if the type is large.
pub(super) fn held(scope: &Scope<'_>, id: TypeId) -> TokenStream {
    let type_ = type_(scope, id);
    if scope.known.is_boxed(&scope.model.graph, id) { quote!(Box<#type_>) } else { type_ }
}

/// Returns the type of a field's value. The `Option` of an optional field is not included.
pub(super) fn field(scope: &Scope<'_>, field: &Field, boxes: Boxes) -> TokenStream {
    match boxes {
        // What it holds is in a box already where it is large.
        _ if field.is_flattened => type_(scope, field.type_),
        Boxes::Allowed => held(scope, field.type_),
        Boxes::Never => type_(scope, field.type_),
    }
}

/// Returns a map from strings to these values.
pub(super) fn map(scope: &Scope<'_>, values: &TokenStream) -> TokenStream {
    match scope.settings.map_type {
        MapType::Btree => quote!(BTreeMap<String, #values>),
        MapType::Hash => quote!(HashMap<String, #values>),
    }
}

fn kubernetes(type_: Kubernetes) -> TokenStream {
    let path = match type_ {
        Kubernetes::IntOrString => "apimachinery::pkg::util::intstr::IntOrString",
        Kubernetes::Quantity => "apimachinery::pkg::api::resource::Quantity",
        Kubernetes::Time => "apimachinery::pkg::apis::meta::v1::Time",
        Kubernetes::Struct(at) => TABLE.get(at).path,
    };
    let names = path.split("::").map(literal::ident);
    quote!(k8s_openapi #(::#names)*)
}

fn integer(integer: IntegerType) -> TokenStream {
    match integer {
        IntegerType::I8 => quote!(i8),
        IntegerType::I16 => quote!(i16),
        IntegerType::I32 => quote!(i32),
        IntegerType::I64 => quote!(i64),
        IntegerType::U8 => quote!(u8),
        IntegerType::U16 => quote!(u16),
        IntegerType::U32 => quote!(u32),
        IntegerType::U64 => quote!(u64),
    }
}

/// Returns `true` if fields hold the type in a `Box`.
pub(super) fn is_boxed(scope: &Scope<'_>, id: TypeId, boxes: Boxes) -> bool {
    boxes == Boxes::Allowed && scope.known.is_boxed(&scope.model.graph, id)
}

/// Returns `true` if callers usually have a value of another type to convert, such as a `&str` for a string.
pub(super) fn is_converted(scope: &Scope<'_>, id: TypeId) -> bool {
    let settings = scope.settings;
    match &scope.model.graph[id] {
        Type::String | Type::Any | Type::IntOrString | Type::Quantity => true,
        Type::DateTime => settings.date_time == DateTimeType::String,
        Type::Bytes => settings.bytes == BytesType::String,
        Type::Number => settings.numbers == NumberType::Exact,
        _ => false,
    }
}
