//! Strings in attributes: literals, constants and `concat!`. Literals are checked while the macro runs.

use crd_go::KubeVersion;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, LitStr, Meta, Path, Token};

use super::value::{FromMeta, literal_of, unexpected_literal};
use crate::nesting;

/// A string in an attribute.
#[derive(Clone)]
pub(crate) struct Text(Expr);

impl Text {
    /// Returns the string, if it is a literal.
    pub(crate) fn literal(&self) -> Option<String> {
        literal(&self.0)
    }

    pub(crate) fn span(&self) -> Span {
        self.0.span()
    }
}

/// Returns the string, if the expression is a literal or `concat!` of literals.
pub(crate) fn literal(expr: &Expr) -> Option<String> {
    match peeled(expr) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        Expr::Macro(call) if call.mac.path.segments.last()?.ident == "concat" => {
            let parts = Punctuated::<Expr, Token![,]>::parse_terminated;
            call.mac.parse_body_with(parts).ok()?.iter().map(part).collect()
        }
        _ => None,
    }
}

/// Returns the text of an argument of `concat!`. The argument may be a literal other than a string.
fn part(expr: &Expr) -> Option<String> {
    match peeled(expr) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => Some(number.base10_digits().to_owned()),
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Some(value.value.to_string()),
        Expr::Lit(ExprLit { lit: Lit::Char(value), .. }) => Some(value.value().to_string()),
        other => literal(other),
    }
}

impl ToTokens for Text {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

impl FromMeta for Text {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        Ok(Self(value(item)?))
    }
}

/// Returns the value of `key = value`.
fn value(item: &Meta) -> syn::Result<Expr> {
    match item {
        Meta::NameValue(pair) => text(&pair.value),
        other => {
            let name = other.path().to_token_stream().to_string();
            Err(syn::Error::new(other.span(), format!("`{name}` needs a string: `{name} = \"...\"`")))
        }
    }
}

fn text(expr: &Expr) -> syn::Result<Expr> {
    match peeled(expr) {
        Expr::Lit(ExprLit { lit, .. }) if !matches!(lit, Lit::Str(_)) => {
            Err(syn::Error::new(expr.span(), "expected a string: `\"...\"`, a constant or `concat!(...)`"))
        }
        expr => Ok(expr.clone()),
    }
}

/// Returns the expression without the invisible groups that `macro_rules!` adds.
pub(super) fn peeled(mut expr: &Expr) -> &Expr {
    while let Expr::Group(group) = expr {
        expr = &group.expr;
    }
    expr
}

/// Two strings in parentheses: `label("key", "value")`.
#[derive(Clone)]
pub(crate) struct Pair(pub(crate) Text, pub(crate) Text);

impl FromMeta for Pair {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        let wrong = || {
            let name = item.path().to_token_stream();
            let message = format!("`{name}` needs two strings: `{name}(\"...\", \"...\")`");
            syn::Error::new(item.span(), message)
        };
        let Meta::List(list) = item else { return Err(wrong()) };
        let both =
            list.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated).map_err(|_| wrong())?;
        let mut both = both.iter();
        match (both.next(), both.next(), both.next()) {
            (Some(key), Some(value), None) => Ok(Self(Text(text(key)?), Text(text(value)?))),
            _ => Err(wrong()),
        }
    }
}

/// A list of strings: `["a", "b"]` or `("a", "b")`.
#[derive(Clone, Default)]
pub(crate) struct Texts(pub(crate) Vec<Text>);

impl FromMeta for Texts {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        let wrong = || syn::Error::new(item.span(), "expected strings: `[\"a\", \"b\"]`");
        let elements: Vec<Expr> = match item {
            Meta::List(list) => list
                .parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated)
                .map_err(|_| wrong())?
                .into_iter()
                .collect(),
            Meta::NameValue(pair) => match peeled(&pair.value) {
                Expr::Array(array) => array.elems.iter().cloned().collect(),
                single @ Expr::Lit(_) => vec![single.clone()],
                _ => return Err(wrong()),
            },
            Meta::Path(_) => return Err(wrong()),
        };
        elements.iter().map(|element| text(element).map(Text)).collect::<syn::Result<_>>().map(Self)
    }
}

/// A known version of Kubernetes, as a string: `"1.31"`.
#[derive(Clone, Copy)]
pub(crate) struct Release(pub(crate) KubeVersion);

impl FromMeta for Release {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        let text = match literal_of(item)? {
            Lit::Str(text) => text,
            other => return Err(unexpected_literal(other)),
        };
        match text.value().parse::<KubeVersion>() {
            Ok(version) if version.is_known() => Ok(Self(version)),
            _ => {
                let (oldest, newest) = (KubeVersion::OLDEST, KubeVersion::NEWEST);
                let message = format!("expected a Kubernetes version from {oldest} to {newest}");
                Err(syn::Error::new(text.span(), message))
            }
        }
    }
}

/// An expression, used unchanged.
#[derive(Clone)]
pub(crate) struct Code(pub(crate) Expr);

impl FromMeta for Code {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        match item {
            Meta::NameValue(pair) => Ok(Self(peeled(&pair.value).clone())),
            other => Err(syn::Error::new(other.span(), "expected `= ...`")),
        }
    }
}

/// Code such as a type or a path, with or without quotes.
#[derive(Clone)]
pub(crate) struct Parsed<T>(pub(crate) T);

impl<T: Parse> FromMeta for Parsed<T> {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        let Meta::NameValue(pair) = item else {
            return Err(syn::Error::new(item.span(), "expected `= \"...\"`"));
        };
        let value = peeled(&pair.value);
        let parsed = match value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => parsed(text),
            expr => syn::parse2(expr.to_token_stream()),
        };
        // An error at the end of an empty literal has no place of its own.
        parsed.map(Self).map_err(|error| syn::Error::new(value.span(), error))
    }
}

/// Parses the code in a string. Code that is nested too deeply is rejected before a recursive parser reads it.
pub(crate) fn parsed<T: Parse>(text: &LitStr) -> syn::Result<T> {
    let code = text.value();
    if code.trim().is_empty() {
        return Err(syn::Error::new(
            text.span(),
            "the string is empty: write a name, or remove the attribute",
        ));
    }
    if nesting::is_deep_text(&code) {
        return Err(syn::Error::new(text.span(), nesting::TOO_DEEP));
    }
    let tokens = text.parse::<TokenStream>()?;
    match nesting::too_deep(&tokens) {
        Some(_) => Err(syn::Error::new(text.span(), nesting::TOO_DEEP)),
        None => syn::parse2(tokens).map_err(|error| syn::Error::new(text.span(), error)),
    }
}

/// The path of a crate, without arguments.
#[derive(Clone)]
pub(crate) struct CratePath(pub(crate) Path);

impl Parse for CratePath {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let path = Path::parse_mod_style(input)?;
        match path.segments.last() {
            Some(_) if path.segments.iter().all(|part| part.ident != "Self" && part.ident != "_") => {
                Ok(Self(path))
            }
            _ => Err(input.error("expected the path of a crate")),
        }
    }
}
