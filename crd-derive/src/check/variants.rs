//! Checks variants. An enum must have a value other than null, and a variant with a rule needs a name or tag by which the rule
//! can recognize it.

use syn::{Data, Fields, Variant};

use super::cel::Known;
use super::{rules, wrong};
use crate::attrs::serde::Words;
use crate::errors::Errors;
use crate::model::Schema;

pub(super) fn variants(schema: &Schema<'_>, errors: &mut Errors) {
    let container = Words::from_attributes(&schema.original.attrs);
    reject_nulls(schema, &container, errors);
    for (variant, own) in schema.variant_rules.iter().filter(|(_, rules)| !rules.is_empty()) {
        rules::rules(own, &Known::Nothing, schema.attrs.kube_version, errors);
        let help = if container.has("untagged") || Words::from_attributes(&variant.attrs).has("untagged") {
            "a rule cannot distinguish an untagged variant from the others: put the rule on the enum"
        } else if container.has("content") {
            "all variants share one field of the object: put the rule on the enum"
        } else if matches!(variant.fields, Fields::Unit) {
            "a variant without fields has nothing to check: remove the rule"
        } else {
            continue;
        };
        wrong(errors, variant.ident.span(), help.to_owned());
    }
}

/// Rejects an untagged enum with only unit variants: serde writes each of them as null.
fn reject_nulls(schema: &Schema<'_>, container: &Words, errors: &mut Errors) {
    let Data::Enum(data) = &schema.original.data else { return };
    let is_unit = |variant: &Variant| matches!(variant.fields, Fields::Unit);
    if container.has("untagged")
        && !data.variants.is_empty()
        && data.variants.iter().all(is_unit)
        && !schema.attrs.is_patched()
    {
        let message = "serde writes each variant of this enum as null: remove `#[serde(untagged)]`";
        wrong(errors, schema.original.ident.span(), message.to_owned());
    }
}
