//! A model -> what rules may name of its values, as far as a macro sees the types.

use crd_cel::escape_name;
use syn::Type;

use super::cel::Known;
use crate::model::shape::Shape;
use crate::model::{Resource, Schema, SchemaField};

/// The value of a resource's root: of its metadata the API server shows rules nothing but names.
pub(super) fn object(resource: &Resource<'_>) -> Known {
    let attrs = &resource.attrs;
    // Patches may add fields.
    if !attrs.version_patches.is_empty() || !attrs.patches.is_empty() || attrs.post_process.is_some() {
        return Known::Nothing;
    }
    let unknown = |name: &str| (name.to_owned(), Known::Nothing);
    let metadata = Known::Fields(vec![unknown("name"), unknown("generateName")]);
    let mut fields = vec![unknown("apiVersion"), unknown("kind"), ("metadata".to_owned(), metadata)];
    let names = resource.field_names.as_ref().filter(|_| !resource.has_type_patch);
    let own = names.map(|names| {
        names.iter().filter_map(|name| escaped(name)).map(|name| unknown(&name)).collect::<Vec<_>>()
    });
    match own {
        Some(own) if attrs.no_spec.is_present() => fields.extend(own),
        None if attrs.no_spec.is_present() => return Known::Nothing,
        Some(own) => fields.push(("spec".to_owned(), Known::Fields(own))),
        None => fields.push(unknown("spec")),
    }
    if attrs.status.is_some() {
        fields.push(unknown("status"));
    }
    if attrs.schema.is_some() { Known::Nothing } else { Known::Fields(fields) }
}

/// A value of a struct.
pub(super) fn value(schema: &Schema<'_>) -> Known {
    if schema.attrs.is_patched() {
        return Known::Nothing;
    }
    let Some(fields) = &schema.wire_fields else { return Known::Nothing };
    let known = |i: usize| schema.fields.get(i).map_or(Known::Nothing, field);
    let mut fields: Vec<(String, Known)> =
        fields.iter().filter_map(|(name, i)| Some((escaped(name)?, known(*i)))).collect();
    // An embedded resource has these whether its type says so or not, and so has the object itself.
    let always = ["apiVersion", "kind", "metadata"];
    let own = if schema.is_object { &["status"][..] } else { &[] };
    for name in always.iter().chain(own) {
        if !fields.iter().any(|(field, _)| field == name) {
            fields.push(((*name).to_owned(), Known::Nothing));
        }
    }
    Known::Fields(fields)
}

/// A value of a field: whether it is a scalar.
pub(super) fn field(field: &SchemaField<'_>) -> Known {
    if field.is_foreign() {
        return Known::Nothing;
    }
    scalar(&field.original.ty)
}

/// An item of a list, or a value of a map: whether it is a scalar.
pub(super) fn part(field: &SchemaField<'_>) -> Known {
    match Shape::of(&field.original.ty).unwrapped() {
        Shape::List(inner) | Shape::Map(inner) if !field.is_foreign() => scalar(inner),
        _ => Known::Nothing,
    }
}

fn scalar(type_: &Type) -> Known {
    Shape::of(type_).unwrapped().cel_type().map_or(Known::Nothing, Known::Scalar)
}

fn escaped(name: &str) -> Option<String> {
    escape_name(name).map(std::borrow::Cow::into_owned)
}
