//! Generates the test of the CRD. This test runs with the user's own tests.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::GenericParam;

use crate::attrs::serde::snake;
use crate::model::Resource;

pub(super) fn test(resource: &Resource<'_>) -> Option<TokenStream> {
    // A type with parameters is tested with their defaults; without defaults it has no definition to test.
    let has_defaults = resource.original.generics.params.iter().all(|param| match param {
        GenericParam::Type(param) => param.default.is_some(),
        GenericParam::Const(param) => param.default.is_some(),
        GenericParam::Lifetime(_) => false,
    });
    let attrs = &resource.attrs;
    if attrs.no_test.is_present() || attrs.unchecked.is_present() || !has_defaults {
        return None;
    }
    let (root, private) = (&resource.root, &resource.paths.private);
    let name = format_ident!("the_crd_of_{}_is_sound", snake(&root.to_string()));
    let assert = match attrs.unchecked_paths.is_present() {
        true => quote!(assert_sound),
        false => quote!(assert_sound_with_paths),
    };
    Some(quote! {
        #[cfg(test)]
        #[test]
        #[allow(unnameable_test_items, reason = "within a function it does not run, which is not a mistake of the user")]
        fn #name() {
            #private::#assert::<#root>();
        }
    })
}
