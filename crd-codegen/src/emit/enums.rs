//! Generates enums for the values that a schema lists.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::attributes::{TypeKind, attributes, type_docs};
use super::scope::Scope;
use super::support::Piece;
use super::{derive_form, literal};
use crate::config::{Derive, Settings};
use crate::ir::name::{RenameRule, UNKNOWN, variants};
use crate::ir::{Enum, TypeId, Values};

/// Returns an enum, with its implementations of serde's traits.
pub(super) fn items(scope: &Scope<'_>, id: TypeId, enum_: &Enum) -> TokenStream {
    let name = literal::ident(scope.names.type_name(id));
    let is_called = |name: &str| scope.names.is_called(id, name);
    let docs = type_docs(scope, id, &enum_.about);
    let traits = scope.known.traits(id);
    let variant_names = variants(enum_);
    let variants: Vec<Ident> = variant_names.iter().map(|name| literal::ident(name)).collect();
    let kind = if enum_.is_open { TypeKind::OpenEnum } else { TypeKind::SimpleEnum };
    let schema = derive_form::type_attributes(scope, &enum_.about, "validation");
    let Values::Strings(values) = &enum_.values else {
        let attributes = attributes(scope, kind, is_called, traits, &derive_form::derives(scope, &[]));
        let wire = scalars(&name, &variants, &enum_.values);
        return quote! {
            #docs
            #attributes
            #schema
            pub enum #name { #(#variants),* }
            #wire
        };
    };
    let derives = derive_form::derives(scope, &["Serialize", "Deserialize"]);
    let attributes = attributes(scope, kind, is_called, traits, &derives);
    let (rename_all, renamed) = renamed(values, &variant_names, &variants);
    let unknown = if enum_.is_open {
        let unknown = format_ident!("{UNKNOWN}");
        // The schema has the known values only.
        let skip = enum_.about.attributes.is_some().then(|| quote!(#[schemars(skip)]));
        quote! {
            #[doc = " A value that the schema does not name."]
            #[serde(untagged)]
            #skip
            #unknown(String)
        }
    } else {
        quote!()
    };
    let methods = has_methods(scope.settings, enum_, is_called).then(|| {
        let value = values.iter().map(|value| literal::string(value));
        let name_of_macro = macro_of_methods(enum_).import();
        quote!(#name_of_macro! { #name { #(#variants = #value),* } })
    });
    quote! {
        #docs
        #attributes
        #rename_all
        #schema
        pub enum #name { #(#renamed,)* #unknown }
        #methods
    }
}

/// Returns the enum's `rename_all` attribute, and the variants with the `rename` attributes that are still necessary.
fn renamed(
    values: &[Box<str>],
    names: &[String],
    variants: &[Ident],
) -> (Option<TokenStream>, Vec<TokenStream>) {
    let rule = RenameRule::choose(names, values);
    let renamed = values.iter().zip(names).zip(variants).map(|((value, name), variant)| {
        let is_named = rule.map_or(**value == **name, |rule| rule.value(name) == **value);
        if is_named {
            return quote!(#variant);
        }
        let value = literal::string(value);
        quote!(#[serde(rename = #value)] #variant)
    });
    let renamed = renamed.collect();
    let rename_all = rule.map(|rule| {
        let rule = rule.name;
        quote!(#[serde(rename_all = #rule)])
    });
    (rename_all, renamed)
}

/// Derives of other crates for traits that the generated enums implement: `Display`, `FromStr` or `TryFrom<&str>`.
const SAME_AS_METHODS: &[&str] =
    &["Display", "DisplayDoc", "EnumDisplay", "EnumString", "Error", "FromStr", "ToString", "TryFrom"];

/// Returns `true` if methods are generated for an enum, because no derive implements the same traits.
pub(super) fn has_methods(settings: &Settings, enum_: &Enum, is_called: impl Fn(&str) -> bool) -> bool {
    let kind = if enum_.is_open { TypeKind::OpenEnum } else { TypeKind::SimpleEnum };
    let is_same = |rule: &Derive| {
        let name = rule.path.rsplit("::").next().unwrap_or_default().trim();
        SAME_AS_METHODS.contains(&name) && kind.is_meant_by(&rule.target, &is_called)
    };
    settings.enum_methods && enum_.values.are_strings() && !settings.derive.iter().any(is_same)
}

/// Returns the macro with the methods of an enum of strings.
pub(super) fn macro_of_methods(enum_: &Enum) -> Piece {
    if enum_.is_open { Piece::OpenStringEnum } else { Piece::StringEnum }
}

/// Generates implementations of serde's traits for enums whose values are not strings. serde's derive supports only strings.
fn scalars(name: &Ident, variants: &[Ident], values: &Values) -> TokenStream {
    let (write, read) = match values {
        Values::Strings(_) => return quote!(),
        Values::Booleans(values) => {
            let value: Vec<_> = values.iter().map(|value| format_ident!("{value}")).collect();
            let write = quote!(match self { #(Self::#variants => serializer.serialize_bool(#value)),* });
            let other = if values.len() == 2 { quote!() } else { refused(values) };
            let read =
                quote!(match bool::deserialize(deserializer)? { #(#value => Ok(Self::#variants),)* #other });
            (write, read)
        }
        Values::Integers(values) => {
            let value: Vec<_> = values.iter().copied().map(literal::integer).collect();
            let write = quote!(match self { #(Self::#variants => serializer.serialize_i64(#value)),* });
            let other = refused(values);
            let read =
                quote!(match i64::deserialize(deserializer)? { #(#value => Ok(Self::#variants),)* #other });
            (write, read)
        }
        Values::Numbers(values) => {
            let sign: Vec<_> = values
                .iter()
                .map(|value| value.as_f64().is_some_and(|value| value < 0.0).then(|| quote!(-)))
                .collect();
            let value: Vec<_> = values.iter().map(literal::magnitude).collect();
            // Whole numbers are written without a fraction, as the API server does.
            let writers =
                values.iter().zip(&sign).zip(&value).map(|((number, sign), value)| match number.as_i64() {
                    Some(integer) => {
                        let integer = literal::integer(integer);
                        quote!(serializer.serialize_i64(#integer))
                    }
                    None => quote!(serializer.serialize_f64(#sign #value)),
                });
            let write = quote!(match self { #(Self::#variants => #writers),* });
            let message = unknown_value("number", values);
            let read = quote! {
                let number = f64::deserialize(deserializer)?;
                let values = [#((#sign #value, Self::#variants)),*];
                let known = values.into_iter().find(|(value, _)| *value == number);
                known
                    .map(|(_, variant)| variant)
                    .ok_or_else(|| serde::de::Error::custom(format_args!(#message)))
            };
            (write, read)
        }
    };
    quote! {
        impl Serialize for #name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> { #write }
        }

        impl<'de> Deserialize<'de> for #name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> { #read }
        }
    }
}

fn refused<T: ToString>(values: &[T]) -> TokenStream {
    let message = unknown_value("other", values);
    quote!(other => Err(serde::de::Error::custom(format_args!(#message))),)
}

/// Returns a format string for the error message about a value that is not one of `values`.
fn unknown_value<T: ToString>(variable: &str, values: &[T]) -> Literal {
    let values: Vec<String> = values.iter().map(|value| format!("`{}`", value.to_string())).collect();
    literal::string(&format!("unknown value `{{{variable}}}`, expected {}", values.join(" or ")))
}
