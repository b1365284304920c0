//! The macros of crdkit. Use the crate `crdkit`, which re-exports them.
#![forbid(unsafe_code)]

mod attrs;
mod check;
mod errors;
mod expand;
mod model;
mod nesting;
mod versions;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use attrs::text::Text;
use errors::Errors;

#[doc = include_str!("../docs/custom_resource.md")]
#[proc_macro_derive(CustomResource, attributes(crd, kube, x_kube, serde, schemars))]
pub fn custom_resource(input: TokenStream) -> TokenStream {
    if let Some(error) = too_deep(&input) {
        return error;
    }
    let input = parse_macro_input!(input as DeriveInput);
    resource_or_error(&input).into()
}

#[doc = include_str!("../docs/crd_schema.md")]
#[proc_macro_derive(CrdSchema, attributes(crd, kube, x_kube, serde, schemars, validate, garde))]
pub fn crd_schema(input: TokenStream) -> TokenStream {
    if let Some(error) = too_deep(&input) {
        return error;
    }
    let input = parse_macro_input!(input as DeriveInput);
    schema_or_error(&input).into()
}

#[doc = include_str!("../docs/versions.md")]
#[proc_macro_attribute]
pub fn versions(list: TokenStream, module: TokenStream) -> TokenStream {
    if let Some(error) = too_deep(&list).or_else(|| too_deep(&module)) {
        return error;
    }
    let list = parse_macro_input!(list as versions::VersionList);
    let module = parse_macro_input!(module as syn::ItemMod);
    versions_or_error(list, module).into()
}

fn resource_or_error(input: &DeriveInput) -> proc_macro2::TokenStream {
    resource(input).unwrap_or_else(|error| expand::fallback::resource(input, error))
}

fn schema_or_error(input: &DeriveInput) -> proc_macro2::TokenStream {
    schema(input).unwrap_or_else(|error| expand::fallback::schema(input, error))
}

fn versions_or_error(list: versions::VersionList, module: syn::ItemMod) -> proc_macro2::TokenStream {
    versions::versions(list, module).unwrap_or_else(syn::Error::into_compile_error)
}

/// Returns an error if the tokens are nested too deeply for a parser.
fn too_deep(tokens: &TokenStream) -> Option<TokenStream> {
    let span = nesting::too_deep(&tokens.clone().into())?;
    Some(syn::Error::new(span, nesting::TOO_DEEP).into_compile_error().into())
}

/// Returns the emitted code. Errors from checks are added to the code and do not replace it, so that one mistake causes one error.
fn resource(input: &DeriveInput) -> syn::Result<proc_macro2::TokenStream> {
    let resource = model::Resource::from_input(input)?;
    let mut errors = Errors::default();
    check::resource(&resource, &mut errors);
    errors.name_version(resource.attrs.in_version.as_ref().and_then(Text::literal));
    Ok(beside(expand::resource(&resource), errors))
}

fn schema(input: &DeriveInput) -> syn::Result<proc_macro2::TokenStream> {
    let schema = model::Schema::from_input(input)?;
    let mut errors = Errors::default();
    check::schema(&schema, &mut errors);
    errors.name_version(schema.attrs.in_version.as_ref().and_then(Text::literal));
    Ok(beside(expand::schema(&schema), errors))
}

fn beside(mut tokens: proc_macro2::TokenStream, errors: Errors) -> proc_macro2::TokenStream {
    if let Err(error) = errors.finish() {
        tokens.extend(error.into_compile_error());
    }
    tokens
}

#[cfg(test)]
mod hostile;

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::time::{Duration, Instant};

    use syn::DeriveInput;

    /// Returns a spec with this many fields, each with docs, serde's attributes and a rule.
    fn spec(fields: usize) -> DeriveInput {
        let mut code =
            String::from("#[crd(group = \"a.b\", version = \"v1\", kind = \"Big\")] struct BigSpec {");
        for i in 0..fields {
            write!(
                code,
                "/** Field {i}. */ #[serde(default, skip_serializing_if = \"Option::is_none\")] \
                 #[crd(validation = \"self > {i}\")] field_{i}: Option<i32>,"
            )
            .expect("a `String` takes everything");
        }
        code.push('}');
        syn::parse_str(&code).expect("it is a struct")
    }

    /// Returns this thread's CPU time, if the system provides it. Unlike elapsed time, it does not depend on other programs.
    fn running_time() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
    }

    #[test]
    #[ignore = "a measurement: `builds` among the benchmarks runs it"]
    fn time_of_three_hundred_fields() {
        let input = spec(300);
        let clock = Instant::now();
        let now = || running_time().unwrap_or_else(|| clock.elapsed());
        let once = || {
            let start = now();
            assert!(super::resource(&input).is_ok() && super::schema(&input).is_ok());
            now() - start
        };
        // The best of some runs is the macro's own time.
        let best = (0..20).map(|_| once()).min().unwrap_or_default();
        let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
        println!("Both macros take {best:.1?} for a struct of 300 fields in a {profile} build of theirs.");
    }
}
