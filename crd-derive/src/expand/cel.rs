//! Generates the method `validate_cel`, as in kube-derive. The method calls crdkit and needs the feature `testing`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse_quote;

use super::parameters;
use crate::model::{Resource, Schema};

/// Returns the methods for the whole object.
pub(super) fn object(resource: &Resource<'_>) -> Option<TokenStream> {
    // The attribute has been refused, and would be a second error.
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
                /// Validates this object as the API server does on create: schema, lists and rules.
                ///
                /// # Errors
                /// The API server would reject the object, for the reasons in the error.
                ///
                /// # Panics
                ///
                /// The API server would reject the CRD.
                #vis fn validate_cel(&self) -> ::core::result::Result<(), #private::Rejection> {
                    #private::validate_object(self, ::core::option::Option::None)
                }

                /// Validates this object as the API server does on update from `old`; rules with `oldSelf` run too.
                ///
                /// # Errors
                ///
                /// The API server would reject the object, for the causes in the error.
                ///
                /// # Panics
                ///
                /// The API server would reject the CRD.
                #vis fn validate_cel_update(&self, old: &Self) -> ::core::result::Result<(), #private::Rejection> {
                    #private::validate_object(self, ::core::option::Option::Some(old))
                }
            }
        }
    })
}

/// Returns the function for a type inside objects.
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
                /// Validates a value of this type within an object as the API server does: a new value, or a value that
                /// replaces `old`.
                ///
                /// # Errors
                /// The API server would reject the value, for the reasons in the error.
                ///
                /// # Panics
                ///
                /// The API server would reject the schema of the type.
                #vis fn validate_cel(
                    value: &#private::serde_json::Value,
                    old: ::core::option::Option<&#private::serde_json::Value>,
                ) -> ::core::result::Result<(), #private::Rejection> {
                    #private::validate_part::<Self>(value, old)
                }
            }
        }
    })
}
