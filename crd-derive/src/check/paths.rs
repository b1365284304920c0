//! Checks the paths of printer columns, selectable fields and the scale subresource.

use crd_go::json_parts::{ColumnJson, ScaleJson};
use proc_macro2::Span;

use super::suggestion::suggestion;
use super::wrong;
use crate::attrs::resource::{ColumnAttr, ScaleAttr};
use crate::attrs::text::Text;
use crate::errors::Errors;
use crate::model::Resource;
use crate::model::shape::Shape;

pub(super) fn paths(resource: &Resource<'_>, errors: &mut Errors) {
    let attrs = &resource.attrs;
    let fields = Fields::from_resource(resource);
    for column in &attrs.columns {
        if let Some(Shown { path, span, .. }) = Shown::from_column(column) {
            self::path(&path, span, &fields, errors);
            below_scalar(&path, span, resource, errors);
        }
    }
    let mut seen = Vec::new();
    for selectable in &attrs.selectable {
        literal_path(selectable, &fields, errors);
        let Some(text) = selectable.literal() else { continue };
        if !text.starts_with('.') {
            let help = format!("the path of a selectable field begins with a dot: write `.{text}`");
            wrong(errors, selectable.span(), help);
        } else if text.contains(['[', '*']) {
            wrong(
                errors,
                selectable.span(),
                format!("`{text}` leads into a list: a selectable field is a single value"),
            );
        } else if text == ".metadata" || text.starts_with(".metadata.") {
            let help = "cannot be declared selectable: `metadata.name` and `metadata.namespace` are always selectable, and other metadata never is; remove it";
            wrong(errors, selectable.span(), format!("`{text}` {help}"));
        } else if seen.contains(&text) {
            wrong(errors, selectable.span(), format!("`{text}` is selectable twice: remove one"));
        }
        seen.push(text);
    }
    if let Some(ninth) = attrs.selectable.get(8) {
        let help = format!("{} fields are selectable, but at most 8 are allowed", attrs.selectable.len());
        wrong(errors, ninth.span(), help);
    }
    for (i, (path, span)) in scale_paths(resource).into_iter().enumerate() {
        // A path outside its part of the object has been rejected already.
        let below: &[&str] = [&[".spec."][..], &[".status."], &[".spec.", ".status."]][i.min(2)];
        if below.iter().any(|below| path.starts_with(below)) {
            self::path(&path, span, &fields, errors);
        }
    }
}

/// Checks that a path does not continue after a scalar field. The generated test also checks the path in other types.
fn below_scalar(path: &str, span: Span, resource: &Resource<'_>, errors: &mut Errors) {
    let first = if resource.attrs.no_spec.is_present() { 1 } else { ".spec.".len() };
    let Some(length) = path.get(first..).and_then(|below| below.find('.')) else { return };
    let (above, below) = path.split_at(first + length);
    let found = match shape_at(resource, above) {
        Some(shape @ (Shape::Bool | Shape::Int(..) | Shape::Float | Shape::Text)) => what(shape),
        _ => None,
    };
    if let Some(found) = found {
        wrong(errors, span, format!("`{above}` is {found}, which has no fields: remove `{below}`"));
    }
}

/// Returns the literal paths of the scale subresource, from separate items or from JSON.
fn scale_paths(resource: &Resource<'_>) -> Vec<(String, Span)> {
    match resource.attrs.scale.as_deref() {
        None => Vec::new(),
        Some(ScaleAttr::Parts(scale)) => {
            let paths = [&scale.spec_replicas_path, &scale.status_replicas_path].into_iter();
            let paths = paths.chain(&scale.label_selector_path);
            paths.map(|text| (text.literal().unwrap_or_default(), text.span())).collect()
        }
        Some(ScaleAttr::Raw(text)) => {
            let read = text.literal().and_then(|json| ScaleJson::parse(&json).ok());
            let paths = read.into_iter().flat_map(|scale| {
                [scale.spec_replicas_path, scale.status_replicas_path]
                    .into_iter()
                    .chain(scale.label_selector_path)
            });
            paths.map(|path| (path, text.span())).collect()
        }
    }
}

/// The literals of a printer column, from separate items or from JSON.
pub(super) struct Shown {
    pub(super) name: Option<(String, Span)>,
    pub(super) type_: Option<(String, Span)>,
    pub(super) path: String,
    pub(super) span: Span,
    pub(super) is_json: bool,
}

impl Shown {
    pub(super) fn from_column(column: &ColumnAttr) -> Option<Self> {
        let literal = |text: &Text| Some((text.literal()?, text.span()));
        match column {
            ColumnAttr::Parts(column) => {
                let (path, span) =
                    literal(&column.json_path).unwrap_or_else(|| (String::new(), column.json_path.span()));
                Some(Self {
                    name: literal(&column.name),
                    type_: column.type_().and_then(literal),
                    path,
                    span,
                    is_json: false,
                })
            }
            ColumnAttr::Raw(text) => {
                let read = ColumnJson::parse(&text.literal()?).ok()?;
                let at = |part: String| Some((part, text.span()));
                Some(Self {
                    name: at(read.name),
                    type_: at(read.type_),
                    path: read.json_path,
                    span: text.span(),
                    is_json: true,
                })
            }
        }
    }
}

/// Returns the kind of values that the field at a path has, if the macro can see the field.
pub(super) fn shape_at<'a>(resource: &'a Resource<'_>, path: &str) -> Option<Shape<'a>> {
    if resource.attrs.unchecked_paths.is_present() || resource.has_type_patch {
        return None;
    }
    let name = if resource.attrs.no_spec.is_present() {
        path.strip_prefix('.')?
    } else {
        path.strip_prefix(".spec.")?
    };
    let i = resource.field_names.as_ref()?.iter().position(|known| known == name)?;
    let field = resource.fields.get(i)?.as_ref().filter(|field| !field.is_foreign())?;
    Some(Shape::from_type(&field.original.ty).unwrapped())
}

/// Returns a phrase for these values, such as `an integer`.
pub(super) fn what(shape: Shape<'_>) -> Option<&'static str> {
    match shape {
        Shape::Bool => Some("a boolean"),
        Shape::Int(..) => Some("an integer"),
        Shape::Float => Some("a number"),
        Shape::Text => Some("a string"),
        Shape::List(_) => Some("a list"),
        Shape::Map(_) => Some("a map"),
        Shape::Option(_) | Shape::Unknown => None,
    }
}

fn literal_path(text: &Text, fields: &Fields<'_>, errors: &mut Errors) {
    if let Some(literal) = text.literal() {
        path(&literal, text.span(), fields, errors);
    }
}

/// The known fields of the object.
struct Fields<'a> {
    /// The names of the spec's fields, if all are known.
    spec: Option<&'a [String]>,
    has_status: bool,
    /// Set if paths are not checked: with `no_spec` or `unchecked_paths`.
    are_open: bool,
}

impl<'a> Fields<'a> {
    fn from_resource(resource: &'a Resource<'_>) -> Self {
        let attrs = &resource.attrs;
        Self {
            spec: resource.field_names.as_deref(),
            has_status: attrs.status.is_some(),
            are_open: attrs.no_spec.is_present() || attrs.unchecked_paths.is_present(),
        }
    }
}

/// Checks that a path leads to a field, if the fields are known.
fn path(path: &str, span: Span, fields: &Fields<'_>, errors: &mut Errors) {
    let Some(rest) = path.strip_prefix('.') else { return };
    let mut segments = rest.split('.');
    let (first, second) = (segments.next().unwrap_or_default(), segments.next());
    if fields.are_open {
        return;
    }
    // The API server takes such a path for a column, and shows no column then: tableconvertor.go of apiextensions-apiserver.
    if !is_closed(path) {
        wrong(errors, span, format!("a bracket of `{path}` is not closed: write `[*]` or `['name']`"));
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
                    format!(
                        "`{path}` names no field of the spec{} (otherwise remove the path, or set `unchecked_paths`)",
                        suggestion(field, names)
                    ),
                );
            }
        }
        ("status", _) if !fields.has_status => {
            wrong(
                errors,
                span,
                format!("`{path}` is in the status, but the resource has no status: add `status = \"...\"`"),
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

/// Returns `true` if all brackets in a path are closed. Brackets within quotes do not count.
fn is_closed(path: &str) -> bool {
    let (mut depth, mut quote) = (0_i32, None);
    for c in path.chars() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (None, '\'' | '"') if depth > 0 => quote = Some(c),
            (None, '[') => depth += 1,
            (None, ']') => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && quote.is_none()
}
