//! Builds the model of a resource from a spec and its attributes.

use std::borrow::Cow;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, DeriveInput, Field, Ident, LifetimeParam, Type};

use super::{Paths, SchemaField, fields, plural, union_error, variants, wire_fields};
use crate::attrs::resource::ResourceAttrs;
use crate::attrs::text::Parsed;
use crate::attrs::value::Flag;
use crate::attrs::{self, Items, serde};
use crate::errors::Errors;

/// A spec that becomes a resource.
pub(crate) struct Resource<'a> {
    pub(crate) original: &'a DeriveInput,
    pub(crate) attrs: ResourceAttrs,
    /// The name of the generated type for whole objects.
    pub(crate) root: Ident,
    /// `singular`, set by an attribute or derived from the kind.
    pub(crate) singular: Name,
    pub(crate) plural: Name,
    /// Set if kube's traits are also implemented.
    pub(crate) is_kube: bool,
    /// Set if the attribute is `#[kube(...)]`. Where crdkit and kube-derive differ, the derive then behaves like kube-derive.
    pub(crate) like_kube: bool,
    pub(crate) paths: Paths,
    /// Attributes on the type, its variants and fields that only `CrdSchema` reads. Each has its position.
    pub(crate) of_schema: Vec<(String, Span)>,
    /// Set if attributes patch the spec's schema.
    pub(crate) has_type_patch: bool,
    /// The names that serde gives to the spec's fields, if all are known.
    pub(crate) field_names: Option<Vec<String>>,
    /// The positions of these fields in the code.
    pub(crate) field_spans: Vec<Span>,
    /// The fields with these names, if they are needed for checks.
    pub(crate) fields: Vec<Option<SchemaField<'a>>>,
    /// Set if the spec may have fields that it does not declare.
    pub(crate) keeps_unknown_fields: bool,
}

/// A name, derived from the kind or set by an attribute.
pub(crate) enum Name {
    /// Derived from the kind.
    Known(String),
    /// Set by the attribute.
    Given(attrs::text::Text),
}

/// The names of a resource that its attributes do not set.
struct Names {
    root: Ident,
    singular: Name,
    plural: Name,
}

impl<'a> Resource<'a> {
    pub(crate) fn from_input(input: &'a DeriveInput) -> syn::Result<Self> {
        if let Some(error) = rejected_item(input) {
            return Err(error);
        }
        let mut items = attrs::parse_container(&input.attrs)?;
        if items.resource.is_empty() {
            let help = "add `#[crd(group = \"example.com\", version = \"v1\", kind = \"...\")]`";
            return Err(syn::Error::new(input.ident.span(), help));
        }
        let errors = std::mem::take(&mut items.errors);
        let mut attrs: ResourceAttrs = attrs::read_with(&items.resource, errors, input.ident.span())?;
        attrs.derive_what_is_meant();
        if let Some(error) = rejected_status(&attrs) {
            return Err(error);
        }
        let names = Names::from_attributes(input, &attrs)?;
        Ok(Self::new(input, &items, attrs, names))
    }

    /// Returns the resource that the valid attributes describe. Its code is emitted together with the errors about the other attributes.
    /// `None` if the object's type would have no name, or the item cannot be a spec.
    pub(crate) fn from_valid_attributes(input: &'a DeriveInput) -> Option<Self> {
        if rejected_item(input).is_some() {
            return None;
        }
        let is_valid = |attr: &&Attribute| attrs::parse_container(std::slice::from_ref(*attr)).is_ok();
        let valid: Vec<Attribute> = input.attrs.iter().filter(is_valid).cloned().collect();
        let items = attrs::parse_container(&valid).ok()?;
        let mut attrs: ResourceAttrs =
            attrs::read::read(&attrs::valid_items::<ResourceAttrs>(&items.resource), input.ident.span())
                .ok()?;
        attrs.derive_what_is_meant();
        if rejected_status(&attrs).is_some() {
            attrs.status = None;
        }
        // The test would report the same mistakes again.
        attrs.no_test = Flag::present();
        let root = root(&attrs).ok().filter(|root| *root != input.ident)?;
        // Any name will do: the definition is not used.
        let known = |named: syn::Result<Name>| named.unwrap_or_else(|_| Name::Known("objects".to_owned()));
        let names = Names { root, singular: known(singular(&attrs)), plural: known(plural(&attrs)) };
        Some(Self::new(input, &items, attrs, names))
    }

    fn new(input: &'a DeriveInput, items: &Items, attrs: ResourceAttrs, names: Names) -> Self {
        let paths = Paths::new(attrs.crates.as_ref(), attrs.crate_path.as_ref().map(|path| &path.0.0));
        let is_kube = items.is_kube || attrs.kube.is_present();
        let Names { root, singular, plural } = names;
        let of_type = items.type_.iter().filter(|item| !attrs::is_shared(item)).map(attrs::place);
        let mut of_schema: Vec<_> = of_type.collect();
        for variant in variants(input) {
            of_schema.extend(attrs::places(&variant.attrs));
        }
        for (field, _) in fields(input) {
            of_schema.extend(attrs::places(&field.attrs));
        }
        let like_kube = items.is_kube;
        let has = |key: &str| items.type_.iter().any(|item| attrs::is_key(item, key));
        let has_type_patch = has("schema_at") || has("schema_patch");
        let keeps_unknown_fields = has("preserve_unknown_fields");
        let wire_fields =
            wire_fields(input, |_, field| Cow::Owned(serde::Words::from_attributes(&field.attrs)));
        let has_default = attrs.spec_default.is_some() || !attrs.columns.is_empty();
        let all: Vec<&Field> = fields(input).into_iter().map(|(field, _)| field).collect();
        let span = |i: usize| all[i].ident.as_ref().map_or_else(|| all[i].ty.span(), Ident::span);
        let known_fields = wire_fields.as_deref().unwrap_or_default();
        let field_spans = known_fields.iter().map(|(_, i)| span(*i)).collect();
        let own = |i: usize| SchemaField::read(all[i]).ok();
        let fields = known_fields.iter().filter(|_| has_default).map(|(_, i)| own(*i)).collect();
        Self {
            original: input,
            attrs,
            root,
            singular,
            plural,
            is_kube,
            like_kube,
            paths,
            of_schema,
            has_type_patch,
            field_names: wire_fields.map(|fields| fields.into_iter().map(|(name, _)| name).collect()),
            field_spans,
            fields,
            keeps_unknown_fields,
        }
    }
}

impl Resource<'_> {
    /// Returns `true` if the object's schema is written by hand.
    pub(crate) fn is_manual(&self) -> bool {
        self.has_schema_mode("manual")
    }

    /// Returns `true` if the CRD's schema accepts everything.
    pub(crate) fn is_schemaless(&self) -> bool {
        self.has_schema_mode("disabled")
    }

    fn has_schema_mode(&self, mode: &str) -> bool {
        self.attrs.schema.as_ref().and_then(attrs::text::Text::literal).is_some_and(|given| given == mode)
    }
}

/// Returns the error for an item that cannot be a spec.
fn rejected_item(input: &DeriveInput) -> Option<syn::Error> {
    let of_lifetime = |lifetime: &LifetimeParam| {
        let help =
            "the type of an object cannot borrow: use owned types, such as `String`, and remove the lifetime";
        syn::Error::new(lifetime.span(), help)
    };
    union_error(input).or_else(|| input.generics.lifetimes().next().map(of_lifetime))
}

/// Returns the error for a status type that cannot be a field of its own, such as a reference.
fn rejected_status(attrs: &ResourceAttrs) -> Option<syn::Error> {
    let Parsed(status) = attrs.status.as_ref()?;
    let is_value = matches!(
        status,
        Type::Path(_) | Type::Macro(_) | Type::Tuple(_) | Type::Array(_) | Type::Group(_) | Type::Paren(_)
    );
    let help = "the status needs its own type: name a struct, as in `status = \"ShirtStatus\"`";
    (!is_value).then(|| syn::Error::new(status.span(), help))
}

impl Names {
    fn from_attributes(input: &DeriveInput, attrs: &ResourceAttrs) -> syn::Result<Self> {
        let mut errors = Errors::default();
        let root = errors.handle(root(attrs));
        let singular = errors.handle(singular(attrs));
        let plural = errors.handle(plural(attrs));
        if root.as_ref().is_some_and(|root| *root == input.ident) {
            let span = attrs.root.as_ref().map_or_else(|| attrs.kind.span(), |root| root.0.span());
            let help = format!(
                "`{}` is the name of the spec and of the object: rename the struct to `{0}Spec`, or name the object with \
                 `root = \"...\"`",
                input.ident
            );
            errors.push(syn::Error::new(span, help));
        }
        let (Some(root), Some(singular), Some(plural)) = (root, singular, plural) else {
            return errors
                .finish_with(())
                .and_then(|()| Err(syn::Error::new(Span::call_site(), "names are missing")));
        };
        errors.finish_with(Self { root, singular, plural })
    }
}

fn singular(attrs: &ResourceAttrs) -> syn::Result<Name> {
    name(attrs.singular.as_ref(), "singular", attrs, |kind| Some(kind.to_lowercase()))
}

fn plural(attrs: &ResourceAttrs) -> syn::Result<Name> {
    name(attrs.plural.as_ref(), "plural", attrs, plural::plural)
}

/// Returns the name for the object's type: the kind, unless `root` sets another name.
fn root(attrs: &ResourceAttrs) -> syn::Result<Ident> {
    if let Some(root) = &attrs.root {
        return Ok(root.0.clone());
    }
    let span = attrs.kind.span();
    let Some(kind) = attrs.kind.literal() else {
        let help = "the kind is not a literal: name the type with `root = \"...\"`";
        return Err(syn::Error::new(span, help));
    };
    type_name(&kind, span)
}

/// Returns the Rust type name for a kind.
pub(crate) fn type_name(kind: &str, span: Span) -> syn::Result<Ident> {
    let is_word = kind.chars().all(|c| c == '_' || c.is_alphanumeric()) && kind != "_";
    if is_word && let Ok(mut ident) = syn::parse_str::<Ident>(kind) {
        // Errors of the type are reported at the literal.
        ident.set_span(span);
        return Ok(ident);
    }
    let help = match syn::parse_str::<Ident>(&format!("r#{kind}")) {
        _ if ["Self", "self", "super", "crate"].contains(&kind) => {
            format!("`{kind}` is a reserved word of Rust: name the type of the object with `root = \"...\"`")
        }
        Ok(_) if is_word => {
            format!("`{kind}` is a reserved word of Rust: name the type of the object with `root = \"...\"`")
        }
        _ => format!("`{kind}` is not a name for a Rust type: a kind is written like `CronTab`"),
    };
    Err(syn::Error::new(span, help))
}

fn name(
    given: Option<&attrs::text::Text>,
    key: &str,
    attrs: &ResourceAttrs,
    make: impl Fn(&str) -> Option<String>,
) -> syn::Result<Name> {
    if let Some(text) = given {
        return Ok(Name::Given(text.clone()));
    }
    let Some(kind) = attrs.kind.literal() else {
        let help = format!("the kind is not a literal: give the {key} name with `{key} = \"...\"`");
        return Err(syn::Error::new(attrs.kind.span(), help));
    };
    make(&kind).map(Name::Known).ok_or_else(|| {
        let help = format!("`{kind}` looks like a plural: give the {key} name with `{key} = \"...\"`");
        syn::Error::new(attrs.kind.span(), help)
    })
}
