//! Writes JSON values as Rust expressions that have generated types.

use std::cell::Cell;

use crd_core::schema::IntegerType;
use crd_go::{base64, formats};
use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};
use quote::quote;
use serde_json::{Map, Number, Value};

use super::literal;
use super::scope::Scope;
use super::types::Boxes;
use crate::config::{BytesType, DateTimeType, MapType, NumberType};
use crate::ir::name::{fields_of, variants};
use crate::ir::traits::Traits;
use crate::ir::{Enum, Field, Presence, Struct, Type, TypeId, Values};

/// Generates Rust expressions for JSON values.
#[derive(Clone, Copy)]
pub(super) struct Expressions<'s> {
    pub(super) scope: &'s Scope<'s>,
    /// Set only for a function that returns an object. Values without an expression are then deserialized from JSON at run time, and the
    /// cell is set to `true`.
    pub(super) reads_json: Option<&'s Cell<bool>>,
}

impl Expressions<'_> {
    /// Returns a field's value, or `None` if the type cannot represent it.
    pub(super) fn field(&self, field: &Field, value: &Value, boxes: Boxes) -> Option<TokenStream> {
        if self.reads_json.is_some() && value.is_null() && field.presence == Presence::Optional {
            return Some(quote!(None));
        }
        let inner = match boxes {
            Boxes::Allowed => self.held(field.type_, value)?,
            Boxes::Never => self.value(field.type_, value)?,
        };
        Some(if field.presence == Presence::Required { inner } else { quote!(Some(#inner)) })
    }

    fn held(&self, id: TypeId, value: &Value) -> Option<TokenStream> {
        let inner = self.value(id, value)?;
        let scope = self.scope;
        Some(if scope.known.is_boxed(&scope.model.graph, id) { quote!(Box::new(#inner)) } else { inner })
    }

    /// Returns the value as an expression of the type, or `None` if the type cannot represent it.
    fn value(&self, id: TypeId, value: &Value) -> Option<TokenStream> {
        let read = || {
            self.reads_json?.set(true);
            Some(read_from_json(value))
        };
        self.expression(id, value).or_else(read)
    }

    fn expression(&self, id: TypeId, value: &Value) -> Option<TokenStream> {
        let settings = self.scope.settings;
        match (&self.scope.model.graph[id], value) {
            (Type::Any, value) => Some(json(value)),
            (Type::Boolean, Value::Bool(value)) => Some(quote!(#value)),
            (Type::String, Value::String(text)) => Some(string(text)),
            (Type::DateTime, Value::String(text)) if settings.date_time == DateTimeType::String => {
                Some(string(text))
            }
            // A date and time, or bytes, that the server would reject has no value.
            (Type::DateTime, Value::String(text)) if self.reads_json.is_none() => {
                let text = formats::is_date_time(text).then(|| literal::string(text))?;
                Some(quote!(#text.parse().unwrap_or_default()))
            }
            (Type::Bytes, Value::String(text)) if settings.bytes == BytesType::String => Some(string(text)),
            (Type::Bytes, Value::String(text)) if self.reads_json.is_none() => byte_string(text),
            (Type::Integer(IntegerType::U64), Value::Number(number)) => {
                let number = Literal::u64_unsuffixed(number.as_u64()?);
                Some(quote!(#number))
            }
            (Type::Integer(width), Value::Number(number)) => {
                let number = number.as_i64()?;
                fits(*width, number).then(|| literal::integer(number))
            }
            (Type::Number, Value::Number(number)) => self.number(number),
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
                let values: Option<Vec<_>> = values.iter().map(|value| self.value(*items, value)).collect();
                Some(list(&values?))
            }
            (Type::Map(values), Value::Object(entries)) => self.map(*values, entries),
            (Type::Nullable(_), Value::Null) => Some(quote!(None)),
            (Type::Nullable(part), value) => {
                let value = self.held(*part, value)?;
                Some(quote!(Some(#value)))
            }
            (Type::Struct(struct_), Value::Object(entries)) => self.struct_(id, struct_, entries),
            (Type::Enum(enum_), value) => self.variant(id, enum_, value),
            _ => None,
        }
    }

    fn number(&self, number: &Number) -> Option<TokenStream> {
        if self.scope.settings.numbers == NumberType::F64 {
            return Some(literal::float(number));
        }
        if let Some(number) = whole(number) {
            return Some(quote!(serde_json::Number::from(#number)));
        }
        // The default is finite, so that the other number is never taken.
        let float = self.reads_json.is_none().then(|| literal::float(number))?;
        Some(quote!(serde_json::Number::from_f64(#float).unwrap_or_else(|| 0.into())))
    }

    fn map(&self, values: TypeId, entries: &Map<String, Value>) -> Option<TokenStream> {
        let type_ = match self.scope.settings.map_type {
            MapType::Btree => quote!(BTreeMap),
            MapType::Hash => quote!(HashMap),
        };
        if entries.is_empty() {
            return Some(quote!(#type_::new()));
        }
        let mut pairs = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let (key, value) = (string(key), self.value(values, value)?);
            pairs.push(quote!((#key, #value)));
        }
        Some(quote!(#type_::from([#(#pairs),*])))
    }

    fn struct_(&self, id: TypeId, struct_: &Struct, entries: &Map<String, Value>) -> Option<TokenStream> {
        if struct_.has_unions() || struct_.kubernetes.is_some() {
            return None;
        }
        let names = fields_of(struct_);
        let mut values = Vec::new();
        let mut is_whole = !struct_.keeps_rest;
        let has_base = self.scope.known.traits(id).has(Traits::DEFAULT);
        for (field, name) in struct_.fields.iter().zip(&names.fields) {
            match entries.get(&*field.property) {
                Some(value) => {
                    let ident = literal::ident(&name.name);
                    let value = self.field(field, value, Boxes::Allowed)?;
                    values.push(quote!(#ident: #value));
                }
                None if field.presence == Presence::Required => return None,
                None if self.reads_json.is_some() && !has_base => {
                    let ident = literal::ident(&name.name);
                    values.push(quote!(#ident: None));
                }
                None => is_whole = false,
            }
        }
        let has_unknown =
            entries.keys().any(|key| struct_.fields.iter().all(|field| *field.property != **key));
        if has_unknown && struct_.keeps_rest {
            return None;
        }
        let name = literal::ident(self.scope.names.type_name(id));
        if is_whole {
            return Some(quote!(#name { #(#values),* }));
        }
        // The API server puts defaults into the fields of a default as well.
        match (has_base, values.is_empty()) {
            (false, _) => None,
            (true, true) => Some(quote!(#name::default())),
            (true, false) => Some(quote!(#name { #(#values,)* ..#name::default() })),
        }
    }

    fn variant(&self, id: TypeId, enum_: &Enum, value: &Value) -> Option<TokenStream> {
        let at = match &enum_.values {
            Values::Strings(values) => values.iter().position(|known| value.as_str() == Some(&**known)),
            Values::Booleans(values) => values.iter().position(|known| value.as_bool() == Some(*known)),
            Values::Integers(values) => values.iter().position(|known| value.as_i64() == Some(*known)),
            Values::Numbers(values) => values.iter().position(|known| value.as_f64() == known.as_f64()),
        }?;
        let name = literal::ident(self.scope.names.type_name(id));
        let variant = literal::ident(variants(enum_).get(at)?);
        Some(quote!(#name::#variant))
    }
}

/// Returns an expression that deserializes the value from JSON. The surrounding function must return serde's errors.
pub(super) fn read_from_json(value: &Value) -> TokenStream {
    let json = json(value);
    quote!(serde_json::from_value(#json)?)
}

/// Returns the items as a list. Structs are not written within `vec!`, because the formatter does not format macro arguments.
fn list(items: &[TokenStream]) -> TokenStream {
    let is_struct = |item: &TokenStream| {
        item.clone()
            .into_iter()
            .any(|token| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace))
    };
    match items {
        [] => quote!(Vec::new()),
        items if items.iter().any(is_struct) => quote!(Vec::from([#(#items),*])),
        items => quote!(vec![#(#items),*]),
    }
}

/// Returns a whole number with the suffix of its type.
fn whole(number: &Number) -> Option<TokenStream> {
    (number.is_i64() || number.is_u64()).then(|| literal::number(number))
}

pub(super) fn string(text: &str) -> TokenStream {
    if text.is_empty() {
        return quote!(String::new());
    }
    let text = literal::string(text);
    quote!(String::from(#text))
}

fn fits(width: IntegerType, number: i64) -> bool {
    match width {
        IntegerType::I8 => i8::try_from(number).is_ok(),
        IntegerType::I16 => i16::try_from(number).is_ok(),
        IntegerType::I32 => i32::try_from(number).is_ok(),
        IntegerType::I64 => true,
        IntegerType::U8 => u8::try_from(number).is_ok(),
        IntegerType::U16 => u16::try_from(number).is_ok(),
        IntegerType::U32 => u32::try_from(number).is_ok(),
        IntegerType::U64 => u64::try_from(number).is_ok(),
    }
}

/// Returns a JSON value as an expression.
fn json(value: &Value) -> TokenStream {
    if value.is_null() {
        return quote!(Value::Null);
    }
    let tokens = literal::json(value, literal::string);
    quote!(serde_json::json!(#tokens))
}

fn byte_string(text: &str) -> Option<TokenStream> {
    let bytes = base64::decode_url(&text.replace('+', "-").replace('/', "_")).ok()?;
    let bytes = Literal::byte_string(&bytes);
    Some(quote!(ByteString(#bytes.to_vec())))
}
