//! CEL rules in attributes.

use proc_macro2::{Span, TokenTree};
use syn::Meta;
use syn::spanned::Spanned;

use super::read::attributes;
use super::text::{Code, Text};
use super::value::FromMeta;

/// A rule: an expression that converts to `Rule`, or separate items.
#[derive(Clone)]
pub(crate) enum Rule {
    /// `validation = "self > 0"`, `validation = ("self > 0", "must be positive")`, `validation = Rule::new(...)`.
    Code(Code),
    /// `validation(rule = "...", message = "...")`
    Parts(Box<RuleParts>),
}

impl Rule {
    /// Returns the position of the rule in the code.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Code(code) => code.0.span(),
            Self::Parts(parts) => parts.rule.span(),
        }
    }
}

attributes! {
    /// The items that describe a rule.
    #[derive(Clone)]
    pub(crate) struct RuleParts {
        pub(crate) rule: Text,
        pub(crate) message: Option<Text>,
        pub(crate) message_expression: Option<Text>,
        pub(crate) reason: Option<Text>,
        pub(crate) field_path: Option<Text>,
        pub(crate) optional_old_self: Option<bool>,
    }
}

fn is_literal(tree: TokenTree) -> bool {
    matches!(tree, TokenTree::Literal(_))
}

impl FromMeta for Rule {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        match item {
            Meta::List(list) if list.tokens.clone().into_iter().next().is_some_and(is_literal) => {
                let name = list.path.get_ident().map(ToString::to_string).unwrap_or_default();
                let message = format!(
                    "a rule without named parts needs a `=`: write `{name} = (\"rule\", \"message\")`, or name the parts: `{name}(rule = \"...\", message = \"...\")`"
                );
                Err(syn::Error::new(list.span(), message))
            }
            Meta::List(_) => RuleParts::from_meta(item).map(|parts| Self::Parts(Box::new(parts))),
            _ => Code::from_meta(item).map(Self::Code),
        }
    }
}
