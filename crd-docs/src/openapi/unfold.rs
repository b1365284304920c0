//! Adds `anyOf` to schemas with `x-kubernetes-int-or-string`, for clients that do not know this extension.
//!
//! Source: `schema/unfold.go` in apiextensions-apiserver.

use crd_core::Structural;
use crd_core::schema::{Forbidden, NestedValidation, SchemaType};

/// Adds `anyOf` to an int-or-string schema, if there is none.
pub(super) fn unfold(schema: &mut Structural) {
    if schema.is_int_or_string() {
        add_any_of(schema);
    }
}

#[inline(never)]
fn add_any_of(schema: &mut Structural) {
    let expected = integer_or_string();
    let validation = schema.value_validation.get_or_insert_default();
    let all_of = validation.all_of.get_or_insert_default();
    let is_first =
        all_of.first().is_some_and(|first| first.value_validation.any_of.as_ref() == Some(&expected));
    match &mut validation.any_of {
        Some(any_of) if *any_of == expected => {}
        _ if is_first => {}
        Some(any_of) if !any_of.is_empty() => {
            let mut nested = NestedValidation::default();
            nested.value_validation.any_of = Some(expected);
            all_of.insert(0, nested);
        }
        any_of => *any_of = Some(expected),
    }
}

fn integer_or_string() -> Vec<NestedValidation> {
    let of = |type_| {
        let mut forbidden = Forbidden::default();
        forbidden.type_ = Some(type_);
        let mut nested = NestedValidation::default();
        nested.forbidden = Some(Box::new(forbidden));
        nested
    };
    vec![of(SchemaType::Integer), of(SchemaType::String)]
}
