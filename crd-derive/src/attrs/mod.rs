//! Parses the attributes `#[crd(...)]`, `#[kube(...)]` and `#[x_kube(...)]`.

pub(crate) mod allow;
pub(crate) mod bounds;
pub(crate) mod conversion;
pub(crate) mod descriptions;
pub(crate) mod field;
pub(crate) mod item;
pub(crate) mod misspelt;
pub(crate) mod read;
pub(crate) mod resource;
pub(crate) mod rule;
pub(crate) mod serde;
pub(crate) mod text;
pub(crate) mod type_;
pub(crate) mod value;

use std::collections::HashSet;

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token, parse_quote};

use crate::errors::Errors;
use item::AttributeItem;
use read::Attributes;

/// Keys that describe the type, even if the type is a resource's spec. All other keys describe the resource.
const TYPE_KEYS: &[&str] = &[
    "spec_validation",
    "exactly_one_of",
    "at_most_one_of",
    "at_least_one_of",
    "preserve_unknown_fields",
    "schema_at",
    "schema_patch",
    "allow",
    "crates",
    "crate_path",
    "kube_version",
    "in_version",
];

/// The items in the attributes of a struct or an enum. Some describe the resource, and others the type.
#[derive(Default)]
pub(crate) struct Items {
    /// The items that describe the resource.
    pub(crate) resource: Vec<AttributeItem>,
    /// The items that describe the type.
    pub(crate) type_: Vec<AttributeItem>,
    /// Set if there is a `#[kube(...)]`.
    pub(crate) is_kube: bool,
    /// The first item of `#[crd(...)]` that describes the resource.
    pub(crate) first_of_resource: Option<(String, Span)>,
    /// Errors for flags that have a value. They are reported together with mistakes in other attributes: see [`read`].
    pub(crate) errors: Vec<syn::Error>,
}

/// Returns the items in the attributes of a struct or an enum.
pub(crate) fn parse_container(attrs: &[Attribute]) -> syn::Result<Items> {
    let mut items = Items::default();
    let mut errors = Errors::default();
    let mut crd = Vec::new();
    for attr in attrs {
        let path = attr.path();
        if path.is_ident("kube") {
            items.is_kube = true;
            let kube = errors.handle(parse(attr, FLAGS, &mut items.errors)).unwrap_or_default();
            items.type_.extend(kube.iter().filter(|item| is_shared(item)).cloned());
            items.resource.extend(kube);
        } else if path.is_ident("x_kube") {
            let of_type = errors.handle(parse(attr, FLAGS, &mut items.errors)).unwrap_or_default();
            items.type_.extend(of_type);
        } else if path.is_ident("crd") {
            crd.extend(errors.handle(parse(attr, FLAGS, &mut items.errors)).unwrap_or_default());
        }
    }
    // Without a resource, all attributes are about the type.
    let is_resource = items.is_kube
        || crd.iter().any(|item| ["group", "version", "kind"].iter().any(|key| is_key(item, key)));
    for item in crd {
        if is_resource {
            if TYPE_KEYS.iter().any(|key| is_key(&item, key)) {
                items.type_.push(item.clone());
            }
            if !TYPE_KEYS.iter().any(|key| is_key(&item, key)) || is_shared(&item) {
                if items.first_of_resource.is_none() && !is_shared(&item) {
                    items.first_of_resource = Some(place(&item));
                }
                items.resource.push(item);
            }
        } else {
            items.type_.push(item);
        }
    }
    errors.finish_with(items)
}

/// Returns the items in the attributes of a field or a variant, and the errors for flags that have a value.
pub(crate) fn parse_field(attrs: &[Attribute]) -> syn::Result<(Vec<AttributeItem>, Vec<syn::Error>)> {
    let mut errors = Errors::default();
    let mut of_flags = Vec::new();
    let ours = attrs.iter().filter(|attr| is_ours(attr));
    let mut items = Vec::new();
    for attr in ours {
        items.extend(errors.handle(parse(attr, FIELD_FLAGS, &mut of_flags)).unwrap_or_default());
    }
    errors.finish_with((items, of_flags))
}

/// Reads items as attributes. The errors `of_flags`, which were found earlier, are reported together with all other errors.
pub(crate) fn read_with<T: Attributes>(
    items: &[AttributeItem],
    of_flags: Vec<syn::Error>,
    span: Span,
) -> syn::Result<T> {
    let mut errors = Errors::default();
    of_flags.into_iter().for_each(|error| errors.push(error));
    let attrs = errors.handle(read::read(items, span));
    errors.finish()?;
    attrs.ok_or_else(|| syn::Error::new(Span::call_site(), "attributes are missing"))
}

/// Returns the items that are valid by themselves. Repetitions of an item that may occur only once are dropped, and a placeholder is
/// added for a missing group or version.
pub(crate) fn valid_items<T: Attributes>(items: &[AttributeItem]) -> Vec<AttributeItem> {
    let placeholders: [AttributeItem; 3] =
        [parse_quote!(group = "example.com"), parse_quote!(version = "v1"), parse_quote!(kind = "Object")];
    let is_valid = |items: &[&AttributeItem]| {
        let missing =
            placeholders.iter().filter(|other| !items.iter().any(|item| place(item).0 == place(other).0));
        let all: Vec<AttributeItem> = missing.chain(items.iter().copied()).cloned().collect();
        read::read::<T>(&all, Span::call_site()).is_ok()
    };
    let mut valid: Vec<AttributeItem> = Vec::new();
    let mut single = HashSet::new();
    for item in items.iter().filter(|item| is_valid(&[item])) {
        if is_valid(&[item, item]) || single.insert(place(item).0) {
            valid.push(item.clone());
        }
    }
    let missing = placeholders.iter().take(2).filter(|other| !single.contains(&place(other).0));
    valid.extend(missing.cloned());
    valid
}

/// Returns the names and positions of the items in a field's or variant's attributes.
pub(crate) fn places(attrs: &[Attribute]) -> Vec<(String, Span)> {
    let ours = attrs.iter().filter(|attr| is_ours(attr));
    let mut places = Vec::new();
    for items in ours.filter_map(|attr| parse(attr, FIELD_FLAGS, &mut Vec::new()).ok()) {
        places.extend(items.iter().map(place));
    }
    places
}

/// Returns the name and position of an item.
pub(crate) fn place(item: &AttributeItem) -> (String, Span) {
    let name = match item {
        AttributeItem::Meta(meta) => meta.path().get_ident().map(ToString::to_string),
        _ => None,
    };
    (name.unwrap_or_default(), item.span())
}

/// Returns `true` if crdkit's derives read the attribute.
pub(crate) fn is_ours(attr: &Attribute) -> bool {
    is_one_of(attr, &["crd", "kube", "x_kube"])
}

/// Returns `true` if the attribute has one of these names. The name is converted to a string once, because comparing it
/// as an identifier would allocate a string in the compiler each time.
pub(crate) fn is_one_of(attr: &Attribute, names: &[&str]) -> bool {
    attr.path().get_ident().is_some_and(|ident| names.contains(&&*ident.to_string()))
}

/// Returns the items in `word(...)`. Empty for anything else, or if the items cannot be parsed.
pub(crate) fn metas(meta: &Meta) -> Vec<Meta> {
    let Meta::List(list) = meta else { return Vec::new() };
    let items = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    items.map_or_else(|_| Vec::new(), |items| items.into_iter().collect())
}

/// Returns the items of an attribute. If a flag has a value, the value is removed, and an error is added to `of_flags`.
fn parse(
    attr: &Attribute,
    flags: &[&str],
    of_flags: &mut Vec<syn::Error>,
) -> syn::Result<Vec<AttributeItem>> {
    let items = attr.parse_args_with(Punctuated::<AttributeItem, Token![,]>::parse_terminated)?;
    let item = |item: AttributeItem| {
        let flag = flags.iter().find(|flag| is_key(&item, flag));
        let message = flag.and_then(|flag| value_of_flag(&item, flag));
        if let Some(message) = &message {
            of_flags.push(syn::Error::new(item.span(), message));
        }
        match item {
            AttributeItem::Meta(meta) if message.is_some() => {
                AttributeItem::Meta(Meta::Path(meta.path().clone()))
            }
            item => item,
        }
    };
    Ok(items.into_iter().map(item).collect())
}

/// Returns the message for a flag that has a value.
fn value_of_flag(item: &AttributeItem, flag: &str) -> Option<String> {
    match item {
        AttributeItem::Meta(Meta::List(list)) if list.tokens.is_empty() => {
            Some("an attribute without a value has no parentheses: remove them".to_owned())
        }
        AttributeItem::Meta(Meta::NameValue(pair)) => Some(match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(value), .. }) if !value.value => {
                format!("`{flag}` takes no value: remove it to set it to `false`")
            }
            _ => format!("`{flag}` takes no value: write `{flag}` alone"),
        }),
        _ => None,
    }
}

/// The attributes of a type that take no value.
const FLAGS: &[&str] = &[
    "namespaced",
    "no_spec",
    "spec_optional",
    "unchecked_paths",
    "unchecked",
    "no_test",
    "kube",
    "cel",
    "min_kube_version",
    "preserve_unknown_fields",
    "kubernetes_enums",
];

/// The attributes of a field that take no value.
const FIELD_FLAGS: &[&str] = &[
    "preserve_unknown_fields",
    "embedded_resource",
    "int_or_string",
    "schemaless",
    "immutable",
    "selectable",
    "spec_replicas",
    "status_replicas",
    "label_selector",
    "kubernetes_enums",
];

/// Returns `true` if an item is `key` or `key = ...` or `key(...)`.
pub(crate) fn is_key(item: &AttributeItem, key: &str) -> bool {
    matches!(item, AttributeItem::Meta(meta) if meta.path().is_ident(key))
}

/// Returns `true` for items that both derives read, such as `crate_path`.
pub(crate) fn is_shared(item: &AttributeItem) -> bool {
    ["crates", "crate_path", "kube_version", "in_version"].iter().any(|key| is_key(item, key))
}

#[cfg(test)]
mod tests;
