//! Emits Rust source code from the type graph, without access to schemas. Every string from a CRD is emitted as a token.

mod apply;
mod attributes;
mod builders;
mod client;
mod constructors;
mod declarations;
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
mod resource;
mod root;
mod scope;
mod structs;
mod support;
pub(crate) mod syntax;
mod text_lines;
mod types;
mod unions;
mod uses;
mod values;

pub(crate) use attributes::TypeKind;
pub(crate) use client::{CLIENT, Handle, client_file, definition_strings_file};
pub(crate) use definitions::{DefinitionFunction, file as definition_functions_file};
pub(crate) use nest::Nested;
pub(crate) use object::object_function;
pub(crate) use resource::{Abilities, ApplyRoot, OwnedDefinition, Resource};
pub(crate) use scope::Scope;
pub(crate) use support::{Dependency, Piece, Schemas, file as support_file};
pub(crate) use uses::pieces;

use proc_macro2::TokenStream;
use quote::quote;

use crate::config::Form;
use crate::ir::Struct;
use crate::ir::kube_root::KubeRoot;
use declarations::declarations;
use uses::imports;

/// The name of two modules. In a group and version, the module contains the CRDs that the client installs, as JSON. In the root module of
/// the form `derive`, the module contains a function for each CRD.
pub(crate) const DEFINITIONS: &str = "definitions";
/// The module for types that several kinds of a group and version share.
pub(crate) const SHARED: &str = "shared";

/// Returns the text of the file for one version of a CRD.
///
/// # Errors
/// The generated text is not valid Rust, which no input should cause. The error is the message of the parser.
pub(crate) fn kind_file(scope: &Scope<'_>, resource: &Resource<'_>, header: &str) -> Result<String, String> {
    let mut items = match scope.settings.form {
        Form::Types => kind_items(scope, resource),
        Form::Derive => derive_form::items(scope, resource),
        Form::Kube => match KubeRoot::choose(scope.model) {
            KubeRoot::Own => kind_items(scope, resource),
            root => kube_form::items(scope, resource, root),
        },
    };
    items.extend(aliases(scope));
    text(items, header)
}

fn kind_items(scope: &Scope<'_>, resource: &Resource<'_>) -> TokenStream {
    let mut items = imports(scope, &scope.model.root);
    items.extend(exports(scope));
    let root = root::items(scope, resource);
    items.extend(root.declaration);
    items.extend(declarations(scope, None));
    items.extend(root.implementations);
    items.extend(client::abilities(scope, resource));
    if let Some(form) = &resource.apply {
        items.extend(apply::root_items(scope, resource, form));
    }
    items
}

/// Re-exports the shared types under the names that they would have in the kind's module. A type thus keeps its path when a second kind
/// begins to use it.
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

/// Returns `pub use` items with the additional names of types that several fields use. These names are hidden from the documentation.
fn aliases(scope: &Scope<'_>) -> TokenStream {
    if scope.names.aliases.is_empty() {
        return TokenStream::new();
    }
    let names = scope.names.aliases.iter().map(|(name, alias)| {
        let (name, alias) = (literal::ident(name), literal::ident(alias));
        quote!(#name as #alias)
    });
    quote!(
        /// Additional names of the types above.
        #[doc(hidden)]
        pub use self::{#(#names),*};
    )
}

/// Returns the text of the file with the types that several kinds share.
///
/// # Errors
/// As for [`kind_file`].
pub(crate) fn shared_file(scope: &Scope<'_>, header: &str) -> Result<String, String> {
    let mut items = imports(scope, &Struct::default());
    items.extend(declarations(scope, None));
    text(items, header)
}

fn text(items: TokenStream, header: &str) -> Result<String, String> {
    let body = print::items(items)?;
    print::checked(format!("{header}\n{body}"))
}

/// Returns the documentation of a crate, as lines of its root.
pub(crate) fn crate_documentation(text: &str) -> String {
    let text = docs::Documentation::from_markdown(text).text();
    text.lines().map(|line| format!("//! {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}
