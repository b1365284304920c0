//! Apply forms: conversions from the full types, and the forms of whole objects.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::fields::{self, Boxes};
use super::{ApplyRoot, Resource, Scope, docs, literal, root, structs};
use crate::ir::apply::{ApplyForms, doc, form_name};
use crate::ir::name::FieldNames;
use crate::ir::{Presence, Struct, Type, TypeId};

/// What is added to a struct so that there is an apply form of it: nothing but a name where everything is optional
/// already, and else the conversion from the full type.
pub(super) fn items(scope: &Scope<'_>, forms: &ApplyForms, id: TypeId) -> TokenStream {
    let (full, form) = (literal::ident(scope.names.of(id)), forms.of(id));
    let name = literal::ident(scope.names.of_form(id));
    if form == id {
        return quote!(pub type #name = #full;);
    }
    let (Type::Struct(struct_), Type::Struct(form)) = (&scope.model.graph[id], &scope.model.graph[form])
    else {
        return quote!();
    };
    let values = converted(scope, struct_, form, &fields::names(struct_), Boxes::Allowed);
    let form = structs::items(scope, forms.of(id), form, None);
    quote! {
        #form

        impl From<#full> for #name {
            fn from(full: #full) -> Self {
                Self { #(#values),* }
            }
        }
    }
}

/// The form of the whole object.
pub(super) fn root_items(scope: &Scope<'_>, resource: &Resource<'_>, form: &ApplyRoot) -> TokenStream {
    let ApplyRoot { root: form, traits } = form;
    let full = &scope.model.root;
    let (full_name, name_text) = (literal::ident(&scope.names.root), form_name(&scope.names.root));
    let name = literal::ident(&name_text);
    let names = root::names(full);
    let whole = root::whole(scope, form, &name_text, *traits, &docs(scope));
    let values = converted(scope, full, form, &names, Boxes::Never);
    let mut empty: Vec<Ident> = names.fields.iter().map(|name| literal::ident(&name.name)).collect();
    if full.keeps_rest {
        empty.push(literal::ident(&names.rest));
    }
    let client = resource.abilities.as_ref().map(|_| {
        quote! {
            impl client::Apply<#full_name> for #name {
                fn metadata(&self) -> &ObjectMeta {
                    &self.metadata
                }
            }
        }
    });
    quote! {
        #whole

        impl #name {
            const API_VERSION: &'static str = #full_name::API_VERSION;
            const KIND: &'static str = #full_name::KIND;

            #[doc = " An object of this name, and nothing more."]
            pub fn new(name: impl Into<String>) -> Self {
                let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
                Self { metadata, #(#empty: Default::default()),* }
            }

            #[doc = " What this manager has applied of the object, `None` if it has applied nothing."]
            pub fn extract(full: &#full_name, manager: &str) -> serde_json::Result<Option<Self>> {
                managed::extract(full, manager, "")
            }

            #[doc = " What this manager has applied of the object's status, `None` if it has applied nothing."]
            pub fn extract_status(full: &#full_name, manager: &str) -> serde_json::Result<Option<Self>> {
                managed::extract(full, manager, "status")
            }
        }

        impl From<#full_name> for #name {
            fn from(full: #full_name) -> Self {
                Self { metadata: full.metadata, #(#values),* }
            }
        }

        #client
    }
}

fn docs(scope: &Scope<'_>) -> TokenStream {
    if !scope.config.chosen_docs() {
        return quote!();
    }
    docs::attributes(Some(&doc(&scope.names.root)))
}

/// The fields of the form, each made from that of the full type.
fn converted(
    scope: &Scope<'_>,
    full: &Struct,
    form: &Struct,
    names: &FieldNames,
    boxes: Boxes,
) -> Vec<TokenStream> {
    let fields = full.fields.iter().zip(&form.fields).zip(&names.fields);
    let values = fields.map(|((full, form), name)| {
        let name = literal::ident(&name.name);
        let value = quote!(full.#name);
        let conversion = Conversion { scope, boxes, full: full.type_, form: form.type_ };
        let value = match (full.presence, form.presence) {
            (Presence::Required, Presence::Required) => conversion.held(&value),
            (Presence::Required, _) => {
                let value = conversion.held(&value);
                quote!(Some(#value))
            }
            _ => conversion.mapped(&value),
        };
        quote!(#name: #value)
    });
    let rest = full.keeps_rest.then(|| {
        let rest = literal::ident(&names.rest);
        quote!(#rest: full.#rest)
    });
    values.chain(rest).collect()
}

/// From a full type to its form.
struct Conversion<'a> {
    scope: &'a Scope<'a>,
    boxes: Boxes,
    full: TypeId,
    form: TypeId,
}

impl Conversion<'_> {
    fn is_boxed(&self, id: TypeId) -> bool {
        self.boxes == Boxes::Allowed && self.scope.known.is_boxed(&self.scope.model.graph, id)
    }

    /// Of a value as a field holds it.
    fn held(&self, value: &TokenStream) -> TokenStream {
        if self.full == self.form {
            return value.clone();
        }
        let inner = if self.is_boxed(self.full) { self.plain(&quote!((*#value))) } else { self.plain(value) };
        if self.is_boxed(self.form) { quote!(Box::new(#inner)) } else { inner }
    }

    /// Of a value as it stands in a list or a map.
    fn plain(&self, value: &TokenStream) -> TokenStream {
        if self.full == self.form {
            return value.clone();
        }
        let graph = &self.scope.model.graph;
        let part = |full, form, boxes| Conversion { scope: self.scope, boxes, full, form };
        match (&graph[self.full], &graph[self.form]) {
            (Type::List(full), Type::List(form)) => {
                let items = part(*full, *form, Boxes::Never).mapped(&quote!(#value.into_iter()));
                quote!(#items.collect())
            }
            (Type::Map(full), Type::Map(form)) => {
                let values = part(*full, *form, Boxes::Never).plain(&quote!(value));
                quote!(#value.into_iter().map(|(key, value)| (key, #values)).collect())
            }
            (Type::Nullable(full), Type::Nullable(form)) => part(*full, *form, Boxes::Allowed).mapped(value),
            _ => quote!(#value.into()),
        }
    }

    /// Of the values in an option or an iterator.
    fn mapped(&self, values: &TokenStream) -> TokenStream {
        if self.full == self.form {
            return values.clone();
        }
        let is_struct = matches!(self.scope.model.graph[self.full], Type::Struct(_));
        if is_struct && !self.is_boxed(self.full) && !self.is_boxed(self.form) {
            return quote!(#values.map(Into::into));
        }
        let value = self.held(&quote!(value));
        quote!(#values.map(|value| #value))
    }
}
