//! Generates implementations of `Default` from the schema's defaults.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::literal;
use super::scope::Scope;
use super::types::Boxes;
use super::values::Expressions;
use crate::ir::name::FieldNames;
use crate::ir::{Field, Presence, Struct};

/// Generates `impl Default`. Returns `None` if no field has a default that its type can represent, because `Default` can then be derived.
pub(super) fn implementation(
    scope: &Scope<'_>,
    name: &Ident,
    struct_: &Struct,
    names: &FieldNames,
) -> Option<TokenStream> {
    let values = field_defaults(scope, struct_, names, Boxes::Allowed)?;
    Some(quote! {
        impl Default for #name {
            fn default() -> Self {
                Self { #(#values),* }
            }
        }
    })
}

/// Returns `field: value` for every field, or `None` if no field has a default.
pub(super) fn field_defaults(
    scope: &Scope<'_>,
    struct_: &Struct,
    names: &FieldNames,
    boxes: Boxes,
) -> Option<Vec<TokenStream>> {
    let mut has_default = false;
    let mut values = Vec::with_capacity(struct_.fields.len() + 1);
    for (field, name) in struct_.fields.iter().zip(&names.fields) {
        let ident = literal::ident(&name.name);
        let given = given(scope, field, boxes);
        has_default |= given.is_some();
        let value = given.unwrap_or_else(|| match field.presence {
            Presence::Required => quote!(Default::default()),
            Presence::Optional | Presence::OptionalWithNull => quote!(None),
        });
        values.push(quote!(#ident: #value));
    }
    if struct_.keeps_rest {
        let rest = literal::ident(&names.rest);
        values.push(quote!(#rest: Default::default()));
    }
    has_default.then_some(values)
}

/// Returns a field's default from the schema, if `Default` sets it and the type can represent it.
pub(super) fn given(scope: &Scope<'_>, field: &Field, boxes: Boxes) -> Option<TokenStream> {
    let expressions = Expressions { scope, reads_json: None };
    expressions.field(field, field.default.as_ref()?, boxes)
}
