//! A model -> what rules may name of its values, as far as a macro sees the types.

use crd_cel::escape_name;
use syn::{GenericArgument, PathArguments, Type};

use super::cel::Known;
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
    if !schema.attrs.schema_patches.is_empty() {
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
    if is_foreign(field) {
        return Known::Nothing;
    }
    scalar(&field.original.ty).map_or(Known::Nothing, Known::Scalar)
}

/// Whether the schema of a field may be another than its type's.
fn is_foreign(field: &SchemaField<'_>) -> bool {
    let attrs = &field.attrs;
    let is_other = field.has_schema()
        || !attrs.schema_patches.is_empty()
        || attrs.schemaless.is_present()
        || attrs.int_or_string.is_present()
        || attrs.embedded_resource.is_present();
    let is_foreign = ["with", "serialize_with", "deserialize_with", "schema_with", "extend", "transform"]
        .iter()
        .any(|key| field.words.has(key));
    is_other || is_foreign
}

/// An item of a list, or a value of a map: whether it is a scalar.
pub(super) fn part(field: &SchemaField<'_>) -> Known {
    let Type::Path(path) = &field.original.ty else { return Known::Nothing };
    let Some(PathArguments::AngleBracketed(arguments)) =
        path.path.segments.last().map(|last| &last.arguments)
    else {
        return Known::Nothing;
    };
    // The last parameter of `Vec<T>` and `BTreeMap<K, V>`; what is within something else is not looked into.
    match (self::field(field), arguments.args.last()) {
        (Known::Nothing, Some(GenericArgument::Type(inner))) if !is_foreign(field) => {
            scalar(inner).map_or(Known::Nothing, Known::Scalar)
        }
        _ => Known::Nothing,
    }
}

/// The CEL type of a type of Rust's own.
fn scalar(type_: &Type) -> Option<&'static str> {
    let path = match type_ {
        Type::Path(path) if path.qself.is_none() => &path.path,
        Type::Group(group) => return scalar(&group.elem),
        _ => return None,
    };
    let last = path.segments.last()?;
    if let PathArguments::AngleBracketed(arguments) = &last.arguments {
        return match (last.ident.to_string().as_str(), arguments.args.first()) {
            ("Option" | "Box", Some(GenericArgument::Type(inner))) => scalar(inner),
            _ => None,
        };
    }
    // A path of several parts may be anybody's.
    match path.get_ident()?.to_string().as_str() {
        "String" | "char" => Some("string"),
        "bool" => Some("bool"),
        "f32" | "f64" => Some("double"),
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => Some("int"),
        _ => None,
    }
}

fn escaped(name: &str) -> Option<String> {
    escape_name(name).map(std::borrow::Cow::into_owned)
}
