//! Emission of Rust source from the type graph. Nothing here knows schemas, and every text of a definition is emitted as a token.

mod apply;
mod builders;
mod client;
mod constructors;
mod defaults;
mod definitions;
mod derive_form;
mod docs;
mod enums;
mod fields;
mod kube_form;
mod literal;
mod nest;
mod object;
mod print;
mod root;
mod structs;
mod support;
pub(crate) mod syntax;
mod text_lines;
mod types;
mod unions;
mod values;

pub(crate) use client::{Abilities, CLIENT, Handle, client_file, definition_strings_file};
pub(crate) use definitions::{DefinitionFunction, file as definition_functions_file};
pub(crate) use derive_form::OwnedDefinition;
pub(crate) use nest::Nested;
pub(crate) use object::object_function;
pub(crate) use root::{ApplyRoot, Resource};
pub(crate) use structs::TypeKind;
pub(crate) use support::{Dependency, Piece, Schemas, file as support_file};

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use crate::config::{Form, MapType, Settings};
use crate::ir::apply::ApplyTypes;
use crate::ir::kube_root::KubeRoot;
use crate::ir::name::TypeNames;
use crate::ir::traits::Known;
use crate::ir::{Field, Model, Presence, Struct, Type, TypeId};

/// The module of definitions: in a group and version their texts, which its client installs; at the top, in the form
/// `derive`, a function for each.
pub(crate) const DEFINITIONS: &str = "definitions";
/// The module of the types that several kinds of a group and version have in common.
pub(crate) const SHARED: &str = "shared";

/// The types of a file, with the settings of the run.
pub(crate) struct Scope<'a> {
    pub(crate) model: &'a Model,
    pub(crate) names: &'a TypeNames<'a>,
    pub(crate) known: &'a Known,
    pub(crate) settings: &'a Settings,
    /// The apply forms of the types, if they are generated.
    pub(crate) forms: Option<&'a ApplyTypes>,
    /// The pieces of the support module that it uses.
    pub(crate) pieces: &'a BTreeSet<Piece>,
}

impl Scope<'_> {
    /// Returns `true` if the type is a struct that the file declares.
    fn is_declared_struct(&self, id: TypeId) -> bool {
        matches!(&self.model.graph[id], Type::Struct(struct_) if struct_.kubernetes.is_none())
    }
}

/// The text of the file for one version of a definition.
///
/// # Errors
/// The text is not Rust, which no input should cause; the message contains the place.
pub(crate) fn kind_file(scope: &Scope<'_>, resource: &Resource<'_>, header: &str) -> Result<String, String> {
    let mut items = match scope.settings.form {
        Form::Types => kind_items(scope, resource),
        Form::Derive => derive_form::items(scope, resource),
        Form::Kube => kube_form::items(scope, resource),
    };
    items.extend(aliases(scope));
    text(items, header)
}

fn kind_items(scope: &Scope<'_>, resource: &Resource<'_>) -> TokenStream {
    let mut items = imports(scope, &scope.model.root);
    items.extend(exports(scope));
    let root = root::items(scope, resource);
    items.extend(root.declaration);
    items.extend(types(scope, None));
    items.extend(root.implementations);
    items.extend(client::abilities(scope, resource));
    if let Some(form) = &resource.apply {
        items.extend(apply::root_items(scope, resource, form));
    }
    items
}

/// The shared types by the names that the kind has for them, so that a type keeps its path when a second kind uses it.
fn exports(scope: &Scope<'_>) -> TokenStream {
    if scope.names.exports.is_empty() {
        return TokenStream::new();
    }
    let module = literal::ident(SHARED);
    let names = scope.names.exports.iter().map(|(shared, own)| {
        let (name, own_name) = (literal::ident(shared), literal::ident(own));
        if shared == own { quote!(#name) } else { quote!(#name as #own_name) }
    });
    quote!(pub use super::#module::{#(#names),*};)
}

/// The names of types by their other places, which are not shown in the documentation.
fn aliases(scope: &Scope<'_>) -> TokenStream {
    if scope.names.aliases.is_empty() {
        return TokenStream::new();
    }
    let names = scope.names.aliases.iter().map(|(name, alias)| {
        let (name, alias) = (literal::ident(name), literal::ident(alias));
        quote!(#name as #alias)
    });
    quote!(
        /// Names of the types above by their other places.
        #[doc(hidden)]
        pub use self::{#(#names),*};
    )
}

/// The text of the file for the types that several kinds have in common.
///
/// # Errors
/// As for [`kind_file`].
pub(crate) fn shared_file(scope: &Scope<'_>, header: &str) -> Result<String, String> {
    let mut items = imports(scope, &Struct::default());
    items.extend(types(scope, None));
    text(items, header)
}

/// The types of the file. The attributes of the resource stand on the type of the spec, if a derive generates the root type.
fn types(scope: &Scope<'_>, on_spec: Option<(TypeId, &TokenStream)>) -> TokenStream {
    let mut items = TokenStream::new();
    for &id in &scope.names.order {
        match &scope.model.graph[id] {
            Type::Struct(struct_) => {
                if struct_.kubernetes.is_none() {
                    let resource = on_spec.filter(|(spec, _)| *spec == id).map(|(_, attributes)| attributes);
                    items.extend(structs::items(scope, id, struct_, resource));
                }
                if let Some(forms) = scope.forms {
                    items.extend(apply::items(scope, forms, id));
                }
            }
            Type::Enum(enum_) => items.extend(enums::items(scope, id, enum_)),
            Type::Union(union) => {
                items.extend(unions::items(scope, id, union));
                if let Some(forms) = scope.forms {
                    items.extend(apply::items(scope, forms, id));
                }
            }
            _ => {}
        }
    }
    items
}

fn text(items: TokenStream, header: &str) -> Result<String, String> {
    let body = print::items(items)?;
    print::checked(format!("{header}\n{body}"))
}

fn imports(scope: &Scope<'_>, root: &Struct) -> TokenStream {
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

/// The structs among some types.
fn structs_of<'a>(model: &'a Model, types: &'a [TypeId]) -> impl Iterator<Item = &'a Struct> {
    types.iter().filter_map(|id| match &model.graph[*id] {
        Type::Struct(struct_) => Some(struct_),
        _ => None,
    })
}

/// The fields of each of some types.
fn fields_of<'a>(model: &'a Model, types: &'a [TypeId]) -> impl Iterator<Item = &'a [Field]> {
    types.iter().map(|id| model.graph[*id].fields())
}

/// Returns `true` if no derive generates the type of whole objects.
fn has_own_root(model: &Model, settings: &Settings) -> bool {
    match settings.form {
        Form::Types => true,
        Form::Derive => false,
        Form::Kube => KubeRoot::choose(model) == KubeRoot::Own,
    }
}

/// The pieces of the support module that the types of a file use; `roots` are the kind's own type and its apply form, if they stand
/// there, and `is_validated` whether it can be validated.
pub(crate) fn pieces(
    model: &Model,
    order: &[TypeId],
    roots: &[&Struct],
    forms: Option<&ApplyTypes>,
    is_validated: bool,
    known: &Known,
    settings: &Settings,
) -> BTreeSet<Piece> {
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
        model.parts(fields, |id| pieces.extend(piece(&model.graph[id], settings)));
    }
    // Of the types of several kinds, some are fields in the files of the kinds only.
    pieces.extend(order.iter().filter_map(|id| piece(&model.graph[*id], settings)));
    pieces
}

/// The piece that a type needs.
fn piece(type_: &Type, settings: &Settings) -> Option<Piece> {
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
        Type::Enum(enum_) if settings.enum_methods && enum_.values.are_strings() => {
            enums::macro_of_methods(enum_)
        }
        Type::Bytes if settings.bytes == crate::BytesType::Bytes => Piece::ByteString,
        _ => return None,
    })
}

/// The documentation of a crate, as lines of its root.
pub(crate) fn crate_documentation(text: &str) -> String {
    let text = docs::Documentation::from_markdown(text).text();
    text.lines().map(|line| format!("//! {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}
