//! Generates constructors that take the required fields, and `with_` setters.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::docs::Documentation;
use super::scope::Scope;
use super::types::{self, Boxes, is_boxed, is_converted};
use super::{defaults, literal};
use crate::ir::name::{FieldName, FieldNames};
use crate::ir::traits::Traits;
use crate::ir::{Field, Presence, Struct, Type, TypeId};

/// The maximum number of parameters before clippy warns.
const FEW: usize = 7;

/// A parameter of the constructor, and the value that the constructor gives to the field.
pub(super) struct Parameter {
    /// The declaration of the parameter, such as `name: impl Into<String>`.
    pub(super) declared: TokenStream,
    /// The value of the field, such as `name.into()`.
    pub(super) value: TokenStream,
}

/// Returns the constructor and the setters of a struct, if the options ask for them.
pub(super) fn struct_constructor(
    scope: &Scope<'_>,
    name: &Ident,
    struct_: &Struct,
    names: &FieldNames,
    traits: Traits,
) -> TokenStream {
    let new = scope.settings.constructors.then(|| new(scope, struct_, names, traits));
    let setters = setters(scope, struct_, names, Boxes::Allowed);
    if new.is_none() && setters.is_empty() {
        return quote!();
    }
    quote! {
        impl #name {
            #new
            #(#setters)*
        }
    }
}

/// Returns the attributes that silence rustc and clippy for a function with this number of parameters.
pub(super) fn allowed(parameters: usize) -> TokenStream {
    if parameters > FEW { quote!(#[allow(clippy::too_many_arguments)]) } else { quote!() }
}

/// Returns the setters of a struct, if the options ask for them.
pub(super) fn setters(
    scope: &Scope<'_>,
    struct_: &Struct,
    names: &FieldNames,
    boxes: Boxes,
) -> Vec<TokenStream> {
    if !scope.settings.setters {
        return Vec::new();
    }
    let fields = struct_.fields.iter().zip(&names.fields);
    let mut setters: Vec<TokenStream> = fields
        .map(|(field, name)| {
            let Parameter { declared, value } = parameter(scope, field, name, boxes);
            let value = if field.presence == Presence::Required { value } else { quote!(Some(#value)) };
            setter(scope, &name.name, &declared, &value)
        })
        .collect();
    if struct_.keeps_rest {
        let rest = literal::ident(&names.rest);
        let type_ = types::map(scope, &quote!(Value));
        setters.push(setter(scope, &names.rest, &quote!(#rest: #type_), &quote!(#rest)));
    }
    setters
}

/// Returns the name of a field's setter. The name is unique, because field names are distinct, and no method of the type's traits begins
/// with `with_`.
pub(super) fn setter_name(field: &str) -> Ident {
    // `with__9lives` is not snake case.
    format_ident!("with_{}", field.trim_start_matches('_'))
}

fn setter(scope: &Scope<'_>, name: &str, declared: &TokenStream, value: &TokenStream) -> TokenStream {
    let (ident, setter) = (literal::ident(name), setter_name(name));
    let has_docs = scope.settings.docs;
    let docs = has_docs.then(|| Documentation::from_markdown(&format!("Sets `{name}`.")));
    quote! {
        #docs
        #[must_use]
        pub fn #setter(mut self, #declared) -> Self {
            self.#ident = #value;
            self
        }
    }
}

/// Generates `new`, which sets optional fields to their default, or to absent.
fn new(scope: &Scope<'_>, struct_: &Struct, names: &FieldNames, traits: Traits) -> TokenStream {
    let fields = || struct_.fields.iter().zip(&names.fields);
    let required = fields().filter(|(field, _)| field.presence == Presence::Required);
    let (mut declared, mut values) = (Vec::new(), Vec::new());
    for (field, name) in required {
        let parameter = parameter(scope, field, name, Boxes::Allowed);
        declared.push(parameter.declared);
        values.push(initialised(&name.name, &parameter.value));
    }
    let is_whole = values.len() == struct_.fields.len() && !struct_.keeps_rest;
    let body = match (traits.has(Traits::DEFAULT), is_whole, values.is_empty()) {
        (true, false, true) => quote!(Self::default()),
        (true, false, false) => quote!(Self { #(#values,)* ..Self::default() }),
        _ => {
            let others = others(scope, struct_, names, Boxes::Allowed);
            quote!(Self { #(#values,)* #(#others),* })
        }
    };
    let docs = scope.settings.docs.then(|| match declared.len() {
        0 => quote!(#[doc = " Creates a value with all fields unset: no field is required."]),
        _ => quote!(#[doc = " Creates a value from its required fields."]),
    });
    let allowed = if declared.is_empty() && !traits.has(Traits::DEFAULT) {
        quote!(#[allow(clippy::new_without_default)])
    } else {
        allowed(declared.len())
    };
    quote! {
        #docs
        #allowed
        pub fn new(#(#declared),*) -> Self { #body }
    }
}

/// Returns the optional fields, each with its default, or absent.
fn others(scope: &Scope<'_>, struct_: &Struct, names: &FieldNames, boxes: Boxes) -> Vec<TokenStream> {
    let fields = struct_.fields.iter().zip(&names.fields);
    let optional = fields.filter(|(field, _)| field.presence != Presence::Required);
    let values = optional.map(|(field, name)| {
        let value = defaults::given(scope, field, boxes).unwrap_or_else(|| quote!(None));
        initialised(&name.name, &value)
    });
    let rest = struct_.keeps_rest.then(|| initialised(&names.rest, &quote!(Default::default())));
    values.chain(rest).collect()
}

pub(super) fn initialised(field: &str, value: &TokenStream) -> TokenStream {
    let ident = literal::ident(field);
    // `name: name` is written `name`.
    if ident == value.to_string() { quote!(#ident) } else { quote!(#ident: #value) }
}

/// Returns the parameter for a field, with a type that is convenient for callers, such as `impl Into<String>` or an iterator. The caller
/// never has to create a `Box`.
pub(super) fn parameter(scope: &Scope<'_>, field: &Field, name: &FieldName, boxes: Boxes) -> Parameter {
    let ident = literal::ident(&name.name);
    let (type_, value) = match &scope.model.graph[field.type_] {
        Type::Nullable(part) => {
            let type_ = types::type_(scope, *part);
            let value = quote!(#ident.into());
            let boxed = is_boxed(scope, *part, Boxes::Allowed);
            (quote!(impl Into<Option<#type_>>), if boxed { quote!(#value.map(Box::new)) } else { value })
        }
        Type::List(items) => {
            let (items, is_converted) = taken(scope, *items);
            let converted = is_converted.then(|| quote!(.map(Into::into)));
            (quote!(impl IntoIterator<Item = #items>), quote!(#ident.into_iter() #converted .collect()))
        }
        Type::Map(values) => {
            let (values, is_converted) = taken(scope, *values);
            let value = if is_converted { quote!(value.into()) } else { quote!(value) };
            (
                quote!(impl IntoIterator<Item = (impl Into<String>, #values)>),
                quote!(#ident.into_iter().map(|(key, value)| (key.into(), #value)).collect()),
            )
        }
        _ => match taken(scope, field.type_) {
            (type_, true) => (type_, quote!(#ident.into())),
            (type_, false) if !field.is_flattened && is_boxed(scope, field.type_, boxes) => {
                (type_, quote!(Box::new(#ident)))
            }
            (type_, false) => (type_, quote!(#ident)),
        },
    };
    Parameter { declared: quote!(#ident: #type_), value }
}

/// Returns the parameter's type, and whether its value must be converted.
fn taken(scope: &Scope<'_>, id: TypeId) -> (TokenStream, bool) {
    let type_ = types::type_(scope, id);
    if is_converted(scope, id) { (quote!(impl Into<#type_>), true) } else { (type_, false) }
}
