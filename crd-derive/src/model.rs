//! A Rust item with its attributes -> what a derive knows of it; borrows the item.

pub(crate) mod list;
mod plural;
pub(crate) mod shape;

use std::borrow::Cow;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Field, Fields, Ident, Path, Type, Variant, parse_quote};

use crate::attrs::bounds::Bounds;
use crate::attrs::field::{FieldAttrs, VariantAttrs};
use crate::attrs::resource::{Crates, ResourceAttrs};
use crate::attrs::rule::Rule;
use crate::attrs::text::{CratePath, Parsed};
use crate::attrs::type_::TypeAttrs;
use crate::attrs::{self, serde};

/// A spec that becomes a resource.
pub(crate) struct Resource<'a> {
    pub(crate) original: &'a DeriveInput,
    pub(crate) attrs: ResourceAttrs,
    /// The name of the type of the object.
    pub(crate) root: Ident,
    /// `singular`, where it is no literal of the attributes.
    pub(crate) singular: Name,
    pub(crate) plural: Name,
    /// Whether kube's traits are implemented too.
    pub(crate) is_kube: bool,
    /// Whether `#[kube(...)]` was written: what kube-derive does then counts where there is a choice.
    pub(crate) like_kube: bool,
    pub(crate) paths: Paths,
    /// Where something stands that only `CrdSchema` reads: of the type, its variants and their fields.
    pub(crate) of_schema: Vec<(String, Span)>,
    /// Whether the schema of the spec is patched.
    pub(crate) has_type_patch: bool,
    /// The names of the spec's fields on the wire, where all are known.
    pub(crate) field_names: Option<Vec<String>>,
    /// Where they stand.
    pub(crate) field_spans: Vec<Span>,
    /// The fields of those names, where there is a default to compare them with.
    pub(crate) fields: Vec<Option<SchemaField<'a>>>,
    /// Whether the spec may have fields that it does not declare.
    pub(crate) keeps_unknown_fields: bool,
}

/// A name, known or to be taken from an attribute.
pub(crate) enum Name {
    /// Made from the kind.
    Known(String),
    /// As the attribute says.
    Said(attrs::text::Text),
}

/// How emitted code names crates.
pub(crate) struct Paths {
    pub(crate) private: Path,
    /// The same within the block of a schema, which names it often.
    pub(crate) short: Ident,
    pub(crate) kube_core: Path,
    pub(crate) k8s_openapi: Path,
}

/// A type that has a schema.
pub(crate) struct Schema<'a> {
    pub(crate) original: &'a DeriveInput,
    pub(crate) attrs: TypeAttrs,
    pub(crate) fields: Vec<SchemaField<'a>>,
    /// The names of a struct's fields on the wire, with their indices, where all are known.
    pub(crate) wire_fields: Option<Vec<(String, usize)>>,
    /// The rules of an enum's variants.
    pub(crate) variant_rules: Vec<(&'a Variant, Vec<Rule>)>,
    pub(crate) paths: Paths,
    /// Whether the type is a spec whose fields are the object's own.
    pub(crate) is_object: bool,
    /// Where `#[crd(...)]` speaks of a resource, which only `CustomResource` reads.
    pub(crate) first_of_resource: Option<(String, Span)>,
}

/// A field of a struct or of a variant.
pub(crate) struct SchemaField<'a> {
    pub(crate) original: &'a Field,
    pub(crate) attrs: FieldAttrs,
    /// What serde and schemars are told of it.
    pub(crate) words: serde::Words,
    /// Its bounds.
    pub(crate) bounds: Bounds,
}

impl<'a> Resource<'a> {
    pub(crate) fn from_input(input: &'a DeriveInput) -> darling::Result<Self> {
        if let Data::Union(data) = &input.data {
            return Err(darling::Error::custom("a union has no schema: use a struct or an enum")
                .with_span(&data.union_token));
        }
        if let Some(lifetime) = input.generics.lifetimes().next() {
            let help =
                "an object is read as its own: let the spec own what it borrows, and remove the lifetime";
            return Err(darling::Error::custom(help).with_span(lifetime));
        }
        let items = attrs::of_container(&input.attrs)?;
        if items.resource.is_empty() {
            let help = "add `#[crd(group = \"example.com\", version = \"v1\", kind = \"...\")]`";
            return Err(darling::Error::custom(help).with_span(&input.ident));
        }
        let mut attrs: ResourceAttrs = attrs::read(&items.resource, items.errors, input.ident.span())?;
        attrs.derive_what_is_meant();
        if let Some(Parsed(status)) = &attrs.status
            && !matches!(
                status,
                Type::Path(_)
                    | Type::Macro(_)
                    | Type::Tuple(_)
                    | Type::Array(_)
                    | Type::Group(_)
                    | Type::Paren(_)
            )
        {
            let help = "a status is a value of its own: name a struct, as in `status = \"ShirtStatus\"`";
            return Err(darling::Error::custom(help).with_span(status));
        }
        let mut errors = darling::Error::accumulator();
        let root = errors.handle(root(&attrs));
        let singular = errors
            .handle(name(attrs.singular.as_ref(), "singular", &attrs, |kind| Some(kind.to_lowercase())));
        let plural = errors.handle(name(attrs.plural.as_ref(), "plural", &attrs, plural::plural));
        if root.as_ref().is_some_and(|root| *root == input.ident) {
            let span = attrs.root.as_ref().map_or_else(|| attrs.kind.span(), |root| root.0.span());
            let help = format!(
                "`{}` is the name of the spec and of the object: rename the struct to `{0}Spec`, or name the object with \
                 `root = \"...\"`",
                input.ident
            );
            errors.push(darling::Error::custom(help).with_span(&span));
        }
        let (Some(root), Some(singular), Some(plural)) = (root, singular, plural) else {
            return errors.finish_with(()).and_then(|()| Err(darling::Error::custom("names are missing")));
        };
        errors.finish()?;
        let paths = Paths::new(&attrs.crates, attrs.crate_path.as_ref().map(|path| &path.0.0));
        let is_kube = items.is_kube || attrs.kube.is_present();
        let of_type = items.type_.iter().filter(|item| !attrs::is_shared(item)).map(attrs::place);
        let of_variants = variants(input).flat_map(|variant| attrs::places(&variant.attrs));
        let of_fields = fields(input).flat_map(|(field, _)| attrs::places(&field.attrs));
        let of_schema = of_type.chain(of_variants).chain(of_fields).collect();
        let like_kube = items.is_kube;
        let says = |key: &str| items.type_.iter().any(|item| attrs::is_key(item, key));
        let has_type_patch = says("schema_at") || says("schema_patch");
        let keeps_unknown_fields = says("preserve_unknown_fields");
        let wire_fields = wire_fields(input, |_, field| Cow::Owned(serde::Words::of(&field.attrs)));
        let has_default = attrs.spec_default.is_some() || !attrs.columns.is_empty();
        let all: Vec<&Field> = fields(input).map(|(field, _)| field).collect();
        let span = |i: usize| all[i].ident.as_ref().map_or_else(|| all[i].ty.span(), Ident::span);
        let field_spans = wire_fields.iter().flatten().map(|(_, i)| span(*i)).collect();
        let own = |i: usize| SchemaField::read(all[i]).ok();
        let fields = wire_fields.iter().flatten().filter(|_| has_default).map(|(_, i)| own(*i)).collect();
        Ok(Self {
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
        })
    }
}

impl Resource<'_> {
    /// Whether the schema of the object is written by hand.
    pub(crate) fn is_manual(&self) -> bool {
        self.has_schema_mode("manual")
    }

    /// Whether everything is kept and nothing checked.
    pub(crate) fn is_schemaless(&self) -> bool {
        self.has_schema_mode("disabled")
    }

    fn has_schema_mode(&self, mode: &str) -> bool {
        self.attrs.schema.as_ref().and_then(attrs::text::Text::literal).is_some_and(|said| said == mode)
    }
}

impl<'a> Schema<'a> {
    pub(crate) fn from_input(input: &'a DeriveInput) -> darling::Result<Self> {
        if let Data::Union(data) = &input.data {
            return Err(darling::Error::custom("a union has no schema: use a struct or an enum")
                .with_span(&data.union_token));
        }
        let mut errors = darling::Error::accumulator();
        let mut items = errors.handle(attrs::of_container(&input.attrs)).unwrap_or_default();
        let of_flags = std::mem::take(&mut items.errors);
        let attrs: Option<TypeAttrs> = errors.handle(attrs::read(&items.type_, of_flags, input.ident.span()));
        let fields: Vec<_> =
            fields(input).filter_map(|(field, _)| errors.handle(SchemaField::read(field))).collect();
        let of_variant = |variant: &'a Variant| {
            let (items, of_flags) = attrs::of_field(&variant.attrs)?;
            let attrs: VariantAttrs = attrs::read(&items, of_flags, variant.ident.span())?;
            Ok((variant, attrs.validations))
        };
        // Without schemars' derive there is no schema: its mistakes are ours.
        let places = [&input.attrs].into_iter();
        let places = places.chain(variants(input).map(|variant| &variant.attrs));
        let places = places.chain(self::fields(input).map(|(field, _)| &field.attrs));
        for error in places.flat_map(|attrs| attrs::misspelt::misspelt(attrs)) {
            errors.push(error);
        }
        for field in fields.iter().filter(|field| !field.has_schema() && !field.words.is_skipped()) {
            if let Some(error) = attrs::misspelt::module(&field.original.attrs) {
                errors.push(error);
            }
        }
        let variant_rules =
            variants(input).filter_map(|variant| errors.handle(of_variant(variant))).collect();
        let Some(attrs) = attrs else {
            return errors
                .finish_with(())
                .and_then(|()| Err(darling::Error::custom("attributes are missing")));
        };
        errors.finish()?;
        let paths = Paths::new(&attrs.crates, attrs.crate_path.as_ref().map(|path| &path.0.0));
        let is_object = items.resource.iter().any(|item| attrs::is_key(item, "no_spec"));
        let wire_fields = wire_fields(input, |i, _| Cow::Borrowed(&fields[i].words));
        Ok(Self {
            original: input,
            attrs,
            fields,
            wire_fields,
            variant_rules,
            paths,
            is_object,
            first_of_resource: items.first_of_resource,
        })
    }
}

impl Schema<'_> {
    /// Returns `true` if the schema of the type, or of a variant, is that of something else.
    pub(crate) fn has_other_type(&self) -> bool {
        let words = ["from", "try_from", "remote", "with", "schema_with", "skip"];
        let places = variants(self.original).map(|variant| &variant.attrs);
        [&self.original.attrs].into_iter().chain(places).any(|attrs| {
            let found = serde::Words::of(attrs);
            words.iter().any(|word| found.has(word))
        })
    }
}

impl Paths {
    fn new(crates: &Crates, crate_path: Option<&Path>) -> Self {
        let path = |path: &Option<Parsed<CratePath>>| path.as_ref().map(|path| path.0.0.clone());
        let crdkit = crate_path.cloned().or(path(&crates.crdkit)).unwrap_or_else(|| parse_quote!(::crdkit));
        let kube = path(&crates.kube).unwrap_or_else(|| parse_quote!(::kube));
        Self {
            private: parse_quote!(#crdkit::__private),
            short: Ident::new("__crdkit", Span::call_site()),
            kube_core: path(&crates.kube_core).unwrap_or_else(|| parse_quote!(#kube::core)),
            k8s_openapi: path(&crates.k8s_openapi).unwrap_or_else(|| parse_quote!(::k8s_openapi)),
        }
    }
}

/// The names of a struct's fields on the wire, with the fields; `None` where a macro cannot know them all.
fn wire_fields<'a>(
    input: &'a DeriveInput,
    words: impl Fn(usize, &'a Field) -> Cow<'a, serde::Words>,
) -> Option<Vec<(String, usize)>> {
    let Data::Struct(data) = &input.data else { return None };
    let Fields::Named(fields) = &data.fields else { return None };
    let container = serde::Words::of(&input.attrs);
    if ["from", "try_from", "transparent", "remote", "with", "extend", "transform"]
        .iter()
        .any(|key| container.has(key))
    {
        return None;
    }
    let rule = container.value("rename_all");
    let mut names = Vec::new();
    for (i, field) in fields.named.iter().enumerate() {
        let words = words(i, field);
        if words.has("flatten") {
            return None;
        }
        if words.has("skip") || words.has("skip_deserializing") {
            continue;
        }
        let ident = field.ident.as_ref()?.to_string();
        let ident = ident.strip_prefix("r#").unwrap_or(&ident);
        let name = match (words.value("rename"), &rule) {
            (Some(name), _) => name,
            (None, Some(rule)) => serde::renamed(ident, rule)?,
            (None, None) => ident.to_owned(),
        };
        names.push((name, i));
    }
    Some(names)
}

/// Every field, with the variant that it belongs to.
pub(crate) fn fields(input: &DeriveInput) -> impl Iterator<Item = (&Field, Option<&Variant>)> {
    let own = match &input.data {
        Data::Struct(data) => Some(&data.fields),
        _ => None,
    };
    let own = own.into_iter().flatten().map(|field| (field, None));
    own.chain(
        variants(input).flat_map(|variant| variant.fields.iter().map(move |field| (field, Some(variant)))),
    )
}

pub(crate) fn variants(input: &DeriveInput) -> impl Iterator<Item = &Variant> {
    let data = match &input.data {
        Data::Enum(data) => Some(data),
        _ => None,
    };
    data.into_iter().flat_map(|data| &data.variants)
}

/// The name of the type of the object: the kind, unless it is said.
fn root(attrs: &ResourceAttrs) -> darling::Result<Ident> {
    if let Some(root) = &attrs.root {
        return Ok(root.0.clone());
    }
    let span = attrs.kind.span();
    let Some(kind) = attrs.kind.literal() else {
        return Err(said(
            "root",
            "the kind is no literal: say the name of the type with `root = \"...\"`",
            span,
        ));
    };
    type_name(&kind, span)
}

/// The name of a Rust type that a kind is.
pub(crate) fn type_name(kind: &str, span: Span) -> darling::Result<Ident> {
    let is_word = kind.chars().all(|c| c == '_' || c.is_alphanumeric()) && kind != "_";
    if is_word && let Ok(mut ident) = syn::parse_str::<Ident>(kind) {
        // What is wrong with the type is reported at the literal.
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
    Err(said("root", &help, span))
}

fn name(
    said_name: Option<&attrs::text::Text>,
    key: &str,
    attrs: &ResourceAttrs,
    make: impl Fn(&str) -> Option<String>,
) -> darling::Result<Name> {
    if let Some(text) = said_name {
        return Ok(Name::Said(text.clone()));
    }
    let Some(kind) = attrs.kind.literal() else {
        let help = format!("the kind is no literal: say the {key} name with `{key} = \"...\"`");
        return Err(said(key, &help, attrs.kind.span()));
    };
    make(&kind).map(Name::Known).ok_or_else(|| {
        let help = format!("`{kind}` may be a plural already: say the {key} name with `{key} = \"...\"`");
        said(key, &help, attrs.kind.span())
    })
}

fn said(_: &str, help: &str, span: Span) -> darling::Error {
    darling::Error::custom(help).with_span(&span)
}

impl<'a> SchemaField<'a> {
    fn read(original: &'a Field) -> darling::Result<Self> {
        let (items, of_flags) = attrs::of_field(&original.attrs)?;
        let attrs: FieldAttrs = attrs::read(&items, of_flags, original.ty.span())?;
        let words = serde::Words::of(&original.attrs);
        Ok(Self { original, attrs, words, bounds: Bounds::of(&original.attrs) })
    }

    /// Whether the schema of a field may be another than its type's.
    pub(crate) fn is_foreign(&self) -> bool {
        let attrs = &self.attrs;
        let is_other = self.has_schema()
            || attrs.is_patched()
            || attrs.schemaless.is_present()
            || attrs.int_or_string.is_present()
            || attrs.embedded_resource.is_present();
        let foreign = ["with", "serialize_with", "deserialize_with", "schema_with", "transform"];
        is_other || foreign.iter().any(|key| self.words.has(key)) || self.bounds.is_extended
    }

    /// Whether its schema is given, so that its type needs none.
    pub(crate) fn has_schema(&self) -> bool {
        self.attrs.schema.is_some() || self.attrs.schema_with.is_some()
    }

    /// Where an error of the field points.
    pub(crate) fn span(&self) -> Span {
        self.original.ident.as_ref().map_or_else(|| self.original.ty.span(), Ident::span)
    }
}
