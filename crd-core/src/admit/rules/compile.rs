//! Compiles the rules of a schema into a tree of the nodes that have some.

use super::message::Message;
use super::{Node, Rule, RuleTree};
use crate::cel::{Environment, Rules, SchemaTypes, Version, data_type};
use crate::check::field_path::resolve;
use crate::crd::ValidationRule;
use crate::schema::AdditionalProperties;
use crate::{Reason, Structural};

/// The tree of a schema; `None` where it has no rules.
pub(super) fn tree(schema: &Structural, is_resource: bool) -> Option<RuleTree> {
    if !has_rules(schema) {
        return None;
    }
    let types = if is_resource { SchemaTypes::of_resource(schema) } else { SchemaTypes::of_part(schema) };
    // Rules that are stored may use whatever the server knows.
    let rules = Rules::new(&types, Environment::new(Version::NEWEST));
    let root = node(&rules, schema)?;
    Some(RuleTree { root, data: data_type(schema, is_resource) })
}

/// Whether there are rules in a schema.
pub(crate) fn has_rules(schema: &Structural) -> bool {
    !schema.validations.is_empty()
        || schema.properties.values().any(has_rules)
        || values(schema).is_some_and(has_rules)
        || schema.items.as_deref().is_some_and(has_rules)
}

fn values(schema: &Structural) -> Option<&Structural> {
    match &schema.additional_properties {
        Some(AdditionalProperties::Schema(values)) => Some(values),
        _ => None,
    }
}

fn node(rules: &Rules<'_, '_>, schema: &Structural) -> Option<Node> {
    // What CEL cannot see has no rules that would run, and nothing below it has.
    rules.max_cardinality(schema).ok()?;
    let below = |schema: Option<&Structural>| schema.and_then(|schema| node(rules, schema)).map(Box::new);
    let mut properties: Vec<_> = schema
        .properties
        .iter()
        .filter_map(|(name, property)| Some((Box::from(name), node(rules, property)?)))
        .collect();
    properties.sort_by(|(a, _): &(Box<str>, _), (b, _)| a.cmp(b));
    let compiled = schema.validations.iter().filter_map(|written| rule(rules, schema, written));
    let node = Node {
        rules: compiled.collect(),
        type_name: schema.type_.as_ref().map_or("", |name| name.as_str()).into(),
        properties,
        values: below(values(schema)),
        items: below(schema.items.as_deref()),
    };
    let is_empty =
        node.rules.is_empty() && node.properties.is_empty() && node.values.is_none() && node.items.is_none();
    (!is_empty).then_some(node)
}

/// A rule; a blank one is none.
fn rule(rules: &Rules<'_, '_>, schema: &Structural, written: &ValidationRule) -> Option<Rule> {
    if written.rule.trim().is_empty() {
        return None;
    }
    let optional = written.optional_old_self == Some(true);
    let (program, uses_old_self) = match rules.rule_program(schema, &written.rule, optional) {
        Ok((program, uses_old_self)) => (Ok(program), uses_old_self),
        Err(error) => (Err(error.to_string()), false),
    };
    // A messageExpression that does not compile is as if there were none.
    let has_message = program.is_ok() && !written.message_expression.is_empty();
    let message = has_message
        .then(|| rules.message_program(schema, &written.message_expression, optional).ok())
        .flatten();
    let field_path = resolve(&written.field_path, schema, true).ok().map(|resolved| resolved.path);
    let field_path = field_path.filter(|path| !path.is_root()).map(|path| path.to_string().into());
    let shown = if written.message.is_empty() { &written.rule } else { &written.message };
    Some(Rule {
        program,
        uses_old_self,
        has_optional_old_self: optional,
        text: written.rule.as_str().into(),
        shown: shown.trim().into(),
        message: Message::new(written, message),
        reason: reason(written.reason.as_deref()),
        field_path,
    })
}

fn reason(name: Option<&str>) -> Reason {
    match name {
        Some("FieldValueForbidden") => Reason::Forbidden,
        Some("FieldValueRequired") => Reason::Required,
        Some("FieldValueDuplicate") => Reason::Duplicate,
        _ => Reason::Invalid,
    }
}
