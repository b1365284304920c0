//! Paths into the object: of printer columns, selectable fields and scale.

use darling::error::Accumulator;

use super::suggestion::suggestion;
use super::wrong;
use crate::attrs::resource::{ColumnAttr, ScaleAttr};
use crate::attrs::text::Text;
use crate::model::Resource;

pub(super) fn paths(resource: &Resource<'_>, errors: &mut Accumulator) {
    let attrs = &resource.attrs;
    let fields = Fields::of(resource);
    for column in &attrs.columns {
        if let ColumnAttr::Parts(column) = column {
            path(&column.json_path, &fields, errors);
        }
    }
    let mut seen = Vec::new();
    for selectable in &attrs.selectable {
        path(selectable, &fields, errors);
        let Some(text) = selectable.literal() else { continue };
        if !text.starts_with('.') {
            let help = format!("the path of a selectable field begins with a dot: write `.{text}`");
            wrong(errors, selectable.span(), help);
        } else if text.contains(['[', '*']) {
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
        // What lies outside of spec and status has been refused already.
        for (text, below) in
            [(&scale.spec_replicas_path, ".spec."), (&scale.status_replicas_path, ".status.")]
        {
            if text.literal().is_some_and(|text| text.starts_with(below)) {
                path(text, &fields, errors);
            }
        }
        if let Some(selector) = &scale.label_selector_path
            && selector
                .literal()
                .is_some_and(|text| text.starts_with(".spec.") || text.starts_with(".status."))
        {
            path(selector, &fields, errors);
        }
    }
}

/// What is known of the object's fields.
struct Fields<'a> {
    /// The names of the spec's fields, where all are known.
    spec: Option<&'a [String]>,
    has_status: bool,
    /// Whether the spec's fields are the object's own, or nobody wants them checked.
    are_open: bool,
}

impl<'a> Fields<'a> {
    fn of(resource: &'a Resource<'_>) -> Self {
        let attrs = &resource.attrs;
        Self {
            spec: resource.field_names.as_deref(),
            has_status: attrs.status.is_some(),
            are_open: attrs.no_spec.is_present() || attrs.unchecked_paths.is_present(),
        }
    }
}

/// Checks that a path leads to a field, as far as the fields are known.
fn path(text: &Text, fields: &Fields<'_>, errors: &mut Accumulator) {
    let Some(path) = text.literal() else { return };
    let span = text.span();
    let Some(rest) = path.strip_prefix('.') else { return };
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
