//! Determines a field's list type from its attributes.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Token};

use super::SchemaField;
use crate::attrs::text::literal;

/// The type of a list, unless it is atomic.
pub(crate) enum ListType {
    /// Items are identified by their values.
    Set(Span),
    /// Items are identified by these fields.
    Map(Vec<(String, Span)>),
}

impl SchemaField<'_> {
    /// Returns the list type from literals in `list_type` or `merge_strategy`.
    pub(crate) fn list_type(&self) -> Option<ListType> {
        let attrs = &self.attrs;
        if let Some(strategy) = &attrs.merge_strategy {
            return from_strategy(&strategy.0);
        }
        let text = attrs.list_type.as_ref()?;
        match text.literal()?.as_str() {
            "set" => Some(ListType::Set(text.span())),
            "map" => {
                let keys = attrs.list_map_keys.as_ref()?.0.iter();
                Some(ListType::Map(keys.filter_map(|key| Some((key.literal()?, key.span()))).collect()))
            }
            _ => None,
        }
    }
}

/// Reads an expression such as `ListMerge::Set` or `ListMerge::Map(vec!["name".into()])`.
fn from_strategy(strategy: &Expr) -> Option<ListType> {
    let last = |expr: &Expr| match expr {
        Expr::Path(path) => {
            let mut names = path.path.segments.iter().rev().map(|segment| segment.ident.to_string());
            let (name, of) = (names.next()?, names.next()?);
            (of == "ListMerge").then_some(name)
        }
        _ => None,
    };
    if last(strategy).is_some_and(|name| name == "Set") {
        return Some(ListType::Set(strategy.span()));
    }
    let Expr::Call(call) = strategy else { return None };
    if last(&call.func).is_none_or(|name| name != "Map") {
        return None;
    }
    let Expr::Macro(list) = call.args.first()? else { return None };
    let keys = list.mac.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated).ok()?;
    Some(ListType::Map(keys.iter().filter_map(|key| Some((owned(key)?, key.span()))).collect()))
}

/// Returns the string in `"name".into()`, `"name".to_owned()` or `String::from("name")`.
fn owned(expr: &Expr) -> Option<String> {
    match expr {
        Expr::MethodCall(call) if call.args.is_empty() => literal(&call.receiver),
        Expr::Call(call) => literal(call.args.first()?),
        other => literal(other),
    }
}
