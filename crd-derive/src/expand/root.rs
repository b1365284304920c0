//! Generates the type of the whole object, with serde's traits.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::Ident;

use super::parameters;
use crate::attrs::text::Pair;
use crate::model::Resource;

pub(super) fn root(resource: &Resource<'_>) -> TokenStream {
    let type_ = type_(resource);
    let new = new(resource);
    let serialize = serialize(resource);
    let deserialize = deserialize(resource);
    let try_from = try_from(resource);
    let default = default(resource);
    quote! { #type_ #new #serialize #deserialize #try_from #default }
}

fn type_(resource: &Resource<'_>) -> TokenStream {
    let Resource { root, attrs, original, .. } = resource;
    let (vis, ident, spec) = (&original.vis, &original.ident, parameters::spec(resource));
    let (generics, where_clause) = (&original.generics, &original.generics.where_clause);
    // Empty brackets have no place in the user's code: the compiler would suggest a parameter there for a missing status.
    let parameters = if generics.params.is_empty() { quote!(<>) } else { generics.to_token_stream() };
    let metadata = metadata_type(resource);
    let status = attrs.status.as_ref().map(|status| {
        let status = &status.0;
        quote! {
            /// The observed state.
            #vis status: ::core::option::Option<#status>,
        }
    });
    // `Default` is written by hand: it needs no default of the status.
    let derives = attrs.derives.iter().map(|path| &path.0).filter(|path| !path.is_ident("Default"));
    // An attribute that the checks refuse would be a second error.
    let is_allowed =
        |meta: &&syn::Meta| !["derive", "serde", "schemars"].iter().any(|name| meta.path().is_ident(name));
    let extra = attrs.attrs.iter().map(|meta| &meta.0).filter(is_allowed);
    let doc = match &attrs.doc {
        Some(doc) => quote!(#doc),
        None => {
            let text = format!(" An object with a [`{ident}`].");
            quote!(#text)
        }
    };
    quote! {
        #[doc = #doc]
        #[automatically_derived]
        #[allow(missing_docs)]
        #[derive(::core::clone::Clone, ::core::fmt::Debug #(, #derives)*)]
        #(#[#extra])*
        #vis struct #root #parameters #where_clause {
            /// Name, namespace, labels and other metadata.
            #vis metadata: #metadata,
            /// The desired state.
            #vis spec: #spec,
            #status
        }
    }
}

fn new(resource: &Resource<'_>) -> TokenStream {
    let Resource { attrs, original, .. } = resource;
    let (vis, spec) = (&original.vis, parameters::spec(resource));
    let head = parameters::own_head(resource, Vec::new());
    let status = attrs.status.is_some().then(|| quote! { status: ::core::option::Option::None, });
    let metadata = new_metadata(resource);
    quote! {
        #[automatically_derived]
        #head {
            /// Returns an object with this name and no status.
            #[must_use]
            #vis fn new(name: &str, spec: #spec) -> Self {
                Self { metadata: #metadata, spec, #status }
            }
        }
    }
}

/// Returns an expression for a new object's metadata, with the name, labels and annotations.
fn new_metadata(resource: &Resource<'_>) -> TokenStream {
    let Resource { attrs, paths, .. } = resource;
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
    if resource.is_kube {
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
    }
}

fn serialize(resource: &Resource<'_>) -> TokenStream {
    let Resource { attrs, paths, .. } = resource;
    let private = &paths.private;
    let serde = quote!(#private::serde);
    let serde_text = quote!(#serde).to_string();
    let metadata = metadata_type(resource);
    let flatten = attrs.no_spec.is_present().then(|| quote!(#[serde(flatten)]));
    let has_status = attrs.status.is_some();
    let status_parameter = has_status.then(|| quote!(, Status));
    let status_field = has_status.then(|| {
        let skip = quote!(#[serde(skip_serializing_if = "::core::option::Option::is_none")]);
        quote! { #skip status: &'a ::core::option::Option<Status>, }
    });
    let status_value = has_status.then(|| quote! { status: &self.status, });
    let (group, version, kind) = (&attrs.group, &attrs.version, &attrs.kind);
    let trait_ = quote!(#serde::Serialize);
    let head = parameters::head(resource, &trait_, parameters::parts(resource, &trait_));
    quote! {
        const _: () = {
            #[derive(#serde::Serialize)]
            #[serde(crate = #serde_text, rename_all = "camelCase")]
            struct Wire<'a, Spec #status_parameter> {
                api_version: &'static str,
                kind: &'static str,
                metadata: &'a #metadata,
                #flatten
                spec: &'a Spec,
                #status_field
            }

            #[automatically_derived]
            #head {
                fn serialize<__S: #serde::Serializer>(
                    &self,
                    serializer: __S,
                ) -> ::core::result::Result<__S::Ok, __S::Error> {
                    let wire = Wire {
                        api_version: #private::join!(#group, "/", #version),
                        kind: #kind,
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
    let Resource { attrs, paths, .. } = resource;
    let private = &paths.private;
    let serde = quote!(#private::serde);
    let serde_text = quote!(#serde).to_string();
    let metadata = metadata_type(resource);
    let spec_attr = if attrs.no_spec.is_present() {
        Some(quote!(#[serde(flatten)]))
    } else {
        attrs.spec_optional.is_present().then(|| quote!(#[serde(default)]))
    };
    let has_status = attrs.status.is_some();
    let status_parameter = has_status.then(|| quote!(, Status));
    let status_field = has_status.then(|| {
        quote! { status: ::core::option::Option<Status>, }
    });
    let status_value = has_status.then(|| quote! { status: wire.status, });
    let inferred = has_status.then(|| quote!(, _));
    let (group, version, kind) = (&attrs.group, &attrs.version, &attrs.kind);
    let trait_ = quote!(#serde::Deserialize<'de>);
    let mut bounds = parameters::parts(resource, &trait_);
    bounds.extend(optional_spec(resource));
    let head = parameters::head_with(resource, syn::parse_quote!('de), &trait_, bounds);
    quote! {
        const _: () = {
            #[derive(#serde::Deserialize)]
            #[serde(crate = #serde_text, rename_all = "camelCase")]
            struct Wire<Spec #status_parameter> {
                #[serde(default)]
                api_version: ::core::option::Option<::std::string::String>,
                #[serde(default)]
                kind: ::core::option::Option<::std::string::String>,
                metadata: #metadata,
                #spec_attr
                spec: Spec,
                #status_field
            }

            #[automatically_derived]
            #head {
                fn deserialize<__D: #serde::Deserializer<'de>>(
                    deserializer: __D,
                ) -> ::core::result::Result<Self, __D::Error> {
                    let wire = <Wire<_ #inferred> as #serde::Deserialize>::deserialize(deserializer)?;
                    let api_version = #private::join!(#group, "/", #version);
                    #private::check_type("apiVersion", wire.api_version.as_deref(), api_version)?;
                    #private::check_type("kind", wire.kind.as_deref(), #kind)?;
                    ::core::result::Result::Ok(Self { metadata: wire.metadata, spec: wire.spec, #status_value })
                }
            }
        };
    }
}

/// Generates the conversion from JSON, which requires `apiVersion` and `kind`. serde also accepts objects without them, because items of
/// a list may lack `apiVersion` and `kind`.
fn try_from(resource: &Resource<'_>) -> TokenStream {
    let Resource { attrs, paths, .. } = resource;
    let private = &paths.private;
    let (group, version, kind) = (&attrs.group, &attrs.version, &attrs.kind);
    let owned = quote!(#private::serde::de::DeserializeOwned);
    let mut bounds = parameters::parts(resource, &owned);
    bounds.extend(optional_spec(resource));
    let value = quote!(#private::serde_json::Value);
    let head = parameters::head(resource, &quote!(::core::convert::TryFrom<#value>), bounds);
    quote! {
        #[automatically_derived]
        #head {
            type Error = #private::serde_json::Error;

            fn try_from(object: #value) -> ::core::result::Result<Self, Self::Error> {
                #private::require_type(&object, #private::join!(#group, "/", #version), #kind)?;
                #private::serde_json::from_value(object)
            }
        }
    }
}

/// Returns a where-clause that requires `Default` for the spec, if the spec is optional and generic.
fn optional_spec(resource: &Resource<'_>) -> Option<syn::WherePredicate> {
    let has_bound =
        resource.attrs.spec_optional.is_present() && !resource.original.generics.params.is_empty();
    has_bound.then(|| {
        let spec = parameters::spec(resource);
        syn::parse_quote!(#spec: ::core::default::Default)
    })
}

fn default(resource: &Resource<'_>) -> Option<TokenStream> {
    let attrs = &resource.attrs;
    if !attrs.derives.iter().any(|path| path.0.is_ident("Default")) {
        return None;
    }
    let status = attrs.status.as_ref().map(|_| quote! { status: ::core::default::Default::default(), });
    let trait_ = quote!(::core::default::Default);
    let mut bounds = parameters::parts(resource, &trait_);
    // An absent status needs no default.
    bounds.truncate(1);
    let head = parameters::head(resource, &trait_, bounds);
    Some(quote! {
        #[automatically_derived]
        #head {
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

/// Returns the type of `metadata`. kube's clients need k8s-openapi's type.
fn metadata_type(resource: &Resource<'_>) -> TokenStream {
    let private = &resource.paths.private;
    if resource.is_kube {
        let k8s_openapi = super::kube::k8s_openapi(resource);
        quote!(#k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta)
    } else {
        quote!(#private::ObjectMeta)
    }
}
