//! Generates the documentation, derives and attributes of types.

use proc_macro2::TokenStream;
use quote::quote;

use super::docs::Documentation;
use super::scope::Scope;
use super::{derive_form, syntax};
use crate::config::Target;
use crate::ir::traits::Traits;
use crate::ir::{About, TypeId};

/// The kinds of types that targets such as `@struct` or `@enum:simple` distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeKind {
    Struct,
    SimpleEnum,
    OpenEnum,
    Union,
    Root,
}

impl TypeKind {
    /// Returns `true` if the target includes a type of this kind. `is_called` returns `true` for each name of the type.
    pub(crate) fn is_meant_by(self, target: &Target, is_called: impl Fn(&str) -> bool) -> bool {
        match target {
            Target::All => true,
            Target::Structs => matches!(self, Self::Struct | Self::Root),
            Target::Enums => matches!(self, Self::SimpleEnum | Self::OpenEnum | Self::Union),
            Target::SimpleEnums => self == Self::SimpleEnum,
            Target::Roots => self == Self::Root,
            Target::Named(wanted) => is_called(wanted),
        }
    }
}

/// Returns a type's documentation: the description if all uses of the type have the same description, otherwise the path of the type. If
/// only one field uses the type, the description is not repeated, because the field already has it.
pub(super) fn type_docs(scope: &Scope<'_>, id: TypeId, about: &About) -> Documentation {
    if let Some(docs) = derive_form::type_docs(scope, about) {
        return docs;
    }
    if !scope.settings.docs {
        return Documentation::default();
    }
    let is_repeated = about.is_on_field && about.places < 2;
    match &about.doc {
        Some(doc) if about.one_doc && !is_repeated => Documentation::from_description(Some(doc)),
        _ => {
            let place = scope.names.place(id);
            let more = match about.places {
                0 | 1 => String::new(),
                2 => " and one more place".to_owned(),
                places => format!(" and {} more places", places - 1),
            };
            let text = format!("The type of `{}`{more}.", place.replace('`', "'"));
            Documentation::from_description(Some(&text))
        }
    }
}

/// Returns the derives and attributes of a type.
pub(super) fn attributes(
    scope: &Scope<'_>,
    kind: TypeKind,
    is_called: impl Fn(&str) -> bool,
    traits: Traits,
    serde: &[&str],
) -> TokenStream {
    let standard = Traits::NAMES.iter().filter(|(_, trait_)| traits.has(*trait_)).map(|(name, _)| *name);
    // The derives of crdkit come first.
    let (first, serde): (Vec<&str>, Vec<&str>) =
        serde.iter().partition(|name| derive_form::DERIVES.contains(name));
    let mut paths: Vec<String> = first.into_iter().chain(standard).chain(serde).map(str::to_owned).collect();
    let is_meant = |target: &Target| kind.is_meant_by(target, &is_called);
    let unwanted: Vec<&str> = scope
        .settings
        .no_derive
        .iter()
        .filter(|rule| is_meant(&rule.target))
        .map(|rule| rule.path.as_str())
        .collect();
    for rule in scope.settings.derive.iter().filter(|rule| is_meant(&rule.target)) {
        let is_standard = Traits::named(&rule.path).is_some();
        if !is_standard && !unwanted.contains(&rule.path.as_str()) && !paths.contains(&rule.path) {
            paths.push(rule.path.clone());
        }
    }
    let derive = if paths.is_empty() {
        quote!()
    } else {
        let paths = paths.iter().map(|path| syntax::tokens(path));
        quote!(#[derive(#(#paths),*)])
    };
    let added = scope.settings.attribute.iter().filter(|rule| is_meant(&rule.target));
    let added = added.map(|rule| syntax::tokens(&rule.attribute));
    quote!(#derive #(#added)*)
}
