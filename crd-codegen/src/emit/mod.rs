//! From the type graph to Rust source. Nothing here knows schemas, and every text of a definition goes out as a token.

mod defaults;
mod definitions;
mod derive_form;
mod docs;
mod enums;
mod fields;
mod literal;
mod nest;
mod print;
mod root;
mod structs;
mod support;
pub(crate) mod syntax;
mod types;

pub(crate) use definitions::{DefinitionFunction, file as definitions_file};
pub(crate) use derive_form::Definition;
pub(crate) use nest::nest;
pub(crate) use root::Resource;
pub(crate) use structs::TypeKind;
pub(crate) use support::{Dependency, Piece, file as support_file};

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use crate::Config;
use crate::config::{Form, MapType};
use crate::ir::name::TypeNames;
use crate::ir::traits::Known;
use crate::ir::{Model, Presence, Struct, Type};

/// What one file of types is made of.
pub(crate) struct Scope<'a> {
    pub(crate) model: &'a Model,
    pub(crate) names: &'a TypeNames,
    pub(crate) known: &'a Known,
    pub(crate) config: &'a Config,
    /// What of the support module it uses.
    pub(crate) pieces: &'a BTreeSet<Piece>,
}

/// The text of the file for one version of a definition.
///
/// # Errors
/// The text is not Rust, which no input should bring about; the message says where.
pub(crate) fn kind_file(scope: &Scope<'_>, resource: &Resource<'_>, header: &str) -> Result<String, String> {
    let items = match scope.config.chosen_form() {
        Form::Types => items(scope, resource),
        Form::Derive => derive_form::items(scope, resource),
    };
    let body = print::items(items)?;
    print::checked(format!("{header}\n{body}"))
}

fn items(scope: &Scope<'_>, resource: &Resource<'_>) -> TokenStream {
    let mut items = imports(scope);
    items.extend(root::items(scope, resource));
    for &id in &scope.names.order {
        match &scope.model.graph[id] {
            Type::Struct(struct_) => items.extend(structs::items(scope, id, struct_, None)),
            Type::Enum(enum_) => items.extend(enums::items(scope, id, enum_)),
            _ => {}
        }
    }
    items
}

fn imports(scope: &Scope<'_>) -> TokenStream {
    let mut imports = TokenStream::new();
    imports.extend(quote!(
        use serde::{Deserialize, Serialize};
    ));
    let structs = scope.model.graph.iter().filter_map(|(_, type_)| match type_ {
        Type::Struct(struct_) => Some(struct_),
        _ => None,
    });
    let keeps_rest = structs.chain([&scope.model.root]).any(|struct_: &Struct| struct_.keeps_rest);
    let uses = |is_used: fn(&Type) -> bool| scope.model.graph.iter().any(|(_, type_)| is_used(type_));
    if keeps_rest || uses(|type_| matches!(type_, Type::Any)) {
        imports.extend(quote!(
            use serde_json::Value;
        ));
    }
    if keeps_rest || uses(|type_| matches!(type_, Type::Map(_))) {
        imports.extend(match scope.config.chosen_map_type() {
            MapType::Btree => quote!(
                use std::collections::BTreeMap;
            ),
            MapType::Hash => quote!(
                use std::collections::HashMap;
            ),
        });
    }
    let names = scope.pieces.iter().map(|piece| piece.import());
    // A kind's module is three below the root, whatever the layout.
    imports.extend(quote!(use super::super::super::support::{#(#names),*};));
    imports
}

/// What of the support module the types of a model use.
pub(crate) fn pieces(model: &Model, known: &Known, config: &Config) -> BTreeSet<Piece> {
    let mut pieces = match config.chosen_form() {
        Form::Types => BTreeSet::from([Piece::ObjectMeta, Piece::TypeMeta]),
        Form::Derive => BTreeSet::new(),
    };
    let fields = |struct_: &Struct, pieces: &mut BTreeSet<Piece>| {
        for field in &struct_.fields {
            if field.presence == Presence::OptionalWithNull {
                pieces.insert(Piece::Present);
            }
            if known.has_number(field.type_) {
                pieces.insert(Piece::Number);
            }
        }
    };
    fields(&model.root, &mut pieces);
    for (_, type_) in model.graph.iter() {
        match type_ {
            Type::IntOrString => pieces.insert(Piece::IntOrString),
            Type::Quantity => pieces.insert(Piece::Quantity),
            Type::Empty => pieces.insert(Piece::Empty),
            Type::EmbeddedResource => pieces.insert(Piece::EmbeddedResource),
            Type::ObjectMeta => pieces.insert(Piece::ObjectMeta),
            Type::Bytes if config.chosen_bytes() == crate::BytesType::Bytes => {
                pieces.insert(Piece::ByteString)
            }
            Type::Struct(struct_) => {
                fields(struct_, &mut pieces);
                false
            }
            _ => false,
        };
    }
    pieces
}
