//! Formats and sorts the paths in messages.
//!
//! Source: `fieldpath/element.go` and `value/value.go` of `sigs.k8s.io/structured-merge-diff`.

use std::cmp::Ordering;

use crd_core::FieldPath;
use crd_go::json::show;
use crd_go::number::{Form, shortest};
use crd_go::strings::quote;
use serde_json::{Number, Value};

use super::set::{Element, Set};

impl Element {
    /// Returns the path element's text in messages.
    pub(super) fn print(&self) -> String {
        match self {
            Self::Field(name) => format!(".{name}"),
            Self::Index(index) => format!("[{index}]"),
            Self::Unnamed => String::new(),
            Self::Item(item) => format!("[={}]", shown(&item.value(), item.is_recorded())),
            Self::Key(key) => {
                let value = key.value();
                let keys = value.as_object().into_iter().flatten();
                let keys: Vec<String> =
                    keys.map(|(name, value)| format!("{name}={}", shown(value, key.is_recorded()))).collect();
                format!("[{}]", keys.join(","))
            }
        }
    }
}

impl Set {
    /// Returns all paths in the order of messages: paths with a single element come first, and each part is sorted by elements.
    pub(super) fn paths(&self) -> Vec<String> {
        let members = in_order(self.members.iter().map(|element| (element, ())));
        let mut paths: Vec<String> = members.into_iter().map(|(element, ())| element.print()).collect();
        for (element, child) in in_order(&self.children) {
            let first = element.print();
            paths.extend(child.paths().into_iter().map(|rest| format!("{first}{rest}")));
        }
        paths
    }

    /// Returns the path to each field in the applied object, in the order of [`Set::paths`]. An item of a merged list has the list's path.
    pub(super) fn places(&self, above: &FieldPath) -> Vec<FieldPath> {
        let below = |element: &Element| match element {
            Element::Field(name) => above.child(name.as_str()),
            _ => above.clone(),
        };
        let members = in_order(self.members.iter().map(|element| (element, ())));
        let mut places: Vec<FieldPath> = members.into_iter().map(|(element, ())| below(element)).collect();
        for (element, child) in in_order(&self.children) {
            places.extend(child.places(&below(element)));
        }
        places
    }
}

/// Sorts path elements. Fields come before keys, items and indices. Keys and items are sorted by value, so `9` comes before `10`.
fn in_order<'s, T>(elements: impl IntoIterator<Item = (&'s Element, T)>) -> Vec<(&'s Element, T)> {
    let value = |element: &Element| match element {
        Element::Key(literal) | Element::Item(literal) => literal.value(),
        Element::Field(_) | Element::Index(_) | Element::Unnamed => Value::Null,
    };
    let mut elements: Vec<_> =
        elements.into_iter().map(|(element, of)| (value(element), element, of)).collect();
    elements.sort_by(|(a, left, _), (b, right, _)| match (left, right) {
        (Element::Key(_), Element::Key(_)) | (Element::Item(_), Element::Item(_)) => order(a, b),
        _ => left.cmp(right),
    });
    elements.into_iter().map(|(_, element, of)| (element, of)).collect()
}

/// Returns a value's text in messages: `ToString` in `value/value.go`. The Go type of recorded numbers is `float64`.
fn shown(value: &Value, is_recorded: bool) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::String(text) => quote(text),
        Value::Number(number) if is_recorded => shortest(float(number), Form::General),
        Value::Bool(_) | Value::Number(_) => show(value),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| shown(item, is_recorded)).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| format!("{name}={}", shown(value, is_recorded))).collect()
        }
    }
}

/// Compares two values, with the fields of objects in sorted order: `CompareUsing` in `value/value.go`.
fn order(a: &Value, b: &Value) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    };
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => float(a).total_cmp(&float(b)),
        },
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) => {
            first_difference(a.iter().zip(b).map(|(a, b)| order(a, b))).then_with(|| a.len().cmp(&b.len()))
        }
        (Value::Object(a), Value::Object(b)) => {
            let fields = a.iter().zip(b).map(|(a, b)| a.0.cmp(b.0).then_with(|| order(a.1, b.1)));
            first_difference(fields).then_with(|| a.len().cmp(&b.len()))
        }
        (a, b) => rank(a).cmp(&rank(b)),
    }
}

fn first_difference(mut parts: impl Iterator<Item = Ordering>) -> Ordering {
    parts.find(|part| part.is_ne()).unwrap_or(Ordering::Equal)
}

fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::literal::Literal;
    use super::*;

    fn paths(elements: impl IntoIterator<Item = Element>) -> Vec<String> {
        Set { members: elements.into_iter().collect(), ..Set::default() }.paths()
    }

    #[test]
    fn items_are_in_the_order_of_their_values() {
        let items =
            [json!(10), json!(9), json!(-1), json!(true), json!("a!"), json!("a"), json!([2]), json!([1, 5])];
        let items = items.iter().map(|item| Element::Item(Literal::from_object(item)));
        let expected = ["[=-1]", "[=9]", "[=10]", "[=\"a\"]", "[=\"a!\"]", "[=true]", "[=[1,5]]", "[=[2]]"];
        assert_eq!(paths(items), expected);
    }

    #[test]
    fn recorded_numbers_are_floats() {
        let keys = [json!({"port": 1_000_000}), json!({"port": 80})];
        let paths = |literal: fn(&Value) -> Literal| paths(keys.iter().map(|key| Element::Key(literal(key))));
        assert_eq!(paths(Literal::from_object), ["[port=80]", "[port=1000000]"]);
        assert_eq!(paths(Literal::from_record), ["[port=80]", "[port=1e+06]"]);
    }
}
