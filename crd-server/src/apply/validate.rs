//! Finds values whose type differs from the schema. Such values cannot be merged.
//!
//! Source: `typed/validate.go` of `sigs.k8s.io/structured-merge-diff`.

use std::collections::BTreeSet;
use std::fmt;

use crd_core::FieldPath;
use crd_go::json::{go_syntax, show, type_of};
use serde_json::{Map, Value};

use super::declared::{Declared, DeclaredJson};
use super::shape::{ListShape, Node, Scalar, Shape};

/// Specifies whether list items may have equal keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duplicates {
    Allowed,
    Rejected,
}

/// The error for values whose types differ from the schema.
#[derive(Debug)]
pub(super) struct WrongType {
    /// The errors, with the same text as in the API server.
    text: String,
    /// The paths to these values.
    pub(super) places: Vec<FieldPath>,
}

impl fmt::Display for WrongType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<WrongType> for String {
    fn from(wrong: WrongType) -> Self {
        wrong.text
    }
}

/// Checks that a value has the type in its schema. Built-in kinds pass a second type, because their schemas do not contain all fields.
pub(super) fn validate(
    value: &Value,
    node: Node<'_>,
    declared: Option<&Declared>,
    duplicates: Duplicates,
) -> Result<(), WrongType> {
    let mut validation = Validation { duplicates, errors: Vec::new() };
    validation.value(value, node, declared, &Path::Root);
    let (places, errors): (Vec<FieldPath>, Vec<String>) = validation.errors.into_iter().unzip();
    let text = match errors.as_slice() {
        [] => return Ok(()),
        [error] => error.clone(),
        errors => format!("errors:\n  {}", errors.join("\n  ")),
    };
    Err(WrongType { text, places })
}

/// The path to a value, formatted only if there is an error.
enum Path<'p> {
    Root,
    Field(&'p Self, &'p str),
    Index(&'p Self, usize),
    /// An item of a merged list, with its keys in the API server's notation.
    Item(&'p Self, usize, String),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(above, name) => write!(f, "{above}.{name}"),
            Self::Index(above, index) => write!(f, "{above}[{index}]"),
            Self::Item(above, _, keys) => write!(f, "{above}{keys}"),
        }
    }
}

impl Path<'_> {
    fn place(&self) -> FieldPath {
        match self {
            Self::Root => FieldPath::root(),
            Self::Field(above, name) => above.place().child(*name),
            Self::Index(above, index) | Self::Item(above, index, _) => above.place().index(*index),
        }
    }
}

struct Validation {
    duplicates: Duplicates,
    errors: Vec<(FieldPath, String)>,
}

impl Validation {
    fn value(&mut self, value: &Value, node: Node<'_>, declared: Option<&Declared>, path: &Path<'_>) {
        if let Some(error) = declared.and_then(|declared| wrong_json(declared.json(), value)) {
            return self.refuse(path, &error);
        }
        let is_declared = declared.is_some_and(|declared| declared.json() != DeclaredJson::Any);
        match (node.shape(value), value) {
            (_, Value::Null) => {}
            (Shape::Map(node), Value::Object(fields)) => self.fields(fields, node, declared, path),
            (Shape::Leaf, Value::Object(fields)) if is_declared || node.is_map() => {
                self.fields(fields, node, declared, path);
            }
            (Shape::List(list), Value::Array(items)) => self.elements(items, &list, declared, path),
            (Shape::Leaf, Value::Array(items)) if is_declared || node.is_list() => {
                let declared = declared.map(Declared::items);
                for (i, item) in items.iter().enumerate() {
                    self.value(item, node.items(), declared.as_ref(), &Path::Index(path, i));
                }
            }
            _ if node.is_map() => self.refuse(path, &wrong_collection("map", value)),
            _ if node.is_list() => self.refuse(path, &wrong_collection("list", value)),
            _ => {
                if let Some(error) = node.scalar().and_then(|scalar| wrong_scalar(scalar, value)) {
                    self.refuse(path, &error);
                }
            }
        }
    }

    fn fields(
        &mut self,
        fields: &Map<String, Value>,
        node: Node<'_>,
        declared: Option<&Declared>,
        path: &Path<'_>,
    ) {
        for (name, inner) in fields {
            let path = Path::Field(path, name);
            let field = declared.map(|declared| declared.field(name));
            match (node.field(name), field) {
                (Some(node), None) => self.value(inner, node, None, &path),
                (Some(node), Some(Some(declared))) => self.value(inner, node, Some(&declared), &path),
                // Upstream stops at the first unknown field of an object.
                _ => return self.refuse(&path, "field not declared in schema"),
            }
        }
    }

    fn elements(
        &mut self,
        items: &[Value],
        list: &ListShape<'_>,
        declared: Option<&Declared>,
        path: &Path<'_>,
    ) {
        let declared = declared.map(Declared::items);
        let mut seen = BTreeSet::new();
        for (i, item) in items.iter().enumerate() {
            let element = match list.element(item) {
                // Without its key, an item has no path for further errors.
                Err(error) => return self.refuse(path, &format!("element {i}: {error}")),
                Ok(element) => element,
            };
            let printed = element.print();
            if !seen.insert(element) && self.duplicates == Duplicates::Rejected {
                self.refuse(path, &format!("duplicate entries for key {printed}"));
            }
            self.value(item, list.items, declared.as_ref(), &Path::Item(path, i, printed));
        }
    }

    fn refuse(&mut self, path: &Path<'_>, detail: &str) {
        let separator = if matches!(path, Path::Root) { "" } else { ": " };
        self.errors.push((path.place(), format!("{path}{separator}{detail}")));
    }
}

/// Returns the error for a value whose kind of JSON differs from its type.
fn wrong_json(json: DeclaredJson, value: &Value) -> Option<String> {
    match json {
        _ if value.is_null() => None,
        DeclaredJson::Map if !value.is_object() => Some(wrong_collection("map", value)),
        DeclaredJson::List if !value.is_array() => Some(wrong_collection("list", value)),
        DeclaredJson::Scalar(scalar) => wrong_scalar(scalar, value),
        _ => None,
    }
}

fn wrong_collection(expected: &str, value: &Value) -> String {
    format!("expected {expected}, got &{{{}}}", show(value))
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
