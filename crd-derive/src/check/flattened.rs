//! Checks flattened maps. A flattened map also reads the fields of flattened types after it.

use syn::spanned::Spanned;
use syn::{Data, Field, Fields};

use super::wrong;
use crate::attrs::serde::Words;
use crate::errors::Errors;
use crate::model::Schema;
use crate::model::shape::Shape;

pub(super) fn schema(schema: &Schema<'_>, errors: &mut Errors) {
    match &schema.original.data {
        Data::Struct(data) => fields(&data.fields, errors),
        Data::Enum(data) => data.variants.iter().for_each(|variant| fields(&variant.fields, errors)),
        Data::Union(_) => {}
    }
}

/// Checks that flattened maps come after all other flattened fields. With serde, a map contains the fields of flattened structs and enums
/// after it, but not of those before it.
fn fields(fields: &Fields, errors: &mut Errors) {
    let is_flattened = |field: &&Field| {
        let words = Words::from_attributes(&field.attrs);
        words.has("flatten") && !words.has("skip") && !words.has("skip_deserializing")
    };
    let is_map = |field: &Field| matches!(Shape::from_type(&field.ty).unwrapped(), Shape::Map(_));
    let flattened: Vec<&Field> = fields.iter().filter(is_flattened).collect();
    let others = flattened.iter().rposition(|field| !is_map(field)).unwrap_or_default();
    for map in flattened[..others].iter().filter(|field| is_map(field)) {
        let last = flattened[others].ident.as_ref().map(ToString::to_string).unwrap_or_default();
        let message = format!(
            "a flattened map also reads the fields of the flattened types after it, here of `{last}`: put the map last"
        );
        wrong(errors, map.ty.span(), message);
    }
}
