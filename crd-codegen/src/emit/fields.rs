//! Generates the fields of structs, with serde's attributes.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use super::docs::Documentation;
use super::scope::Scope;
use super::types::{self, Boxes};
use super::{builders, derive_form, literal};
use crate::ir::name::{FieldName, FieldNames};
use crate::ir::{Field, Presence, Struct};

/// The fields of a struct, and the attributes that the struct itself needs.
pub(super) struct Fields {
    /// `#[serde(rename_all = ...)]`, if it shortens the code.
    pub(super) attributes: TokenStream,
    pub(super) fields: Vec<FieldTokens>,
}

/// The tokens of one field of a struct.
pub(super) struct FieldTokens {
    pub(super) name: Ident,
    pub(super) docs: Documentation,
    /// `#[serde(...)]`, if it is needed.
    pub(super) serde: Serde,
    /// The attributes for the form `derive`.
    pub(super) schema: TokenStream,
    /// The attribute of a builder's setter.
    pub(super) builder: TokenStream,
    pub(super) type_: TokenStream,
    /// `true` if the field is optional.
    pub(super) is_optional: bool,
}

impl Fields {
    /// Returns the names of the fields.
    pub(super) fn names(&self) -> Vec<Ident> {
        self.fields.iter().map(|field| field.name.clone()).collect()
    }
}

/// Returns the tokens of a struct's fields.
pub(super) fn fields(scope: &Scope<'_>, struct_: &Struct, names: &FieldNames, boxes: Boxes) -> Fields {
    let setters = builders::setters(scope, names);
    let mut fields: Vec<FieldTokens> = struct_
        .fields
        .iter()
        .zip(&names.fields)
        .zip(&setters)
        .map(|((field, name), setter)| self::field(scope, field, name, setter.as_ref(), boxes))
        .collect();
    if struct_.keeps_rest {
        fields.push(FieldTokens {
            name: literal::ident(&names.rest),
            docs: Documentation::from_markdown("Fields that the schema does not name."),
            serde: Serde { is_flattened: true, ..Serde::default() },
            schema: quote!(),
            builder: builders::defaulted(scope, setters.last().and_then(Option::as_ref)),
            type_: types::map(scope, &quote!(Value)),
            is_optional: true,
        });
    }
    let attributes = if names.rename_all { quote!(#[serde(rename_all = "camelCase")]) } else { quote!() };
    Fields { attributes, fields }
}

fn field(
    scope: &Scope<'_>,
    field: &Field,
    name: &FieldName,
    setter: Option<&Ident>,
    boxes: Boxes,
) -> FieldTokens {
    let type_ = types::field(scope, field, boxes);
    let is_optional = field.presence != Presence::Required;
    FieldTokens {
        name: literal::ident(&name.name),
        docs: docs(scope, field),
        serde: Serde {
            is_flattened: field.is_flattened,
            rename: name.rename.then(|| literal::string(&field.property)),
            has_null: field.presence == Presence::OptionalWithNull,
            is_optional,
            has_number: scope.known.has_number(field.type_),
        },
        schema: derive_form::field_attributes(scope, field),
        builder: builders::field_setter(scope, field, setter, boxes),
        type_: if is_optional { quote!(Option<#type_>) } else { type_ },
        is_optional,
    }
}

/// Returns the documentation of a field.
pub(super) fn docs(scope: &Scope<'_>, field: &Field) -> Documentation {
    derive_form::field_docs(scope, field).unwrap_or_else(|| {
        let description = field.doc.as_deref().filter(|_| scope.settings.docs);
        Documentation::from_description(description)
    })
}

/// serde's attribute on a field. As tokens, the attribute is for a field that is both serialized and deserialized.
#[derive(Clone, Debug, Default)]
pub(super) struct Serde {
    is_flattened: bool,
    rename: Option<Literal>,
    /// `true` if `null` and absent are different values.
    has_null: bool,
    is_optional: bool,
    /// `true` if the field's type contains an `f64`.
    has_number: bool,
}

impl Serde {
    /// Returns the attribute for a field that is only deserialized.
    pub(super) fn read(&self) -> TokenStream {
        self.attribute(true, false)
    }

    /// Returns the attribute for a field that is only serialized.
    pub(super) fn written(&self) -> TokenStream {
        self.attribute(false, true)
    }

    fn attribute(&self, is_read: bool, is_written: bool) -> TokenStream {
        if self.is_flattened {
            return quote!(#[serde(flatten)]);
        }
        let mut says: Vec<TokenStream> = self.rename.iter().map(|name| quote!(rename = #name)).collect();
        if is_read && self.has_null {
            says.push(quote!(default));
        }
        if is_written && self.is_optional {
            says.push(quote!(skip_serializing_if = "Option::is_none"));
        }
        if is_read && self.has_null {
            says.push(quote!(deserialize_with = "present"));
        }
        if is_written && self.has_number {
            says.push(quote!(serialize_with = "number::serialize"));
        }
        if says.is_empty() { quote!() } else { quote!(#[serde(#(#says),*)]) }
    }
}

impl ToTokens for Serde {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.attribute(true, true));
    }
}
