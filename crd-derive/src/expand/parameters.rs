//! Generates the headers of `impl` blocks for an object, with the spec's generic parameters.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{GenericParam, WherePredicate, parse_quote};

use crate::model::Resource;

/// Returns the spec's type with its parameters: `ShirtSpec<T>`.
pub(super) fn spec(resource: &Resource<'_>) -> TokenStream {
    let ident = &resource.original.ident;
    let (_, parameters, _) = resource.original.generics.split_for_impl();
    quote!(#ident #parameters)
}

/// Returns the object's type with its parameters: `Shirt<T>`.
pub(super) fn object(resource: &Resource<'_>) -> TokenStream {
    let root = &resource.root;
    let (_, parameters, _) = resource.original.generics.split_for_impl();
    quote!(#root #parameters)
}

/// Returns the header `impl<T> trait_ for Shirt<T> where bounds`.
pub(super) fn head(
    resource: &Resource<'_>,
    trait_: &TokenStream,
    bounds: Vec<WherePredicate>,
) -> TokenStream {
    let object = object(resource);
    implementation(resource, None, &quote!(#trait_ for #object), bounds)
}

/// Returns a header with one more parameter, such as `impl<'de, T> Deserialize<'de> for Shirt<T> where bounds`.
pub(super) fn head_with(
    resource: &Resource<'_>,
    parameter: GenericParam,
    trait_: &TokenStream,
    bounds: Vec<WherePredicate>,
) -> TokenStream {
    let object = object(resource);
    implementation(resource, Some(parameter), &quote!(#trait_ for #object), bounds)
}

/// Returns the header `impl<T> Shirt<T> where bounds`.
pub(super) fn own_head(resource: &Resource<'_>, bounds: Vec<WherePredicate>) -> TokenStream {
    implementation(resource, None, &object(resource), bounds)
}

/// Returns where-clauses that require the trait `bound` for the spec and the status. Without type parameters, there are none, because the
/// compiler's errors are then clearer.
pub(super) fn parts(resource: &Resource<'_>, bound: &TokenStream) -> Vec<WherePredicate> {
    if resource.original.generics.params.is_empty() {
        return Vec::new();
    }
    let spec = spec(resource);
    let status = resource.attrs.status.as_ref().map(|status| &status.0);
    let status = status.map(|status| parse_quote!(#status: #bound));
    [parse_quote!(#spec: #bound)].into_iter().chain(status).collect()
}

/// Returns where-clauses that require schemas for the spec and the status.
pub(super) fn schemas(resource: &Resource<'_>) -> Vec<WherePredicate> {
    let private = &resource.paths.private;
    let bound = quote!(#private::schemars::JsonSchema);
    if resource.is_schemaless() {
        return Vec::new();
    }
    if resource.is_manual() && !resource.original.generics.params.is_empty() {
        let object = object(resource);
        return vec![parse_quote!(#object: #bound)];
    }
    parts(resource, &bound)
}

fn implementation(
    resource: &Resource<'_>,
    parameter: Option<GenericParam>,
    item: &TokenStream,
    bounds: Vec<WherePredicate>,
) -> TokenStream {
    let mut generics = resource.original.generics.clone();
    if !bounds.is_empty() {
        generics.make_where_clause().predicates.extend(bounds);
    }
    if let Some(parameter) = parameter {
        generics.params.insert(0, parameter);
    }
    let (parameters, _, where_clause) = generics.split_for_impl();
    quote!(impl #parameters #item #where_clause)
}
