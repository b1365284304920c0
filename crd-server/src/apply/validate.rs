//! Values that do not have the type of their schema, which cannot be merged.
//!
//! Source: `typed/validate.go` of `sigs.k8s.io/structured-merge-diff`.

use std::collections::BTreeSet;

use crd_go::json::{go_syntax, show, type_of};
use serde_json::{Map, Value};

use super::paths::Numbers;
use super::shape::{ListShape, Node, Scalar, Shape};

/// The treatment of items with equal keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duplicates {
    Allowed,
    Rejected,
}

/// Checks that a value has its type. The error is printed as upstream prints it.
pub(super) fn validate(value: &Value, node: Node<'_>, duplicates: Duplicates) -> Result<(), String> {
    let mut validation = Validation { duplicates, errors: Vec::new() };
    validation.value(value, node, "");
    match validation.errors.as_slice() {
        [] => Ok(()),
        [error] => Err(error.clone()),
        errors => Err(format!("errors:\n  {}", errors.join("\n  "))),
    }
}

struct Validation {
    duplicates: Duplicates,
    errors: Vec<String>,
}

impl Validation {
    fn value(&mut self, value: &Value, node: Node<'_>, path: &str) {
        match (node.shape(value), value) {
            (_, Value::Null) => {}
            (Shape::Map(node), Value::Object(fields)) => self.fields(fields, node, path),
            (Shape::Leaf, Value::Object(fields)) if node.is_map() => self.fields(fields, node, path),
            (Shape::List(list), Value::Array(items)) => self.elements(items, &list, path),
            (Shape::Leaf, Value::Array(items)) if node.is_list() => {
                for (i, item) in items.iter().enumerate() {
                    self.value(item, node.items(), &format!("{path}[{i}]"));
                }
            }
            _ if node.is_map() => self.refuse(path, &format!("expected map, got &{{{}}}", show(value))),
            _ if node.is_list() => self.refuse(path, &format!("expected list, got &{{{}}}", show(value))),
            _ => {
                if let Some(error) = node.scalar().and_then(|scalar| wrong_scalar(scalar, value)) {
                    self.refuse(path, &error);
                }
            }
        }
    }

    fn fields(&mut self, fields: &Map<String, Value>, node: Node<'_>, path: &str) {
        for (name, inner) in fields {
            let path = format!("{path}.{name}");
            match node.field(name) {
                Some(node) => self.value(inner, node, &path),
                // Upstream stops at the first unknown field of an object.
                None => return self.refuse(&path, "field not declared in schema"),
            }
        }
    }

    fn elements(&mut self, items: &[Value], list: &ListShape<'_>, path: &str) {
        let mut seen = BTreeSet::new();
        for (i, item) in items.iter().enumerate() {
            let element = match list.element(item) {
                // Without its key, an item has no path for further errors.
                Err(error) => return self.refuse(path, &format!("element {i}: {error}")),
                Ok(element) => element,
            };
            let printed = element.print(Numbers::Decoded);
            if !seen.insert(element) && self.duplicates == Duplicates::Rejected {
                self.refuse(path, &format!("duplicate entries for key {printed}"));
            }
            self.value(item, list.items, &format!("{path}{printed}"));
        }
    }

    fn refuse(&mut self, path: &str, detail: &str) {
        let separator = if path.is_empty() { "" } else { ": " };
        self.errors.push(format!("{path}{separator}{detail}"));
    }
}

fn wrong_scalar(scalar: Scalar, value: &Value) -> Option<String> {
    match scalar {
        Scalar::Number if !value.is_number() => {
            Some(format!("expected numeric (int or float), got {}", type_of(value)))
        }
        Scalar::Text if !value.is_string() => {
            Some(format!("expected string, got &value.valueUnstructured{{Value:{}}}", go_syntax(value)))
        }
        Scalar::Any if value.is_array() || value.is_object() => {
            Some(format!("expected any scalar, got &{{{}}}", show(value)))
        }
        Scalar::Bool if !value.is_boolean() => Some(format!("expected boolean, got &{{{}}}", show(value))),
        _ => None,
    }
}
