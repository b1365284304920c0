//! The type of the object, with serde's traits.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Ident;

use crate::attrs::text::Pair;
use crate::model::Resource;

pub(super) fn root(resource: &Resource<'_>) -> TokenStream {
    let type_ = type_(resource);
    let new = new(resource);
    let serialize = serialize(resource);
    let deserialize = deserialize(resource);
    let default = default(resource);
    quote! { #type_ #new #serialize #deserialize #default }
}

fn type_(resource: &Resource<'_>) -> TokenStream {
    let Resource { root, attrs, original, .. } = resource;
    let (vis, spec) = (&original.vis, &original.ident);
    let metadata = metadata_type(resource);
    let status = attrs.status.as_ref().map(|status| {
        let status = &status.0;
        quote! {
            /// What is so.
            #vis status: ::core::option::Option<#status>,
        }
    });
    // `Default` has no name to give: it is written by hand.
    let derives = attrs.derives.iter().map(|path| &path.0).filter(|path| !path.is_ident("Default"));
    // What the checks refused would give a second error.
    let is_allowed =
        |meta: &&syn::Meta| !["derive", "serde", "schemars"].iter().any(|name| meta.path().is_ident(name));
    let extra = attrs.attrs.iter().map(|meta| &meta.0).filter(is_allowed);
    let doc = match &attrs.doc {
        Some(doc) => quote!(#doc),
        None => {
            let text = format!(" An object with a [`{spec}`].");
            quote!(#text)
        }
    };
    quote! {
        #[doc = #doc]
        #[automatically_derived]
        #[allow(missing_docs)]
        #[derive(::core::clone::Clone, ::core::fmt::Debug #(, #derives)*)]
        #(#[#extra])*
        #vis struct #root {
            /// Name, namespace, labels and the rest.
            #vis metadata: #metadata,
            /// What is wanted.
            #vis spec: #spec,
            #status
        }
    }
}

fn new(resource: &Resource<'_>) -> TokenStream {
    let Resource { root, attrs, original, paths, .. } = resource;
    let (vis, spec) = (&original.vis, &original.ident);
    let status = attrs.status.is_some().then(|| quote! { status: ::core::option::Option::None, });
    // kube-derive puts labels and annotations of the definition on every object too.
    let pairs = |own: &[Pair], shared: &[Pair]| {
        let shared = shared.iter().filter(|_| resource.like_kube);
        let pairs: Vec<_> = shared
            .chain(own)
            .map(|pair| {
                let (key, value) = (&pair.0, &pair.1);
                quote! { (::std::string::String::from(#key), ::std::string::String::from(#value)) }
            })
            .collect();
        (!pairs.is_empty()).then(|| quote!([#(#pairs),*].into_iter().collect()))
    };
    let (annotations, labels) =
        (pairs(&attrs.object_annotations, &attrs.annotations), pairs(&attrs.object_labels, &attrs.labels));
    let metadata = if resource.is_kube {
        let metadata = metadata_type(resource);
        let optional = |pairs: Option<TokenStream>| match pairs {
            Some(pairs) => quote!(::core::option::Option::Some(#pairs)),
            None => quote!(::core::option::Option::None),
        };
        let (annotations, labels) = (optional(annotations), optional(labels));
        quote! {
            #metadata {
                annotations: #annotations,
                labels: #labels,
                name: ::core::option::Option::Some(name.to_owned()),
                ..::core::default::Default::default()
            }
        }
    } else {
        let private = &paths.private;
        let set = [("annotations", annotations), ("labels", labels)];
        let set = set.into_iter().filter_map(|(field, pairs)| {
            let field = Ident::new(field, Span::call_site());
            pairs.map(|pairs| quote!(metadata.#field = #pairs;))
        });
        let set: TokenStream = set.collect();
        if set.is_empty() {
            quote! { #private::ObjectMeta::named(name) }
        } else {
            quote! { {
                let mut metadata = #private::ObjectMeta::named(name);
                #set
                metadata
            } }
        }
    };
    quote! {
        #[automatically_derived]
        impl #root {
            /// An object of that name, which has no status yet.
            #[must_use]
            #vis fn new(name: &str, spec: #spec) -> Self {
                Self { metadata: #metadata, spec, #status }
            }
        }
    }
}

fn serialize(resource: &Resource<'_>) -> TokenStream {
    let Resource { root, attrs, original, paths, .. } = resource;
    let private = &paths.private;
    let serde = quote!(#private::serde);
    let serde_text = quote!(#serde).to_string();
    let (spec, metadata) = (&original.ident, metadata_type(resource));
    let flatten = attrs.no_spec.is_present().then(|| quote!(#[serde(flatten)]));
    let (status_field, status_value) = match &attrs.status {
        None => (None, None),
        Some(status) => {
            let status = &status.0;
            let skip = quote!(#[serde(skip_serializing_if = "::core::option::Option::is_none")]);
            let field = quote! { #skip status: &'a ::core::option::Option<#status>, };
            (Some(field), Some(quote! { status: &self.status, }))
        }
    };
    quote! {
        const _: () = {
            #[derive(#serde::Serialize)]
            #[serde(crate = #serde_text, rename_all = "camelCase")]
            struct Wire<'a> {
                api_version: &'static str,
                kind: &'static str,
                metadata: &'a #metadata,
                #flatten
                spec: &'a #spec,
                #status_field
            }

            #[automatically_derived]
            impl #serde::Serialize for #root {
                fn serialize<S: #serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                    let wire = Wire {
                        api_version: <Self as #private::CustomResource>::API_VERSION,
                        kind: <Self as #private::CustomResource>::KIND,
                        metadata: &self.metadata,
                        spec: &self.spec,
                        #status_value
                    };
                    #serde::Serialize::serialize(&wire, serializer)
                }
            }
        };
    }
}

fn deserialize(resource: &Resource<'_>) -> TokenStream {
    let Resource { root, attrs, original, paths, .. } = resource;
    let private = &paths.private;
    let serde = quote!(#private::serde);
    let serde_text = quote!(#serde).to_string();
    let (spec, metadata) = (&original.ident, metadata_type(resource));
    let spec_attr = if attrs.no_spec.is_present() {
        Some(quote!(#[serde(flatten)]))
    } else {
        attrs.spec_optional.is_present().then(|| quote!(#[serde(default)]))
    };
    let status_field = attrs.status.as_ref().map(|status| {
        let status = &status.0;
        quote! { #[serde(default)] status: ::core::option::Option<#status>, }
    });
    let status_value = attrs.status.as_ref().map(|_| quote! { status: wire.status, });
    let check = |field: &str, member: &str, constant: &str| {
        let (member, constant) =
            (Ident::new(member, Span::call_site()), Ident::new(constant, Span::call_site()));
        quote! {
            #private::check_type(#field, wire.#member.as_deref(), <Self as #private::CustomResource>::#constant)?;
        }
    };
    let checks = [check("apiVersion", "api_version", "API_VERSION"), check("kind", "kind", "KIND")];
    quote! {
        const _: () = {
            #[derive(#serde::Deserialize)]
            #[serde(crate = #serde_text, rename_all = "camelCase")]
            struct Wire {
                #[serde(default)]
                api_version: ::core::option::Option<::std::string::String>,
                #[serde(default)]
                kind: ::core::option::Option<::std::string::String>,
                metadata: #metadata,
                #spec_attr
                spec: #spec,
                #status_field
            }

            #[automatically_derived]
            impl<'de> #serde::Deserialize<'de> for #root {
                fn deserialize<D: #serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> ::core::result::Result<Self, D::Error> {
                    let wire = <Wire as #serde::Deserialize>::deserialize(deserializer)?;
                    #(#checks)*
                    ::core::result::Result::Ok(Self { metadata: wire.metadata, spec: wire.spec, #status_value })
                }
            }
        };
    }
}

fn default(resource: &Resource<'_>) -> Option<TokenStream> {
    let Resource { root, attrs, .. } = resource;
    if !attrs.derives.iter().any(|path| path.0.is_ident("Default")) {
        return None;
    }
    let status = attrs.status.as_ref().map(|_| quote! { status: ::core::default::Default::default(), });
    Some(quote! {
        #[automatically_derived]
        impl ::core::default::Default for #root {
            fn default() -> Self {
                Self {
                    metadata: ::core::default::Default::default(),
                    spec: ::core::default::Default::default(),
                    #status
                }
            }
        }
    })
}

/// The type of `metadata`: kube's clients need k8s-openapi's.
fn metadata_type(resource: &Resource<'_>) -> TokenStream {
    let (private, k8s_openapi) = (&resource.paths.private, &resource.paths.k8s_openapi);
    if resource.is_kube {
        quote!(#k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta)
    } else {
        quote!(#private::ObjectMeta)
    }
}
