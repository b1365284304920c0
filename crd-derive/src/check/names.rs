//! Names: group, version, kind and the others, labels and annotations.

use darling::error::Accumulator;
use proc_macro2::Span;

use super::wrong;
use crate::attrs::resource::Deprecated;
use crate::attrs::text::Text;
use crate::model::{Name, Resource};

pub(super) fn names(resource: &Resource<'_>, errors: &mut Accumulator) {
    let attrs = &resource.attrs;
    let kind = attrs.kind.span();
    if let Some(group) = attrs.group.literal() {
        self::group(&group, attrs.group.span(), errors);
    }
    if let Some(version) = attrs.version.literal() {
        label("version", &version, attrs.version.span(), errors);
    }
    if let Some(text) = attrs.kind.literal()
        && !is_label(&text.to_lowercase())
    {
        wrong(errors, kind, format!("kind `{text}` is no name: use letters and digits, as in `CronTab`"));
    }
    if attrs.root.is_none() && resource.root == resource.original.ident {
        let help = format!(
            "`{}` is the name of the spec and of the object: rename the struct to `{0}Spec`, or say `root = \"...\"`",
            resource.root
        );
        wrong(errors, kind, help);
    }
    for (key, name) in [("singular", &resource.singular), ("plural", &resource.plural)] {
        // A name made from the kind is as right as the kind.
        if let Name::Said(text) = name
            && let Some(name) = text.literal()
        {
            label(key, &name, text.span(), errors);
        }
    }
    if let Some(list_kind) = &attrs.list_kind
        && let Some(text) = list_kind.literal()
    {
        if !is_label(&text.to_lowercase()) {
            wrong(errors, list_kind.span(), format!("list kind `{text}` is no name, as in `CronTabList`"));
        } else if attrs.kind.literal().is_some_and(|kind| kind == text) {
            let help =
                format!("kind and list kind are both `{text}`: leave `list_kind` out for `{text}List`");
            wrong(errors, list_kind.span(), help);
        }
    }
    each("shortname", &attrs.short_names, errors);
    each("category", &attrs.categories, errors);
    for label in &attrs.labels {
        key("a label", &label.0, errors);
        if let Some(value) = label.1.literal()
            && !(value.is_empty() || (value.len() <= 63 && is_key_name(&value)))
        {
            let help = "a label's value has at most 63 letters, digits, `-`, `_` and `.`, and begins and ends with a \
                        letter or digit";
            wrong(errors, label.1.span(), format!("`{value}` is no value of a label: {help}"));
        }
    }
    for annotation in &attrs.annotations {
        key("an annotation", &annotation.0, errors);
    }
    if let Some(Deprecated::Warning(text)) = &attrs.deprecated
        && let Some(warning) = text.literal()
    {
        deprecation_warning(&warning, text.span(), errors);
    }
}

fn group(group: &str, span: Span, errors: &mut Accumulator) {
    let is_subdomain = group.len() <= 253 && group.split('.').all(is_rfc_1123_label);
    if group.is_empty() || !is_subdomain {
        let help = "use lower case letters, digits, `-` and `.`, as in `stable.example.com`";
        wrong(errors, span, format!("group `{group}` is no domain name: {help}"));
    } else if !group.contains('.') {
        wrong(
            errors,
            span,
            format!("group `{group}` has no dot: use a domain of yours, as in `{group}.example.com`"),
        );
    }
}

/// Source: `apiextensions/validation/validation.go`.
fn deprecation_warning(warning: &str, span: Span, errors: &mut Accumulator) {
    if warning.len() > 256 {
        let help = format!("the deprecation warning has {} bytes: 256 are the most", warning.len());
        wrong(errors, span, help);
    } else if warning.trim().is_empty() {
        wrong(
            errors,
            span,
            "the deprecation warning is empty: write `deprecated` alone for the usual one".to_owned(),
        );
    } else if let Some(c) = warning.chars().find(|c| c.is_control()) {
        wrong(
            errors,
            span,
            format!("the deprecation warning holds {c:?}: only printable characters may stand in it"),
        );
    }
}

/// Names of one kind: each a label, none twice.
fn each(key: &str, names: &[Text], errors: &mut Accumulator) {
    let mut seen = Vec::new();
    for text in names {
        let Some(name) = text.literal() else { continue };
        label(key, &name, text.span(), errors);
        if seen.contains(&name) {
            wrong(errors, text.span(), format!("{key} `{name}` stands here twice: remove one"));
        }
        seen.push(name);
    }
}

fn label(key: &str, name: &str, span: Span, errors: &mut Accumulator) {
    if !is_label(name) {
        let help = "use at most 63 lower case letters, digits and `-`, beginning with a letter and not ending with `-`";
        wrong(errors, span, format!("{key} `{name}` is no DNS label: {help}"));
    }
}

fn key(what: &str, text: &Text, errors: &mut Accumulator) {
    let Some(key) = text.literal() else { return };
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, &*key),
    };
    let is_prefix = |prefix: &str| prefix.len() <= 253 && prefix.split('.').all(is_rfc_1123_label);
    let is_name = name.len() <= 63 && is_key_name(name);
    if !is_name || !prefix.is_none_or(is_prefix) {
        let help =
            "write `name` or `example.com/name`; a name has at most 63 letters, digits, `-`, `_` and `.`";
        wrong(errors, text.span(), format!("`{key}` is no key of {what}: {help}"));
    }
}

/// A label of RFC 1035, which begins with a letter.
fn is_label(name: &str) -> bool {
    is_rfc_1123_label(name) && name.starts_with(|c: char| c.is_ascii_lowercase())
}

fn is_rfc_1123_label(name: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=63).contains(&name.len())
        && name.chars().all(is_inner)
        && !name.starts_with('-')
        && !name.ends_with('-')
}

fn is_key_name(name: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_end = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    name.chars().all(is_inner) && is_end(name.chars().next()) && is_end(name.chars().next_back())
}
