//! Generates enums for unions with a discriminator, a property whose value selects which other property is set. The enum has a variant for
//! each value of the discriminator. The variant holds the property that this value selects.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::object::{Implementations, members, names_of_values, reader};
use crate::emit::attributes::{TypeKind, attributes, type_docs};
use crate::emit::docs::Documentation;
use crate::emit::fields::{self, FieldTokens};
use crate::emit::scope::Scope;
use crate::emit::types::{self, Boxes};
use crate::emit::{derive_form, literal};
use crate::ir::name::{UNKNOWN, fields_of};
use crate::ir::{Case, Discriminator, Struct, TypeId, Union};

/// Returns the enum for a union, with its implementations of serde's traits.
pub(super) fn items(
    scope: &Scope<'_>,
    id: TypeId,
    union: &Union,
    discriminator: &Discriminator,
) -> TokenStream {
    let name = literal::ident(scope.names.type_name(id));
    let flat = Struct { fields: members(union), ..Struct::default() };
    let field_names = fields_of(&flat);
    let tokens = fields::fields(scope, &flat, &field_names, Boxes::Allowed);
    let reader = reader(&tokens);
    let rename_all = &tokens.attributes;
    let tokens: Vec<&FieldTokens> = tokens.fields.iter().collect();
    let wire = Wire { scope, name: &name, union, discriminator, tokens: &tokens };
    let (serde, implementations) = match discriminator.wire {
        Some(struct_) => {
            let struct_ = scope.names.type_name(struct_);
            let serde = quote!(#[serde(try_from = #struct_, into = #struct_)]);
            (serde, wire.conversions(&literal::ident(struct_)))
        }
        None => {
            let implementations = Implementations {
                reader,
                rename_all,
                declared: wire.declared(),
                written: wire.written(&quote!(self), &quote!(self)),
            };
            (quote!(), implementations.implement(&name, &wire.read()))
        }
    };
    let declaration = declaration(scope, id, union, discriminator, &serde);
    quote!(#declaration #implementations)
}

/// Returns the enum and its method `discriminator`. `serde` is serde's attribute on the enum.
fn declaration(
    scope: &Scope<'_>,
    id: TypeId,
    union: &Union,
    discriminator: &Discriminator,
    serde: &TokenStream,
) -> TokenStream {
    let name = literal::ident(scope.names.type_name(id));
    let docs = type_docs(scope, id, &union.about);
    let is_called = |name: &str| scope.names.is_called(id, name);
    let derives: &[&str] = if discriminator.wire.is_some() { &["Serialize", "Deserialize"] } else { &[] };
    let derives = derive_form::derives(scope, derives);
    let attributes = attributes(scope, TypeKind::Union, is_called, scope.known.traits(id), &derives);
    let names = case_names(discriminator);
    let declared = discriminator.cases.iter().zip(&names).map(|(case, variant)| {
        let Some(field) = case.member.map(|at| &union.fields[at]) else { return quote!(#variant) };
        let docs = fields::docs(scope, field);
        let type_ = types::held(scope, field.type_);
        let type_ = if case.is_required { type_ } else { quote!(Option<#type_>) };
        quote!(#docs #variant(#type_))
    });
    let unknown = discriminator.is_open.then(|| {
        let unknown = literal::ident(UNKNOWN);
        quote!(#[doc = " A value that the schema does not name."] #unknown(String))
    });
    let declared = declared.chain(unknown);
    let value = value(discriminator, &names);
    let schema = derive_form::type_attributes(scope, &union.about, "validation");
    quote! {
        #docs
        #attributes
        #serde
        #schema
        pub enum #name { #(#declared),* }

        impl #name { #value }
    }
}

/// Returns the names of the variants, one for each case.
fn case_names(discriminator: &Discriminator) -> Vec<Ident> {
    names_of_values(discriminator.cases.iter().map(|case| case.value.clone()), discriminator.is_open)
}

/// Variants that hold the same member. The first part is the member's index, if the variants hold a member. The second part is `true` if
/// the member is always present. The third part contains the variants' names.
type Holders = (Option<usize>, bool, Vec<Ident>);

/// Returns the variants, grouped by the member that they hold.
pub(in crate::emit) fn by_member(discriminator: &Discriminator) -> Vec<Holders> {
    let mut groups: Vec<Holders> = Vec::new();
    for (case, name) in discriminator.cases.iter().zip(case_names(discriminator)) {
        let known = groups.iter_mut().find(|known| (known.0, known.1) == (case.member, case.is_required));
        match known {
            Some((.., names)) => names.push(name),
            None => groups.push((case.member, case.is_required, vec![name])),
        }
    }
    groups
}

/// Returns the method `discriminator`, which returns the discriminator's value.
fn value(discriminator: &Discriminator, names: &[Ident]) -> TokenStream {
    let arms = discriminator.cases.iter().zip(names).map(|(Case { value, member, .. }, variant)| {
        let value = literal::string(value);
        let held = member.map(|_| quote!((_)));
        quote!(Self::#variant #held => #value)
    });
    let docs = format!("The value of `{}`.", discriminator.property.replace('`', "'"));
    let docs = Documentation::from_markdown(&docs);
    let unknown = literal::ident(UNKNOWN);
    let (signature, arm) = if discriminator.is_open {
        (quote!(pub fn discriminator(&self) -> &str), Some(quote!(Self::#unknown(value) => value)))
    } else {
        (quote!(pub const fn discriminator(&self) -> &'static str), None)
    };
    let arms = arms.chain(arm);
    quote! {
        #docs
        #[must_use]
        #signature {
            match self { #(#arms),* }
        }
    }
}

/// A union with a discriminator, represented in JSON as properties of an object.
pub(super) struct Wire<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) name: &'a Ident,
    pub(super) union: &'a Union,
    pub(super) discriminator: &'a Discriminator,
    /// The fields from which the discriminator and the members are deserialized.
    pub(super) tokens: &'a [&'a FieldTokens],
}

impl Wire<'_> {
    fn members(&self) -> &[&FieldTokens] {
        self.tokens.get(1..).unwrap_or_default()
    }

    /// Returns the fields from which the discriminator and the members are serialized.
    pub(super) fn declared(&self) -> Vec<TokenStream> {
        let own = self.tokens.first().map(|FieldTokens { serde, name, .. }| {
            let serde = serde.written();
            quote!(#serde #name: &'a str)
        });
        let members = self.union.fields.iter().zip(self.members()).map(|(field, tokens)| {
            let (FieldTokens { serde, name, .. }, held) = (tokens, types::held(self.scope, field.type_));
            let serde = serde.written();
            quote!(#serde #name: Option<&'a #held>)
        });
        own.into_iter().chain(members).collect()
    }

    /// Returns values for the fields that `declared` returns. `place` is the union, and `reference` is a reference to it.
    pub(super) fn written(&self, place: &TokenStream, reference: &TokenStream) -> Vec<TokenStream> {
        let own = self.tokens.first().map(|FieldTokens { name, .. }| quote!(#name: #place.discriminator()));
        let holders = by_member(self.discriminator);
        let members = self.members().iter().enumerate().map(|(at, FieldTokens { name, .. })| {
            let value = self.member(at, &holders, reference);
            quote!(#name: #value)
        });
        own.into_iter().chain(members).collect()
    }

    /// Returns an expression for a member, an `Option` that contains a reference. `holders` contains the variants, grouped by member.
    fn member(&self, at: usize, holders: &[Holders], reference: &TokenStream) -> TokenStream {
        let name = self.name;
        let pattern = |is_always: bool| {
            let mut holders = holders.iter();
            let (.., names) =
                holders.find(|(member, is_required, _)| (*member, *is_required) == (Some(at), is_always))?;
            Some(quote!(#(#name::#names(value))|*))
        };
        match (pattern(true), pattern(false)) {
            (Some(always), None) => quote!(if let #always = #reference { Some(value) } else { None }),
            (None, Some(sometimes)) => {
                quote!(if let #sometimes = #reference { value.as_ref() } else { None })
            }
            (Some(always), Some(sometimes)) => quote! {
                match #reference {
                    #always => Some(value),
                    #sometimes => value.as_ref(),
                    _ => None,
                }
            },
            (None, None) => quote!(None),
        }
    }

    /// Returns the conversions between the union and the struct that represents it in JSON.
    fn conversions(&self, struct_: &Ident) -> TokenStream {
        let name = self.name;
        let Some(FieldTokens { name: own, .. }) = self.tokens.first() else { return quote!() };
        let read = self.read();
        let members: Vec<&Ident> = self.members().iter().map(|tokens| &tokens.name).collect();
        let arms = by_member(self.discriminator).into_iter().map(|(member, is_required, names)| {
            let Some(member) = member.map(|at| members[at]) else { return quote!(#(#name::#names)|* => {}) };
            let value = if is_required { quote!(Some(value)) } else { quote!(value) };
            quote!(#(#name::#names(value))|* => wire.#member = #value,)
        });
        let unknown = self.discriminator.is_open.then(|| {
            let unknown = literal::ident(UNKNOWN);
            quote!(#name::#unknown(_) => {})
        });
        quote! {
            impl TryFrom<#struct_> for #name {
                type Error = serde::de::value::Error;

                fn try_from(wire: #struct_) -> Result<Self, Self::Error> { Ok(#read) }
            }

            impl From<#name> for #struct_ {
                fn from(union: #name) -> Self {
                    let mut wire = Self { #own: union.discriminator().to_owned(), #(#members: None),* };
                    match union { #(#arms)* #unknown }
                    wire
                }
            }
        }
    }

    /// Returns the code that creates a struct from the fields of `wire`, and converts it to the union.
    pub(super) fn converted(&self, struct_: &Ident) -> TokenStream {
        let fields = self.tokens.iter().map(|FieldTokens { name, .. }| quote!(#name: wire.#name));
        let name = self.name;
        quote! {
            #name::try_from(#struct_ { #(#fields),* }).map_err(serde::de::Error::custom)?
        }
    }

    /// Returns the code that creates the union from the fields of `wire`. An object that matches no case is an error.
    pub(super) fn read(&self) -> TokenStream {
        let name = self.name;
        let Some(FieldTokens { name: own, .. }) = self.tokens.first() else { return quote!() };
        let members: Vec<&Ident> = self.members().iter().map(|tokens| &tokens.name).collect();
        let names = case_names(self.discriminator);
        let arms = self.discriminator.cases.iter().zip(&names).map(|(case, variant)| {
            let value = literal::string(&case.value);
            let patterns = (0..members.len()).map(|at| match case.member {
                Some(own) if own == at && case.is_required => quote!(Some(value)),
                Some(own) if own == at => quote!(value),
                _ => quote!(None),
            });
            let held = case.member.map(|_| quote!((value)));
            quote!((#value, #(#patterns),*) => #name::#variant #held)
        });
        let values: Vec<_> =
            self.discriminator.cases.iter().map(|case| literal::string(&case.value)).collect();
        let unknown = self.discriminator.is_open.then(|| {
            let none = members.iter().map(|_| quote!(None));
            let unknown = literal::ident(UNKNOWN);
            quote!((other, #(#none),*) if ![#(#values),*].contains(&other) => #name::#unknown(other.to_owned()))
        });
        let arms = arms.chain(unknown);
        let pairs = self.discriminator.cases.iter().map(|case| {
            let value = literal::string(&case.value);
            let property = case.member.map_or("", |at| &*self.union.fields[at].property);
            let property = literal::string(property);
            quote!((#value, #property))
        });
        let property = literal::string(&self.discriminator.property);
        quote! {
            match (wire.#own.as_str(), #(wire.#members),*) {
                #(#arms,)*
                (other, ..) => return Err(discriminator::mismatch(#property, other, &[#(#pairs),*])),
            }
        }
    }
}
