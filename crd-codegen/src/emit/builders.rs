//! Generates derives and attributes for the builder crates typed-builder and bon.

use std::collections::HashSet;
use std::iter;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::scope::Scope;
use super::types::{self, Boxes};
use super::{defaults, literal};
use crate::config::Builders;
use crate::ir::name::FieldNames;
use crate::ir::{Field, Presence, Struct, Type};

/// Returns the derive that gives structs builders, if the options ask for builders.
pub(super) fn derive(scope: &Scope<'_>) -> Option<&'static str> {
    match scope.settings.builders {
        Builders::None => None,
        Builders::TypedBuilder => Some("typed_builder::TypedBuilder"),
        Builders::Bon => Some("bon::Builder"),
    }
}

/// Returns a setter name for each field, and then for the other properties. A name is `None` if bon can use the field's name.
///
/// For every optional field, bon also generates a setter `maybe_FIELD`. For every field, bon generates a type whose name is the setter's
/// name in `PascalCase`.
pub(super) fn setters(scope: &Scope<'_>, names: &FieldNames) -> Vec<Option<Ident>> {
    let all = names.fields.iter().map(|field| field.name.as_str()).chain([names.rest.as_str()]);
    if scope.settings.builders != Builders::Bon {
        return all.map(|_| None).collect();
    }
    let mut used = HashSet::new();
    if names.fields.iter().all(|field| field.name != METADATA) {
        // It may be the type of whole objects.
        used.extend(claims(METADATA));
    }
    let setters = all.map(|field| {
        // bon drops the underscore, and a name cannot begin with a digit.
        let plain = field.strip_prefix('_').map_or_else(|| field.to_owned(), |after| format!("n{after}"));
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let name = iter::once(plain.clone()).chain(numbered);
        let name = name.into_iter().find(|name| !claims(name).iter().any(|claim| used.contains(claim)))?;
        used.extend(claims(&name));
        (name != field).then(|| literal::ident(&name))
    });
    setters.collect()
}

/// The field that all root types have.
const METADATA: &str = "metadata";

/// Returns the names that bon generates for a setter. No other setter may have one of these names.
fn claims(name: &str) -> [String; 3] {
    [name.to_owned(), format!("maybe_{name}"), pascal(name)]
}

/// Returns a field's name in `PascalCase`, by the same rule as bon.
fn pascal(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}

/// Returns the attribute for an optional field whose value `Default` sets.
pub(super) fn defaulted(scope: &Scope<'_>, setter: Option<&Ident>) -> TokenStream {
    let setter = setter.map(|setter| quote!(name = #setter,));
    if derive(scope).is_some() { quote!(#[builder(#setter default)]) } else { quote!() }
}

/// Returns the attribute of a field. `setter` is the setter's name, if the field has another name.
pub(super) fn field_setter(
    scope: &Scope<'_>,
    field: &Field,
    setter: Option<&Ident>,
    boxes: Boxes,
) -> TokenStream {
    let given = || match field.presence {
        Presence::Required => None,
        Presence::Optional | Presence::OptionalWithNull => defaults::given(scope, field, boxes),
    };
    let parts = match scope.settings.builders {
        Builders::None => return quote!(),
        Builders::TypedBuilder => typed_builder(scope, field, boxes, given()),
        Builders::Bon => bon(scope, field, setter, boxes, given()),
    };
    if parts.is_empty() { quote!() } else { quote!(#[builder(#(#parts),*)]) }
}

fn typed_builder(
    scope: &Scope<'_>,
    field: &Field,
    boxes: Boxes,
    default: Option<TokenStream>,
) -> Vec<TokenStream> {
    let is_optional = field.presence != Presence::Required;
    let mut parts = Vec::new();
    match default {
        Some(value) => parts.push(quote!(default = #value)),
        None if is_optional || is_collection(scope, field) => parts.push(quote!(default)),
        None => {}
    }
    match (is_optional, is_converted(scope, field, boxes)) {
        (true, true) => parts.push(quote!(setter(strip_option, into))),
        (true, false) => parts.push(quote!(setter(strip_option))),
        (false, true) => parts.push(quote!(setter(into))),
        (false, false) => {}
    }
    parts
}

/// Returns the arguments of a field's attribute for bon. For every `Option`, bon generates a second setter `maybe_FIELD`.
fn bon(
    scope: &Scope<'_>,
    field: &Field,
    setter: Option<&Ident>,
    boxes: Boxes,
    default: Option<TokenStream>,
) -> Vec<TokenStream> {
    let is_optional = field.presence != Presence::Required;
    let is_converted = is_converted(scope, field, boxes);
    let mut parts: Vec<TokenStream> = setter.map(|setter| quote!(name = #setter)).into_iter().collect();
    if let Some(value) = default {
        let type_ = types::field(scope, field, boxes);
        let with = match is_converted {
            true => quote!(|value: impl Into<#type_>| Some(value.into())),
            false => quote!(|value: #type_| Some(value)),
        };
        parts.extend([quote!(required), quote!(default = #value), quote!(with = #with)]);
        return parts;
    }
    if !is_optional && is_collection(scope, field) {
        parts.push(quote!(default));
    } else if !is_optional && matches!(scope.model.graph[field.type_], Type::Nullable(_)) {
        parts.push(quote!(required));
    }
    if is_converted {
        parts.push(quote!(into));
    }
    parts
}

/// Returns `true` for a list or a map. It is empty if the builder's setter is not called.
fn is_collection(scope: &Scope<'_>, field: &Field) -> bool {
    matches!(scope.model.graph[field.type_], Type::List(_) | Type::Map(_))
}

/// Returns `true` if the setter accepts every value that can be converted to the field's type. This is the case for strings, boxed values
/// and nullable values.
fn is_converted(scope: &Scope<'_>, field: &Field, boxes: Boxes) -> bool {
    let graph = &scope.model.graph;
    matches!(graph[field.type_], Type::Nullable(_))
        || types::is_converted(scope, field.type_)
        || !field.is_flattened && types::is_boxed(scope, field.type_, boxes)
}

/// Returns an attribute for a struct's builder. The attribute renames items whose names would collide with other names.
pub(super) fn struct_builder(
    scope: &Scope<'_>,
    type_name: &str,
    struct_: &Struct,
    fields: &[Ident],
) -> TokenStream {
    let builder_name = builder_name(scope, type_name);
    let fields: Vec<String> = fields.iter().map(|name| name.to_string()).collect();
    let optional =
        struct_.fields.iter().zip(&fields).filter(|(field, _)| field.presence != Presence::Required);
    let optional: Vec<String> = optional.map(|(_, name)| format!("maybe_{name}")).collect();
    let is_taken = |name: &&str| fields.iter().chain(&optional).any(|taken| taken == name);
    let build = ["build", "finish", "into_value", "build_value"].into_iter().find(|name| !is_taken(name));
    let build = build.filter(|name| *name != "build").map(|name| format_ident!("{name}"));
    let (builder, finish) = match scope.settings.builders {
        Builders::None => return quote!(),
        Builders::TypedBuilder => (
            builder_name.map(|name| quote!(builder_type(name = #name))),
            build.map(|name| quote!(build_method(name = #name))),
        ),
        Builders::Bon => (
            builder_name.map(|name| quote!(builder_type = #name)),
            build.map(|name| quote!(finish_fn = #name)),
        ),
    };
    let parts: Vec<TokenStream> = builder.into_iter().chain(finish).collect();
    if parts.is_empty() { quote!() } else { quote!(#[builder(#(#parts),*)]) }
}

/// Returns a name for a type's builder if the default name, `TypeBuilder`, is already used.
fn builder_name(scope: &Scope<'_>, type_name: &str) -> Option<Ident> {
    let plain = format!("{type_name}Builder");
    if !scope.names.has(&plain) {
        return None;
    }
    let mut numbered = (2..).map(|number| format!("{plain}{number}"));
    numbered.find(|name| !scope.names.has(name)).map(|name| format_ident!("{name}"))
}
