//! The tokens of `#[crd(...)]`, `#[kube(...)]` and `#[x_kube(...)]` -> attributes as data.

pub(crate) mod conversion;
pub(crate) mod descriptions;
pub(crate) mod field;
pub(crate) mod resource;
pub(crate) mod rule;
pub(crate) mod serde;
pub(crate) mod text;
pub(crate) mod type_;
pub(crate) mod wording;

use darling::ast::NestedMeta;
use syn::punctuated::Punctuated;
use syn::{Attribute, Token};

/// Keys that speak of a type even where it is the spec of a resource; all others speak of the resource.
const TYPE_KEYS: &[&str] = &[
    "spec_validation",
    "exactly_one_of",
    "at_most_one_of",
    "at_least_one_of",
    "preserve_unknown_fields",
    "schema_patch",
    "crates",
    "crate_path",
];

/// What stands in the attributes of a struct or an enum, split between the resource and the type.
#[derive(Default)]
pub(crate) struct Items {
    /// Of the resource.
    pub(crate) resource: Vec<NestedMeta>,
    /// Of the type.
    pub(crate) type_: Vec<NestedMeta>,
    /// Whether `#[kube(...)]` was written.
    pub(crate) is_kube: bool,
}

/// The items of a container's attributes.
pub(crate) fn of_container(attrs: &[Attribute]) -> darling::Result<Items> {
    let mut items = Items::default();
    let mut errors = darling::Error::accumulator();
    let mut crd = Vec::new();
    for attr in attrs {
        let path = attr.path();
        if path.is_ident("kube") {
            items.is_kube = true;
            let kube = errors.handle(parse(attr)).unwrap_or_default();
            items.type_.extend(kube.iter().filter(|item| is_shared(item)).cloned());
            items.resource.extend(kube);
        } else if path.is_ident("x_kube") {
            items.type_.extend(errors.handle(parse(attr)).unwrap_or_default());
        } else if path.is_ident("crd") {
            crd.extend(errors.handle(parse(attr)).unwrap_or_default());
        }
    }
    // A type that is no resource has nothing but itself to speak of.
    let is_resource = items.is_kube
        || crd.iter().any(|item| ["group", "version", "kind"].iter().any(|key| is_key(item, key)));
    for item in crd {
        if is_resource {
            if TYPE_KEYS.iter().any(|key| is_key(&item, key)) {
                items.type_.push(item.clone());
            }
            if !TYPE_KEYS.iter().any(|key| is_key(&item, key)) || is_shared(&item) {
                items.resource.push(item);
            }
        } else {
            items.type_.push(item);
        }
    }
    errors.finish_with(items)
}

/// The items of the attributes of a field or a variant.
pub(crate) fn of_field(attrs: &[Attribute]) -> darling::Result<Vec<NestedMeta>> {
    let mut errors = darling::Error::accumulator();
    let ours = attrs.iter().filter(|attr| is_ours(attr));
    let items = ours.filter_map(|attr| errors.handle(parse(attr))).flatten().collect();
    errors.finish_with(items)
}

/// Whether an attribute is one of ours.
pub(crate) fn is_ours(attr: &Attribute) -> bool {
    ["crd", "kube", "x_kube"].iter().any(|name| attr.path().is_ident(name))
}

fn parse(attr: &Attribute) -> darling::Result<Vec<NestedMeta>> {
    let items = attr.parse_args_with(Punctuated::<NestedMeta, Token![,]>::parse_terminated)?;
    Ok(items.into_iter().collect())
}

/// Whether an item is `key` or `key = ...` or `key(...)`.
pub(crate) fn is_key(item: &NestedMeta, key: &str) -> bool {
    matches!(item, NestedMeta::Meta(meta) if meta.path().is_ident(key))
}

/// Whether an item names crates, for whatever is emitted.
fn is_shared(item: &NestedMeta) -> bool {
    is_key(item, "crates") || is_key(item, "crate_path")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    /// The names that a struct of attributes reads.
    fn names(source: &str, name: &str) -> Vec<String> {
        let file = syn::parse_file(source).expect("it compiles");
        let mut structs = file.items.iter().filter_map(|item| match item {
            syn::Item::Struct(item) if item.ident == name => Some(item),
            _ => None,
        });
        let fields = structs.next().expect("the struct is there").fields.iter();
        let read = |field: &syn::Field| {
            let mut rename = None;
            for attr in field.attrs.iter().filter(|attr| attr.path().is_ident("darling")) {
                let metas = attr.parse_args_with(Punctuated::<syn::Meta, Token![,]>::parse_terminated);
                for meta in metas.expect("darling reads it") {
                    if let syn::Meta::NameValue(pair) = meta
                        && pair.path.is_ident("rename")
                    {
                        rename = text::literal(&pair.value);
                    }
                }
            }
            rename.or_else(|| field.ident.as_ref().map(ToString::to_string)).expect("fields have names")
        };
        fields.map(read).collect()
    }

    /// The files of a folder with that ending, in one text.
    fn texts(folder: &Path, ending: &str) -> String {
        let entries = fs::read_dir(folder).expect("the folder is part of the repository");
        let mut files: Vec<PathBuf> =
            entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        files.sort();
        files.retain(|file| file.extension().is_some_and(|found| found == ending));
        files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect()
    }

    /// Whether `name` stands in a text as a word.
    fn has_word(text: &str, name: &str) -> bool {
        let is_part = |c: Option<char>| c.is_some_and(|c| c == '_' || c.is_alphanumeric());
        text.match_indices(name).any(|(i, _)| {
            !is_part(text[..i].chars().next_back()) && !is_part(text[i + name.len()..].chars().next())
        })
    }

    #[test]
    fn every_attribute_has_its_line_an_example_and_a_failure() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let docs = texts(&root.join("docs"), "md");
        let crdkit = root.join("../crdkit");
        let examples = texts(&crdkit.join("tests"), "rs") + &texts(&crdkit.join("tests/shapes"), "rs");
        let failures = texts(&crdkit.join("tests/ui"), "rs");
        let all = [
            names(include_str!("resource.rs"), "ResourceAttrs"),
            names(include_str!("type_.rs"), "TypeAttrs"),
            names(include_str!("field.rs"), "FieldAttrs"),
            names(include_str!("field.rs"), "VariantAttrs"),
        ];
        assert!(all.iter().all(|names| names.iter().any(|name| name == "validation")), "{all:?}");
        let mut missing = Vec::new();
        for name in all.iter().flatten() {
            for (what, text) in [("line", &docs), ("example", &examples), ("failure", &failures)] {
                if !has_word(text, name) {
                    missing.push(format!("`{name}` has no {what}"));
                }
            }
        }
        assert!(missing.is_empty(), "{missing:#?}");
    }
}
