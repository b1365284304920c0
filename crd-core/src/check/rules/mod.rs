//! Compiles the CEL rules in a version's schema, and checks their costs.
//!
//! Source: `ValidateCustomResourceDefinitionOpenAPISchema` in `apiextensions/validation/validation.go`, and
//! `schema/cel/compilation.go`.

mod budget;
mod limits;

use std::collections::HashSet;

use crd_cel::Environment;
use crd_go::KubeVersion;

use super::dump;
use super::stored::Stored;
use crate::cel::{CompiledRule, RULE_COST_LIMIT, RuleError, Rules, SchemaTypes, max_children};
use crate::crd::{Child, ValidationRule};
use crate::lazy_path::LazyPath;
use crate::schema::SchemaType;
use crate::{CauseReason, Causes, Diagnostic, FieldPath, Remedy, Shown, Structural};
use budget::Budget;
use limits::Way;

/// Compiles all rules in a version's schema, and estimates their costs.
///
/// The API server does this only if the schema is structural and its defaults are valid. The API server skips nodes with other errors at or
/// below them: `schema_errors`.
pub(super) fn compile(
    types: &SchemaTypes<'_>,
    path: &FieldPath,
    environment: Environment,
    stored: Stored<'_>,
    schema_errors: &[Diagnostic],
    out: &mut Causes,
) {
    let schema = types.schema();
    let mut faulty = HashSet::new();
    for error in schema_errors {
        let mut at = Some(&error.field);
        while let Some(path) = at.filter(|path| faulty.insert(*path)) {
            at = path.parent();
        }
    }
    let rules = Rules::new(types, environment);
    let stored_rules = Rules::new(types, Environment::for_stored(environment.server()));
    let mut compiler = Compiler {
        root: schema,
        root_path: path,
        rules,
        stored_rules,
        stored,
        budget: Budget::default(),
        faulty,
        out,
    };
    let around = Around { cardinality: Some(1), uncorrelatable: None, types: Types::OutOfScope };
    compiler.node(schema, &LazyPath::new(path), &around);
    compiler.budget.finish(path, compiler.out);
}

/// Facts about a node that depend on the enclosing nodes.
#[derive(Clone, Copy)]
struct Around<'p> {
    /// Maximum number of the node's values in an object; `None` if a limit is missing.
    cardinality: Option<u64>,
    /// The outermost enclosing list whose items cannot be matched with the items of the old object.
    uncorrelatable: Option<&'p LazyPath<'p>>,
    types: Types,
}

/// The enclosing node's type, as far as the API server knows it. The API server determines types only at and below nodes with rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Types {
    OutOfScope,
    Known,
    /// The enclosing node has no type, so that its child nodes have no type either.
    Unknown,
    /// The node is `items` or `additionalProperties` of a node whose type has no elements.
    OfNoElement,
}

impl Around<'_> {
    /// Returns `rules` with the node's type as the server determines it here. If the server determines the parent's type, the node has the
    /// type that its parent declares.
    fn rules<'t, 's>(&self, rules: Rules<'t, 's>) -> Rules<'t, 's> {
        if self.types == Types::OutOfScope { rules } else { rules.seen_by_parents() }
    }
}

struct Compiler<'o, 't, 's> {
    root: &'o Structural,
    root_path: &'o FieldPath,
    rules: Rules<'t, 's>,
    /// The compiler for stored expressions. They may use all of the server's functions.
    stored_rules: Rules<'t, 's>,
    stored: Stored<'o>,
    budget: Budget,
    /// The paths of errors in the schema, and of everything that contains an error.
    faulty: HashSet<&'o FieldPath>,
    out: &'o mut Causes,
}

impl Compiler<'_, '_, '_> {
    /// Compiles the rules at a node and below. The types of nodes below a node without a type are not determined:
    /// `CELSchemaContext.TypeInfo` in `cel_validation.go`.
    fn node(&mut self, schema: &Structural, place: &LazyPath<'_>, around: &Around<'_>) {
        let types = match around.types {
            Types::OutOfScope if schema.validations.is_empty() => Types::OutOfScope,
            Types::Unknown | Types::OfNoElement => around.types,
            _ if around.rules(self.rules).max_cardinality(schema).is_ok() => Types::Known,
            _ => Types::Unknown,
        };
        let mut below = Around {
            cardinality: around.cardinality.zip(max_children(schema)).map(|(a, b)| a.saturating_mul(b)),
            uncorrelatable: around.uncorrelatable,
            types,
        };
        // Elements of a list or a map. The server does not ask whether it looks at `items` or `additionalProperties`.
        let has_elements = match schema.type_ {
            Some(SchemaType::Array) => schema.items.is_some(),
            Some(SchemaType::Object) => schema.map_values().is_some(),
            _ => false,
        };
        for (child, schema_below) in schema.children() {
            if child == Child::Items && schema.extensions.list_type.as_deref() != Some("map") {
                below.uncorrelatable = around.uncorrelatable.or(Some(place));
            }
            let is_element = matches!(child, Child::Items | Child::Values);
            below.types =
                if types == Types::Known && is_element && !has_elements { Types::OfNoElement } else { types };
            self.node(schema_below, &place.schema(child), &below);
        }
        self.rules_of(schema, place, around, types);
    }

    fn rules_of(&mut self, schema: &Structural, place: &LazyPath<'_>, around: &Around<'_>, types: Types) {
        if schema.validations.is_empty() {
            return;
        }
        let path = place.path();
        if self.faulty.contains(&path) {
            return;
        }
        let path = path.child("x-kubernetes-validations");
        if types == Types::Unknown {
            let error = RuleError::NoType;
            let message = format!(
                "Internal error: internal error: failed to construct type information for \
                 x-kubernetes-validations rules: {error}"
            );
            self.out.push(Diagnostic::new(path, CauseReason::Internal, message));
            return;
        }
        if types == Types::OfNoElement {
            let message = "Internal error: failed to convert to declType for CEL validation rules";
            self.out.push(Diagnostic::new(path, CauseReason::Internal, message.to_owned()));
            return;
        }
        for (i, rule) in schema.validations.iter().enumerate() {
            self.rule(schema, rule, &path.index(i), around);
        }
    }

    fn rule(&mut self, schema: &Structural, rule: &ValidationRule, path: &FieldPath, around: &Around<'_>) {
        let at = path.child("rule");
        let optional_old_self = rule.optional_old_self == Some(true);
        let rules =
            around.rules(if self.stored.has_rule(&rule.rule) { self.stored_rules } else { self.rules });
        let uses_old_self = match rules.compile_rule(schema, &rule.rule, optional_old_self) {
            Ok(compiled) => {
                self.price(rule, &compiled, path, around.cardinality);
                self.message_expression(schema, rule, path, around);
                compiled.uses_old_self
            }
            Err(error) => {
                self.out.push(refused(
                    at.clone(),
                    rule,
                    &error.to_string(),
                    error.help(),
                    self.out.version(),
                ));
                matches!(error, RuleError::Instantiation { uses_old_self: true, .. })
            }
        };
        if !uses_old_self && let Some(set) = rule.optional_old_self {
            let detail = "may not be set if oldSelf is not used in rule";
            self.out.push(Diagnostic::invalid(path.child("optionalOldSelf"), set, detail));
        }
        if uses_old_self && let Some(list) = around.uncorrelatable {
            let list = list.path();
            let detail =
                format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {list}");
            self.out.push(Diagnostic::invalid(at, rule.rule.as_str(), &detail));
        }
    }

    fn price(
        &mut self,
        rule: &ValidationRule,
        compiled: &CompiledRule,
        path: &FieldPath,
        cardinality: Option<u64>,
    ) {
        let at = path.child("rule");
        let cost = compiled.cost.saturating_mul(cardinality.unwrap_or(compiled.max_cardinality));
        if cost > RULE_COST_LIMIT && !self.stored.is_unchanged {
            let message = budget::exceeded("estimated rule cost", cost, RULE_COST_LIMIT);
            let help = Way::find(self.root, self.root_path, path)
                .and_then(|way| limits::help(&self.rules, (rule, &at), compiled, &way));
            let mut cause = Diagnostic::forbidden(at.clone(), &message);
            cause.remedy = help;
            self.out.push(cause);
        }
        self.budget.observe(&at, cost);
    }

    fn message_expression(
        &mut self,
        schema: &Structural,
        rule: &ValidationRule,
        path: &FieldPath,
        around: &Around<'_>,
    ) {
        if rule.message_expression.trim().is_empty() {
            return;
        }
        let at = path.child("messageExpression");
        let optional_old_self = rule.optional_old_self == Some(true);
        let is_stored = self.stored.has_message(&rule.message_expression);
        let rules = around.rules(if is_stored { self.stored_rules } else { self.rules });
        match rules.compile_message(schema, &rule.message_expression, optional_old_self) {
            // Its price is not multiplied: it is evaluated only where the rule rejects a value.
            Ok(CompiledRule { cost, .. }) => {
                if cost > RULE_COST_LIMIT && !self.stored.is_unchanged {
                    let message = budget::exceeded("estimated messageExpression cost", cost, RULE_COST_LIMIT);
                    self.out.push(Diagnostic::forbidden(at.clone(), &message).with_help(DEAR_MESSAGE));
                }
                self.budget.observe(&at, cost);
            }
            Err(error) => {
                self.out.push(refused(
                    at,
                    rule,
                    &error.in_message_expression(),
                    error.help(),
                    self.out.version(),
                ));
            }
        }
    }
}

/// The help for a messageExpression that costs too much. Joined strings are estimated at their maximum length.
const DEAR_MESSAGE: &str = "use `format`, as in `'is %d'.format([self])`, instead of `+` with `string()`; join no strings and lists without \
                            a maxLength and maxItems; or use a `message`, which costs nothing";

fn refused(
    at: FieldPath,
    rule: &ValidationRule,
    detail: &str,
    help: Option<&str>,
    version: KubeVersion,
) -> Diagnostic {
    let mut cause = Diagnostic::invalid(at, Shown(dump::rule(rule, version)), detail);
    cause.remedy = help.map(Remedy::from);
    cause
}

#[cfg(test)]
mod tests;
