//! Paths into the object: of printer columns, selectable fields and scale.

use darling::error::Accumulator;

use super::wrong;
use crate::attrs::resource::{ColumnAttr, ScaleAttr};
use crate::attrs::text::Text;
use crate::model::{Resource, field_names};

pub(super) fn paths(resource: &Resource<'_>, errors: &mut Accumulator) {
    let attrs = &resource.attrs;
    let fields = Fields::of(resource);
    for column in &attrs.columns {
        if let ColumnAttr::Parts(column) = column {
            path(&column.json_path, "a printer column", &[], &fields, errors);
        }
    }
    let mut seen = Vec::new();
    for selectable in &attrs.selectable {
        path(selectable, "a selectable field", &[], &fields, errors);
        let Some(text) = selectable.literal() else { continue };
        if text.contains(['[', '*']) {
            wrong(
                errors,
                selectable.span(),
                format!("`{text}` goes into a list: a selectable field is one value"),
            );
        } else if text == ".metadata" || text.starts_with(".metadata.") {
            let help = "is selectable without being said, or not at all: remove it";
            wrong(errors, selectable.span(), format!("`{text}` {help}"));
        } else if seen.contains(&text) {
            wrong(errors, selectable.span(), format!("`{text}` is selectable twice: remove one"));
        }
        seen.push(text);
    }
    if let Some(ninth) = attrs.selectable.get(8) {
        let help = format!("{} fields are selectable: 8 are the most", attrs.selectable.len());
        wrong(errors, ninth.span(), help);
    }
    if let Some(scale) = &attrs.scale
        && let ScaleAttr::Parts(scale) = &**scale
    {
        path(&scale.spec_replicas_path, "`spec_replicas_path`", &[".spec."], &fields, errors);
        path(&scale.status_replicas_path, "`status_replicas_path`", &[".status."], &fields, errors);
        if let Some(selector) = &scale.label_selector_path {
            path(selector, "`label_selector_path`", &[".spec.", ".status."], &fields, errors);
        }
    }
}

/// What is known of the object's fields.
struct Fields {
    /// The names of the spec's fields, where all are known.
    spec: Option<Vec<String>>,
    has_status: bool,
    /// Whether the spec's fields are the object's own, or nobody wants them checked.
    are_open: bool,
}

impl Fields {
    fn of(resource: &Resource<'_>) -> Self {
        let attrs = &resource.attrs;
        Self {
            spec: field_names(resource.original),
            has_status: attrs.status.is_some(),
            are_open: attrs.no_spec.is_present() || attrs.unchecked_paths.is_present(),
        }
    }
}

fn path(text: &Text, what: &str, below: &[&str], fields: &Fields, errors: &mut Accumulator) {
    let Some(path) = text.literal() else { return };
    let span = text.span();
    let Some(rest) = path.strip_prefix('.') else {
        wrong(
            errors,
            span,
            format!("the path of {what} begins with a dot: write `.{}`", path.trim_start_matches('$')),
        );
        return;
    };
    if !below.is_empty() && !below.iter().any(|prefix| path.starts_with(prefix)) {
        wrong(errors, span, format!("the path of {what} begins with `{}`", below.join("` or `")));
        return;
    }
    let mut segments = rest.split('.');
    let (first, second) = (segments.next().unwrap_or_default(), segments.next());
    if fields.are_open {
        return;
    }
    match (first.split('[').next().unwrap_or_default(), second) {
        ("spec", Some(field)) => {
            let field = field.split('[').next().unwrap_or_default();
            // `\` escapes a dot within a name, and `..` descends: those paths are for kubectl to judge.
            let is_plain = !field.is_empty() && !field.contains(['\\', '*']);
            if let Some(names) = &fields.spec
                && is_plain
                && !names.iter().any(|name| name == field)
            {
                wrong(
                    errors,
                    span,
                    format!("`{path}` names no field of the spec{}", suggestion(field, names)),
                );
            }
        }
        ("status", _) if !fields.has_status => {
            wrong(
                errors,
                span,
                format!("`{path}` is in the status, and there is none: add `status = \"...\"`"),
            );
        }
        ("apiVersion" | "kind" | "metadata" | "spec" | "status", _) => {}
        (other, _) => {
            let help = "an object has `apiVersion`, `kind`, `metadata`, `spec` and `status`";
            let guess = match &fields.spec {
                Some(names) if names.iter().any(|name| name == other) => {
                    format!(": did you mean `.spec{path}`?")
                }
                _ => format!(": {help}"),
            };
            wrong(errors, span, format!("`{path}` names no field of the object{guess}"));
        }
    }
}

/// The field that was meant, or all there are.
pub(super) fn suggestion(found: &str, names: &[String]) -> String {
    let distance = |name: &String| (distance(found, name), name.clone());
    match names.iter().map(distance).min() {
        Some((distance, name)) if distance * 3 <= found.len().max(3) => format!(": did you mean `{name}`?"),
        _ if names.is_empty() => ": it has none".to_owned(),
        _ => format!(": it has `{}`", names.join("`, `")),
    }
}

/// How many letters have to change for one word to become the other, without regard to case and `_`.
fn distance(a: &str, b: &str) -> usize {
    let letters =
        |word: &str| word.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (a, b) = (letters(a), letters(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
