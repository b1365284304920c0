//! Generates an expression from `conversion(...)` that creates the CRD's conversion at run time.

use proc_macro2::TokenStream;
use quote::quote;

use super::definition::{number, option};
use crate::attrs::conversion::{Conversion, Service, Webhook};
use crate::model::Resource;

pub(super) fn conversion(resource: &Resource<'_>) -> TokenStream {
    let private = &resource.paths.private;
    let webhook = match &resource.attrs.conversion {
        None => return quote!(::core::option::Option::None),
        Some(Conversion::None) => quote!(::core::option::Option::None),
        Some(Conversion::Webhook(webhook)) => {
            let webhook = self::webhook(webhook, private);
            quote!(::core::option::Option::Some(#webhook))
        }
    };
    quote!(::core::option::Option::Some(#private::Conversion { webhook: #webhook }))
}

fn webhook(webhook: &Webhook, private: &syn::Path) -> TokenStream {
    let service = number(webhook.service.as_ref().map(|service| self::service(service, private)));
    let (url, ca_bundle) = (option(webhook.url.as_ref()), option(webhook.ca_bundle.as_ref()));
    // `v1` is what every server since 1.16 speaks.
    let review_versions = match &webhook.review_versions {
        Some(versions) => {
            let versions = &versions.0;
            quote!(#(#versions),*)
        }
        None => quote!("v1"),
    };
    quote! {
        #private::Webhook {
            url: #url,
            service: #service,
            ca_bundle: #ca_bundle,
            review_versions: ::std::vec![#review_versions],
        }
    }
}

fn service(service: &Service, private: &syn::Path) -> TokenStream {
    let (namespace, name) = (&service.namespace, &service.name);
    let (path, port) = (option(service.path.as_ref()), number(service.port));
    quote!(#private::Service { namespace: #namespace, name: #name, path: #path, port: #port })
}
