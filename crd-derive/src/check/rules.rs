//! CEL rules: not empty, on one line or with a message, with a reason that the API has.

use darling::error::Accumulator;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit};

use super::columns::choice;
use super::wrong;
use crate::attrs::rule::Rule;
use crate::attrs::text::Text;

const REASONS: &[&str] =
    &["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

pub(super) fn rule(rule: &Rule, errors: &mut Accumulator) {
    match rule {
        Rule::Code(code) => match &code.0 {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                expression(&text.value(), text.span(), false, errors);
            }
            Expr::Lit(other) => {
                let help = "expected a rule: `\"self > 0\"`, `(\"self > 0\", \"must be positive\")` or `Rule::new(...)`";
                wrong(errors, other.span(), help.to_owned());
            }
            Expr::Tuple(pair) => {
                if let Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) = pair.elems.first() {
                    expression(&text.value(), text.span(), true, errors);
                }
                if let Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) = pair.elems.get(1) {
                    message(&text.value(), text.span(), errors);
                }
            }
            _ => {}
        },
        Rule::Parts(parts) => {
            if let Some(text) = parts.rule.literal() {
                expression(&text, parts.rule.span(), parts.message.is_some(), errors);
            }
            let literal =
                |text: &Option<Text>| text.as_ref().and_then(|text| Some((text.literal()?, text.span())));
            if let Some((text, span)) = literal(&parts.message) {
                message(&text, span, errors);
            }
            if let Some((reason, span)) = literal(&parts.reason)
                && !REASONS.contains(&&*reason)
            {
                wrong(errors, span, format!("`{reason}` is no reason{}", choice(&reason, REASONS)));
            }
            if let Some((path, span)) = literal(&parts.field_path)
                && !path.starts_with(['.', '['])
            {
                wrong(errors, span, format!("a field path begins with a dot: write `.{path}`"));
            }
        }
    }
}

fn expression(rule: &str, span: Span, has_message: bool, errors: &mut Accumulator) {
    if rule.trim().is_empty() {
        wrong(
            errors,
            span,
            "the rule is empty: write a CEL expression, as in `self.min <= self.max`".to_owned(),
        );
    } else if rule.trim().contains(['\n', '\r']) && !has_message {
        let help = "a rule of several lines needs a message: `validation = (\"...\", \"what is wrong\")`";
        wrong(errors, span, help.to_owned());
    }
}

fn message(message: &str, span: Span, errors: &mut Accumulator) {
    if message.trim().is_empty() {
        wrong(errors, span, "the message is empty: say what is wrong, or leave it out".to_owned());
    } else if message.trim().contains(['\n', '\r']) {
        wrong(errors, span, "a message stands on one line: remove the line break".to_owned());
    }
}
