//! Records the lines of a type and its fields, for errors and for the order of properties at run time.

use crd_go::json_text::JsonText;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Field, Fields, GenericArgument, PathArguments, Type};

use crate::attrs::serde::{Words, renamed, renamed_variant};

/// The prefix for the type of a flattened field.
const FLATTENED: &str = "..";

/// Returns the names in a type's schema in order, each with its line, as a string of JSON. The type itself has an empty name, fields and
/// variants have the names that serde reads and writes, and a flattened field has the name `..Type`.
///
/// A literal is cheaper for the compiler than a `line!()` for each name.
pub(super) fn lines(input: &DeriveInput) -> String {
    let container = Words::from_attributes(&input.attrs);
    let mut all = vec![(String::new(), input.ident.span())];
    let of_container = |key: &str| container.value(key).map(|name| (name, input.ident.span()));
    match &input.data {
        Data::Struct(data) => of_fields(&data.fields, &[(&container, "rename_all")], &mut all),
        Data::Enum(data) => {
            all.extend(of_container("tag"));
            for variant in &data.variants {
                let words = Words::from_attributes(&variant.attrs);
                let rules = [(&words, "rename_all"), (&container, "rename_all_fields")];
                let (ident, rule) = (variant.ident.to_string(), [(&container, "rename_all")]);
                names(&ident, &words, &rule, renamed_variant, variant.ident.span(), &mut all);
                of_fields(&variant.fields, &rules, &mut all);
            }
            all.extend(of_container("content"));
        }
        Data::Union(_) => {}
    }
    let lines: Vec<_> = all.into_iter().filter_map(|(name, span)| Some((name, line(span)?))).collect();
    let entry = |(name, line): (String, usize)| {
        JsonText::Array(vec![JsonText::String(name), JsonText::Number(line.to_string())])
    };
    JsonText::Array(lines.into_iter().map(entry).collect()).to_string()
}

fn of_fields(fields: &Fields, rules: &[(&Words, &str)], all: &mut Vec<(String, Span)>) {
    for Field { attrs, ident, ty, .. } in fields {
        let words = Words::from_attributes(attrs);
        let span = ident.as_ref().map_or_else(|| ty.span(), syn::Ident::span);
        if words.has("flatten") {
            all.extend(type_name(ty).map(|name| (format!("{FLATTENED}{name}"), span)));
        } else if let (Some(ident), false) = (ident, words.is_skipped()) {
            let ident = syn::ext::IdentExt::unraw(ident).to_string();
            names(&ident, &words, rules, renamed, span, all);
        }
    }
}

/// Adds the name that serde reads and, if it is different, the name that serde writes.
fn names(
    ident: &str,
    words: &Words,
    rules: &[(&Words, &str)],
    renamed: fn(&str, &str) -> Option<String>,
    span: Span,
    all: &mut Vec<(String, Span)>,
) {
    for direction in ["deserialize", "serialize"] {
        let rule = || rules.iter().find_map(|(words, key)| words.value_for(key, direction));
        let by_rule = || renamed(ident, &rule()?);
        let name = words.value_for("rename", direction).or_else(by_rule).unwrap_or_else(|| ident.to_owned());
        if !all.iter().any(|(known, _)| *known == name) {
            all.push((name, span));
        }
    }
}

/// Returns the name of a type, or of the type inside an `Option` or a `Box`.
fn type_name(type_: &Type) -> Option<String> {
    let Type::Path(path) = type_ else { return None };
    let last = path.path.segments.last()?;
    match &last.arguments {
        PathArguments::AngleBracketed(inner) if last.ident == "Option" || last.ident == "Box" => {
            inner.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(inner) => type_name(inner),
                _ => None,
            })
        }
        _ => Some(last.ident.to_string()),
    }
}

/// Returns the line of a position. `None` outside of the compiler.
fn line(span: Span) -> Option<usize> {
    proc_macro::is_available().then(|| span.unwrap().line())
}
