//! The attribute `allow(RULE, reason = "...")`, which accepts the findings of a lint rule.

use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Ident, LitStr, Meta, Token};

use super::value::FromMeta;

/// A rule of `crdkit lint`, and the reason to accept its findings.
#[derive(Clone)]
pub(crate) struct Allow {
    pub(crate) rule: String,
    pub(crate) reason: String,
}

impl FromMeta for Allow {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        let usage = || {
            let message = "`allow` needs a rule of `crdkit lint` and a reason: `allow(list-without-type, reason = \"...\")`";
            syn::Error::new(item.span(), message)
        };
        let Meta::List(list) = item else { return Err(usage()) };
        let (rule, reason) = list.parse_args_with(rule_and_reason).map_err(|_| usage())?;
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if rule.is_empty() || !rule.chars().all(is_name) {
            return Err(usage());
        }
        let words = reason.value();
        if words.trim().is_empty() || words.chars().any(char::is_control) {
            return Err(syn::Error::new(
                reason.span(),
                "the reason must be one line of text that explains why the findings are accepted",
            ));
        }
        Ok(Self { rule, reason: words.trim().to_owned() })
    }
}

/// Reads the rule's name and the reason. The name is a string, or words joined by hyphens.
fn rule_and_reason(input: ParseStream<'_>) -> syn::Result<(String, LitStr)> {
    let rule = if input.peek(LitStr) {
        input.parse::<LitStr>()?.value()
    } else {
        let mut rule = Ident::parse_any(input)?.to_string();
        while input.peek(Token![-]) {
            input.parse::<Token![-]>()?;
            rule.push('-');
            rule += &Ident::parse_any(input)?.to_string();
        }
        rule
    };
    input.parse::<Token![,]>()?;
    let word: Ident = input.parse()?;
    if word != "reason" {
        return Err(input.error("expected `reason`"));
    }
    input.parse::<Token![=]>()?;
    let reason = input.parse()?;
    input.parse::<Option<Token![,]>>()?;
    Ok((rule, reason))
}
