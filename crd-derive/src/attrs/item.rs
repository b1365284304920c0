//! The items in an attribute's parentheses: `name`, `name = value` and `name(...)`.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::token::{Brace, Bracket, Paren};
use syn::{
    Expr, ExprLit, Ident, Lit, LitBool, MacroDelimiter, Meta, MetaList, MetaNameValue, Path, PathSegment,
    Token,
};

/// An item in an attribute. Unlike in `syn::Meta`, the name may be a keyword, as in `type = "integer"`.
#[derive(Clone)]
pub(crate) enum AttributeItem {
    Meta(Meta),
    /// A literal without a name.
    Literal(Lit),
    /// `name = value`, if the value is not an expression. The error is reported only if the value is used.
    NoExpression(Path, syn::Error),
}

impl AttributeItem {
    /// Returns the items of a list, without the parentheses.
    pub(crate) fn list(tokens: TokenStream) -> syn::Result<Vec<Self>> {
        let items = Punctuated::<Self, Token![,]>::parse_terminated.parse2(tokens)?;
        Ok(items.into_iter().collect())
    }

    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Meta(meta) => meta.span(),
            Self::Literal(literal) => literal.span(),
            Self::NoExpression(path, _) => path.span(),
        }
    }
}

impl Parse for AttributeItem {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Lit) && !(input.peek(LitBool) && input.peek2(Token![=])) {
            return input.parse().map(Self::Literal);
        }
        let is_path = input.peek(Ident::peek_any) || input.peek(Token![::]) && input.peek3(Ident::peek_any);
        if !is_path {
            return Err(input.error("expected identifier or literal"));
        }
        let path = path(input)?;
        if input.peek(Paren) || input.peek(Bracket) || input.peek(Brace) {
            let group: Group = input.parse()?;
            let delimiter = delimiter(&group);
            return Ok(Self::Meta(Meta::List(MetaList { path, delimiter, tokens: group.stream() })));
        }
        if !input.peek(Token![=]) {
            return Ok(Self::Meta(Meta::Path(path)));
        }
        let eq_token = input.parse()?;
        match value(input)? {
            Ok(value) => Ok(Self::Meta(Meta::NameValue(MetaNameValue { path, eq_token, value }))),
            Err(error) => Ok(Self::NoExpression(path, error)),
        }
    }
}

fn path(input: ParseStream<'_>) -> syn::Result<Path> {
    let mut path = Path { leading_colon: input.parse()?, segments: Punctuated::new() };
    loop {
        path.segments.push_value(PathSegment::from(Ident::parse_any(input)?));
        if !input.peek(Token![::]) {
            return Ok(path);
        }
        path.segments.push_punct(input.parse()?);
        if !input.peek(Ident::peek_any) {
            return Err(input.error("expected path segment after `::`"));
        }
    }
}

fn delimiter(group: &Group) -> MacroDelimiter {
    let span = group.delim_span();
    match group.delimiter() {
        Delimiter::Brace => MacroDelimiter::Brace(Brace(span)),
        Delimiter::Bracket => MacroDelimiter::Bracket(Bracket(span)),
        Delimiter::Parenthesis | Delimiter::None => MacroDelimiter::Paren(Paren(span)),
    }
}

/// Parses a value as an expression. If it is not an expression, returns the error and skips the tokens up to the next comma.
fn value(input: ParseStream<'_>) -> syn::Result<Result<Expr, syn::Error>> {
    // A negative number at the end is a literal; among others it is an expression.
    let ahead = input.fork();
    let literal: Option<Lit> = ahead.parse()?;
    if let Some(lit) = literal.filter(|_| ahead.is_empty()) {
        input.advance_to(&ahead);
        return Ok(Ok(Expr::Lit(ExprLit { attrs: Vec::new(), lit })));
    }
    if input.peek(Token![#]) && input.peek2(Bracket) {
        return Err(input.error("unexpected attribute inside of attribute"));
    }
    let error = match input.parse() {
        Ok(value) => return Ok(Ok(value)),
        Err(error) => error,
    };
    input.step(|cursor| {
        let mut rest = *cursor;
        while let Some((token, next)) = rest.token_tree() {
            if matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ',') {
                break;
            }
            rest = next;
        }
        Ok(((), rest))
    })?;
    Ok(Err(error))
}
