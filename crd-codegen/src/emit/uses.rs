//! Finds a file's imports, and the items of the support module that the file uses.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::enums;
use super::scope::Scope;
use super::support::Piece;
use crate::config::{BytesType, Form, MapType, Settings};
use crate::ir::apply::ApplyTypes;
use crate::ir::kube_root::KubeRoot;
use crate::ir::name::TypeNames;
use crate::ir::traits::Known;
use crate::ir::{Enum, Field, Model, Presence, Struct, Type, TypeId};

/// Returns the imports of a file. `root` is the root type.
pub(super) fn imports(scope: &Scope<'_>, root: &Struct) -> TokenStream {
    let mut imports = TokenStream::new();
    imports.extend(quote!(
        use serde::{Deserialize, Serialize};
    ));
    let order = &scope.names.order;
    let keeps_rest = structs_of(scope.model, order).chain([root]).any(|struct_| struct_.keeps_rest);
    let (mut has_any, mut has_map) = (keeps_rest, keeps_rest);
    for fields in fields_of(scope.model, order).chain([&*root.fields]) {
        scope.model.parts(fields, |id| {
            has_any |= matches!(scope.model.graph[id], Type::Any);
            has_map |= matches!(scope.model.graph[id], Type::Map(_));
        });
    }
    if has_any {
        imports.extend(quote!(
            use serde_json::Value;
        ));
    }
    if has_map {
        imports.extend(match scope.settings.map_type {
            MapType::Btree => quote!(
                use std::collections::BTreeMap;
            ),
            MapType::Hash => quote!(
                use std::collections::HashMap;
            ),
        });
    }
    let names: Vec<_> = scope.pieces.iter().filter_map(|piece| piece.import()).collect();
    if !names.is_empty() {
        // A kind's module is three below the root, whatever the layout.
        imports.extend(quote!(use super::super::super::support::{#(#names),*};));
    }
    imports
}

/// Returns the items of the support module that a file uses. `roots` contains the root type and its apply configuration, if the file
/// declares them. `is_validated` is `true` if the root type has the method `validate`.
pub(crate) fn pieces(
    model: &Model,
    names: &TypeNames<'_>,
    roots: &[&Struct],
    forms: Option<&ApplyTypes>,
    is_validated: bool,
    known: &Known,
    settings: &Settings,
) -> BTreeSet<Piece> {
    let order = &names.order;
    let piece = |id: TypeId| {
        let has_methods =
            |enum_: &Enum| enums::has_methods(settings, enum_, |name| names.is_called(id, name));
        piece(&model.graph[id], settings, &has_methods)
    };
    let mut pieces = BTreeSet::new();
    if !roots.is_empty() {
        if has_own_root(model, settings) {
            pieces.extend([Piece::ObjectMeta, Piece::TypeMeta]);
        }
        if settings.client {
            pieces.insert(Piece::Client);
        }
        if is_validated {
            pieces.insert(Piece::Validation);
        }
        if settings.apply {
            pieces.insert(Piece::Managed);
        }
    }
    let forms: Vec<TypeId> =
        forms.map(|forms| order.iter().map(|id| forms.apply_type(*id)).collect()).unwrap_or_default();
    let of_roots = roots.iter().map(|root| &*root.fields);
    for fields in fields_of(model, order).chain(fields_of(model, &forms)).chain(of_roots) {
        for field in fields {
            if field.presence == Presence::OptionalWithNull {
                pieces.insert(Piece::Present);
            }
            if known.has_number(field.type_) {
                pieces.insert(Piece::Number);
            }
        }
        model.parts(fields, |id| pieces.extend(piece(id)));
    }
    // Of the types of several kinds, some are fields in the files of the kinds only.
    pieces.extend(order.iter().filter_map(|id| piece(*id)));
    pieces
}

/// Returns the item of the support module that a type needs.
fn piece(type_: &Type, settings: &Settings, has_methods: &dyn Fn(&Enum) -> bool) -> Option<Piece> {
    if type_.kubernetes().is_some() {
        return Some(Piece::Kubernetes);
    }
    Some(match type_ {
        Type::IntOrString => Piece::IntOrString,
        Type::Quantity => Piece::Quantity,
        Type::Empty => Piece::Empty,
        Type::EmbeddedResource => Piece::EmbeddedResource,
        Type::ObjectMeta => Piece::ObjectMeta,
        Type::Union(union) if union.discriminator.is_some() => Piece::Discriminator,
        Type::Union(_) => Piece::OneOf,
        Type::Enum(enum_) if has_methods(enum_) => enums::macro_of_methods(enum_),
        Type::Bytes if settings.bytes == BytesType::Bytes => Piece::ByteString,
        _ => return None,
    })
}

/// Returns `true` unless a derive generates the root type.
fn has_own_root(model: &Model, settings: &Settings) -> bool {
    match settings.form {
        Form::Types => true,
        Form::Derive => false,
        Form::Kube => KubeRoot::choose(model) == KubeRoot::Own,
    }
}

/// Returns the structs among these types.
fn structs_of<'a>(model: &'a Model, types: &'a [TypeId]) -> impl Iterator<Item = &'a Struct> {
    types.iter().filter_map(|id| match &model.graph[*id] {
        Type::Struct(struct_) => Some(struct_),
        _ => None,
    })
}

/// Returns the fields of each of these types.
fn fields_of<'a>(model: &'a Model, types: &'a [TypeId]) -> impl Iterator<Item = &'a [Field]> {
    types.iter().map(|id| model.graph[*id].fields())
}
