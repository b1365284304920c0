//! `Default` with what the schema has for defaults.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use serde_json::{Map, Number, Value};

use super::fields::Boxes;
use super::{Scope, fields, literal, unions};
use crate::config::{BytesType, DateTimeType, MapType, NumberType};
use crate::ir::name::{FieldNames, variants};
use crate::ir::traits::Traits;
use crate::ir::{Enum, Field, Integer, Presence, Struct, Type, TypeId, Values};

/// `impl Default`, or `None` where no field has a default that its type can hold, and `derive` does as well.
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

/// `field: value` for every field, or `None` where there is no default to speak of.
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

/// What the schema puts into a field, if `Default` does so and the type can hold it.
pub(super) fn given(scope: &Scope<'_>, field: &Field, boxes: Boxes) -> Option<TokenStream> {
    field_value(scope, field, field.default.as_ref()?, boxes)
}

fn field_value(scope: &Scope<'_>, field: &Field, value: &Value, boxes: Boxes) -> Option<TokenStream> {
    let inner = match boxes {
        Boxes::Allowed => held(scope, field.type_, value)?,
        Boxes::Never => self::value(scope, field.type_, value)?,
    };
    Some(if field.presence == Presence::Required { inner } else { quote!(Some(#inner)) })
}

fn held(scope: &Scope<'_>, id: TypeId, value: &Value) -> Option<TokenStream> {
    let inner = self::value(scope, id, value)?;
    Some(if scope.known.is_boxed(&scope.model.graph, id) { quote!(Box::new(#inner)) } else { inner })
}

/// The value as an expression of the type, or `None` if the type cannot hold it.
fn value(scope: &Scope<'_>, id: TypeId, value: &Value) -> Option<TokenStream> {
    let settings = scope.settings;
    match (&scope.model.graph[id], value) {
        (Type::Any, value) => Some(json(value)),
        (Type::Boolean, Value::Bool(value)) => Some(quote!(#value)),
        (Type::String, Value::String(text)) => Some(string(text)),
        (Type::DateTime, Value::String(text)) if settings.date_time == DateTimeType::String => {
            Some(string(text))
        }
        (Type::Bytes, Value::String(text)) if settings.bytes == BytesType::String => Some(string(text)),
        (Type::Integer(Integer::U64), Value::Number(number)) => {
            let number = Literal::u64_unsuffixed(number.as_u64()?);
            Some(quote!(#number))
        }
        (Type::Integer(width), Value::Number(number)) => {
            let number = number.as_i64()?;
            fits(*width, number).then(|| literal::integer(number))
        }
        (Type::Number, Value::Number(number)) => match settings.numbers {
            NumberType::F64 => Some(literal::float(number)),
            NumberType::Exact => {
                let number = whole(number)?;
                Some(quote!(serde_json::Number::from(#number)))
            }
        },
        (Type::IntOrString, Value::Number(number)) => {
            let number = literal::integer(number.as_i64()?);
            Some(quote!(IntOrString::Int(#number)))
        }
        (Type::IntOrString, Value::String(text)) => {
            let text = string(text);
            Some(quote!(IntOrString::String(#text)))
        }
        (Type::Quantity, Value::Number(number)) => {
            let number = whole(number)?;
            Some(quote!(Quantity::Number(serde_json::Number::from(#number))))
        }
        (Type::Quantity, Value::String(text)) => {
            let text = string(text);
            Some(quote!(Quantity::String(#text)))
        }
        (Type::Empty, Value::Object(_)) => Some(quote!(Empty {})),
        (Type::List(items), Value::Array(values)) => {
            let values: Option<Vec<_>> =
                values.iter().map(|value| self::value(scope, *items, value)).collect();
            let values = values?;
            Some(if values.is_empty() { quote!(Vec::new()) } else { quote!(vec![#(#values),*]) })
        }
        (Type::Map(values), Value::Object(entries)) => map(scope, *values, entries),
        (Type::Nullable(_), Value::Null) => Some(quote!(None)),
        (Type::Nullable(part), value) => {
            let value = held(scope, *part, value)?;
            Some(quote!(Some(#value)))
        }
        (Type::Struct(struct_), Value::Object(entries)) => self::struct_(scope, id, struct_, entries),
        (Type::Enum(enum_), value) => variant(scope, id, enum_, value),
        _ => None,
    }
}

/// A whole number of a type that its literal says.
fn whole(number: &Number) -> Option<TokenStream> {
    (number.is_i64() || number.is_u64()).then(|| literal::number(number))
}

fn string(text: &str) -> TokenStream {
    if text.is_empty() {
        return quote!(String::new());
    }
    let text = literal::string(text);
    quote!(String::from(#text))
}

fn fits(width: Integer, number: i64) -> bool {
    match width {
        Integer::I8 => i8::try_from(number).is_ok(),
        Integer::I16 => i16::try_from(number).is_ok(),
        Integer::I32 => i32::try_from(number).is_ok(),
        Integer::I64 => true,
        Integer::U8 => u8::try_from(number).is_ok(),
        Integer::U16 => u16::try_from(number).is_ok(),
        Integer::U32 => u32::try_from(number).is_ok(),
        Integer::U64 => u64::try_from(number).is_ok(),
    }
}

fn map(scope: &Scope<'_>, values: TypeId, entries: &Map<String, Value>) -> Option<TokenStream> {
    let type_ = match scope.settings.map_type {
        MapType::Btree => quote!(BTreeMap),
        MapType::Hash => quote!(HashMap),
    };
    if entries.is_empty() {
        return Some(quote!(#type_::new()));
    }
    let mut pairs = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let (key, value) = (string(key), self::value(scope, values, value)?);
        pairs.push(quote!((#key, #value)));
    }
    Some(quote!(#type_::from([#(#pairs),*])))
}

fn struct_(
    scope: &Scope<'_>,
    id: TypeId,
    struct_: &Struct,
    entries: &Map<String, Value>,
) -> Option<TokenStream> {
    if unions::are_in(struct_) {
        return None;
    }
    let names = fields::names(struct_);
    let mut values = Vec::new();
    let mut is_whole = !struct_.keeps_rest;
    for (field, name) in struct_.fields.iter().zip(&names.fields) {
        match entries.get(&*field.property) {
            Some(value) => {
                let ident = literal::ident(&name.name);
                let value = field_value(scope, field, value, Boxes::Allowed)?;
                values.push(quote!(#ident: #value));
            }
            None if field.presence == Presence::Required => return None,
            None => is_whole = false,
        }
    }
    let has_unknown = entries.keys().any(|key| struct_.fields.iter().all(|field| *field.property != **key));
    if has_unknown && struct_.keeps_rest {
        return None;
    }
    let name = literal::ident(scope.names.of(id));
    if is_whole {
        return Some(quote!(#name { #(#values),* }));
    }
    // The API server puts defaults into the fields of a default as well.
    let has_base = scope.known.traits(id).has(Traits::DEFAULT);
    match (has_base, values.is_empty()) {
        (false, _) => None,
        (true, true) => Some(quote!(#name::default())),
        (true, false) => Some(quote!(#name { #(#values,)* ..#name::default() })),
    }
}

fn variant(scope: &Scope<'_>, id: TypeId, enum_: &Enum, value: &Value) -> Option<TokenStream> {
    let at = match &enum_.values {
        Values::Strings(values) => values.iter().position(|known| value.as_str() == Some(&**known)),
        Values::Booleans(values) => values.iter().position(|known| value.as_bool() == Some(*known)),
        Values::Integers(values) => values.iter().position(|known| value.as_i64() == Some(*known)),
        Values::Numbers(values) => values.iter().position(|known| value.as_f64() == known.as_f64()),
    }?;
    let name = literal::ident(scope.names.of(id));
    let variant = literal::ident(variants(enum_).get(at)?);
    Some(quote!(#name::#variant))
}

/// Any JSON as an expression.
fn json(value: &Value) -> TokenStream {
    if value.is_null() {
        return quote!(Value::Null);
    }
    let tokens = literal::json(value, literal::string);
    quote!(serde_json::json!(#tokens))
}
