//! Fields of structs: identifier, type, and what serde has to be told.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::docs::Documentation;
use super::{Scope, derive_form, literal, types};
use crate::ir::name::{FieldName, FieldNames, fields as field_names};
use crate::ir::{Field, Presence, Struct};

/// The fields of a struct, as far as all structs have them alike.
pub(super) struct Fields {
    /// `#[serde(rename_all = ...)]`, if it is of use.
    pub(super) attributes: TokenStream,
    pub(super) fields: Vec<FieldTokens>,
}

/// One field.
pub(super) struct FieldTokens {
    pub(super) name: Ident,
    pub(super) docs: Documentation,
    /// `#[serde(...)]`, if there is something to say.
    pub(super) serde: TokenStream,
    /// What the form `derive` says beside it.
    pub(super) said: TokenStream,
    pub(super) type_: TokenStream,
    /// Whether it can be left out.
    pub(super) is_optional: bool,
}

/// Whether large structs are held in boxes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Boxes {
    Allowed,
    Never,
}

/// The fields of a struct.
pub(super) fn fields(scope: &Scope<'_>, struct_: &Struct, names: &FieldNames, boxes: Boxes) -> Fields {
    let mut fields: Vec<FieldTokens> = struct_
        .fields
        .iter()
        .zip(&names.fields)
        .map(|(field, name)| self::field(scope, field, name, boxes))
        .collect();
    if struct_.keeps_rest {
        fields.push(FieldTokens {
            name: literal::ident(&names.rest),
            docs: Documentation::of_markdown("Fields that the schema does not name."),
            serde: quote!(#[serde(flatten)]),
            said: quote!(),
            type_: types::map(scope, &quote!(Value)),
            is_optional: true,
        });
    }
    let attributes = if names.rename_all { quote!(#[serde(rename_all = "camelCase")]) } else { quote!() };
    Fields { attributes, fields }
}

/// The names of a struct's fields.
pub(super) fn names(struct_: &Struct) -> FieldNames {
    let properties: Vec<&str> = struct_.fields.iter().map(|field| &*field.property).collect();
    field_names(&properties)
}

fn field(scope: &Scope<'_>, field: &Field, name: &FieldName, boxes: Boxes) -> FieldTokens {
    let type_ = match boxes {
        // What it holds is in a box already where it is large.
        _ if field.is_flattened => types::type_(scope, field.type_),
        Boxes::Allowed => types::held(scope, field.type_),
        Boxes::Never => types::type_(scope, field.type_),
    };
    let is_optional = field.presence != Presence::Required;
    FieldTokens {
        name: literal::ident(&name.name),
        docs: docs(scope, field),
        serde: serde(scope, field, name),
        said: derive_form::of_field(scope, field),
        type_: if is_optional { quote!(Option<#type_>) } else { type_ },
        is_optional,
    }
}

/// The documentation of a field.
pub(super) fn docs(scope: &Scope<'_>, field: &Field) -> Documentation {
    derive_form::field_docs(scope, field).unwrap_or_else(|| {
        let description = field.doc.as_deref().filter(|_| scope.settings.docs);
        Documentation::of_description(description)
    })
}

fn serde(scope: &Scope<'_>, field: &Field, name: &FieldName) -> TokenStream {
    if field.is_flattened {
        return quote!(#[serde(flatten)]);
    }
    let mut says = Vec::new();
    if name.rename {
        let property = literal::string(&field.property);
        says.push(quote!(rename = #property));
    }
    if field.presence == Presence::OptionalWithNull {
        says.push(quote!(default));
    }
    if field.presence != Presence::Required {
        says.push(quote!(skip_serializing_if = "Option::is_none"));
    }
    if field.presence == Presence::OptionalWithNull {
        says.push(quote!(deserialize_with = "present"));
    }
    if scope.known.has_number(field.type_) {
        says.push(quote!(serialize_with = "number::serialize"));
    }
    if says.is_empty() { quote!() } else { quote!(#[serde(#(#says),*)]) }
}
