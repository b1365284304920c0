//! Reads attributes such as `range`, with which schemars, validator and garde limit values. Only literals are read.

use crd_go::json_text::JsonText;
use proc_macro2::{Span, TokenStream};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Meta, MetaList, Token, UnOp};

use super::text::literal;
use super::{is_one_of, metas};

/// The literal bounds of a value.
#[derive(Clone, Default)]
pub(crate) struct Bounds {
    pub(crate) range: Limits,
    pub(crate) length: Limits,
    pub(crate) patterns: Vec<(String, Span)>,
    /// The default from `extend`.
    pub(crate) default: Option<(JsonText, Span)>,
    /// Set if `extend` has other keys. The schema may then be anything.
    pub(crate) is_extended: bool,
    /// The bounds for the items of a list.
    pub(crate) inner: Option<Box<Self>>,
    /// The attributes, in order.
    pub(crate) words: Vec<BoundWord>,
}

/// An attribute that bounds a value.
#[derive(Clone)]
pub(crate) struct BoundWord {
    pub(crate) kind: BoundKind,
    /// The name of the attribute.
    pub(crate) name: Ident,
    /// Set for a schemars attribute. Such an attribute affects only the schema.
    pub(crate) is_schemars: bool,
    /// The minimum, the maximum and the pattern, as schemars reads them.
    pub(crate) min: Option<Expr>,
    pub(crate) max: Option<Expr>,
    pub(crate) pattern: Option<Expr>,
}

/// The kinds of attributes that bound a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoundKind {
    /// `range(...)`
    Range,
    /// `length(...)`
    Length,
    /// `pattern(...)`, `regex(...)` or `contains(...)`
    Pattern,
    /// `email`, `url`, `ip`, `ipv4` or `ipv6`
    Format,
}

/// A lower and an upper limit, each with its position in the code.
#[derive(Clone, Copy, Default)]
pub(crate) struct Limits {
    pub(crate) min: Option<(Number, Span)>,
    pub(crate) max: Option<(Number, Span)>,
}

/// A number in the code.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Int(i128),
    Float(f64),
}

impl Bounds {
    pub(crate) fn from_attributes(attrs: &[Attribute]) -> Self {
        let mut bounds = Self::default();
        for attr in attrs {
            if is_one_of(attr, &["schemars", "validate", "garde"]) {
                bounds.read(&attr.meta, attr.path().is_ident("schemars"));
            }
        }
        bounds
    }

    fn read(&mut self, all: &Meta, is_schemars: bool) {
        for meta in metas(all) {
            self.words.extend(BoundWord::from_meta(&meta, is_schemars));
            let Meta::List(item) = &meta else { continue };
            match meta.path().get_ident().map(ToString::to_string).as_deref() {
                Some("range") => self.range.read(&meta),
                Some("length") => self.length.read(&meta),
                // `pattern("...")` and `regex(pattern = "...")`; that of `validate` is a path.
                Some("pattern") => self.patterns.extend(item.parse_args().ok().as_ref().and_then(text)),
                Some("regex") => {
                    self.patterns.extend(metas(&meta).iter().filter_map(|meta| match meta {
                        Meta::NameValue(pair) if pair.path.is_ident("pattern") => text(&pair.value),
                        _ => None,
                    }));
                }
                Some("inner") => self.inner.get_or_insert_default().read(&meta, is_schemars),
                Some("extend") => self.extend(item),
                _ => {}
            }
        }
    }

    fn extend(&mut self, list: &MetaList) {
        let pairs = list.parse_args_with(Punctuated::<Extension, Token![,]>::parse_terminated);
        for Extension { key, value, span } in pairs.into_iter().flatten() {
            match (key.as_str(), value) {
                ("default", Some(value)) => self.default = Some((value, span)),
                ("pattern", Some(JsonText::String(pattern))) => self.patterns.push((pattern, span)),
                ("title" | "description" | "example" | "examples", _) => {}
                _ => self.is_extended = true,
            }
        }
    }
}

impl BoundWord {
    fn from_meta(meta: &Meta, is_schemars: bool) -> Option<Self> {
        let name = meta.path().get_ident()?.clone();
        let kind = match name.to_string().as_str() {
            "range" => BoundKind::Range,
            "length" => BoundKind::Length,
            "pattern" | "regex" | "contains" => BoundKind::Pattern,
            "email" | "url" | "ip" | "ipv4" | "ipv6" => BoundKind::Format,
            _ => return None,
        };
        let mut word = Self { kind, name, is_schemars, min: None, max: None, pattern: None };
        let Meta::List(list) = meta else { return Some(word) };
        for part in metas(meta) {
            let Meta::NameValue(pair) = &part else { continue };
            match (kind, pair.path.get_ident().map(ToString::to_string).as_deref()) {
                (BoundKind::Range | BoundKind::Length, Some("min")) => word.min = code(&pair.value),
                (BoundKind::Range | BoundKind::Length, Some("max")) => word.max = code(&pair.value),
                (BoundKind::Range | BoundKind::Length, Some("equal")) => {
                    (word.min, word.max) = (code(&pair.value), code(&pair.value));
                }
                (BoundKind::Pattern, Some("pattern")) => word.pattern = Some(pair.value.clone()),
                _ => {}
            }
        }
        if word.name == "pattern" {
            word.pattern = list.parse_args().ok();
        }
        Some(word)
    }
}

/// Returns the expression for a bound. Like schemars, it parses a string as code.
fn code(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(code), .. }) => super::text::parsed(code).ok(),
        other => Some(other.clone()),
    }
}

impl Limits {
    fn read(&mut self, bounds: &Meta) {
        for meta in metas(bounds) {
            let Meta::NameValue(pair) = &meta else { continue };
            let found = number(&pair.value).map(|number| (number, pair.value.span()));
            match pair.path.get_ident().map(ToString::to_string).as_deref() {
                Some("min") => self.min = found,
                Some("max") => self.max = found,
                Some("equal") => (self.min, self.max) = (found, found),
                _ => {}
            }
        }
    }
}

impl Number {
    pub(crate) fn is_below(self, other: Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a < b,
            (a, b) => a.to_float() < b.to_float(),
        }
    }

    /// Returns `true` if the API server treats the number as an integer. This includes `1.0`.
    pub(crate) fn is_whole(self) -> bool {
        match self {
            Self::Int(_) => true,
            Self::Float(number) => number.fract() == 0.0,
        }
    }

    /// Parses a JSON number.
    pub(crate) fn from_json(number: &str) -> Option<Self> {
        number.parse().map(Self::Int).or_else(|_| number.parse().map(Self::Float)).ok()
    }

    #[expect(clippy::cast_precision_loss, reason = "beside a float nothing is more precise")]
    fn to_float(self) -> f64 {
        match self {
            Self::Int(number) => number as f64,
            Self::Float(number) => number,
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(number) => number.fmt(f),
            Self::Float(number) => number.fmt(f),
        }
    }
}

/// `"key" = value`. The value is kept if it is JSON.
struct Extension {
    key: String,
    value: Option<JsonText>,
    span: Span,
}

impl Parse for Extension {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.parse::<LitStr>()?.value();
        input.parse::<Token![=]>()?;
        let mut tokens = TokenStream::new();
        while !input.is_empty() && !input.peek(Token![,]) {
            tokens.extend([input.parse::<proc_macro2::TokenTree>()?]);
        }
        Ok(Self { key, span: tokens.span(), value: json(tokens) })
    }
}

/// Converts tokens in the syntax of `json!` to JSON, if they consist of literals.
fn json(tokens: TokenStream) -> Option<JsonText> {
    let text = tokens.to_string();
    match syn::parse2::<Expr>(tokens) {
        Ok(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => Some(JsonText::String(text.value())),
        Ok(expr) if let Some(number) = number(&expr) => Some(JsonText::Number(number.to_string())),
        _ => JsonText::parse(&text).ok(),
    }
}

/// Returns the number that a literal stands for. Like schemars, it parses a string as code.
fn number(expr: &Expr) -> Option<Number> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok().map(Number::Int),
        Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => number.base10_parse().ok().map(Number::Float),
        Expr::Lit(ExprLit { lit: Lit::Str(code), .. }) => {
            super::text::parsed::<Expr>(code).ok().as_ref().and_then(number)
        }
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => number(expr).map(|number| match number {
            Number::Int(number) => Number::Int(-number),
            Number::Float(number) => Number::Float(-number),
        }),
        Expr::Group(group) => number(&group.expr),
        _ => None,
    }
}

fn text(expr: &Expr) -> Option<(String, Span)> {
    Some((literal(expr)?, expr.span()))
}
