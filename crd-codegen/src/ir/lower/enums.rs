//! Creates enums for the values that a schema lists.

use std::collections::HashSet;
use std::hash::Hash;

use crd_core::{Keyword, Structural};
use serde_json::{Number, Value};

use super::Lowering;
use super::place::Position;
use crate::ir::{Enum, Type, Values};

impl Lowering<'_> {
    /// Returns an enum of the values that the schema lists, or `plain` if the schema lists no value of this type.
    pub(super) fn enum_or(&mut self, plain: Type, schema: &Structural, position: &Position<'_>) -> Type {
        let Some(listed) = schema.value_validation.as_ref().and_then(|validation| validation.enum_.as_ref())
        else {
            return plain;
        };
        let values = match plain {
            Type::Boolean => non_empty(distinct(listed, Value::as_bool)).map(Values::Booleans),
            Type::Integer(_) => non_empty(distinct(listed, as_integer)).map(Values::Integers),
            // Where an enum has a whole number, the API server takes every number that is the same without its fraction.
            Type::Number if listed.iter().any(|value| as_integer(value).is_some()) => return plain,
            Type::Number => non_empty(distinct(listed, as_number)).map(Values::Numbers),
            _ => non_empty(distinct(listed, |value| value.as_str().map(Box::from))).map(Values::Strings),
        };
        // `null` among the values makes an enum nullable; so does `nullable`.
        let Some(values) = values else {
            if !listed.is_empty() {
                self.warn_invalid(
                    position,
                    Keyword::Enum,
                    "no value of the enum has the type of the schema, so it is left out",
                );
            }
            return plain;
        };
        let is_open = self.open_enums && matches!(values, Values::Strings(_));
        Type::Enum(Enum { about: self.about(schema, position), values, is_open })
    }
}

/// Returns the values of this type without duplicates.
fn distinct<T: Clone + Eq + Hash>(listed: &[Value], as_type: impl Fn(&Value) -> Option<T>) -> Vec<T> {
    let mut seen = HashSet::new();
    listed.iter().filter_map(as_type).filter(|value| seen.insert(value.clone())).collect()
}

fn non_empty<T>(values: Vec<T>) -> Option<Vec<T>> {
    (!values.is_empty()).then_some(values)
}

/// Returns the value as an integer, if the API server treats it as an integer, such as `1.0`.
fn as_integer(value: &Value) -> Option<i64> {
    // A whole float has no digit behind the point, so its text is that of an integer if it is one.
    let whole = |float: f64| format!("{float}").parse().ok();
    value.as_i64().or_else(|| value.as_f64().and_then(whole))
}

fn as_number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        _ => None,
    }
}
