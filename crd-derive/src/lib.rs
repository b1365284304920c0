//! The derive macros of crdkit, which re-exports them: use `crdkit`, not this crate.
#![forbid(unsafe_code)]

mod attrs;
mod check;
mod expand;
mod model;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

#[doc = include_str!("../docs/custom_resource.md")]
#[proc_macro_derive(CustomResource, attributes(crd, kube, x_kube, serde, schemars))]
pub fn custom_resource(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    resource(&input).unwrap_or_else(|error| expand::fallback::resource(&input, error)).into()
}

#[doc = include_str!("../docs/crd_schema.md")]
#[proc_macro_derive(CrdSchema, attributes(crd, kube, x_kube, serde, schemars, validate, garde))]
pub fn crd_schema(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    schema(&input).unwrap_or_else(|error| expand::fallback::schema(&input, error)).into()
}

/// The emitted code; what the checks find stands beside it, so that one mistake gives one error.
fn resource(input: &DeriveInput) -> darling::Result<proc_macro2::TokenStream> {
    let resource = model::Resource::from_input(input)?;
    let mut errors = darling::Error::accumulator();
    check::resource(&resource, &mut errors);
    Ok(beside(expand::resource(&resource), errors))
}

fn schema(input: &DeriveInput) -> darling::Result<proc_macro2::TokenStream> {
    let schema = model::Schema::from_input(input)?;
    let mut errors = darling::Error::accumulator();
    check::schema(&schema, &mut errors);
    Ok(beside(expand::schema(&schema), errors))
}

fn beside(
    mut tokens: proc_macro2::TokenStream,
    errors: darling::error::Accumulator,
) -> proc_macro2::TokenStream {
    if let Err(error) = errors.finish() {
        tokens.extend(error.write_errors());
    }
    tokens
}
