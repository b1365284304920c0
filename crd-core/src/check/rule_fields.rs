//! Checks the fields of the rules in `x-kubernetes-validations`, before the expressions are compiled.

use crd_go::KubeVersion;

use crate::cel::field_path::resolve;
use crate::crd::{JsonSchemaProps, ValidationRule};
use crate::lazy_path::LazyPath;
use crate::schema::Structural;
use crate::{Causes, Diagnostic, Shown};

const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// Checks the fields of a schema node's CEL rules. `structural` is the node's structural form, if it is already known.
pub(super) fn rules(
    rules: &[ValidationRule],
    schema: &JsonSchemaProps,
    structural: Option<&Structural>,
    place: &LazyPath<'_>,
    out: &mut Causes,
) {
    let list = place.child("x-kubernetes-validations");
    for (i, rule) in rules.iter().enumerate() {
        let place = list.index(i);
        message(rule, &place, out);
        if !rule.message_expression.is_empty() && rule.message_expression.trim().is_empty() {
            let detail = "messageExpression must be non-empty if specified";
            out.push(Diagnostic::required(place.child("messageExpression").path(), detail));
        }
        if let Some(reason) = rule.reason.as_deref().filter(|reason| !REASONS.contains(reason)) {
            let shown = Shown::named(reason, out.version());
            out.push(Diagnostic::not_supported(place.child("reason").path(), shown, &REASONS));
        }
        field_path(&rule.field_path, schema, structural, &place, out);
    }
}

fn message(rule: &ValidationRule, place: &LazyPath<'_>, out: &mut Causes) {
    let path = || place.child("message").path();
    let (expression, text) = (rule.rule.trim(), rule.message.trim());
    if expression.is_empty() {
        out.push(
            Diagnostic::required(place.child("rule").path(), "rule is not specified")
                .with_help("add the expression, or remove the rule"),
        );
    } else if text.is_empty() && !rule.message.is_empty() {
        out.push({
            let detail = detail("message", "must be non-empty if specified", out.version());
            Diagnostic::invalid(path(), rule.message.as_str(), &detail)
        });
    } else if has_line_breaks(text) {
        out.push({
            let detail = detail("message", "must not contain line breaks", out.version());
            Diagnostic::invalid(path(), rule.message.as_str(), &detail)
        });
    } else if has_line_breaks(expression) && text.is_empty() {
        let detail = "message must be specified if rule contains line breaks";
        out.push(Diagnostic::required(path(), detail).with_help("add `message`"));
    }
}

fn field_path(
    text: &str,
    schema: &JsonSchemaProps,
    structural: Option<&Structural>,
    place: &LazyPath<'_>,
    out: &mut Causes,
) {
    let version = out.version();
    let mut invalid = |text_of: &str| {
        let detail = detail("fieldPath", text_of, version);
        out.push(Diagnostic::invalid(place.child("fieldPath").path(), text, &detail));
    };
    if text.is_empty() {
        return;
    }
    if text.trim().is_empty() {
        invalid("must be non-empty if specified");
    }
    if has_line_breaks(text) {
        invalid("must not contain line breaks");
    }
    let leads_somewhere = match structural {
        Some(structural) => resolve(text, structural, true).is_ok(),
        // What cannot be told counts as right.
        None => Structural::from_json_schema(schema)
            .map_or(true, |structural| resolve(text, &structural, true).is_ok()),
    };
    if !leads_somewhere {
        invalid("must be a valid path");
    }
}

/// Returns the detail of a cause. Up to Kubernetes 1.33, the detail begins with the name of the field.
fn detail(field: &str, text: &str, version: KubeVersion) -> String {
    if version.is_at_least(34) { text.to_owned() } else { format!("{field} {text}") }
}

fn has_line_breaks(text: &str) -> bool {
    text.contains(['\n', '\r'])
}
