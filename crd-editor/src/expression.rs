//! The expression at a cursor, with types, functions and costs.

use std::ops::Range;

use crd_core::cel::{
    Environment, ExpressionCursor, ExpressionType, Function, RULE_COST_LIMIT, Rules, SCHEMA_COST_LIMIT,
};
use crd_core::{CustomResourceDefinition, KubeVersion, Structural};

use crate::cursor::{Cursor, CursorStep};
use crate::price::{Price, percent};
use crate::scalar::ReadScalar;
use crate::schemas::SchemaAt;

/// A rule's expression in a text.
pub(crate) struct Expression<'p> {
    schema: SchemaAt<'p>,
    /// The path to the schema that has the rule.
    steps: &'p [CursorStep],
    is_message: bool,
    version: KubeVersion,
    pub(crate) read: ReadScalar,
    /// The cursor's byte offset in the value.
    at: usize,
}

/// A name that can be inserted at a cursor in an expression.
pub(crate) struct Offered {
    pub(crate) name: String,
    pub(crate) detail: String,
    pub(crate) kind: OfferedKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfferedKind {
    Field,
    Variable,
    Function,
}

impl<'p> Expression<'p> {
    /// Returns the expression at a cursor, if there is one.
    pub(crate) fn find(
        crd: &CustomResourceDefinition,
        version: KubeVersion,
        text: &str,
        cursor: &'p Cursor,
        at: usize,
    ) -> Option<Self> {
        let schema = SchemaAt::find(crd, &cursor.path)?;
        let [steps @ .., CursorStep::Key(rules), CursorStep::Item(_), CursorStep::Key(keyword)] =
            schema.steps()
        else {
            return None;
        };
        let is_message = keyword == "messageExpression";
        if rules != "x-kubernetes-validations" || !is_message && keyword != "rule" {
            return None;
        }
        let read = ReadScalar::read(text, cursor.bytes.clone()).unwrap_or_else(|| ReadScalar::empty(at));
        let at = read.at(at);
        Some(Self { schema, steps, is_message, version, read, at })
    }

    fn node(&self) -> Option<&Structural> {
        self.schema.node(self.steps).map(|at| at.node)
    }

    /// Returns the names that can be inserted at the cursor, and the range of the value that they replace.
    pub(crate) fn offered(&self) -> Option<(Range<usize>, Vec<Offered>)> {
        let cursor = ExpressionCursor::new(&self.read.value, self.at)?;
        let node = self.node()?;
        let environment = Environment::for_server(self.version);
        let offered = self.schema.with_rules(self.version, |rules| match &cursor.receiver {
            Some(receiver) => members(rules, node, environment, receiver),
            None => globals(rules, node, environment, &cursor.variables),
        });
        Some((cursor.word, offered))
    }

    /// Returns an explanation of the name at the cursor, and the name's range in the value.
    pub(crate) fn about(&self) -> Option<(Range<usize>, String)> {
        let node = self.node()?;
        let cursor = ExpressionCursor::new(&self.read.value, self.at);
        let environment = Environment::for_server(self.version);
        self.schema.with_rules(self.version, |rules| {
            let mut parts = Vec::new();
            let mut bytes = 0..self.read.value.len();
            if let Some(ExpressionCursor { word, receiver, variables, .. }) =
                cursor.filter(|cursor| !cursor.word.is_empty())
            {
                let name = &self.read.value[word.clone()];
                let whole = match &receiver {
                    Some(receiver) => format!("{receiver}.{name}"),
                    None => meaning(name, &variables).unwrap_or(name).to_owned(),
                };
                if let Ok(found) = rules.type_of_expression(node, &whole) {
                    parts.push(format!("`{name}`: `{}`", found.name));
                }
                let calls = |function: &Function| is_called(function, name, receiver.as_deref());
                let signatures: Vec<String> =
                    environment.functions().filter(calls).map(|function| signature(&function)).collect();
                if !signatures.is_empty() && parts.is_empty() {
                    parts.push(format!("```\n{}\n```", signatures.join("\n")));
                }
                bytes = word;
            }
            parts.extend(self.price(rules, node));
            (!parts.is_empty()).then(|| (bytes, parts.join("\n\n")))
        })
    }

    /// Returns a sentence about the expression's cost.
    pub(crate) fn price(&self, rules: &Rules<'_, '_>, node: &Structural) -> Option<String> {
        let times = self.schema.node(self.steps)?.times;
        // Only a rule with an optional `oldSelf` compiles with it alone.
        let price = [false, true].into_iter().find_map(|optional| {
            Price::of(rules, node, (&self.read.value, self.is_message, optional), times)
        })?;
        let Price { cost, times, total } = price;
        let each = if times == 1 { String::new() } else { format!(", up to {times} times: {total}") };
        Some(format!(
            "Cost {cost}{each}. That is {} of the limit of a rule and {} of the budget of the schema.",
            percent(total, RULE_COST_LIMIT),
            percent(total, SCHEMA_COST_LIMIT),
        ))
    }
}

fn meaning<'v>(name: &str, variables: &'v [(String, String)]) -> Option<&'v str> {
    variables.iter().find(|(variable, _)| variable == name).map(|(_, meaning)| meaning.as_str())
}

/// Returns the receiver's fields and methods.
fn members(
    rules: &Rules<'_, '_>,
    node: &Structural,
    environment: Environment,
    receiver: &str,
) -> Vec<Offered> {
    let mut offered = Vec::new();
    let found = rules.type_of_expression(node, receiver).ok();
    if let Some(ExpressionType { fields, .. }) = &found {
        offered.extend(fields.iter().map(|(name, detail)| Offered {
            name: name.clone(),
            detail: detail.clone(),
            kind: OfferedKind::Field,
        }));
    }
    let of_type = |function: &Function| {
        method_of(function).is_some_and(|own| found.as_ref().is_some_and(|found| accepts(own, &found.name)))
    };
    let methods = environment.functions().filter(|function| of_type(function) && is_word(function.name));
    add_functions(methods, &mut offered);
    if found.is_none() {
        // A namespace: `sets.contains`.
        let prefix = format!("{receiver}.");
        let of_namespace = environment.functions().filter_map(|mut function| {
            function.name = function.name.strip_prefix(&prefix)?;
            Some(function)
        });
        add_functions(of_namespace, &mut offered);
    } else if found.is_some_and(|found| found.name.starts_with("list(") || found.name.starts_with("map(")) {
        offered.extend(["all", "exists", "exists_one", "filter", "map"].map(|name| Offered {
            name: name.to_owned(),
            detail: "macro: (variable, expression)".to_owned(),
            kind: OfferedKind::Function,
        }));
    }
    offered
}

/// Returns the variables and the functions that are not methods.
fn globals(
    rules: &Rules<'_, '_>,
    node: &Structural,
    environment: Environment,
    variables: &[(String, String)],
) -> Vec<Offered> {
    let own = [("self".to_owned(), "self".to_owned()), ("oldSelf".to_owned(), "oldSelf".to_owned())];
    let mut offered: Vec<Offered> = variables
        .iter()
        .rev()
        .chain(&own)
        .map(|(name, meaning)| Offered {
            name: name.clone(),
            detail: rules.type_of_expression(node, meaning).map(|found| found.name).unwrap_or_default(),
            kind: OfferedKind::Variable,
        })
        .collect();
    let alone =
        environment.functions().filter(|function| method_of(function).is_none() && is_global(function.name));
    add_functions(alone, &mut offered);
    offered.push(Offered {
        name: "has".to_owned(),
        detail: "macro: (field) -> bool".to_owned(),
        kind: OfferedKind::Function,
    });
    offered
}

/// Adds functions. Each name is added only once, with the first signature.
fn add_functions(functions: impl Iterator<Item = Function>, offered: &mut Vec<Offered>) {
    for function in functions {
        if !offered.iter().any(|known| known.name == function.name) {
            let detail = format!("{} (since {})", function.signature, function.since);
            offered.push(Offered { name: function.name.to_owned(), detail, kind: OfferedKind::Function });
        }
    }
}

fn signature(function: &Function) -> String {
    format!("{}: {} (since {})", function.name, function.signature, function.since)
}

/// Returns a method's receiver type, which is before the dot in the signature.
fn method_of(function: &Function) -> Option<&'static str> {
    let (own, _) = function.signature.split_once(".(")?;
    own.starts_with(|first: char| first.is_ascii_alphabetic()).then_some(own)
}

/// Returns `true` if a method on type `own` can be called on type `found`.
fn accepts(own: &str, found: &str) -> bool {
    let head = |name: &str| {
        name.split('(').next().unwrap_or_default().trim_start_matches("google.protobuf.").to_lowercase()
    };
    own == "dyn" || found == "dyn" || own.len() == 1 || head(own) == head(found)
}

fn is_called(function: &Function, name: &str, receiver: Option<&str>) -> bool {
    match receiver {
        None => function.name == name && method_of(function).is_none(),
        Some(receiver) => {
            function.name == name && method_of(function).is_some()
                || function.name.strip_suffix(name).and_then(|start| start.strip_suffix('.'))
                    == Some(receiver)
        }
    }
}

/// Returns `true` for a name that users can write, and `false` for an operator's name.
fn is_word(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn is_global(name: &str) -> bool {
    name.split('.').all(|part| !part.is_empty() && is_word(part))
}
