//! Builds the model of a schema from a type and its attributes.

use std::borrow::Cow;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{DeriveInput, Field, Ident, Variant};

use super::{Paths, fields, union_error, variants, wire_fields};
use crate::attrs::bounds::Bounds;
use crate::attrs::field::{FieldAttrs, VariantAttrs};
use crate::attrs::rule::Rule;
use crate::attrs::type_::TypeAttrs;
use crate::attrs::{self, serde};
use crate::errors::Errors;

/// A type that has a schema.
pub(crate) struct Schema<'a> {
    pub(crate) original: &'a DeriveInput,
    pub(crate) attrs: TypeAttrs,
    pub(crate) fields: Vec<SchemaField<'a>>,
    /// The names that serde gives to a struct's fields, with the indices of the fields, if all are known.
    pub(crate) wire_fields: Option<Vec<(String, usize)>>,
    /// The rules on each variant of an enum.
    pub(crate) variant_rules: Vec<(&'a Variant, Vec<Rule>)>,
    pub(crate) paths: Paths,
    /// Set if the type is a spec whose fields are fields of the object itself.
    pub(crate) is_object: bool,
    /// The first attribute that only `CustomResource` reads.
    pub(crate) first_of_resource: Option<(String, Span)>,
}

/// A field of a struct or of a variant.
pub(crate) struct SchemaField<'a> {
    pub(crate) original: &'a Field,
    pub(crate) attrs: FieldAttrs,
    /// The attributes of serde and schemars.
    pub(crate) words: serde::Words,
    /// The bounds of the field.
    pub(crate) bounds: Bounds,
}

impl<'a> Schema<'a> {
    pub(crate) fn from_input(input: &'a DeriveInput) -> syn::Result<Self> {
        if let Some(error) = union_error(input) {
            return Err(error);
        }
        let mut errors = Errors::default();
        let mut items = errors.handle(attrs::parse_container(&input.attrs)).unwrap_or_default();
        let of_flags = std::mem::take(&mut items.errors);
        let attrs: Option<TypeAttrs> =
            errors.handle(attrs::read_with(&items.type_, of_flags, input.ident.span()));
        let fields: Vec<_> = fields(input)
            .into_iter()
            .filter_map(|(field, _)| errors.handle(SchemaField::read(field)))
            .collect();
        let of_variant = |variant: &'a Variant| {
            let (items, of_flags) = attrs::parse_field(&variant.attrs)?;
            let attrs: VariantAttrs = attrs::read_with(&items, of_flags, variant.ident.span())?;
            Ok((variant, attrs.validations))
        };
        // An error of schemars' derive removes the schema, and every use of it is an error: its mistakes are found here.
        let places = [&input.attrs].into_iter();
        let places = places.chain(variants(input).into_iter().map(|variant| &variant.attrs));
        let places = places.chain(super::fields(input).into_iter().map(|(field, _)| &field.attrs));
        let misspelt = places.flat_map(|attrs| attrs::misspelt::misspelt(attrs));
        misspelt.chain(super::rejected_by_serde(input)).for_each(|error| errors.push(error));
        for field in fields.iter().filter(|field| !field.has_schema() && !field.words.is_skipped()) {
            if let Some(error) = attrs::misspelt::module(&field.original.attrs) {
                errors.push(error);
            }
        }
        let variant_rules =
            variants(input).into_iter().filter_map(|variant| errors.handle(of_variant(variant))).collect();
        let Some(attrs) = attrs else {
            return errors
                .finish_with(())
                .and_then(|()| Err(syn::Error::new(Span::call_site(), "attributes are missing")));
        };
        errors.finish()?;
        let paths = Paths::new(attrs.crates.as_ref(), attrs.crate_path.as_ref().map(|path| &path.0.0));
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
    /// Returns `true` if an attribute such as `try_from` or `with` replaces the schema of the type or of a variant.
    pub(crate) fn has_other_type(&self) -> bool {
        let words = ["from", "try_from", "remote", "with", "schema_with", "skip"];
        let places = variants(self.original).into_iter().map(|variant| &variant.attrs);
        [&self.original.attrs].into_iter().chain(places).any(|attrs| {
            let found = serde::Words::from_attributes(attrs);
            words.iter().any(|word| found.has(word))
        })
    }
}

impl<'a> SchemaField<'a> {
    pub(super) fn read(original: &'a Field) -> syn::Result<Self> {
        let (items, of_flags) = attrs::parse_field(&original.attrs)?;
        let attrs: FieldAttrs = attrs::read_with(&items, of_flags, original.ty.span())?;
        let words = serde::Words::from_attributes(&original.attrs);
        Ok(Self { original, attrs, words, bounds: Bounds::from_attributes(&original.attrs) })
    }

    /// Returns `true` if the field's schema may differ from the schema of the field's type.
    pub(crate) fn is_foreign(&self) -> bool {
        self.is_replaced() || self.bounds.is_extended
    }

    /// Returns `true` if an attribute may replace the schema of the field's type.
    pub(crate) fn is_replaced(&self) -> bool {
        let attrs = &self.attrs;
        let is_other = self.has_schema()
            || attrs.is_patched()
            || attrs.schemaless.is_present()
            || attrs.int_or_string.is_present()
            || attrs.embedded_resource.is_present();
        let foreign = ["with", "serialize_with", "deserialize_with", "schema_with", "transform"];
        is_other || foreign.iter().any(|key| self.words.has(key))
    }

    /// Returns `true` if an attribute contains the field's schema. The field's type then needs no schema.
    pub(crate) fn has_schema(&self) -> bool {
        self.attrs.schema.is_some() || self.attrs.schema_with.is_some()
    }

    /// Returns the position for errors about the field.
    pub(crate) fn span(&self) -> Span {
        self.original.ident.as_ref().map_or_else(|| self.original.ty.span(), Ident::span)
    }
}
