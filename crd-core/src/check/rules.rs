//! CEL rules: `x-kubernetes-validations` of the schema of a version.
//!
//! Source: `ValidateCustomResourceDefinitionOpenAPISchema` in `apiextensions/validation/validation.go`, and
//! `schema/cel/compilation.go`.

mod budget;
mod field_path;
mod value;

use std::collections::HashSet;

use crd_cel::Environment;

use crate::cel::{CompiledRule, RULE_COST_LIMIT, RuleError, Rules, SchemaTypes};
use crate::crd::ValidationRule;
use crate::schema::{
    AdditionalProperties, NestedAdditionalProperties, NestedValidation, SchemaType, ValueValidation,
};
use crate::{Diagnostic, FieldPath, Reason, Structural};
use budget::Budget;
use field_path::Fields;

/// Checks what rules say of themselves: that there is a rule, its message, its reason, its field path. This is part of
/// the check of the schema and happens whatever else is wrong.
pub(super) fn texts(schema: &Structural, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    for (name, property) in schema.properties.iter() {
        texts(property, &path.child("properties").key(name), out);
    }
    if let Some(AdditionalProperties::Schema(values)) = &schema.additional_properties {
        texts(values, &path.child("additionalProperties"), out);
    }
    if let Some(items) = &schema.items {
        texts(items, &path.child("items"), out);
    }
    if let Some(validation) = &schema.value_validation {
        junctor_texts(validation, path, out);
    }
    rule_texts(&schema.validations, schema, path, out);
}

/// Rules below `allOf` and the like are refused as such; what they say of themselves is looked at nevertheless.
fn junctor_texts(validation: &ValueValidation, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    for (keyword, schemas) in
        [("allOf", &validation.all_of), ("oneOf", &validation.one_of), ("anyOf", &validation.any_of)]
    {
        for (i, nested) in schemas.iter().flatten().enumerate() {
            nested_texts(nested, &path.child(keyword).index(i), out);
        }
    }
    if let Some(nested) = &validation.not {
        nested_texts(nested, &path.child("not"), out);
    }
}

fn nested_texts(nested: &NestedValidation, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    for (name, property) in nested.properties.iter() {
        nested_texts(property, &path.child("properties").key(name), out);
    }
    if let Some(NestedAdditionalProperties::Schema(values)) = &nested.additional_properties {
        nested_texts(values, &path.child("additionalProperties"), out);
    }
    if let Some(items) = &nested.items {
        nested_texts(items, &path.child("items"), out);
    }
    junctor_texts(&nested.value_validation, path, out);
    if let Some(forbidden) = &nested.forbidden {
        rule_texts(&forbidden.validations, nested, path, out);
    }
}

fn rule_texts<S: Fields>(rules: &[ValidationRule], schema: &S, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    let breaks = |text: &str| text.contains(['\n', '\r']);
    for (i, rule) in rules.iter().enumerate() {
        let path = path.child("x-kubernetes-validations").index(i);
        let (text, message) = (rule.rule.trim(), rule.message.trim());
        if text.is_empty() {
            out.push(Diagnostic::required(path.child("rule"), "rule is not specified"));
        } else if !rule.message.is_empty() && message.is_empty() {
            out.push(invalid(path.child("message"), &rule.message, "must be non-empty if specified"));
        } else if breaks(message) {
            out.push(invalid(path.child("message"), &rule.message, "must not contain line breaks"));
        } else if breaks(text) && message.is_empty() {
            let detail = "message must be specified if rule contains line breaks";
            out.push(Diagnostic::required(path.child("message"), detail));
        }
        if !rule.message_expression.is_empty() && rule.message_expression.trim().is_empty() {
            let detail = "messageExpression must be non-empty if specified";
            out.push(Diagnostic::required(path.child("messageExpression"), detail));
        }
        if let Some(reason) = rule.reason.as_ref().filter(|reason| !REASONS.contains(&&***reason)) {
            let supported: Vec<_> = REASONS.iter().map(|reason| format!("\"{reason}\"")).collect();
            let message = format!(
                "Unsupported value: {}: supported values: {}",
                value::quoted(reason),
                supported.join(", ")
            );
            out.push(Diagnostic::new(path.child("reason"), Reason::NotSupported, message));
        }
        field_path_texts(rule, schema, &path.child("fieldPath"), out);
    }
}

fn field_path_texts<S: Fields>(
    rule: &ValidationRule,
    schema: &S,
    path: &FieldPath,
    out: &mut Vec<Diagnostic>,
) {
    let field_path = &rule.field_path;
    if field_path.is_empty() {
        return;
    }
    if field_path.trim().is_empty() {
        out.push(invalid(path.clone(), field_path, "must be non-empty if specified"));
    }
    if field_path.contains(['\n', '\r']) {
        out.push(invalid(path.clone(), field_path, "must not contain line breaks"));
    }
    if field_path::resolve(field_path, schema).is_err() {
        out.push(invalid(path.clone(), field_path, "must be a valid path"));
    }
}

const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

fn invalid(path: FieldPath, value: &str, detail: &str) -> Diagnostic {
    Diagnostic::new(path, Reason::Invalid, format!("Invalid value: {}: {detail}", value::quoted(value)))
}

/// Compiles and prices all rules of the schema of a version.
///
/// The API server does so only where the schema is structural and its defaults are right, and leaves out nodes at or
/// below which it found something else: `schema_errors`, all of the walk over the schema of which [`texts`] is a part.
pub(super) fn compile(
    schema: &Structural,
    path: &FieldPath,
    environment: Environment,
    schema_errors: &[Diagnostic],
    out: &mut Vec<Diagnostic>,
) {
    let types = SchemaTypes::of_resource(schema);
    let mut faulty = HashSet::new();
    for error in schema_errors {
        let mut at = Some(&error.field);
        while let Some(path) = at.filter(|path| faulty.insert(*path)) {
            at = path.parent();
        }
    }
    let rules = Rules::new(&types, environment);
    let mut compiler = Compiler { rules, budget: Budget::default(), faulty, out };
    compiler.node(schema, path, &Place { cardinality: Some(1), uncorrelatable: None });
    compiler.budget.finish(path, compiler.out);
}

/// What the nodes above mean for a node.
#[derive(Clone)]
struct Place {
    /// How many values of it an object may have; `None` where a limit is missing.
    cardinality: Option<u64>,
    /// The outermost list above in which an item cannot be told from another one.
    uncorrelatable: Option<FieldPath>,
}

struct Compiler<'o, 't, 's> {
    rules: Rules<'t, 's>,
    budget: Budget,
    /// The places of errors in the schema, and all that they are in.
    faulty: HashSet<&'o FieldPath>,
    out: &'o mut Vec<Diagnostic>,
}

impl Compiler<'_, '_, '_> {
    fn node(&mut self, schema: &Structural, path: &FieldPath, place: &Place) {
        let below = Place {
            cardinality: place.cardinality.zip(most_children(schema)).map(|(a, b)| a.saturating_mul(b)),
            uncorrelatable: place.uncorrelatable.clone(),
        };
        for (name, property) in schema.properties.iter() {
            self.node(property, &path.child("properties").key(name), &below);
        }
        if let Some(AdditionalProperties::Schema(values)) = &schema.additional_properties {
            self.node(values, &path.child("additionalProperties"), &below);
        }
        if let Some(items) = &schema.items {
            let mut below = below;
            if schema.extensions.list_type.as_deref() != Some("map") {
                below.uncorrelatable.get_or_insert_with(|| path.clone());
            }
            self.node(items, &path.child("items"), &below);
        }
        self.rules_of(schema, path, place);
    }

    fn rules_of(&mut self, schema: &Structural, path: &FieldPath, place: &Place) {
        if schema.validations.is_empty() || self.faulty.contains(path) {
            return;
        }
        let path = path.child("x-kubernetes-validations");
        if let Err(error) = self.rules.max_cardinality(schema) {
            let message = format!(
                "Internal error: internal error: failed to construct type information for \
                 x-kubernetes-validations rules: {error}"
            );
            self.out.push(Diagnostic::new(path, Reason::Internal, message));
            return;
        }
        for (i, rule) in schema.validations.iter().enumerate() {
            self.rule(schema, rule, &path.index(i), place);
        }
    }

    fn rule(&mut self, schema: &Structural, rule: &ValidationRule, path: &FieldPath, place: &Place) {
        let at = path.child("rule");
        let optional_old_self = rule.optional_old_self == Some(true);
        let uses_old_self = match self.rules.compile_rule(schema, &rule.rule, optional_old_self) {
            Ok(compiled) => {
                self.price(&compiled, &at, place);
                self.message_expression(schema, rule, path);
                compiled.uses_old_self
            }
            Err(error) => {
                self.out.push(refused(at.clone(), rule, &error.to_string(), error.help()));
                matches!(error, RuleError::Instantiation { uses_old_self: true, .. })
            }
        };
        if !uses_old_self && let Some(set) = rule.optional_old_self {
            let message = format!("Invalid value: {set}: may not be set if oldSelf is not used in rule");
            self.out.push(Diagnostic::new(path.child("optionalOldSelf"), Reason::Invalid, message));
        }
        if uses_old_self && let Some(list) = &place.uncorrelatable {
            let detail =
                format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {list}");
            self.out.push(invalid(at, &rule.rule, &detail));
        }
    }

    fn price(&mut self, rule: &CompiledRule, at: &FieldPath, place: &Place) {
        let times = place.cardinality.unwrap_or(rule.max_cardinality);
        self.observe("estimated rule cost", rule.cost.saturating_mul(times), at);
    }

    fn message_expression(&mut self, schema: &Structural, rule: &ValidationRule, path: &FieldPath) {
        if rule.message_expression.trim().is_empty() {
            return;
        }
        let at = path.child("messageExpression");
        match self.rules.compile_message(
            schema,
            &rule.message_expression,
            rule.optional_old_self == Some(true),
        ) {
            // It is evaluated for what a rule refuses, and so only once as far as anybody waits for it.
            Ok(compiled) => self.observe("estimated messageExpression cost", compiled.cost, &at),
            Err(error) => self.out.push(refused(at, rule, &error.in_message_expression(), error.help())),
        }
    }

    fn observe(&mut self, what: &str, cost: u64, at: &FieldPath) {
        if cost > RULE_COST_LIMIT {
            let message = budget::exceeded(what, cost, RULE_COST_LIMIT);
            self.out.push(Diagnostic::forbidden(at.clone(), &message));
        }
        self.budget.observe(at, cost);
    }
}

/// How many children a value may have; `None` where no limit says so.
fn most_children(schema: &Structural) -> Option<u64> {
    let validation = schema.value_validation.as_deref();
    let limit = match &schema.type_ {
        Some(SchemaType::Array) => validation.and_then(|validation| validation.max_items)?,
        Some(SchemaType::Object) if schema.additional_properties.is_some() => {
            validation.and_then(|validation| validation.max_properties)?
        }
        _ => 1,
    };
    Some(u64::try_from(limit).unwrap_or(0))
}

fn refused(at: FieldPath, rule: &ValidationRule, detail: &str, help: Option<&str>) -> Diagnostic {
    let message = format!("Invalid value: {}: {detail}", value::rule(rule));
    let diagnostic = Diagnostic::new(at, Reason::Invalid, message);
    match help {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}
