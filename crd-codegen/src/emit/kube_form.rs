//! Generates the form `kube`: types with kube's derive, and attributes that describe the CRD.

use crd_core::crd::{PrinterColumn, Version};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::declarations::declarations;
use super::derive_form::{self, resource};
use super::docs::Documentation;
use super::literal::text;
use super::resource::Resource;
use super::scope::Scope;
use super::uses::imports;
use super::{root, types};
use crate::ir::Type;
use crate::ir::kube_root::KubeRoot;

/// Returns a file's items: the type with the derive, and all other types.
pub(super) fn items(scope: &Scope<'_>, resource: &Resource<'_>, root: KubeRoot) -> TokenStream {
    let mut items = quote!(
        use kube::CustomResource;
    );
    items.extend(imports(scope, &scope.model.root));
    let attributes = attributes(scope, resource, root);
    let on_spec = match root {
        KubeRoot::Spec(spec) if scope.is_declared_struct(spec) => Some((spec, &attributes)),
        KubeRoot::Spec(spec) => {
            items.extend(derive_form::newtype(scope, spec, &attributes));
            None
        }
        KubeRoot::Fields | KubeRoot::Own => {
            items.extend(derive_form::fields_attributes(scope, resource, &attributes));
            None
        }
    };
    items.extend(declarations(scope, on_spec));
    items
}

/// Returns all attributes of the resource; related attributes are combined.
fn attributes(scope: &Scope<'_>, resource: &Resource<'_>, root: KubeRoot) -> TokenStream {
    let version = resource.definition.version;
    let mut groups = vec![resource::names(scope, resource)];
    groups.extend(resource::short_names(resource.definition.crd));
    groups.extend(resource::flags(version));
    groups.extend(scale(scope, version));
    groups.extend(version.additional_printer_columns.iter().flatten().map(column));
    groups.extend(resource::selectable(version));
    if root == KubeRoot::Fields {
        groups.push(quote!(no_spec));
    }
    if let Some(status) = status(scope) {
        groups.push(quote!(status = #status));
    }
    if scope.settings.docs {
        let docs = root::description(scope, resource);
        let docs = text(&Documentation::from_description(Some(&docs)).text());
        groups.push(quote!(doc = #docs));
    }
    let schema = if scope.settings.derives_schemas() { "derived" } else { "disabled" };
    groups.push(quote!(schema = #schema));
    let traits = match root {
        // kube's type has no `Option` around the spec.
        KubeRoot::Spec(spec) => resource.traits & scope.known.traits(spec),
        KubeRoot::Fields | KubeRoot::Own => resource.traits,
    };
    // `schema = "derived"` derives the schema of the root type.
    groups.extend(resource::root_type_attributes(scope, traits, |path| !path.ends_with("JsonSchema")));
    quote!(#(#[kube(#groups)])*)
}

/// Returns the type of the status, as a string.
fn status(scope: &Scope<'_>) -> Option<Literal> {
    let status = scope.model.root.fields.iter().find(|field| &*field.property == "status")?;
    let inner = match scope.model.graph[status.type_] {
        Type::Nullable(part) => part,
        _ => status.type_,
    };
    Some(text(&resource::type_text(&types::type_(scope, inner))))
}

/// Returns the attribute for the subresource `scale`. kube's derive adds this subresource only if there is a status.
fn scale(scope: &Scope<'_>, version: &Version) -> Option<TokenStream> {
    status(scope)?;
    resource::scale(version)
}

fn column(column: &PrinterColumn) -> TokenStream {
    let mut parts = Vec::new();
    let strings = [
        ("name", &column.name),
        ("type_", &column.type_),
        ("json_path", &column.json_path),
        ("description", &column.description),
        ("format", &column.format),
    ];
    for (word, value) in strings.into_iter().filter(|(_, value)| !value.is_empty()) {
        let (word, value) = (format_ident!("{word}"), text(value));
        parts.push(quote!(#word = #value));
    }
    if let Some(priority) = column.priority.filter(|priority| *priority != 0) {
        let priority = Literal::i32_unsuffixed(priority);
        parts.push(quote!(priority = #priority));
    }
    quote!(printcolumn(#(#parts),*))
}
