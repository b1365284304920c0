//! Generates implementations of kube's traits, for `kube::Api` and kube's runtime. Only the emitted code depends on kube.
//! crdkit itself does not.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Ident, Path};

use super::parameters;
use crate::model::Resource;

pub(super) fn kube(resource: &Resource<'_>) -> Option<TokenStream> {
    if !resource.is_kube {
        return None;
    }
    let imports = imports(resource);
    let (object, extension, spec) = (object(resource), extension(resource), spec(resource));
    let schema = schema(resource);
    Some(quote! { #imports #object #extension #spec #schema })
}

/// Returns the name for k8s-openapi in emitted code.
pub(super) fn k8s_openapi(resource: &Resource<'_>) -> Ident {
    format_ident!("__{}_k8s_openapi", resource.root, span = Span::call_site())
}

fn core(resource: &Resource<'_>) -> Ident {
    format_ident!("__{}_kube_core", resource.root, span = Span::call_site())
}

/// Imports kube and k8s-openapi under other names, which all other tokens use. If a crate is missing in `Cargo.toml`, this
/// causes a single error, at the attribute.
///
/// The imports are in a separate module, where `kube` is always the crate and never an item of the user's module. The compiler
/// suggests `cargo add kube` for `kube`, but not for `::kube`.
fn imports(resource: &Resource<'_>) -> TokenStream {
    let flag = &resource.attrs.kube;
    let span = if flag.is_present() { flag.span() } else { Span::call_site() };
    let crates =
        [(&resource.paths.kube_core, core(resource)), (&resource.paths.k8s_openapi, k8s_openapi(resource))];
    let imports = crates.into_iter().map(|(path, name)| {
        let (inner, module) = (located(&name, span), format_ident!("{name}_crate"));
        let allow = quote!(#[allow(unused_imports, non_snake_case, reason = "it names the crate once")]);
        if path.leading_colon.is_none() {
            let path = located(path, span);
            return quote!(#allow use #path as #inner;);
        }
        let path = located(&Path { leading_colon: None, ..path.clone() }, span);
        quote! {
            #[doc(hidden)]
            #[allow(non_snake_case, reason = "it is named after the type")]
            mod #module {
                #allow
                pub(super) use #path as #inner;
            }
            #allow
            use #module::#name;
        }
    });
    imports.collect()
}

/// Returns the tokens at another position in the code.
fn located(tokens: &impl ToTokens, span: Span) -> TokenStream {
    let tokens = tokens.to_token_stream().into_iter().map(|mut token| {
        token.set_span(token.span().located_at(span));
        token
    });
    tokens.collect()
}

/// Generates a schema for whole objects, as kube-derive does. Other types can then contain these objects.
fn schema(resource: &Resource<'_>) -> Option<TokenStream> {
    if !resource.like_kube || resource.is_manual() || resource.is_schemaless() {
        return None;
    }
    let (attrs, private, spec) = (&resource.attrs, &resource.paths.private, parameters::spec(resource));
    let name = resource.root.to_string();
    let status = match &attrs.status {
        None => quote!(::core::option::Option::None),
        Some(status) => {
            let status = &status.0;
            quote!(::core::option::Option::Some(generator.subschema_for::<::core::option::Option<#status>>()))
        }
    };
    let is_flat = attrs.no_spec.is_present();
    let rules = attrs.validations.iter().map(|rule| super::rule::rule(rule, private));
    let trait_ = quote!(#private::schemars::JsonSchema);
    let head = parameters::head(resource, &trait_, parameters::schemas(resource));
    Some(quote! {
        #[automatically_derived]
        #head {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(#name)
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(generator: &mut #private::schemars::SchemaGenerator) -> #private::schemars::Schema {
                let status = #status;
                let mark = #private::Mark::for_type(#name) #(.validation(#rules))*;
                #private::schema_of_object::<Self, #spec>(generator, #is_flat, status, mark)
            }
        }
    })
}

fn object(resource: &Resource<'_>) -> TokenStream {
    let Resource { attrs, paths, .. } = resource;
    let (private, core) = (&paths.private, core(resource));
    let head = parameters::head(resource, &quote!(#core::Resource), parameters::schemas(resource));
    let k8s_openapi = k8s_openapi(resource);
    let scope = if attrs.namespaced.is_present() {
        quote!(NamespaceResourceScope)
    } else {
        quote!(ClusterResourceScope)
    };
    let meta = quote!(#k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta);
    let text = |name: &str, constant: &str| {
        let name = format_ident!("{name}");
        let constant = format_ident!("{constant}");
        quote! {
            fn #name(_: &()) -> ::std::borrow::Cow<'_, str> {
                ::std::borrow::Cow::Borrowed(<Self as #private::CustomResource>::#constant)
            }
        }
    };
    let texts = [
        text("group", "GROUP"),
        text("kind", "KIND"),
        text("version", "VERSION"),
        text("api_version", "API_VERSION"),
        text("plural", "PLURAL"),
    ];
    quote! {
        #[automatically_derived]
        #head {
            type DynamicType = ();
            type Scope = #core::#scope;

            #(#texts)*

            fn meta(&self) -> &#meta {
                &self.metadata
            }

            fn meta_mut(&mut self) -> &mut #meta {
                &mut self.metadata
            }
        }
    }
}

fn extension(resource: &Resource<'_>) -> TokenStream {
    let paths = &resource.paths;
    let (private, core, k8s_openapi) = (&paths.private, core(resource), k8s_openapi(resource));
    let crd =
        quote!(#k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition);
    let vis = &resource.original.vis;
    let own = parameters::own_head(resource, parameters::schemas(resource));
    let extension = quote!(#core::crd::v1::CustomResourceExt);
    let head = parameters::head(resource, &extension, parameters::schemas(resource));
    let import = import(&core);
    quote! {
        #import

        // Both traits have a `crd`: with both in scope, this one is meant.
        #[automatically_derived]
        #own {
            /// The CRD, as k8s-openapi's type; `CustomResource::crd` of crdkit returns errors and does not panic.
            ///
            /// # Panics
            /// A type has a shape that no structural schema can express.
            #[must_use]
            #[allow(dead_code, reason = "kube's trait has it too")]
            #vis fn crd() -> #crd {
                <Self as #core::crd::v1::CustomResourceExt>::crd()
            }
        }

        #[automatically_derived]
        #head {
            // kube's trait has no error to return: `CustomResource::crd` of crdkit has.
            fn crd() -> #crd {
                let crd = match <Self as #private::CustomResource>::crd() {
                    ::core::result::Result::Ok(crd) => crd.to_value(),
                    ::core::result::Result::Err(error) => ::core::panic!("{error}"),
                };
                match #private::serde_json::from_value(crd) {
                    ::core::result::Result::Ok(crd) => crd,
                    ::core::result::Result::Err(error) => ::core::panic!("{error}"),
                }
            }

            fn crd_name() -> &'static str {
                <Self as #private::CustomResource>::CRD_NAME
            }

            fn api_resource() -> #core::discovery::ApiResource {
                #core::discovery::ApiResource::erase::<Self>(&())
            }

            fn shortnames() -> &'static [&'static str] {
                <Self as #private::CustomResource>::SHORT_NAMES
            }
        }
    }
}

/// Returns code that uses the user's import of `CustomResourceExt`. kube-derive requires this import. Here, it would be reported as
/// unused, because the type's own methods take precedence over the trait's methods.
///
/// The inner block sees the names in the user's module. If `CustomResourceExt` is not among them, the outer block provides
/// it. The code does not import `CustomResourceExt` into the user's module itself, because the lint
/// `unused_qualifications` would then report each `kube::CustomResourceExt` in the module.
fn import(core: &Ident) -> TokenStream {
    quote! {
        const _: () = {
            #[allow(unused_imports, reason = "the user may have imported it too")]
            use #core::crd::v1::CustomResourceExt;
            const _: () = {
                #[allow(unused_imports, clippy::wildcard_imports, reason = "the user may not have imported it")]
                use self::*;
                #[allow(dead_code, reason = "it is there to use the import")]
                fn is_used<T: CustomResourceExt + ?Sized>() {}
            };
        };
    }
}

fn spec(resource: &Resource<'_>) -> TokenStream {
    let attrs = &resource.attrs;
    let (core, spec) = (core(resource), parameters::spec(resource));
    let head = |trait_: TokenStream| parameters::head(resource, &trait_, Vec::new());
    let has_spec = head(quote!(#core::object::HasSpec));
    let status = attrs.status.as_ref().map(|status| {
        let status = &status.0;
        let has_status = head(quote!(#core::object::HasStatus));
        quote! {
            #[automatically_derived]
            #has_status {
                type Status = #status;

                fn status(&self) -> ::core::option::Option<&#status> {
                    self.status.as_ref()
                }

                fn status_mut(&mut self) -> &mut ::core::option::Option<#status> {
                    &mut self.status
                }
            }
        }
    });
    quote! {
        #[automatically_derived]
        #has_spec {
            type Spec = #spec;

            fn spec(&self) -> &#spec {
                &self.spec
            }

            fn spec_mut(&mut self) -> &mut #spec {
                &mut self.spec
            }
        }
        #status
    }
}
