//! Checks CEL rules: their syntax, field names, types and reasons. A rule with several lines must have a message, and
//! duplicate rules are errors.

use crd_go::KubeVersion;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit};

use super::cel::{self, Known};
use super::suggestion::choice;
use super::typed::{self, Old, Wanted};
use super::wrong;
use crate::attrs::rule::Rule;
use crate::attrs::text::{Release, Text, literal};
use crate::errors::Errors;

const REASONS: &[&str] =
    &["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// Checks the rules for one value as the Kubernetes version `server` compiles them. `this` is what the macro knows about the value.
pub(super) fn rules(rules: &[Rule], this: &Known, server: Option<Release>, errors: &mut Errors) {
    let server = server.map_or(KubeVersion::DEFAULT, |release| release.0);
    let mut seen: Vec<String> = Vec::new();
    for rule in rules {
        let words = RuleWords::from_rule(rule);
        if let Some((text, span)) = &words.rule {
            if seen.contains(text) {
                wrong(errors, *span, "this rule is given twice: remove one".to_owned());
            }
            seen.push(text.clone());
            expression(text, *span, words.message.is_some(), errors);
        }
        if let Rule::Code(code) = rule
            && let Expr::Lit(ExprLit { lit, .. }) = &code.0
            && !matches!(lit, Lit::Str(_))
        {
            let help =
                "expected a rule: `\"self > 0\"`, `(\"self > 0\", \"must be positive\")` or `Rule::new(...)`";
            wrong(errors, lit.span(), help.to_owned());
        }
        words.check(this, server, errors);
    }
}

/// The literals in a rule.
struct RuleWords {
    rule: Option<(String, Span)>,
    /// `None` if it is not a literal.
    message: Option<(String, Span)>,
    message_expression: Option<(String, Span)>,
    reason: Option<(String, Span)>,
    field_path: Option<(String, Span)>,
    /// The value of `optional_old_self`. `None` if it is not a literal.
    old_is_optional: Option<bool>,
}

impl RuleWords {
    fn from_rule(rule: &Rule) -> Self {
        let mut words = Self {
            rule: None,
            message: None,
            message_expression: None,
            reason: None,
            field_path: None,
            old_is_optional: Some(false),
        };
        match rule {
            Rule::Code(code) => words.read(&code.0),
            Rule::Parts(parts) => {
                let text = |text: &Text| (text.literal().unwrap_or_default(), text.span());
                let known = |text: Option<&Text>| text.and_then(|text| Some((text.literal()?, text.span())));
                words.rule = known(Some(&parts.rule));
                words.message = parts.message.as_ref().map(text);
                words.message_expression = known(parts.message_expression.as_ref());
                words.reason = known(parts.reason.as_ref());
                words.field_path = known(parts.field_path.as_ref());
                words.old_is_optional = Some(parts.optional_old_self == Some(true));
            }
        }
        words
    }

    /// Reads `"rule"`, `("rule", "message")` and `Rule::new("rule").message("message")`.
    fn read(&mut self, expr: &Expr) {
        let text = |expr: &Expr| literal(expr).map(|text| (text, expr.span()));
        match expr {
            Expr::Tuple(pair) => {
                self.rule = pair.elems.first().and_then(text);
                self.message = pair.elems.get(1).map(|expr| (literal(expr).unwrap_or_default(), expr.span()));
            }
            Expr::MethodCall(call) => {
                self.read(&call.receiver);
                let Some(argument) = call.args.first() else { return };
                match call.method.to_string().as_str() {
                    "message" => {
                        self.message = Some((literal(argument).unwrap_or_default(), argument.span()));
                    }
                    "message_expression" => self.message_expression = text(argument),
                    "field_path" => self.field_path = text(argument),
                    "optional_old_self" => self.old_is_optional = truth(argument),
                    _ => {}
                }
            }
            Expr::Call(call) => {
                if let Expr::Path(path) = &*call.func
                    && path.path.segments.last().is_some_and(|last| last.ident == "new")
                {
                    self.rule = call.args.first().and_then(text);
                }
            }
            other => self.rule = text(other),
        }
    }

    fn check(&self, this: &Known, server: KubeVersion, errors: &mut Errors) {
        let old = match self.old_is_optional {
            Some(false) => Old::Same,
            Some(true) => Old::Optional,
            None => Old::Unknown,
        };
        let of_old = if old == Old::Same { this } else { &Known::Nothing };
        let texts = [
            ("rule", &self.rule, Wanted::Bool),
            ("message expression", &self.message_expression, Wanted::String),
        ];
        for (what, text, wanted) in texts {
            if let Some((text, span)) = text
                && !text.trim().is_empty()
                && let Err(error) = cel::check(text, this, of_old)
                    .and_then(|()| typed::check(text, this, old, (wanted, server)))
            {
                wrong(errors, *span, format!("the {what} does not compile:\n{error}"));
            }
        }
        if let Some((text, span)) = &self.message_expression
            && text.trim().is_empty()
        {
            wrong(errors, *span, "the message expression is empty: write one, or leave it out".to_owned());
        }
        if let Some((text, span)) = &self.message {
            message(text, *span, errors);
        }
        if let Some((reason, span)) = &self.reason
            && !REASONS.contains(&&**reason)
        {
            wrong(errors, *span, format!("`{reason}` is not a reason{}", choice(reason, REASONS)));
        }
        if let Some((path, span)) = &self.field_path
            && !path.starts_with(['.', '['])
        {
            wrong(errors, *span, format!("a field path begins with a dot: write `.{path}`"));
        }
    }
}

/// Returns the value of a boolean literal.
fn truth(expr: &Expr) -> Option<bool> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Some(value.value),
        _ => None,
    }
}

fn expression(rule: &str, span: Span, has_message: bool, errors: &mut Errors) {
    if rule.trim().is_empty() {
        let help = "the rule is empty: write a CEL expression, as in `self.min <= self.max`";
        wrong(errors, span, help.to_owned());
    } else if rule.trim().contains(['\n', '\r']) && !has_message {
        let help = "a rule of several lines needs a message: `validation = (\"...\", \"what is wrong\")`";
        wrong(errors, span, help.to_owned());
    }
}

fn message(message: &str, span: Span, errors: &mut Errors) {
    if message.trim().is_empty() && !message.is_empty() {
        wrong(errors, span, "the message is empty: write one, or leave it out".to_owned());
    } else if message.trim().contains(['\n', '\r']) {
        wrong(errors, span, "a message must be a single line: remove the line break".to_owned());
    }
}
