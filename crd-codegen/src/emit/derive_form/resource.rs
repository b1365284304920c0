//! Generates the attributes of `CustomResource` for the parts of a CRD that are outside its schemas.

use crd_core::CustomResourceDefinition;
use crd_core::check::advice::has_paths_without_field;
use crd_core::crd::{Conversion, PrinterColumn, Version, WebhookConversion};
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::{Map, Value, json};

use super::attribute;
use crate::config::Form;
use crate::emit::attributes::TypeKind;
use crate::emit::docs::Documentation;
use crate::emit::literal::text;
use crate::emit::resource::{OwnedDefinition, Resource};
use crate::emit::scope::Scope;
use crate::emit::{syntax, types};
use crate::ir::Type;
use crate::ir::attributes::SpecForm;
use crate::ir::traits::Traits;

/// Returns all attributes of the resource. Each `#[crd(...)]` combines related attributes.
pub(super) fn attributes(scope: &Scope<'_>, resource: &Resource<'_>) -> TokenStream {
    let OwnedDefinition { crd, version } = resource.definition;
    let mut groups = vec![names(scope, resource)];
    groups.extend(kind_attributes(crd));
    groups.extend(version_attributes(version));
    groups.extend(object_attributes(scope, version));
    if names_unknown_fields(scope, version) {
        groups.push(quote!(unchecked_paths));
    }
    groups.extend(root_type_attributes(scope, resource.traits, |_| true));
    quote!(#(#[crd(#groups)])*)
}

/// Returns an unused name for an additional type: the root type's name, followed by one of `words`.
pub(super) fn type_name(scope: &Scope<'_>, words: &[&str]) -> String {
    let used = |name: &String| scope.names.order.iter().any(|id| scope.names.type_name(*id) == name);
    let plain = words.iter().map(|word| format!("{}{word}", scope.names.root));
    let numbered = (2..).map(|number| format!("{}{}{number}", scope.names.root, words[0]));
    plain.chain(numbered).find(|name| !used(name)).unwrap_or_default()
}

/// Returns the attributes for the group, the version and the CRD's names. kube's derive has no attribute for `listKind`.
pub(in crate::emit) fn names(scope: &Scope<'_>, resource: &Resource<'_>) -> TokenStream {
    let spec = &resource.definition.crd.spec;
    let pair = |word: &str, value: &str| {
        let (word, value) = (quote::format_ident!("{word}"), text(value));
        quote!(#word = #value)
    };
    let mut words = vec![
        pair("group", &spec.group),
        pair("version", resource.version),
        pair("kind", resource.kind),
        pair("plural", resource.plural),
    ];
    if !spec.names.singular.is_empty() && spec.names.singular != spec.names.kind.to_lowercase() {
        words.push(pair("singular", &spec.names.singular));
    }
    let is_derive = scope.settings.form == Form::Derive;
    let list_kind = &spec.names.list_kind;
    if is_derive && spec.names.has_own_list_kind() {
        words.push(pair("list_kind", list_kind));
    }
    if scope.names.root != spec.names.kind {
        words.push(pair("root", &scope.names.root));
    }
    if resource.is_namespaced {
        words.push(quote!(namespaced));
    }
    if is_derive && scope.settings.kube {
        words.push(quote!(kube));
    }
    quote!(#(#words),*)
}

/// Returns the attributes for short names and categories.
pub(in crate::emit) fn short_names(crd: &CustomResourceDefinition) -> Vec<TokenStream> {
    let names = &crd.spec.names;
    let several = |word: TokenStream, values: &Option<Vec<String>>| -> Option<TokenStream> {
        let values = values.as_ref().filter(|values| !values.is_empty())?.iter().map(|value| text(value));
        Some(quote!(#(#word = #values),*))
    };
    let short_names = several(quote!(shortname), &names.short_names);
    short_names.into_iter().chain(several(quote!(category), &names.categories)).collect()
}

/// Returns the attributes that all versions have in common.
fn kind_attributes(crd: &CustomResourceDefinition) -> Vec<TokenStream> {
    let mut groups = short_names(crd);
    let metadata = [(quote!(label), &crd.metadata.labels), (quote!(annotation), &crd.metadata.annotations)];
    for (word, pairs) in metadata {
        for (key, value) in pairs.iter().flat_map(|pairs| pairs.iter()) {
            let (key, value) = (text(key), text(value));
            groups.push(quote!(#word(#key, #value)));
        }
    }
    groups.extend(crd.spec.conversion.as_ref().and_then(conversion));
    groups
}

/// Returns the attribute for a conversion webhook, if the CRD has one.
fn conversion(conversion: &Conversion) -> Option<TokenStream> {
    let WebhookConversion { client_config, conversion_review_versions, .. } = conversion.webhook.as_ref()?;
    let mut parts = Vec::new();
    if let Some(client) = client_config {
        if let Some(url) = &client.url {
            let url = text(url);
            parts.push(quote!(url = #url));
        }
        if let Some(service) = &client.service {
            let (namespace, name) = (text(&service.namespace), text(&service.name));
            let path = service.path.as_ref().map(|path| {
                let path = text(path);
                quote!(, path = #path)
            });
            let port = service.port.map(|port| {
                let port = proc_macro2::Literal::i32_unsuffixed(port);
                quote!(, port = #port)
            });
            parts.push(quote!(service(namespace = #namespace, name = #name #path #port)));
        }
        if let Some(bundle) = &client.ca_bundle {
            let bundle = text(bundle);
            parts.push(quote!(ca_bundle = #bundle));
        }
    }
    if let Some(versions) = conversion_review_versions {
        let versions = versions.iter().map(|version| text(version));
        parts.push(quote!(review_versions = [#(#versions),*]));
    }
    Some(quote!(conversion(#(#parts),*)))
}

/// Returns a version's attributes, except those for its schema.
fn version_attributes(version: &Version) -> Vec<TokenStream> {
    let mut groups: Vec<TokenStream> = flags(version).into_iter().chain(scale(version)).collect();
    groups.extend(columns(version));
    groups.extend(selectable(version));
    groups
}

/// Returns `served`, `storage` and `deprecated`, if they differ from the defaults.
pub(in crate::emit) fn flags(version: &Version) -> Option<TokenStream> {
    let mut flags = Vec::new();
    if !version.served {
        flags.push(quote!(served = false));
    }
    if !version.storage {
        flags.push(quote!(storage = false));
    }
    match &version.deprecation_warning {
        _ if version.deprecated != Some(true) => {}
        Some(warning) if !warning.is_empty() => {
            let warning = text(warning);
            flags.push(quote!(deprecated = #warning));
        }
        _ => flags.push(quote!(deprecated)),
    }
    (!flags.is_empty()).then(|| quote!(#(#flags),*))
}

/// Returns the attribute for the subresource `scale`.
pub(in crate::emit) fn scale(version: &Version) -> Option<TokenStream> {
    let scale = version.subresources.as_ref()?.scale.as_ref()?;
    let (spec, status) = (text(&scale.spec_replicas_path), text(&scale.status_replicas_path));
    let selector = scale.label_selector_path.as_ref().map(|path| {
        let path = text(path);
        quote!(, label_selector_path = #path)
    });
    Some(quote!(scale(spec_replicas_path = #spec, status_replicas_path = #status #selector)))
}

/// Returns the attributes for the selectable fields.
pub(in crate::emit) fn selectable(version: &Version) -> impl Iterator<Item = TokenStream> {
    version.selectable_fields.iter().flatten().map(|field| {
        let path = text(&field.json_path);
        quote!(selectable = #path)
    })
}

/// Returns the attributes for the printer columns. The API server accepts two columns with the same heading, but the derive rejects them.
/// The second column is therefore written as JSON.
fn columns(version: &Version) -> Vec<TokenStream> {
    let mut seen = Vec::new();
    let columns = version.additional_printer_columns.iter().flatten();
    columns
        .map(|column| {
            if seen.contains(&&column.name) {
                return raw_column(column);
            }
            seen.push(&column.name);
            self::column(column)
        })
        .collect()
}

fn raw_column(column: &PrinterColumn) -> TokenStream {
    let mut fields = json!({"name": column.name, "type": column.type_, "jsonPath": column.json_path});
    if let Value::Object(fields) = &mut fields {
        for (key, value) in [("description", &column.description), ("format", &column.format)] {
            if !value.is_empty() {
                fields.insert(key.to_owned(), json!(value));
            }
        }
        fields.extend(column.priority.map(|priority| ("priority".to_owned(), json!(priority))));
    }
    attribute::patch("printcolumn", &fields)
}

fn column(column: &PrinterColumn) -> TokenStream {
    let (name, type_, path) = (text(&column.name), text(&column.type_), text(&column.json_path));
    let mut more = Vec::new();
    if !column.description.is_empty() {
        let description = text(&column.description);
        more.push(quote!(description = #description));
    }
    if !column.format.is_empty() {
        let format = text(&column.format);
        more.push(quote!(format = #format));
    }
    if let Some(priority) = column.priority.filter(|priority| *priority != 0) {
        let priority = proc_macro2::Literal::i32_unsuffixed(priority);
        more.push(quote!(priority = #priority));
    }
    quote!(printcolumn(name = #name, type = #type_, json_path = #path #(, #more)*))
}

/// Returns `true` if a JSON path selects a field that the types do not have. The API server accepts such a path, but the derive rejects it.
fn names_unknown_fields(scope: &Scope<'_>, version: &Version) -> bool {
    let scale = version.subresources.as_ref().and_then(|subresources| subresources.scale.as_ref());
    let scale = scale.into_iter().flat_map(|scale| {
        [
            Some(&scale.spec_replicas_path),
            Some(&scale.status_replicas_path),
            scale.label_selector_path.as_ref(),
        ]
    });
    let shown = version.additional_printer_columns.iter().flatten();
    let columns = shown.clone().map(|column| &column.json_path);
    let selectable = version.selectable_fields.iter().flatten().map(|field| &field.json_path);
    let root = &scope.model.root;
    let field = |name: &str| root.fields.iter().find(|field| &*field.property == name);
    let is_known = |path: &String| {
        if path.contains(['[', ']']) && path.matches('[').count() != path.matches(']').count() {
            return false;
        }
        let mut steps = path.trim_start_matches('.').split('.');
        let step =
            |step: Option<&str>| step.and_then(|step| step.split('[').next()).unwrap_or_default().to_owned();
        let (first, second) = (step(steps.next()), step(steps.next()));
        match (first.as_str(), field(&first).map(|field| &scope.model.graph[field.type_])) {
            ("spec", Some(Type::Struct(spec))) if !second.is_empty() => {
                spec.fields.iter().any(|field| *field.property == *second)
            }
            ("spec", _) => true,
            ("status", status) => status.is_some(),
            (first, _) => matches!(first, "apiVersion" | "kind" | "metadata"),
        }
    };
    has_paths_without_field(version)
        || !columns.chain(selectable).chain(scale.flatten()).all(is_known)
        || !shown.clone().all(|column| is_shown(scope, column))
}

/// Returns `false` if a column would always be empty, because its type does not fit the field's. The derive rejects such columns.
fn is_shown(scope: &Scope<'_>, column: &PrinterColumn) -> bool {
    let graph = &scope.model.graph;
    let field = |type_: &Type, name: &str| match type_ {
        Type::Struct(item) => {
            item.fields.iter().find(|field| &*field.property == name).map(|field| field.type_)
        }
        _ => None,
    };
    let spec = scope.model.root.fields.iter().find(|field| &*field.property == "spec");
    let name = column.json_path.trim_start_matches('.').strip_prefix("spec.");
    let (Some(spec), Some(name)) = (spec, name) else { return true };
    let Some(id) = field(&graph[spec.type_], name) else { return true };
    let type_ = match graph[id] {
        Type::Nullable(part) => &graph[part],
        ref type_ => type_,
    };
    !matches!(
        (column.type_.as_str(), type_),
        ("integer" | "number", Type::Boolean | Type::String | Type::List(_) | Type::Map(_))
            | ("boolean", Type::Integer(_) | Type::Number | Type::String | Type::List(_) | Type::Map(_))
            | ("date", Type::Boolean | Type::Integer(_) | Type::Number | Type::List(_) | Type::Map(_))
    )
}

/// Returns the attributes for the object's schema.
fn object_attributes(scope: &Scope<'_>, version: &Version) -> Vec<TokenStream> {
    let Some(object) = &scope.model.object else { return Vec::new() };
    let mut groups = Vec::new();
    match object.spec {
        SpecForm::Spec => {}
        SpecForm::OptionalSpec => groups.push(quote!(spec_optional)),
        SpecForm::Fields => groups.push(quote!(no_spec)),
    }
    let status = scope.model.root.fields.iter().find(|field| &*field.property == "status");
    if let Some(status) = status {
        let inner = match scope.model.graph[status.type_] {
            Type::Nullable(part) => part,
            _ => status.type_,
        };
        let type_ = text(&type_text(&types::type_(scope, inner)));
        groups.push(quote!(status = #type_));
    }
    let mut schema = object.patch.clone();
    if let Some(description) = &object.description {
        // The derive makes documentation of it.
        let docs = match Documentation::unchanged(description) {
            Some(docs) => docs.text(),
            None => {
                described(&mut schema, description);
                Documentation::from_description(Some(description)).text()
            }
        };
        let docs = text(&docs);
        groups.push(quote!(doc = #docs));
    }
    if let Some(name) = &object.name {
        groups.push(attribute::object_name(name));
    }
    for (word, default) in
        [("spec_default", &object.spec_default), ("status_default", &object.status_default)]
    {
        groups.extend(default.as_ref().map(|default| attribute::patch(word, default)));
    }
    groups.extend(object.rules.iter().map(|rule| attribute::rule("validation", rule)));
    let mut patch = Map::new();
    let subresources = version.subresources.as_ref();
    let has_scale = subresources.is_some_and(|subresources| subresources.scale.is_some());
    match (status.is_some(), version.has_status()) {
        (true, false) if has_scale => drop(patch.insert("subresources".to_owned(), json!({"status": null}))),
        (true, false) => drop(patch.insert("subresources".to_owned(), Value::Null)),
        (false, true) => drop(patch.insert("subresources".to_owned(), json!({"status": {}}))),
        _ => {}
    }
    if let Some(schema) = &schema {
        patch.insert("schema".to_owned(), json!({"openAPIV3Schema": schema}));
    }
    if !patch.is_empty() {
        groups.push(attribute::patch("version_patch", &Value::Object(patch)));
    }
    groups
}

/// Adds the description to a merge patch for the schema.
fn described(patch: &mut Option<Value>, description: &str) {
    // A patch that is not an object is the schema itself.
    if let Value::Object(fields) = patch.get_or_insert_with(|| json!({})) {
        fields.insert("description".to_owned(), json!(description));
    }
}

/// Returns a type as source code, without spaces around `<`, `>` and `,`.
pub(in crate::emit) fn type_text(type_: &TokenStream) -> String {
    type_.to_string().replace(" < ", "<").replace(" >", ">").replace(" ,", ",")
}

/// Returns the derives and attributes of the root type. `is_wanted` selects derives of other crates.
pub(in crate::emit) fn root_type_attributes(
    scope: &Scope<'_>,
    traits: Traits,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<TokenStream> {
    let mut groups = Vec::new();
    let standard = Traits::NAMES.iter().filter(|(_, trait_)| traits.has(*trait_));
    // These two it has in any case.
    let standard = standard.map(|(name, _)| *name).filter(|name| !matches!(*name, "Clone" | "Debug"));
    let settings = scope.settings;
    let is_meant = |target| TypeKind::Root.is_meant_by(target, |name| name == scope.names.root);
    let others = settings.derive.iter().filter(|rule| is_meant(&rule.target));
    let others = others.map(|rule| rule.path.as_str());
    let others = others.filter(|path| Traits::named(path).is_none() && is_wanted(path));
    let derives: Vec<TokenStream> = standard
        .chain(others)
        .map(|path| {
            let path = text(path);
            quote!(derive = #path)
        })
        .collect();
    if !derives.is_empty() {
        groups.push(quote!(#(#derives),*));
    }
    for rule in settings.attribute.iter().filter(|rule| is_meant(&rule.target)) {
        groups.extend(syntax::inner(&rule.attribute).map(|inner| {
            let inner = text(&inner);
            quote!(attr = #inner)
        }));
    }
    groups
}
