//! Reads the values of items: flags, numbers and others.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, LitStr, Meta};

use super::item::AttributeItem;
use super::read::{Attributes, Reader, read};
use super::text::peeled;

/// A value that an item sets.
pub(crate) trait FromMeta: Sized {
    /// Reads the value.
    fn from_meta(item: &Meta) -> syn::Result<Self>;

    /// Returns the value if the item is absent, or `None` if the item is required.
    fn absent() -> Option<Self> {
        None
    }
}

impl<T: Attributes> FromMeta for T {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        match item {
            Meta::List(list) => read(&AttributeItem::list(list.tokens.clone())?, item.span()),
            Meta::Path(_) => Err(unexpected_word(item)),
            Meta::NameValue(pair) => Err(unexpected_value(&pair.value)),
        }
    }
}

impl<T: FromMeta> FromMeta for Option<T> {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        T::from_meta(item).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// A list after a [`Flag`]. Each item in it is an error.
impl Attributes for () {
    const NAMES: &'static [&'static str] = &[];

    fn read(_: &mut Reader<'_>) -> Option<Self> {
        Some(())
    }
}

/// An item without a value, such as `namespaced`. Contains its position if it is present.
#[derive(Clone, Copy, Default)]
pub(crate) struct Flag(Option<Span>);

impl Flag {
    /// Creates a flag that is set.
    pub(crate) fn present() -> Self {
        Self(Some(Span::call_site()))
    }

    pub(crate) fn is_present(self) -> bool {
        self.0.is_some()
    }

    /// Returns the position of the flag, or of the whole macro call if the flag is absent.
    pub(crate) fn span(self) -> Span {
        self.0.unwrap_or_else(Span::call_site)
    }
}

impl FromMeta for Flag {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        match item {
            Meta::Path(path) => Ok(Self(Some(path.span()))),
            Meta::List(_) => <()>::from_meta(item).map(|()| Self(Some(item.span()))),
            Meta::NameValue(pair) => Err(unexpected_value(&pair.value)),
        }
    }

    fn absent() -> Option<Self> {
        Some(Self(None))
    }
}

/// A value with its position in the code.
#[derive(Clone, Copy)]
pub(crate) struct SpannedValue<T> {
    value: T,
    span: Span,
}

impl<T> SpannedValue<T> {
    pub(crate) fn span(&self) -> Span {
        self.span
    }
}

impl<T> std::ops::Deref for SpannedValue<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: FromMeta> FromMeta for SpannedValue<T> {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        let span = match item {
            Meta::Path(path) => path.span(),
            Meta::List(list) => list.tokens.span(),
            Meta::NameValue(pair) => pair.value.span(),
        };
        Ok(Self { value: T::from_meta(item)?, span })
    }
}

impl FromMeta for bool {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        if let Meta::Path(_) = item {
            return Ok(true);
        }
        match literal_of(item)? {
            Lit::Bool(value) => Ok(value.value),
            Lit::Str(text) => text.value().parse().map_err(|_| unknown_value(text)),
            other => Err(unexpected_literal(other)),
        }
    }
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl FromMeta for $type {
            fn from_meta(item: &Meta) -> syn::Result<Self> {
                match literal_of(item)? {
                    Lit::Int(number) => number.base10_parse(),
                    Lit::Str(text) => text.value().parse().map_err(|_| unknown_value(text)),
                    other => Err(unexpected_literal(other)),
                }
            }
        }
    )*};
}
numbers!(i32, i64, u32);

/// Returns the literal in `name = literal`.
pub(super) fn literal_of(item: &Meta) -> syn::Result<&Lit> {
    match item {
        Meta::Path(_) => Err(unexpected_word(item)),
        Meta::List(list) => {
            AttributeItem::list(list.tokens.clone())?;
            Err(syn::Error::new(item.span(), "unexpected meta-item format `list`"))
        }
        Meta::NameValue(pair) => match peeled(&pair.value) {
            Expr::Lit(ExprLit { lit, .. }) => Ok(lit),
            other => Err(unexpected_value(other)),
        },
    }
}

fn unexpected_word(item: &Meta) -> syn::Error {
    syn::Error::new(item.span(), "unexpected meta-item format `word`")
}

fn unexpected_value(value: &Expr) -> syn::Error {
    match peeled(value) {
        Expr::Lit(ExprLit { lit, .. }) => unexpected_literal(lit),
        other => syn::Error::new(other.span(), "unexpected type `expression`"),
    }
}

pub(super) fn unexpected_literal(literal: &Lit) -> syn::Error {
    let kind = match literal {
        Lit::Str(_) => "string",
        Lit::ByteStr(_) => "byte string",
        Lit::Byte(_) => "byte",
        Lit::Char(_) => "char",
        Lit::Int(_) => "int",
        Lit::Float(_) => "float",
        Lit::Bool(_) => "bool",
        _ => "unknown",
    };
    syn::Error::new(literal.span(), format!("unexpected type `{kind}`"))
}

fn unknown_value(text: &LitStr) -> syn::Error {
    syn::Error::new(text.span(), format!("unknown value: `{}`", text.value()))
}
