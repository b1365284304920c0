//! Generates a client for each group and version, and the traits for the operations that each kind supports.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::docs::Documentation;
use super::resource::Resource;
use super::scope::Scope;
use super::{literal, print};
use crate::ir::name::{SELECTABLE_FIELD, fields_beside, variants};
use crate::ir::{About, Enum, Values};

/// The module that contains the client.
pub(crate) const CLIENT: &str = "client";

/// The data about a kind from which its methods in the client are generated.
pub(crate) struct Handle<'a> {
    pub(crate) module: &'a str,
    pub(crate) root: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) plural: &'a str,
    pub(crate) is_namespaced: bool,
    /// The whole CRD, as JSON.
    pub(crate) definition: String,
}

/// Returns a kind's implementations of the traits in the support module.
pub(super) fn abilities(scope: &Scope<'_>, resource: &Resource<'_>) -> TokenStream {
    let Some(abilities) = &resource.abilities else { return quote!() };
    let name = literal::ident(&scope.names.root);
    let definition = constant(abilities.module);
    let (field, field_items) = field(&scope.names.root, &abilities.selectable);
    let status = abilities.has_status.then(|| quote!(impl client::WithStatus for #name {}));
    let scale = abilities.has_scale.then(|| quote!(impl client::WithScale for #name {}));
    quote! {
        impl client::Object for #name {
            type Field = #field;
            const DEFINITION: &'static str = super::definitions::#definition;
        }
        #status
        #scale
        #field_items
    }
}

/// Returns the type for the kind's selectable fields, and its declaration if the kind has its own type.
fn field(root: &str, selectable: &[&str]) -> (TokenStream, TokenStream) {
    if selectable.is_empty() {
        return (quote!(client::MetadataField), quote!());
    }
    let paths: Vec<&str> = ["metadata.name", "metadata.namespace"]
        .into_iter()
        .chain(selectable.iter().map(|path| path.trim_start_matches('.')))
        .collect();
    let values = Values::Strings(paths.iter().map(|&path| path.into()).collect());
    let variants = variants(&Enum { about: About::default(), values, is_open: false });
    let variants: Vec<Ident> = variants.iter().map(|name| literal::ident(name)).collect();
    let name = literal::ident(&format!("{root}{SELECTABLE_FIELD}"));
    let docs = paths.iter().map(|path| Documentation::from_markdown(&format!("`{path}`")));
    let values = paths.iter().map(|path| literal::string(path));
    let items = quote! {
        #[doc = " The fields by which the API server selects objects."]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum #name { #(#docs #variants),* }

        impl From<#name> for &'static str {
            fn from(field: #name) -> Self {
                match field { #(#name::#variants => #values),* }
            }
        }
    };
    (quote!(#name), items)
}

/// Returns the text of a client.
///
/// # Errors
/// The same as for [`super::kind_file`].
pub(crate) fn client_file(api_version: &str, handles: &[Handle<'_>], header: &str) -> Result<String, String> {
    let docs = Documentation::from_markdown(&format!("A client of `{api_version}`."));
    let names = method_names(handles);
    let methods = handles.iter().zip(&names).map(|(handle, (name, all))| methods(handle, name, all));
    let types = handles.iter().map(type_);
    let imports = if handles.iter().any(|handle| handle.is_namespaced) {
        quote!(
            use super::super::super::support::client::{AllObjects, InstallError, Objects, install};
        )
    } else {
        quote!(
            use super::super::super::support::client::{InstallError, Objects, install};
        )
    };
    let items = quote! {
        #imports

        #docs
        #[derive(Clone)]
        pub struct Client {
            client: kube::Client,
        }

        impl Client {
            #[doc = " The client that makes its requests with this one."]
            pub fn new(client: kube::Client) -> Self {
                Self { client }
            }

            #[doc = " Applies the definitions of all kinds as this manager, and waits until the API server serves them."]
            pub async fn install(&self, manager: &str) -> Result<(), InstallError> {
                #(install::<#types>(&self.client, manager).await?;)*
                Ok(())
            }

            #(#methods)*
        }
    };
    print::checked(format!("{header}\n{}", print::items(items)?))
}

/// Returns the text of the module with the CRDs that the client installs.
///
/// # Errors
/// The same as for [`super::kind_file`].
pub(crate) fn definition_strings_file(handles: &[Handle<'_>], header: &str) -> Result<String, String> {
    let constants = handles.iter().map(|handle| {
        let (name, text) = (constant(handle.module), literal::string(&handle.definition));
        let docs = Documentation::from_markdown(&format!("The CRD of `{}`, as JSON.", handle.kind));
        quote!(#docs pub const #name: &str = #text;)
    });
    print::checked(format!("{header}\n{}", print::items(constants.collect())?))
}

fn methods(handle: &Handle<'_>, name: &Ident, all: &Ident) -> TokenStream {
    let type_ = type_(handle);
    if !handle.is_namespaced {
        let docs = Documentation::from_markdown(&format!("The objects of kind `{}`.", handle.kind));
        return quote! {
            #docs
            pub fn #name(&self) -> Objects<#type_> {
                Objects::new(kube::Api::all(self.client.clone()))
            }
        };
    }
    let text = format!("The objects of kind `{}` in", handle.kind);
    let docs = Documentation::from_markdown(&format!("{text} a namespace."));
    let all_docs = Documentation::from_markdown(&format!("{text} all namespaces."));
    quote! {
        #docs
        pub fn #name(&self, namespace: &str) -> Objects<#type_> {
            Objects::new(kube::Api::namespaced(self.client.clone(), namespace))
        }

        #all_docs
        pub fn #all(&self) -> AllObjects<#type_> {
            AllObjects::of_all(kube::Api::all(self.client.clone()))
        }
    }
}

fn type_(handle: &Handle<'_>) -> TokenStream {
    let (module, root) = (literal::ident(handle.module), literal::ident(handle.root));
    quote!(super::#module::#root)
}

/// Returns two method names for each kind: for objects in one namespace, and for objects in all namespaces.
fn method_names(handles: &[Handle<'_>]) -> Vec<(Ident, Ident)> {
    let plain: Vec<String> = handles.iter().map(|handle| plural(handle.kind, handle.plural)).collect();
    let texts: Vec<String> =
        plain.iter().cloned().chain(plain.iter().map(|name| format!("all_{name}"))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let names = fields_beside(&texts, &["new", "install"]).fields;
    let ident = |at: usize| literal::ident(&names[at].name);
    (0..handles.len()).map(|at| (ident(at), ident(at + handles.len()))).collect()
}

/// Returns the plural in snake case, with the kind's word boundaries: `ClusterIssuer`, `clusterissuers` to `cluster_issuers`.
fn plural(kind: &str, plural: &str) -> String {
    let same = kind.bytes().zip(plural.bytes()).take_while(|(a, b)| a.to_ascii_lowercase() == *b).count();
    // What is not ASCII is in no kind that the API server takes.
    let words = kind.get(..same).unwrap_or_default();
    let last_word = kind.rfind(|c: char| c.is_ascii_uppercase()).unwrap_or_default();
    if same <= last_word {
        return plural.to_owned();
    }
    format!("{words}{}", &plural[same..])
}

/// Returns the constant with the text of a CRD.
pub(super) fn constant(module: &str) -> Ident {
    format_ident!("{}", module.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_have_the_words_of_the_kind() {
        let names = |kinds: &[(&str, &str)]| {
            let handles: Vec<Handle<'_>> = kinds
                .iter()
                .map(|(kind, plural)| Handle {
                    module: "m",
                    root: "R",
                    kind,
                    plural,
                    is_namespaced: true,
                    definition: String::new(),
                })
                .collect();
            method_names(&handles).iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(&[("ClusterIssuer", "clusterissuers")]), "cluster_issuers");
        assert_eq!(names(&[("NetworkPolicy", "networkpolicies")]), "network_policies");
        assert_eq!(names(&[("HTTPRoute", "httproutes")]), "http_routes");
        assert_eq!(names(&[("Mouse", "mice"), ("New", "new")]), "mice new_2");
        assert_eq!(names(&[("Foo", "foos"), ("AllFoo", "allfoos")]), "foos all_foos");
    }
}
