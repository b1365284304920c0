//! Generates `impl CustomResource`, with the names as constants and the CRD.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::{conversion, parameters};
use crate::attrs::resource::{ColumnAttr, Deprecated, ScaleAttr};
use crate::attrs::text::{Pair, Text};
use crate::model::{Name, Resource};

pub(super) fn definition(resource: &Resource<'_>) -> TokenStream {
    let Resource { attrs, paths, .. } = resource;
    let (private, spec) = (&paths.private, parameters::spec(resource));
    let (group, version, kind) = (&attrs.group, &attrs.version, &attrs.kind);
    let (plural, singular) = (name(&resource.plural), name(&resource.singular));
    let scope = if attrs.namespaced.is_present() { quote!(Namespaced) } else { quote!(Cluster) };
    let list_kind = match &attrs.list_kind {
        Some(list_kind) => quote!(#list_kind),
        None => quote!(#private::join!(#kind, "List")),
    };
    let (short_names, categories) = (&attrs.short_names, &attrs.categories);
    let definition = fields(resource);
    let kube_version = attrs.kube_version.map(|release| {
        let minor = release.0.minor();
        quote! { const KUBE_VERSION: #private::KubeVersion = #private::KubeVersion::new(#minor); }
    });
    let crd = unchecked(resource, &spec);
    let assertion = assertion(resource);
    let trait_ = quote!(#private::CustomResource);
    let head = parameters::head(resource, &trait_, parameters::schemas(resource));
    let of_spec = {
        let (parameters, arguments, where_clause) = resource.original.generics.split_for_impl();
        let ident = &resource.original.ident;
        quote!(impl #parameters #private::ResourceSpec for #ident #arguments #where_clause {})
    };
    quote! {
        #assertion

        #[automatically_derived]
        #of_spec

        #[automatically_derived]
        #head {
            type Spec = #spec;

            const GROUP: &'static str = #group;
            const VERSION: &'static str = #version;
            const API_VERSION: &'static str = #private::join!(#group, "/", #version);
            const KIND: &'static str = #kind;
            const LIST_KIND: &'static str = #list_kind;
            const PLURAL: &'static str = #plural;
            const SINGULAR: &'static str = #singular;
            const CRD_NAME: &'static str = #private::join!(#plural, ".", #group);
            const SHORT_NAMES: &'static [&'static str] = &[#(#short_names),*];
            const CATEGORIES: &'static [&'static str] = &[#(#categories),*];
            const SCOPE: #private::Scope = #private::Scope::#scope;
            #kube_version

            fn unchecked() -> ::core::result::Result<#private::UncheckedCrd, #private::Error> {
                let definition = #definition;
                #crd
            }
        }
    }
}

/// Returns the expression that creates the CRD from `definition` and the types of the spec and the status.
fn unchecked(resource: &Resource<'_>, spec: &TokenStream) -> TokenStream {
    match &resource.attrs.status {
        _ if resource.is_schemaless() => quote! { definition.crd_without_schema::<Self>() },
        _ if resource.is_manual() => quote! { definition.crd_of_object::<Self>() },
        None => quote! { definition.crd::<Self, #spec>() },
        Some(status) => {
            let status = super::has_schema::check_status(resource, &status.0);
            quote! { definition.crd_with_status::<Self, #spec, #status>() }
        }
    }
}

/// Returns an assertion that the type derives `CrdSchema`, if it has attributes that only `CrdSchema` reads. The error points at
/// the first of these attributes.
fn assertion(resource: &Resource<'_>) -> Option<TokenStream> {
    // Without a schema, the attribute has been refused.
    let (_, span) = resource.of_schema.first().filter(|_| !resource.is_schemaless())?;
    let private = &resource.paths.private;
    let (mut ident, mut generics) = (resource.original.ident.clone(), resource.original.generics.clone());
    ident.set_span(ident.span().located_at(*span));
    let (_, arguments, _) = generics.split_for_impl();
    let spec = quote!(#ident #arguments);
    if generics.params.is_empty() {
        return Some(quote! { const _: () = #private::assert_crd_schema::<#spec>(); });
    }
    for param in generics.type_params_mut() {
        param.bounds.push(syn::parse_quote!(#private::schemars::JsonSchema));
    }
    let (parameters, _, where_clause) = generics.split_for_impl();
    // A constant of its own knows no parameters; a function does, though nobody calls it.
    Some(quote! {
        const _: () = {
            #[allow(dead_code, clippy::multiple_bound_locations, reason = "it is there to compile")]
            fn assert #parameters () #where_clause {
                #private::assert_crd_schema::<#spec>()
            }
        };
    })
}

fn fields(resource: &Resource<'_>) -> TokenStream {
    let attrs = &resource.attrs;
    let private = &resource.paths.private;
    let type_name = resource.original.ident.to_string();
    let lines = super::lines::lines(resource.original);
    let list_kind = option(attrs.list_kind.as_ref());
    let (labels, annotations) = (pairs(&attrs.labels), pairs(&attrs.annotations));
    let version = version(resource);
    let nullable = resource.like_kube;
    let descriptions = super::marks::descriptions(
        attrs.descriptions,
        attrs.max_description,
        attrs.description_depth,
        private,
    );
    let conversion = conversion::conversion(resource);
    let preserve_unknown_fields = number(attrs.crd_preserve_unknown_fields);
    let patches = &attrs.patches;
    let states_min_kube_version = attrs.min_kube_version.is_present();
    let is_unchecked = attrs.unchecked.is_present();
    let post_process = match &attrs.post_process {
        None => quote!(::core::option::Option::None),
        Some(function) => {
            let function = &function.0;
            quote! { ::core::option::Option::Some(|crd| #private::PostProcessed::into_result((#function)(crd))) }
        }
    };
    quote! {
        #private::Definition {
            type_name: #type_name,
            file: ::core::file!(),
            lines: #lines,
            list_kind: #list_kind,
            labels: ::std::vec![#labels],
            annotations: ::std::vec![#annotations],
            version: #version,
            conversion: #conversion,
            preserve_unknown_fields: #preserve_unknown_fields,
            patches: ::std::vec![#(#patches),*],
            states_min_kube_version: #states_min_kube_version,
            is_unchecked: #is_unchecked,
            post_process: #post_process,
            options: #private::SchemaOptions {
                every_option_is_nullable: #nullable,
                descriptions: #descriptions,
            },
        }
    }
}

fn version(resource: &Resource<'_>) -> TokenStream {
    let attrs = &resource.attrs;
    let private = &resource.paths.private;
    let (served, storage) = (attrs.served.unwrap_or(true), attrs.storage.unwrap_or(true));
    let deprecated = attrs.deprecated.is_some();
    let warning = option(match &attrs.deprecated {
        Some(Deprecated::Warning(text)) => Some(text),
        _ => None,
    });
    let description = option(attrs.doc.as_ref());
    let status = attrs.status.is_some();
    let scale = scale(resource);
    let columns = attrs.columns.iter().map(|column| self::column(column, resource));
    let selectable = &attrs.selectable;
    let (optional, flattened) = (attrs.spec_optional.is_present(), attrs.no_spec.is_present());
    let rules = attrs.validations.iter().map(|rule| super::rule::rule(rule, private));
    let object_name = object_name(resource);
    let (spec_default, status_default) =
        (option(attrs.spec_default.as_ref()), option(attrs.status_default.as_ref()));
    let patches = &attrs.version_patches;
    quote! {
        #private::DefinitionVersion {
            served: #served,
            storage: #storage,
            deprecated: #deprecated,
            deprecation_warning: #warning,
            description: #description,
            status_subresource: #status,
            scale: #scale,
            columns: ::std::vec![#(#columns),*],
            selectable: ::std::vec![#(::std::string::String::from(#selectable)),*],
            spec_is_optional: #optional,
            spec_is_flattened: #flattened,
            validations: ::std::vec![#(#rules),*],
            object_name: #object_name,
            spec_default: #spec_default,
            status_default: #status_default,
            patches: ::std::vec![#(#patches),*],
        }
    }
}

fn scale(resource: &Resource<'_>) -> TokenStream {
    let private = &resource.paths.private;
    match resource.attrs.scale.as_deref() {
        None => quote!(::core::option::Option::None),
        Some(ScaleAttr::Raw(json)) => quote!(::core::option::Option::Some(#private::raw_scale(#json))),
        Some(ScaleAttr::Parts(scale)) => {
            let (spec, status) = (&scale.spec_replicas_path, &scale.status_replicas_path);
            let selector = string(scale.label_selector_path.as_ref());
            quote! {
                ::core::option::Option::Some(::core::result::Result::Ok(#private::Scale {
                    spec_replicas_path: ::std::string::String::from(#spec),
                    status_replicas_path: ::std::string::String::from(#status),
                    label_selector_path: #selector,
                }))
            }
        }
    }
}

fn column(column: &ColumnAttr, resource: &Resource<'_>) -> TokenStream {
    let private = &resource.paths.private;
    match column {
        ColumnAttr::Raw(json) => quote!(#private::raw_column(#json)),
        ColumnAttr::Parts(column) => {
            let (name, type_, json_path) = (&column.name, column.type_(), &column.json_path);
            let (description, format) = (string(column.description.as_ref()), string(column.format.as_ref()));
            let priority = number(column.priority);
            quote! {
                ::core::result::Result::Ok(#private::Column {
                    name: ::std::string::String::from(#name),
                    type_: ::std::string::String::from(#type_),
                    json_path: ::std::string::String::from(#json_path),
                    description: #description,
                    format: #format,
                    priority: #priority,
                })
            }
        }
    }
}

fn object_name(resource: &Resource<'_>) -> TokenStream {
    let private = &resource.paths.private;
    let Some(name) = &resource.attrs.object_name else { return quote!(::core::option::Option::None) };
    let pattern = option(name.pattern.as_ref());
    let (min_length, max_length) = (number(name.min_length), number(name.max_length));
    quote! {
        ::core::option::Option::Some(#private::ObjectName {
            pattern: #pattern,
            min_length: #min_length,
            max_length: #max_length,
        })
    }
}

fn name(name: &Name) -> TokenStream {
    match name {
        Name::Known(name) => quote!(#name),
        Name::Given(text) => quote!(#text),
    }
}

/// Returns an expression for an optional number or boolean.
pub(super) fn number(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

pub(super) fn option(text: Option<&Text>) -> TokenStream {
    match text {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    }
}

fn string(text: Option<&Text>) -> TokenStream {
    match text {
        Some(text) => quote!(::core::option::Option::Some(::std::string::String::from(#text))),
        None => quote!(::core::option::Option::None),
    }
}

fn pairs(pairs: &[Pair]) -> TokenStream {
    let pairs = pairs.iter().map(|pair| {
        let (key, value) = (&pair.0, &pair.1);
        quote!((#key, #value))
    });
    quote!(#(#pairs),*)
}
