//! Generates a function that returns a given object.

use std::cell::Cell;

use proc_macro2::TokenStream;
use quote::quote;
use serde_json::{Map, Value};

use super::scope::Scope;
use super::types::Boxes;
use super::values::{Expressions, read_from_json, string};
use super::{literal, print};
use crate::ir::name::fields_of_root;
use crate::ir::{Presence, Struct};

/// Returns the text of a function `example` that returns the object. Returns `None` if the object lacks a field's value, or if the value's
/// type is wrong.
///
/// # Errors
/// - The generated text is not valid Rust, which no input should cause. The error is the message of the parser.
pub(crate) fn object_function(scope: &Scope<'_>, object: &Value) -> Result<Option<String>, String> {
    let reads_json = Cell::new(false);
    let Some(expression) = expression(scope, object, &reads_json) else { return Ok(None) };
    let name = literal::ident(&scope.names.root);
    let function = if reads_json.get() {
        quote!(fn example() -> Result<#name, serde_json::Error> { Ok(#expression) })
    } else {
        quote!(fn example() -> #name { #expression })
    };
    print::checked(print::items(function)?).map(Some)
}

fn expression(scope: &Scope<'_>, object: &Value, reads_json: &Cell<bool>) -> Option<TokenStream> {
    let struct_ = &scope.model.root;
    let expressions = Expressions { scope, reads_json: Some(reads_json) };
    let metadata = metadata(object["metadata"].as_object()?, reads_json);
    let mut fields = vec![quote!(metadata: #metadata)];
    let names = fields_of_root(struct_);
    for (field, name) in struct_.fields.iter().zip(&names.fields) {
        let value = match object.get(&*field.property) {
            Some(value) => expressions.field(field, value, Boxes::Never)?,
            None if field.presence == Presence::Required => return None,
            None => quote!(None),
        };
        let ident = literal::ident(&name.name);
        fields.push(quote!(#ident: #value));
    }
    if struct_.keeps_rest {
        let ident = literal::ident(&names.rest);
        let rest = rest(struct_, object);
        let value = if rest.is_empty() {
            quote!(Default::default())
        } else {
            reads_json.set(true);
            read_from_json(&Value::Object(rest))
        };
        fields.push(quote!(#ident: #value));
    }
    let name = literal::ident(&scope.names.root);
    Some(quote!(#name { #(#fields),* }))
}

/// Returns the object's properties that are not fields of the root type.
fn rest(root: &Struct, object: &Value) -> Map<String, Value> {
    let is_field = |name: &str| {
        matches!(name, "apiVersion" | "kind" | "metadata")
            || root.fields.iter().any(|field| *field.property == *name)
    };
    let properties = object.as_object().into_iter().flatten();
    properties
        .filter(|(name, _)| !is_field(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn metadata(metadata: &Map<String, Value>, reads_json: &Cell<bool>) -> TokenStream {
    let mut fields = Vec::with_capacity(metadata.len());
    for (property, value) in metadata {
        let field = match (property.as_str(), value) {
            ("name", Value::String(text)) => text_field("name", text),
            ("generateName", Value::String(text)) => text_field("generate_name", text),
            ("namespace", Value::String(text)) => text_field("namespace", text),
            _ => {
                reads_json.set(true);
                return read_from_json(&Value::Object(metadata.clone()));
            }
        };
        fields.push(field);
    }
    quote!(ObjectMeta { #(#fields,)* ..ObjectMeta::default() })
}

fn text_field(name: &str, text: &str) -> TokenStream {
    let (name, text) = (literal::ident(name), string(text));
    quote!(#name: Some(#text))
}
