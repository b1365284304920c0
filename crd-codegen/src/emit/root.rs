//! Generates root types, which have fields such as `metadata`, `spec` and `status`, and implementations of serde's and kube's traits.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::attributes::{TypeKind, attributes};
use super::client::constant as definition_constant;
use super::constructors::Parameter;
use super::docs::Documentation;
use super::fields::{self, Fields};
use super::resource::Resource;
use super::scope::Scope;
use super::types::{self, Boxes};
use super::{builders, constructors, defaults, literal};
use crate::config::Defaults;
use crate::ir::Struct;
use crate::ir::name::{FieldNames, fields_of_root};
use crate::ir::traits::Traits;

/// The tokens of a root type. Its declaration and implementations are separate, because the field types are printed between the two:
/// readers of the file see data first.
pub(super) struct Root {
    pub(super) declaration: TokenStream,
    pub(super) implementations: TokenStream,
}

/// Returns the root type and its implementations.
pub(super) fn items(scope: &Scope<'_>, resource: &Resource<'_>) -> Root {
    let root = &scope.model.root;
    let name = literal::ident(&scope.names.root);
    let names = fields_of_root(root);
    let tokens = fields::fields(scope, root, &names, Boxes::Never);
    let mut traits = resource.traits;
    let mut default = None;
    let has_schema_defaults = traits.has(Traits::DEFAULT) && scope.settings.defaults == Defaults::Schema;
    if has_schema_defaults && let Some(values) = defaults::field_defaults(scope, root, &names, Boxes::Never) {
        traits = traits.without(Traits::DEFAULT);
        default = Some(quote! {
            impl Default for #name {
                fn default() -> Self {
                    Self { metadata: ObjectMeta::default(), #(#values),* }
                }
            }
        });
    }
    let docs = scope.settings.docs.then(|| description(scope, resource));
    let docs = Documentation::from_description(docs.as_deref());
    let docs = match resource.sample.filter(|_| scope.settings.docs) {
        Some(sample) => docs.with_text("Example", sample),
        None => docs,
    };
    let constants = constants(resource);
    let new = new(scope, &tokens, &names);
    let setters = setters(scope, root, &names, resource.is_namespaced);
    let validation = resource.validated.map(validation);
    let Root { declaration, implementations: wire } = whole(scope, root, &scope.names.root, traits, &docs);
    let kube = if scope.settings.kube { kube(&name, resource) } else { quote!() };
    let implementations = quote! {
        impl #name {
            #constants
            #new
            #(#setters)*
            #validation
        }
        #default
        #kube
        #wire
    };
    Root { declaration, implementations }
}

/// Returns the root type. Its implementations of serde's traits use the constants `API_VERSION` and `KIND`.
pub(super) fn whole(
    scope: &Scope<'_>,
    root: &Struct,
    name_text: &str,
    traits: Traits,
    docs: &Documentation,
) -> Root {
    let name = literal::ident(name_text);
    let tokens = fields::fields(scope, root, &fields_of_root(root), Boxes::Never);
    let has_docs = scope.settings.docs;
    let metadata_docs = if has_docs { quote!(#[doc = " Standard object metadata."]) } else { quote!() };
    let derives: Vec<&str> = builders::derive(scope).into_iter().collect();
    let attributes = attributes(scope, TypeKind::Root, |name| name == name_text, traits, &derives);
    let builder = builders::struct_builder(scope, name_text, root, &tokens.names());
    let metadata_builder = builders::defaulted(scope, None);
    let fields = tokens.fields.iter().map(|field| {
        let (docs, builder, name, type_) = (&field.docs, &field.builder, &field.name, &field.type_);
        quote!(#docs #builder pub #name: #type_)
    });
    let serialize = serialize(&name, &tokens);
    let deserialize = deserialize(&name, &tokens);
    Root {
        declaration: quote! {
            #docs
            #attributes
            #builder
            pub struct #name { #metadata_docs #metadata_builder pub metadata: ObjectMeta, #(#fields),* }
        },
        implementations: quote!(#serialize #deserialize),
    }
}

/// Returns the description of a kind in Markdown.
pub(super) fn description(scope: &Scope<'_>, resource: &Resource<'_>) -> String {
    let mut text = match &scope.model.root.about.doc {
        Some(doc) => doc.to_string(),
        None => format!("`{}` of `{}/{}`.", resource.kind, resource.group, resource.version),
    };
    if let Some(warning) = resource.is_deprecated {
        text += "\n\nDeprecated";
        text += if warning.is_empty() { "." } else { ": " };
        text += warning;
    }
    text
}

fn constants(resource: &Resource<'_>) -> TokenStream {
    let [group, version, kind, plural] =
        [resource.group, resource.version, resource.kind, resource.plural].map(literal::string);
    let api_version = literal::string(&format!("{}/{}", resource.group, resource.version));
    let is_namespaced = resource.is_namespaced;
    quote! {
        #[doc = " The API group."]
        pub const GROUP: &'static str = #group;
        #[doc = " The version of the API group."]
        pub const VERSION: &'static str = #version;
        #[doc = " `apiVersion` on the wire."]
        pub const API_VERSION: &'static str = #api_version;
        #[doc = " `kind` on the wire."]
        pub const KIND: &'static str = #kind;
        #[doc = " The plural name, as it stands in URLs."]
        pub const PLURAL: &'static str = #plural;
        #[doc = " `true` if objects have a namespace."]
        pub const NAMESPACED: bool = #is_namespaced;
    }
}

/// Generates `new` with parameters for the name, the spec and other required fields. Without the option `constructors`, returns no code if
/// `new` would need parameters besides the name and the spec.
fn new(scope: &Scope<'_>, tokens: &Fields, names: &FieldNames) -> TokenStream {
    let fields = scope.model.root.fields.iter().zip(&names.fields).map(Some).chain([None]);
    let (mut parameters, mut values, mut taken) = (Vec::new(), Vec::new(), Vec::new());
    for (tokens, field) in tokens.fields.iter().zip(fields) {
        let ident = &tokens.name;
        match field {
            Some((field, _)) if &*field.property == "spec" => {
                let type_ = types::type_(scope, field.type_);
                parameters.push(quote!(#ident: #type_));
                values.push(if tokens.is_optional { quote!(#ident: Some(#ident)) } else { quote!(#ident) });
            }
            _ if tokens.is_optional => values.push(quote!(#ident: Default::default())),
            Some((field, name)) if scope.settings.constructors => {
                let Parameter { declared, value } = constructors::parameter(scope, field, name, Boxes::Never);
                parameters.push(declared);
                values.push(constructors::initialised(&name.name, &value));
                taken.push(name.name.as_str());
            }
            _ => return quote!(),
        }
    }
    let allowed = constructors::allowed(1 + parameters.len());
    // A required property may have that name, too.
    let name = ["name", "object_name", "metadata_name"].into_iter().find(|name| !taken.contains(name));
    let name = literal::ident(name.unwrap_or("name_of_the_object"));
    quote! {
        #[doc = " An object with this name, without a status."]
        #allowed
        pub fn new(#name: impl Into<String>, #(#parameters),*) -> Self {
            let metadata = ObjectMeta { name: Some(#name.into()), ..ObjectMeta::default() };
            Self { metadata, #(#values),* }
        }
    }
}

/// Returns a setter for each field of the root type, and a setter for the namespace if the kind is namespaced.
pub(super) fn setters(
    scope: &Scope<'_>,
    root: &Struct,
    names: &FieldNames,
    is_namespaced: bool,
) -> Vec<TokenStream> {
    let mut setters = constructors::setters(scope, root, names, Boxes::Never);
    let is_taken = names.fields.iter().any(|field| field.name == "namespace");
    if scope.settings.setters && is_namespaced && !is_taken {
        let docs = scope.settings.docs.then(|| quote!(#[doc = " Sets the namespace."]));
        setters.push(quote! {
            #docs
            #[must_use]
            pub fn with_namespace(mut self, namespace: impl Into<String>) -> Self {
                self.metadata.namespace = Some(namespace.into());
                self
            }
        });
    }
    setters
}

/// Returns the method `validate`, which uses the CRD that the kind's module contains.
fn validation(module: &str) -> TokenStream {
    let definition = definition_constant(module);
    quote! {
        #[doc = " The API server's answer to a request to create the object, without a server."]
        pub fn validate(&self) -> Result<(), validation::Rejection> {
            validation::create(Self::validator(), self)
        }

        #[doc = " The API server's answer to a request to replace the stored object `old` by this one."]
        pub fn validate_update(&self, old: &Self) -> Result<(), validation::Rejection> {
            validation::update(Self::validator(), self, old)
        }

        fn validator() -> &'static validation::Validator {
            static VALIDATOR: std::sync::LazyLock<validation::Validator> =
                std::sync::LazyLock::new(|| validation::validator(super::definitions::#definition));
            &VALIDATOR
        }
    }
}

fn serialize(name: &Ident, tokens: &Fields) -> TokenStream {
    let rename_all = &tokens.attributes;
    let names: Vec<_> = tokens.fields.iter().map(|field| &field.name).collect();
    let fields = tokens.fields.iter().map(|field| {
        let (serde, name, type_) = (field.serde.written(), &field.name, &field.type_);
        quote!(#serde #name: &'a #type_)
    });
    quote! {
        impl Serialize for #name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                #[derive(Serialize)]
                #rename_all
                struct Wire<'a> {
                    api_version: &'a str,
                    kind: &'a str,
                    metadata: &'a ObjectMeta,
                    #(#fields),*
                }
                let wire = Wire {
                    api_version: Self::API_VERSION,
                    kind: Self::KIND,
                    metadata: &self.metadata,
                    #(#names: &self.#names),*
                };
                wire.serialize(serializer)
            }
        }
    }
}

fn deserialize(name: &Ident, tokens: &Fields) -> TokenStream {
    let rename_all = &tokens.attributes;
    let names: Vec<_> = tokens.fields.iter().map(|field| &field.name).collect();
    let fields = tokens.fields.iter().map(|field| {
        let (serde, name, type_) = (field.serde.read(), &field.name, &field.type_);
        quote!(#serde #name: #type_)
    });
    quote! {
        impl<'de> Deserialize<'de> for #name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(Deserialize)]
                #rename_all
                struct Wire {
                    api_version: Option<String>,
                    kind: Option<String>,
                    #[serde(default)]
                    metadata: ObjectMeta,
                    #(#fields),*
                }
                let wire = Wire::deserialize(deserializer)?;
                type_meta::check(wire.api_version.as_deref(), Self::API_VERSION)?;
                type_meta::check(wire.kind.as_deref(), Self::KIND)?;
                Ok(Self { metadata: wire.metadata, #(#names: wire.#names),* })
            }
        }
    }
}

/// Returns an implementation of `kube::Resource`. A macro from kube would require a specific version of kube.
fn kube(name: &Ident, resource: &Resource<'_>) -> TokenStream {
    let scope = if resource.is_namespaced {
        quote!(kube::core::NamespaceResourceScope)
    } else {
        quote!(kube::core::ClusterResourceScope)
    };
    let constants = [
        (quote!(kind), quote!(KIND)),
        (quote!(group), quote!(GROUP)),
        (quote!(version), quote!(VERSION)),
        (quote!(plural), quote!(PLURAL)),
    ];
    let functions = constants.iter().map(|(function, constant)| {
        quote! {
            fn #function((): &()) -> std::borrow::Cow<'_, str> {
                Self::#constant.into()
            }
        }
    });
    quote! {
        impl kube::Resource for #name {
            type DynamicType = ();
            type Scope = #scope;

            #(#functions)*

            fn meta(&self) -> &ObjectMeta {
                &self.metadata
            }

            fn meta_mut(&mut self) -> &mut ObjectMeta {
                &mut self.metadata
            }
        }
    }
}
