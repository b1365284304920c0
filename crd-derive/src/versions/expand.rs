//! Generates a module with a submodule for each version, the conversions, and the CRD with all versions.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::parse_quote;

use super::convert;
use super::{Declaration, VersionedResource};

pub(super) fn module(declaration: &Declaration) -> TokenStream {
    let Declaration { module, others, .. } = declaration;
    let (attrs, vis, ident) = (&module.attrs, &module.vis, &module.ident);
    let modules = (0..declaration.versions.len()).map(|version| version_module(declaration, version));
    let conversions = conversions(declaration);
    let definition = definition(declaration);
    quote! {
        #(#attrs)*
        #vis mod #ident {
            #(#others)*
            #(#modules)*
            #conversions
            #definition
        }
    }
}

/// Generates `pub mod v1 { ... }`, with the types of this version.
fn version_module(declaration: &Declaration, version: usize) -> TokenStream {
    let name = &declaration.versions[version].name;
    let doc = format!(" The version `{name}`.");
    let types = declaration.types.iter().map(|type_| {
        let is_resource = *type_.ident() == declaration.resource.spec;
        let more = is_resource.then(|| {
            let (text, items) = (name.to_string(), &declaration.versions[version].items);
            let storage = version == declaration.stored;
            parse_quote!(#[crd(version = #text, storage = #storage #(, #items)*)])
        });
        type_.item_in(version, more, &declaration.versions).to_token_stream()
    });
    quote! {
        #[doc = #doc]
        pub mod #name {
            #[allow(unused_imports, reason = "the types of a version may need nothing of the module")]
            use super::*;
            #(#types)*
        }
    }
}

/// Generates `From` implementations: between neighboring versions for every type, and between all versions for the object.
fn conversions(declaration: &Declaration) -> TokenStream {
    let names: Vec<String> = declaration.types.iter().map(|type_| type_.ident().to_string()).collect();
    let VersionedResource { root, status, .. } = &declaration.resource;
    let count = declaration.versions.len();
    let mut tokens = TokenStream::new();
    for (from, to) in (0..count).flat_map(|from| (0..count).map(move |to| (from, to))) {
        let (old, new) = (&declaration.versions[from].name, &declaration.versions[to].name);
        let mut convert = |type_: &syn::Ident, body: TokenStream| {
            tokens.extend(quote! {
                #[automatically_derived]
                impl ::core::convert::From<#old::#type_> for #new::#type_ {
                    #[allow(unused_variables, reason = "a type may have nothing to convert")]
                    fn from(old: #old::#type_) -> Self {
                        #body
                    }
                }
            });
        };
        match from.abs_diff(to) {
            0 => {}
            1 => {
                for type_ in &declaration.types {
                    let ident = type_.ident();
                    convert(ident, convert::body(type_, from, to, &quote!(#old::#ident), &names));
                }
                // Checked with the fields: a status is named by its type.
                let status = status.as_ref().map(|status| {
                    let optional: syn::Type = parse_quote!(Option<#status>);
                    let value = convert::value(&optional, quote!(old.status), &names);
                    quote!(status: #value,)
                });
                let spec = quote!(spec: ::core::convert::Into::into(old.spec));
                convert(root, quote!(Self { metadata: old.metadata, #spec, #status }));
            }
            _ => {
                let next = &declaration.versions[if from < to { from + 1 } else { from - 1 }].name;
                convert(root, quote!(::core::convert::Into::into(#next::#root::from(old))));
            }
        }
    }
    tokens
}

/// Generates the functions for the CRD with all versions and for conversions, and tests for these functions.
fn definition(declaration: &Declaration) -> TokenStream {
    let root = &declaration.resource.root;
    let names: Vec<_> = declaration.versions.iter().map(|version| &version.name).collect();
    let stored = names[declaration.stored];
    let others = names.iter().filter(|name| **name != stored);
    let text = stored.to_string();
    let merged = quote! {
        ::crdkit::__private::merge_unchecked(
            [#(<#names::#root as ::crdkit::CustomResource>::unchecked()),*],
            #text,
        )
    };
    let test = format_ident!("the_versions_of_{}_are_sound", crate::attrs::serde::snake(&root.to_string()));
    let test = declaration.resource.is_tested.then(|| {
        quote! {
            #[cfg(test)]
            #[test]
            fn #test() {
                ::crdkit::__private::assert_sound_crd(unchecked());
            }
        }
    });
    quote! {
        /// The CRD with all versions.
        ///
        /// # Errors
        /// - A type of a version has a shape that no structural schema can express.
        /// - The API server would reject the CRD.
        pub fn crd() -> ::core::result::Result<::crdkit::CustomResourceDefinition, ::crdkit::Error> {
            unchecked()?.check()
        }

        /// The CRD with all versions, before the API server's verdict.
        ///
        /// # Errors
        /// A type of a version has a shape that no structural schema can express.
        pub fn unchecked() -> ::core::result::Result<::crdkit::UncheckedCrd, ::crdkit::Error> {
            #merged
        }

        /// The conversions of objects between the versions, for a webhook.
        #[must_use]
        pub fn conversions() -> ::crdkit::Conversions<#stored::#root> {
            ::crdkit::Conversions::new() #(.with::<#others::#root>())*
        }

        #test
    }
}
