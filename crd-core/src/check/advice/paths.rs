//! Finds missing fields: paths of printer columns and of the scale subresource that do not exist in the schema.

use crd_go::nearest::nearest;

use super::kinds::{COLUMN_WITHOUT_FIELD, CrdAdvice, SCALE_WITHOUT_FIELD};
use crate::OrderedMap;
use crate::crd::{Items, JsonSchemaProps, JsonSchemaPropsOrBool, Version};
use crate::embedded::is_own_field;
use crate::{FieldPath, Remedy};

/// Looks up the paths of printer columns and of the scale subresource in a version's schema.
pub(super) fn paths(version: &Version, path: &FieldPath, out: &mut Vec<CrdAdvice>) {
    let Some(schema) = version.open_api_v3_schema() else { return };
    let columns = path.child("additionalPrinterColumns");
    for (i, column) in version.additional_printer_columns.iter().flatten().enumerate() {
        let field = || columns.index(i).child("jsonPath");
        follow(&column.json_path, schema, COLUMN_WITHOUT_FIELD, field, out);
    }
    let Some(scale) = version.subresources.as_ref().and_then(|parts| parts.scale.as_ref()) else { return };
    let place = path.child("subresources").child("scale");
    for (text, field) in [
        (Some(&scale.spec_replicas_path), "specReplicasPath"),
        (Some(&scale.status_replicas_path), "statusReplicasPath"),
        (scale.label_selector_path.as_ref(), "labelSelectorPath"),
    ] {
        if let Some(text) = text {
            follow(text, schema, SCALE_WITHOUT_FIELD, || place.child(field), out);
        }
    }
}

fn follow(
    text: &str,
    schema: &JsonSchemaProps,
    name: &'static str,
    field: impl Fn() -> FieldPath,
    out: &mut Vec<CrdAdvice>,
) {
    let Some(steps) = steps(text) else { return };
    let Some((i, at)) = first_missing(&steps, schema) else { return };
    let step = &steps[i];
    let before = &text[..step.start];
    let of = if before.is_empty() { String::new() } else { format!(" of `{before}`") };
    let is_list = matches!(&at.items, Some(Items::Schema(_)));
    let problem = match step.name {
        None => "is not a list".to_owned(),
        Some(_) if is_list => "is a list".to_owned(),
        Some(name) => format!("has no `{name}`"),
    };
    let rest = &text[steps.get(i + 1).map_or(text.len(), |next| next.start)..];
    let known = |step| nearest(step, at.properties.iter().flat_map(OrderedMap::keys));
    let meant: Vec<String> = match step.name {
        Some(step) if is_list => vec![format!("{before}[0].{step}{rest}")],
        Some(step) => known(step)
            .map(|known| ["", "[0]"].map(|item| format!("{before}.{known}{item}{rest}")))
            .into_iter()
            .flatten()
            .collect(),
        None => Vec::new(),
    };
    // The scale subresource reads no items of lists.
    let is_path =
        |meant: &&String| leads(meant, schema) && (name == COLUMN_WITHOUT_FIELD || !meant.contains('['));
    let meant = meant.iter().find(is_path);
    out.push(CrdAdvice {
        name,
        field: field(),
        message: format!("`{text}` is not a field: the schema{of} {problem}"),
        remedy: meant.map(|meant| Remedy::meant(meant, field())),
    });
}

/// Returns `true` if a path leads to a schema, or to a value that the schema does not describe.
fn leads(text: &str, schema: &JsonSchemaProps) -> bool {
    steps(text).is_none_or(|steps| first_missing(&steps, schema).is_none())
}

/// Returns the index of the first step that leads nowhere, and the schema in which the step begins.
fn first_missing<'s>(
    steps: &[PathStep<'_>],
    schema: &'s JsonSchemaProps,
) -> Option<(usize, &'s JsonSchemaProps)> {
    let mut at = schema;
    for (i, step) in steps.iter().enumerate() {
        match descend(at, step.name, i == 0 || at.x_embedded_resource == Some(true)) {
            PathEnd::On(next) => at = next,
            PathEnd::Unknown => return None,
            PathEnd::Nowhere => return Some((i, at)),
        }
    }
    None
}

/// The schema to which a step of a path leads.
enum PathEnd<'a> {
    On(&'a JsonSchemaProps),
    /// The schema allows every value at the step.
    Unknown,
    Nowhere,
}

fn descend<'a>(schema: &'a JsonSchemaProps, name: Option<&str>, is_resource: bool) -> PathEnd<'a> {
    let keeps = schema.x_preserve_unknown_fields == Some(true);
    let Some(name) = name else {
        return match &schema.items {
            Some(Items::Schema(items)) => PathEnd::On(items),
            // An entry of a map may be written in brackets too.
            _ if keeps || schema.additional_properties.is_some() => PathEnd::Unknown,
            _ => PathEnd::Nowhere,
        };
    };
    if is_resource && is_own_field(name) {
        return PathEnd::Unknown;
    }
    if let Some(property) = schema.properties.as_ref().and_then(|properties| properties.get(name)) {
        return PathEnd::On(property);
    }
    match &schema.additional_properties {
        Some(JsonSchemaPropsOrBool::Schema(schema)) => PathEnd::On(schema),
        Some(JsonSchemaPropsOrBool::Allowed(true)) => PathEnd::Unknown,
        _ if keeps => PathEnd::Unknown,
        // A name does not lead into the items of a list. Source: `evalField` in `k8s.io/client-go/util/jsonpath/jsonpath.go`.
        _ => PathEnd::Nowhere,
    }
}

/// One step of a path: the name of a field, or `None` for the items of a list.
struct PathStep<'a> {
    name: Option<&'a str>,
    start: usize,
}

/// Returns the steps of a path in kubectl's syntax. `None` if the path contains a step that cannot be looked up in a schema.
fn steps(text: &str) -> Option<Vec<PathStep<'_>>> {
    let mut steps = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if let Some(inside) = rest.strip_prefix('[') {
            let length = bracket(inside)?;
            let inside = &inside[..length];
            let quoted = inside.strip_prefix('\'').and_then(|name| name.strip_suffix('\''));
            steps.push(PathStep { name: quoted, start: at });
            at += length + 2;
        } else {
            let name = rest.strip_prefix('.')?;
            let length = name.find(['.', '[']).unwrap_or(name.len());
            let name = &name[..length];
            // Recursive descent, wildcards, escapes.
            if name.is_empty() || name.contains(['*', '\\', '{', '}', '@', '$']) {
                return None;
            }
            steps.push(PathStep { name: Some(name), start: at });
            at += length + 1;
        }
    }
    Some(steps)
}

/// Returns the length of the text in brackets. This text can be a filter with its own quotes and brackets.
fn bracket(inside: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0, None);
    for (i, c) in inside.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '[') => depth += 1,
            (None, ']') if depth == 0 => return Some(i),
            (None, ']') => depth -= 1,
            _ => {}
        }
    }
    None
}
