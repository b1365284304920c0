//! Determines the definition of a type in each version from `#[version(...)]` on its fields or variants.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{
    Attribute, Field, Fields, Ident, Item, ItemStruct, Path, Type as RustType, Visibility, parse_quote,
};

use super::attrs::{self, FieldVersions, Version};
use super::presence::{Presence, index};
use super::variants::{self, VariantHistory};
use crate::errors::Errors;

/// A type of the module, and the history of its fields or variants.
pub(super) struct Type {
    item: Item,
    name: Ident,
    /// One entry for each field, if the type is a struct with named fields.
    pub(super) fields: Vec<History>,
    /// One entry for each variant, if the type is an enum.
    pub(super) variants: Vec<VariantHistory>,
    /// For each version, the items for `#[crd(...)]` that apply only to it.
    items: Vec<Vec<TokenStream>>,
    /// For each version, `true` if its errors contain the name of the version.
    named: Vec<bool>,
}

/// Returns the position of the first path that begins with a single `super`.
fn outer_path(tokens: TokenStream) -> Option<Span> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is_colon =
        |at: usize| matches!(trees.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let is_super = |at: usize| matches!(trees.get(at), Some(TokenTree::Ident(word)) if word == "super");
    trees.iter().enumerate().find_map(|(at, tree)| match tree {
        TokenTree::Group(group) => outer_path(group.stream()),
        _ => {
            let begins = is_super(at) && is_colon(at + 1) && !(at > 0 && is_colon(at - 1));
            (begins && !is_super(at + 3)).then(|| tree.span())
        }
    })
}

/// A field, and its name and type in each version.
pub(super) struct History {
    field: Field,
    pub(super) presence: Presence,
    pub(super) default: Option<Path>,
    changed: Vec<Change>,
}

/// A change of a field's type.
pub(super) struct Change {
    /// The first version with the new type.
    pub(super) since: usize,
    pub(super) from: RustType,
    pub(super) up: Option<Path>,
    pub(super) down: Option<Path>,
}

impl Type {
    pub(super) fn new(mut item: Item, versions: &[Version]) -> syn::Result<Self> {
        let name = match &item {
            Item::Enum(item) => item.ident.clone(),
            Item::Struct(item) => item.ident.clone(),
            other => return Err(syn::Error::new(other.span(), "expected a struct or an enum")),
        };
        let mut errors = Errors::default();
        let of_type = match &mut item {
            Item::Enum(item) => &mut item.attrs,
            Item::Struct(item) => &mut item.attrs,
            _ => &mut Vec::new(),
        };
        let items = errors.handle(attrs::take_of_type(of_type, versions)).unwrap_or_default();
        if let Some(span) = outer_path(item.to_token_stream()) {
            let help = "each version is a module within this one, so that `super` is this module: write `super::super::`, or a path from \
                        `crate`";
            errors.push(syn::Error::new(span, help));
        }
        let (mut fields, mut variants) = (Vec::new(), Vec::new());
        match &mut item {
            Item::Struct(ItemStruct { fields: Fields::Named(named), generics, .. }) => {
                if let Some(param) = generics.params.first() {
                    let help = "a type with versions cannot be generic: declare it outside the module";
                    errors.push(syn::Error::new(param.span(), help));
                }
                for field in &named.named {
                    fields.extend(errors.handle(History::new(field.clone(), versions)));
                }
            }
            Item::Enum(item) => variants = variants::histories(item, versions, &mut errors),
            Item::Struct(ItemStruct { fields: Fields::Unnamed(unnamed), .. }) => {
                let attrs = unnamed.unnamed.iter().flat_map(|field| &field.attrs);
                for attr in attrs.filter(|attr| attr.path().is_ident("version")) {
                    let help = format!(
                        "only named fields can have `#[version(...)]`: write `struct {name} {{ ... }}`, or put `changed(...)` on the field with \
                         the `{name}`"
                    );
                    errors.push(syn::Error::new(attr.span(), help));
                }
            }
            _ => {}
        }
        errors.finish_with(Self { item, name, fields, variants, items, named: Vec::new() })
    }

    /// Determines the versions with a mistake that not all versions have. Errors for these versions will contain the version's name.
    pub(super) fn name_versions(&mut self, versions: &[Version], mistakes: impl Fn(&Item) -> Vec<String>) {
        let differs = |field: &History| field.presence.differs(versions.len()) || !field.changed.is_empty();
        let is_same = !self.fields.iter().any(differs)
            && !self.variants.iter().any(|variant| variant.presence.differs(versions.len()));
        if is_same && self.items.iter().all(Vec::is_empty) {
            return;
        }
        let found: Vec<_> =
            (0..versions.len()).map(|at| mistakes(&self.item_in(at, None, versions))).collect();
        let is_everywhere = |mistake: &String| found.iter().all(|other| other.contains(mistake));
        self.named = found.iter().map(|mistakes| !mistakes.iter().all(is_everywhere)).collect();
    }

    pub(super) fn ident(&self) -> &Ident {
        &self.name
    }

    pub(super) fn attrs(&self) -> &[Attribute] {
        match &self.item {
            Item::Enum(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            _ => &[],
        }
    }

    pub(super) fn item(&self) -> &Item {
        &self.item
    }

    /// Returns the type's definition for the module of a version.
    pub(super) fn item_in(&self, version: usize, more: Option<Attribute>, versions: &[Version]) -> Item {
        let mut item = self.item.clone();
        let mut more: Vec<Attribute> = more.into_iter().collect();
        if let Some(items) = self.items.get(version).filter(|items| !items.is_empty()) {
            more.push(parse_quote!(#[crd(#(#items),*)]));
        }
        if self.named.get(version) == Some(&true) {
            let name = versions[version].name.to_string();
            more.push(parse_quote!(#[crd(in_version = #name)]));
        }
        match &mut item {
            Item::Struct(item) => {
                item.attrs.extend(more);
                deepen(&mut item.vis);
                if let Fields::Named(named) = &mut item.fields {
                    named.named = self.fields.iter().filter_map(|field| field.field_in(version)).collect();
                }
                item.fields.iter_mut().for_each(|field| deepen(&mut field.vis));
            }
            Item::Enum(item) => {
                item.attrs.extend(more);
                deepen(&mut item.vis);
                item.variants =
                    self.variants.iter().filter_map(|variant| variant.variant_in(version)).collect();
            }
            _ => {}
        }
        item
    }
}

impl History {
    fn new(mut field: Field, versions: &[Version]) -> syn::Result<Self> {
        let FieldVersions { since, until, default, renamed, changed } = attrs::take(&mut field.attrs)?;
        let mut errors = Errors::default();
        let presence = Presence::new(since.as_ref(), until.as_ref(), renamed, versions, &mut errors);
        let mut changes: Vec<Change> = Vec::new();
        for change in changed {
            let path = |path: Option<crate::attrs::text::Parsed<Path>>| path.map(|path| path.0);
            let (up, down) = (path(change.up), path(change.down));
            let Some(since) = errors.handle(index(&change.since, versions)) else { continue };
            let at = changes.partition_point(|other| other.since <= since);
            changes.insert(at, Change { since, from: change.from.0, up, down });
        }
        let default = default.map(|path| path.0);
        errors.finish_with(Self { field, presence, default, changed: changes })
    }

    /// Returns `true` if a version has the field.
    pub(super) fn is_in(&self, version: usize) -> bool {
        self.presence.is_in(version)
    }

    /// Returns the name of the field in a version.
    pub(super) fn name(&self, version: usize) -> Option<&Ident> {
        self.presence.old_name(version).or(self.field.ident.as_ref())
    }

    /// Returns the type of the field in a version.
    pub(super) fn type_(&self, version: usize) -> &RustType {
        self.changed
            .iter()
            .find(|change| version < change.since)
            .map_or(&self.field.ty, |change| &change.from)
    }

    /// Returns the change that this version makes to the field's type.
    pub(super) fn change(&self, version: usize) -> Option<&Change> {
        self.changed.iter().find(|change| change.since == version)
    }

    fn field_in(&self, version: usize) -> Option<Field> {
        let mut field = self.field.clone();
        field.ident = self.name(version).cloned();
        field.ty = self.type_(version).clone();
        self.is_in(version).then_some(field)
    }
}

/// Adjusts the visibility of an item that moves one module deeper.
fn deepen(visibility: &mut Visibility) {
    let deeper: Option<Visibility> = match visibility {
        Visibility::Inherited => Some(parse_quote!(pub(super))),
        Visibility::Restricted(restricted) if restricted.path.is_ident("super") => {
            Some(parse_quote!(pub(in super::super)))
        }
        Visibility::Restricted(restricted) if restricted.path.is_ident("self") => {
            Some(parse_quote!(pub(super)))
        }
        _ => None,
    };
    if let Some(deeper) = deeper {
        *visibility = deeper;
    }
}
