//! Determines which fields and types the macro knows, to check rules that use them.

use crd_cel::escape_name;
use syn::{Data, DataStruct, Fields, GenericArgument, PathArguments, Type};

use super::cel::Known;
use crate::attrs::{self, serde::Words};
use crate::model::shape::Shape;
use crate::model::{Resource, Schema, SchemaField};

/// Returns what is known about the whole object. In the metadata, rules can read only `name` and `generateName`.
pub(super) fn object(resource: &Resource<'_>) -> Known {
    let attrs = &resource.attrs;
    // Patches may add fields.
    if !attrs.version_patches.is_empty() || !attrs.patches.is_empty() || attrs.post_process.is_some() {
        return Known::Nothing;
    }
    let unknown = |name: &str| (name.to_owned(), Known::Nothing);
    let string = |name: &str| (name.to_owned(), Known::Scalar("string"));
    let metadata = Known::Fields(vec![string("name"), string("generateName")]);
    let mut fields = vec![string("apiVersion"), string("kind"), ("metadata".to_owned(), metadata)];
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

/// Returns what is known about the values of a type.
pub(super) fn value(schema: &Schema<'_>) -> Known {
    if schema.attrs.is_patched() || is_patched_later(schema) {
        return Known::Nothing;
    }
    if let Some(inner) = newtype(schema) {
        return field(schema, inner);
    }
    // Serde writes the tag of a struct as a field, and other fields after a conversion.
    let container = Words::from_attributes(&schema.original.attrs);
    if container.has("tag") || container.has("into") {
        return Known::Nothing;
    }
    let Some(fields) = &schema.wire_fields else { return Known::Nothing };
    let known = |i: usize| schema.fields.get(i).map_or(Known::Nothing, |of| field(schema, of));
    let mut fields: Vec<(String, Known)> =
        fields.iter().filter_map(|(name, i)| Some((escaped(name)?, known(*i)))).collect();
    // An embedded resource and the object itself have these fields in any case.
    let always = ["apiVersion", "kind", "metadata"];
    let own = if schema.is_object { &["status"][..] } else { &[] };
    for name in always.iter().chain(own) {
        match fields.iter_mut().find(|(field, _)| field == name) {
            Some((_, known)) => *known = Known::Nothing,
            None => fields.push(((*name).to_owned(), Known::Nothing)),
        }
    }
    Known::Fields(fields)
}

/// Returns the only field of a newtype, whose schema is also the newtype's schema.
fn newtype<'s, 'a>(schema: &'s Schema<'a>) -> Option<&'s SchemaField<'a>> {
    let Data::Struct(DataStruct { fields: Fields::Unnamed(_), .. }) = &schema.original.data else {
        return None;
    };
    let container = Words::from_attributes(&schema.original.attrs);
    let foreign = ["from", "try_from", "remote", "with", "extend", "transform", "inner"];
    match schema.fields.as_slice() {
        [only] if !foreign.iter().any(|key| container.has(key)) => Some(only),
        _ => None,
    }
}

/// Returns what is known about the values of a field.
pub(super) fn field(schema: &Schema<'_>, field: &SchemaField<'_>) -> Known {
    if is_foreign(schema, field) {
        return Known::Nothing;
    }
    let is_extended = field.bounds.inner.as_ref().is_some_and(|inner| inner.is_extended);
    match classify(&field.original.ty) {
        Known::List(_) | Known::Map(_) if is_extended => Known::Nothing,
        known => known,
    }
}

/// Returns what is known about the items of a list or the values of a map.
pub(super) fn part(schema: &Schema<'_>, field: &SchemaField<'_>) -> Known {
    match self::field(schema, field) {
        Known::List(part) | Known::Map(part) => *part,
        _ => Known::Nothing,
    }
}

/// Returns `true` if the field's schema may differ from the schema of the field's type.
fn is_foreign(schema: &Schema<'_>, field: &SchemaField<'_>) -> bool {
    schema.attrs.is_patched()
        || is_patched_later(schema)
        || field.is_foreign()
        // A format makes a string a time, a duration or bytes.
        || field.attrs.format.is_some()
        || field.attrs.preserve_unknown_fields.is_present()
        || field.words.has("flatten")
}

/// Returns `true` if attributes for the resource change the spec's schema.
fn is_patched_later(schema: &Schema<'_>) -> bool {
    let Ok(items) = attrs::parse_container(&schema.original.attrs) else { return true };
    let keys = ["version_patch", "patch", "post_process"];
    items.resource.iter().any(|item| keys.iter().any(|key| attrs::is_key(item, key)))
}

fn classify(type_: &Type) -> Known {
    match Shape::from_type(type_).unwrapped() {
        Shape::List(items) => Known::List(Box::new(classify(items))),
        // A map of anything may be an object of which everything is kept.
        Shape::Map(values) if has_string_keys(type_) => match classify(values) {
            Known::Nothing => Known::Nothing,
            known => Known::Map(Box::new(known)),
        },
        shape => shape.cel_type().map_or(Known::Nothing, Known::Scalar),
    }
}

/// Returns `true` for a map with `String` keys, or an `Option` of it. With other keys, the schema may describe an object with fields.
fn has_string_keys(type_: &Type) -> bool {
    if let Shape::Option(inner) = Shape::from_type(type_) {
        return has_string_keys(inner);
    }
    let Type::Path(path) = type_ else { return false };
    let Some(PathArguments::AngleBracketed(arguments)) =
        path.path.segments.last().map(|last| &last.arguments)
    else {
        return false;
    };
    matches!(arguments.args.first(), Some(GenericArgument::Type(Type::Path(key))) if key.path.is_ident("String"))
}

fn escaped(name: &str) -> Option<String> {
    escape_name(name).map(std::borrow::Cow::into_owned)
}
