//! Finds keywords without effect, and contradictory keywords.

use std::collections::HashSet;
use std::hash::Hash;

use crd_core::crd::JsonSchemaProps;
use crd_core::{Edit, Remedy};
use crd_go::re2::Matcher;
use serde_json::{Number, Value};

use crate::finding::FoundBy;
use crate::node::{Node, short};

/// Keywords that apply only to values of one type.
type Keywords = &'static [(&'static str, fn(&JsonSchemaProps) -> bool)];

const OF_STRINGS: Keywords = &[
    ("minLength", |schema| schema.min_length.is_some()),
    ("maxLength", |schema| schema.max_length.is_some()),
    ("pattern", |schema| schema.pattern.is_some()),
];
const OF_NUMBERS: Keywords = &[
    ("minimum", |schema| schema.minimum.is_some()),
    ("maximum", |schema| schema.maximum.is_some()),
    ("exclusiveMinimum", |schema| schema.exclusive_minimum.is_some()),
    ("exclusiveMaximum", |schema| schema.exclusive_maximum.is_some()),
    ("multipleOf", |schema| schema.multiple_of.is_some()),
];
const OF_LISTS: Keywords = &[
    ("minItems", |schema| schema.min_items.is_some()),
    ("maxItems", |schema| schema.max_items.is_some()),
    ("items", |schema| schema.items.is_some()),
];
const OF_OBJECTS: Keywords = &[
    ("minProperties", |schema| schema.min_properties.is_some()),
    ("maxProperties", |schema| schema.max_properties.is_some()),
    ("properties", |schema| schema.properties.is_some()),
    ("additionalProperties", |schema| schema.additional_properties.is_some()),
    ("required", |schema| schema.required.as_ref().is_some_and(|required| !required.is_empty())),
];

/// Finds keywords that do not apply to the schema's type.
pub(crate) fn without_effect(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    let Some(type_) = schema.type_.as_deref() else { return };
    let of_types: [(&[&str], Keywords); 4] = [
        (&["string"], OF_STRINGS),
        (&["integer", "number"], OF_NUMBERS),
        (&["array"], OF_LISTS),
        (&["object"], OF_OBJECTS),
    ];
    for (types, keywords) in of_types {
        if types.contains(&type_) {
            continue;
        }
        for (keyword, _) in keywords.iter().filter(|(_, is_set)| is_set(schema)) {
            let place = node.path().child(*keyword);
            found.add(
                place.clone(),
                format!("`{keyword}` has no effect on `{}`: its type is `{type_}`, but the keyword applies to type `{}`", node.field(), types[0]),
                Remedy::new("remove the keyword, or correct `type`").with(Edit::remove(place)),
            );
        }
    }
}

/// Finds bounds that no value satisfies.
pub(crate) fn contradicting_bounds(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    let number = |number: &Option<Number>| number.as_ref().and_then(Number::as_f64);
    let is_exclusive = schema.exclusive_minimum == Some(true) || schema.exclusive_maximum == Some(true);
    let pairs = [
        ("minimum", "maximum", number(&schema.minimum), number(&schema.maximum)),
        ("minLength", "maxLength", whole(schema.min_length), whole(schema.max_length)),
        ("minItems", "maxItems", whole(schema.min_items), whole(schema.max_items)),
        ("minProperties", "maxProperties", whole(schema.min_properties), whole(schema.max_properties)),
    ];
    for (least, most, low, high) in pairs {
        let (Some(low), Some(high)) = (low, high) else { continue };
        if low > high || low == high && least == "minimum" && is_exclusive {
            found.add(
                node.path().child(least),
                format!(
                    "the API server accepts no value of `{}`: `{least}` is {low} and `{most}` is {high}",
                    node.field()
                ),
                format!("set `{least}` to at most `{most}`"),
            );
        }
    }
    if let (Some(required), Some(most)) = (&schema.required, schema.max_properties)
        && i64::try_from(required.len()).is_ok_and(|count| count > most)
    {
        let message = format!(
            "the API server accepts no value of `{}`: {} fields are required, and `maxProperties` is {most}",
            node.field(),
            required.len()
        );
        found.add(node.path().child("maxProperties"), message, "raise `maxProperties`");
    }
}

fn whole(number: Option<i64>) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "lengths are compared")]
    number.map(|number| number as f64)
}

/// Finds enum values that the schema's other keywords reject.
pub(crate) fn enum_is_rejected(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    let Some(values) = &schema.enum_ else { return };
    let pattern = schema.pattern.as_deref().and_then(|pattern| Matcher::new(pattern, false).ok());
    for (i, value) in values.iter().enumerate() {
        if found.is_full {
            return;
        }
        // What takes too many steps is no finding.
        let matches =
            |text: &str| pattern.as_ref().is_none_or(|pattern| found.is_match(pattern, text).unwrap_or(true));
        let Some(keyword) = rejecting(schema, value, &matches) else { continue };
        let place = node.path().child("enum").index(i);
        found.add(
            place.clone(),
            format!(
                "`enum` of `{}` has the value {}, which `{keyword}` rejects: the value can never be used",
                node.field(),
                short(&value.to_string())
            ),
            Remedy::new(format!("remove the value, or correct `{keyword}`")).with(Edit::remove(place)),
        );
    }
}

/// Returns `true` if the schema's other keywords accept all values in the enum.
pub(crate) fn accepts_its_enum(schema: &JsonSchemaProps, found: &FoundBy<'_>) -> bool {
    let pattern = schema.pattern.as_deref().map(|pattern| Matcher::new(pattern, false));
    let Ok(pattern) = pattern.transpose() else { return false };
    let matches =
        |text: &str| pattern.as_ref().is_none_or(|pattern| found.is_match(pattern, text).unwrap_or(false));
    schema.enum_.iter().flatten().all(|value| rejecting(schema, value, &matches).is_none())
}

/// Returns a keyword of the schema that rejects this value of the enum.
fn rejecting(
    schema: &JsonSchemaProps,
    value: &Value,
    matches: &dyn Fn(&str) -> bool,
) -> Option<&'static str> {
    if value.is_null() {
        return (schema.nullable != Some(true)).then_some("nullable");
    }
    let is_of_type = match schema.type_.as_deref() {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    };
    if !is_of_type {
        return Some("type");
    }
    if let Some(text) = value.as_str() {
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        return match () {
            () if schema.min_length.is_some_and(|least| length < least) => Some("minLength"),
            () if schema.max_length.is_some_and(|most| length > most) => Some("maxLength"),
            () if !matches(text) => Some("pattern"),
            () => None,
        };
    }
    let (Some(number), bound) =
        (value.as_f64(), |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64))
    else {
        return None;
    };
    match () {
        () if bound(&schema.minimum).is_some_and(|least| number < least) => Some("minimum"),
        () if bound(&schema.maximum).is_some_and(|most| number > most) => Some("maximum"),
        () => None,
    }
}

/// Finds values that an enum or `required` contains twice, and rules that occur twice.
pub(crate) fn repeated(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    twice(node, "enum", schema.enum_.iter().flatten(), &|value| value.to_string(), found);
    let shown = |name: &&String| format!("`{name}`");
    twice(node, "required", schema.required.iter().flatten(), &shown, found);
    // Two rules of one text may report at different fields.
    let rules = schema.x_validations.iter().flatten();
    let texts = rules.map(|rule| (rule.rule.trim(), rule.field_path.as_str()));
    let shown = |(rule, field): &(&str, &str)| format!("`{rule}` (for `{field}`)");
    twice(node, "x-kubernetes-validations", texts, &shown, found);
}

/// Adds a finding for each item of a keyword that equals an earlier item.
fn twice<T: Eq + Hash>(
    node: &Node<'_>,
    keyword: &'static str,
    items: impl Iterator<Item = T>,
    shown: &dyn Fn(&T) -> String,
    found: &mut FoundBy<'_>,
) {
    let mut seen = HashSet::new();
    for (i, item) in items.enumerate() {
        if seen.contains(&item) && !found.is_full {
            let place = node.path().child(keyword).index(i);
            let message = format!("`{keyword}` of `{}` has {} twice", node.field(), short(&shown(&item)));
            found.add(place.clone(), message, Remedy::new("remove one").with(Edit::remove(place)));
        }
        seen.insert(item);
    }
}

/// Finds patterns with an empty alternative. Such patterns accept the empty string or every string.
///
/// A single empty alternative in a group, as in `^(a|)$`, is a common way to write an optional part.
pub(crate) fn empty_alternative(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let Some(pattern) = &node.schema.pattern else { return };
    let needs_some = node.schema.min_length.is_some_and(|least| least > 0);
    if needs_some || !has_empty_alternative(pattern) {
        return;
    }
    let Ok(matcher) = Matcher::new(pattern, false) else { return };
    if found.is_match(&matcher, "") != Some(true) {
        return;
    }
    let all = if found.is_match(&matcher, "\u{1}") == Some(true) { "any string" } else { "the empty string" };
    found.add(
        node.path().child("pattern"),
        format!("the pattern of `{}` has an empty alternative, and accepts {all}", node.field()),
        "remove the extra `|`",
    );
}

/// Returns `true` if a pattern has two consecutive bars, or a bar at its start or end, outside groups.
fn has_empty_alternative(pattern: &str) -> bool {
    let (mut before, mut depth, mut in_class, mut is_escaped) = (None, 0_usize, false, false);
    for c in pattern.chars().map(Some).chain([None]) {
        match c {
            Some(_) if is_escaped => is_escaped = false,
            Some('\\') => is_escaped = true,
            Some('[') if !in_class => in_class = true,
            Some(']') if in_class => in_class = false,
            _ if in_class => {}
            Some('|') if before == Some('|') || depth == 0 && before.is_none() => return true,
            None if before == Some('|') => return true,
            Some('(') => depth += 1,
            Some(')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        // Only a bar that is not escaped and in no class counts.
        before = if in_class || is_escaped { Some('x') } else { c };
    }
    false
}

/// Finds patterns that have a repetition or a character class, but no anchor. Such a pattern describes a whole string, but matches
/// anywhere in a string.
///
/// A pattern with one anchor is meant for a prefix or a suffix.
pub(crate) fn without_anchors(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let Some(pattern) = &node.schema.pattern else { return };
    let has_anchor = ["^", "$", r"\A", r"\z", ".*"].iter().any(|anchor| pattern.contains(anchor));
    if has_anchor || !pattern.contains(['[', '*', '+', '{', '\\', '|']) {
        return;
    }
    let whole = if pattern.contains('|') { format!("^({pattern})$") } else { format!("^{pattern}$") };
    found.add(
        node.path().child("pattern"),
        format!(
            "the pattern of `{}` has neither `^` nor `$`: it accepts any string that contains a match",
            node.field()
        ),
        format!("write `{}` if the pattern describes the whole string", short(&whole)),
    );
}
