//! Finds mistakes in defaults, and values that can be written in more than one way.

use crd_core::crd::{Child, JsonSchemaProps};
use serde_json::Value;

use crate::finding::FoundBy;
use crate::node::{Node, short};

/// Finds optional objects whose fields all have defaults. The defaults apply only if a client sends the object.
pub(crate) fn below_absent_parent(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let Some(properties) = node.schema.properties.as_ref().filter(|all| all.iter().next().is_some()) else {
        return;
    };
    let is_full =
        properties.values().all(|field| field.default.is_some()) && properties.values().any(has_default);
    if node.is_type("object") && is_full && node.is_optional() && !node.is_in_status() {
        found.add(
            node.path(),
            format!(
                "all fields of `{}` have defaults, which do not apply to objects without `{}`",
                node.field(),
                short(node.name().unwrap_or_default())
            ),
            format!(
                "add `default: {}` to the field if the defaults are meant for all objects",
                least(node.schema)
            ),
        );
    }
}

/// Returns the smallest default of an object whose fields all have defaults, as JSON. The API server checks it before it adds the defaults of
/// the fields, so it needs the required fields.
fn least(schema: &JsonSchemaProps) -> String {
    let required = schema.required.iter().flatten();
    let values = required.filter_map(|name| {
        let default = schema.properties.as_ref()?.get(name)?.default.as_deref()?;
        Some((name.clone(), default.clone()))
    });
    short(&Value::Object(values.collect()).to_string())
}

/// Returns `true` for a field with a default other than the empty string. The empty string is the default of the name in a
/// `LocalObjectReference`, although everybody sets this name.
pub(crate) fn has_default(field: &JsonSchemaProps) -> bool {
    field.default.as_deref().is_some_and(|default| *default != "")
}

/// Finds defaults for int-or-string fields that are numbers in quotes.
pub(crate) fn quoted_integer(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    let digits = schema.default.as_deref().and_then(Value::as_str).filter(|text| text.parse::<i32>().is_ok());
    // A quantity has a pattern, and is written as a string.
    if let Some(digits) = digits.filter(|_| schema.x_int_or_string == Some(true) && schema.pattern.is_none())
    {
        found.add(
            node.path().child("default"),
            format!(
                "the default of `{}` is the string \"{digits}\", which is not the number {digits}",
                node.field()
            ),
            format!("write `{digits}` without quotes"),
        );
    }
}

/// Finds quantities that Kubernetes would write differently.
pub(crate) fn quantity(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    let is_quantity = schema.x_int_or_string == Some(true) && schema.pattern.is_some();
    let Some(text) = schema.default.as_deref().and_then(Value::as_str).filter(|_| is_quantity) else {
        return;
    };
    if let Some(better) = canonical(text) {
        found.add(
            node.path().child("default"),
            format!(
                "the default of `{}` is `{}`, which programs in Go write as `{}`",
                node.field(),
                short(text),
                short(&better)
            ),
            format!("write `{}`", short(&better)),
        );
    }
}

/// Returns the canonical form of a quantity; `None` unless it is a whole number with a suffix.
fn canonical(text: &str) -> Option<String> {
    const STEPS: &[(&str, u64, &str)] = &[
        ("m", 1000, ""),
        ("Ki", 1024, "Mi"),
        ("Mi", 1024, "Gi"),
        ("Gi", 1024, "Ti"),
        ("k", 1000, "M"),
        ("M", 1000, "G"),
    ];
    STEPS.iter().find_map(|(suffix, step, next)| {
        let number: u64 = text.strip_suffix(suffix)?.parse().ok()?;
        (number > 0 && number.is_multiple_of(*step)).then(|| format!("{}{next}", number / step))
    })
}

/// Finds optional strings that can be empty.
pub(crate) fn empty_string(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let JsonSchemaProps { min_length, enum_, pattern, format, .. } = node.schema;
    let is_checked = min_length.is_some() || enum_.is_some() || pattern.is_some() || format.is_some();
    if node.is_type("string") && node.is_optional() && !is_checked && !node.is_in_status() {
        found.add(
            node.path(),
            format!("`{}` can be absent or empty: two ways to express the same meaning", node.field()),
            "add `minLength: 1`",
        );
    }
}

/// Finds numbers in the spec that lack a minimum or a maximum.
pub(crate) fn number_without_bounds(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    let lacks = match (&schema.minimum, &schema.maximum) {
        _ if schema.enum_.is_some() => return,
        (Some(_), Some(_)) => return,
        (None, None) => "`minimum` and `maximum`",
        (None, Some(_)) => "`minimum`",
        (Some(_), None) => "`maximum`",
    };
    if (node.is_type("integer") || node.is_type("number")) && !node.is_in_status() {
        found.add(node.path(), format!("`{}` has no {lacks}", node.field()), format!("add {lacks}"));
    }
}

/// Finds strings that contain durations.
pub(crate) fn duration(node: &Node<'_>, found: &mut FoundBy<'_>) {
    if node.schema.format.as_deref() == Some("duration") {
        found.add(
            node.path().child("format"),
            format!(
                "`{}` is a duration in a string, for which not all languages have a parser",
                node.field()
            ),
            "use an integer with the unit in its name",
        );
    }
}

/// Finds lists of objects without required fields, whose items can be `{}`. The status is ignored, because nobody writes it by hand.
pub(crate) fn item_without_required(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    let asks = schema.required.as_ref().is_some_and(|names| !names.is_empty())
        || schema.min_properties.is_some()
        || [&schema.one_of, &schema.any_of, &schema.all_of].into_iter().any(Option::is_some)
        || schema.x_validations.is_some();
    let is_object = node.child == Some(Child::Items) && node.is_type("object") && schema.properties.is_some();
    if is_object && !asks && !node.is_in_status() {
        found.add(
            node.path(),
            format!(
                "`{}` requires no field: an item can be empty, and a misplaced dash in YAML turns one item into two",
                node.field()
            ),
            "require a field",
        );
    }
}
