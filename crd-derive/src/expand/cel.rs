//! `validate_cel`, as kube-derive has it. What it does is crdkit's, behind a feature of that crate.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse_quote;

use super::parameters;
use crate::model::{Resource, Schema};

/// The methods of the object.
pub(super) fn object(resource: &Resource<'_>) -> Option<TokenStream> {
    // A second error would follow from what has been refused.
    if !resource.attrs.cel.is_present() || resource.is_schemaless() {
        return None;
    }
    let (private, vis) = (&resource.paths.private, &resource.original.vis);
    let serialize = quote!(#private::serde::Serialize);
    let mut bounds = parameters::schemas(resource);
    bounds.extend(parameters::parts(resource, &serialize));
    let head = parameters::own_head(resource, bounds);
    Some(quote! {
        #private::with_rules! {
            #[automatically_derived]
            #head {
                /// What the API server says to this object where it is created: schema, lists and rules.
                ///
                /// # Errors
                /// It would refuse the object, for the causes in the answer.
                ///
                /// # Panics
                /// There is no definition that the API server would take.
                #vis fn validate_cel(&self) -> ::core::result::Result<(), #private::Refusal> {
                    #private::validate_object(self, ::core::option::Option::None)
                }

                /// What the API server says to this object where it takes the place of `old`; rules of `oldSelf` run too.
                ///
                /// # Errors
                /// It would refuse the object, for the causes in the answer.
                ///
                /// # Panics
                /// There is no definition that the API server would take.
                #vis fn validate_cel_update(&self, old: &Self) -> ::core::result::Result<(), #private::Refusal> {
                    #private::validate_object(self, ::core::option::Option::Some(old))
                }
            }
        }
    })
}

/// The function of a type that is part of objects.
pub(super) fn part(schema: &Schema<'_>) -> Option<TokenStream> {
    if !schema.attrs.cel.is_present() {
        return None;
    }
    let (private, vis, ident) = (&schema.paths.private, &schema.original.vis, &schema.original.ident);
    let mut generics = schema.original.generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!(#private::schemars::JsonSchema));
    }
    let (parameters, type_parameters, where_clause) = generics.split_for_impl();
    Some(quote! {
        #private::with_rules! {
            #[automatically_derived]
            impl #parameters #ident #type_parameters #where_clause {
                /// What the API server says to a value of this type within an object: to a new one, or to one that takes the
                /// place of `old`.
                ///
                /// # Errors
                /// It would refuse the value, for the causes in the answer.
                ///
                /// # Panics
                /// The type has no schema that the API server would take.
                #vis fn validate_cel(
                    value: &#private::serde_json::Value,
                    old: ::core::option::Option<&#private::serde_json::Value>,
                ) -> ::core::result::Result<(), #private::Refusal> {
                    #private::validate_part::<Self>(value, old)
                }
            }
        }
    })
}
