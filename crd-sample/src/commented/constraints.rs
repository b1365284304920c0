//! Describes a schema node's constraints in words.

use crd_core::Structural;
use crd_core::schema::ValueValidation;
use serde_json::{Number, Value};

/// Maximum number of enum values in a comment.
const MOST_VALUES: usize = 12;
/// Maximum length of a pattern or a default in a comment. Longer ones are left out.
const LONGEST: usize = 120;

/// Returns the type and the constraints, each in a few words.
pub(super) fn describe(schema: &Structural) -> Vec<String> {
    let mut all = vec![schema.type_in_words()];
    let none = ValueValidation::default();
    let validation = schema.value_validation.as_deref().unwrap_or(&none);
    let format = validation.format.as_ref().filter(|format| !format.is_empty());
    all.extend(format.map(|format| format!("format {format}")));
    if let Some(values) = validation.enum_.as_ref().filter(|values| !values.is_empty()) {
        let shown: Vec<String> = values.iter().take(MOST_VALUES).map(Value::to_string).collect();
        let more = if values.len() > MOST_VALUES { ", and others" } else { "" };
        all.push(format!("one of {}{more}", shown.join(", ")));
    }
    let bound = |number: &Option<Number>, exclusive: Option<bool>, inclusive_word: &str, word: &str| {
        let word = if exclusive == Some(true) { word } else { inclusive_word };
        number.as_ref().map(|number| format!("{word} {number}"))
    };
    all.extend(bound(&validation.minimum, validation.exclusive_minimum, "at least", "more than"));
    all.extend(bound(&validation.maximum, validation.exclusive_maximum, "at most", "less than"));
    all.extend(validation.multiple_of.as_ref().map(|factor| format!("a multiple of {factor}")));
    all.extend(sizes(validation.min_length, validation.max_length, "character"));
    all.extend(sizes(validation.min_items, validation.max_items, "item"));
    all.extend(sizes(validation.min_properties, validation.max_properties, "field"));
    let pattern =
        validation.pattern.as_ref().filter(|pattern| !pattern.is_empty() && pattern.len() <= LONGEST);
    all.extend(pattern.map(|pattern| format!("pattern {pattern}")));
    let default = schema.generic.default.as_ref().map(ToString::to_string);
    all.extend(default.filter(|text| text.len() <= LONGEST).map(|text| format!("default {text}")));
    all
}

fn sizes(least: Option<i64>, most: Option<i64>, noun: &str) -> Option<String> {
    let plural = |count: i64| if count == 1 { "" } else { "s" };
    let least = least.filter(|least| *least > 0);
    Some(match (least, most) {
        (None, None) => return None,
        (Some(least), Some(most)) if least == most => format!("{least} {noun}{}", plural(least)),
        (Some(least), Some(most)) => format!("{least} to {most} {noun}s"),
        (Some(least), None) => format!("at least {least} {noun}{}", plural(least)),
        (None, Some(most)) => format!("at most {most} {noun}{}", plural(most)),
    })
}
