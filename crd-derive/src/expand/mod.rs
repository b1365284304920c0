//! Generates the code from the models. This step cannot fail.

mod approval;
mod assertion;
mod cel;
mod conversion;
mod definition;
pub(crate) mod fallback;
mod has_schema;
mod kube;
mod lines;
mod marks;
mod mirror;
mod names;
mod parameters;
mod root;
mod rule;
mod self_type;
mod shape;
mod soundness;

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Resource, Schema};

/// Generates the type of the whole object, its traits and its CRD.
pub(crate) fn resource(resource: &Resource<'_>) -> TokenStream {
    let root = root::root(resource);
    let definition = definition::definition(resource);
    let kube = kube::kube(resource);
    let cel = cel::object(resource);
    let soundness = soundness::test(resource);
    let warning = approval::warning(resource);
    quote! { #root #definition #kube #cel #soundness #warning }
}

/// Generates the schema of a type.
pub(crate) fn schema(schema: &Schema<'_>) -> TokenStream {
    let (mirror, cel) = (mirror::schema(schema), cel::part(schema));
    quote! { #mirror #cel }
}
