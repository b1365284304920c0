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

/// Rejects an enum that serde can only read from null: each variant that is not skipped is an untagged unit variant.
fn reject_nulls(schema: &Schema<'_>, container: &Words, errors: &mut Errors) {
    let Data::Enum(data) = &schema.original.data else { return };
    let is_null = |(variant, words): &(&Variant, Words)| {
        matches!(variant.fields, Fields::Unit) && (container.has("untagged") || words.has("untagged"))
    };
    let variants = data.variants.iter().map(|variant| (variant, Words::from_attributes(&variant.attrs)));
    let read: Vec<(&Variant, Words)> =
        variants.filter(|(_, words)| !words.has("skip") && !words.has("skip_deserializing")).collect();
    if !read.is_empty() && read.iter().all(is_null) && !schema.attrs.is_patched() {
        let message = match read.len() == data.variants.len() {
            true => "serde writes each variant of this enum as null: remove `#[serde(untagged)]`",
            false => {
                "serde reads only null as this enum, because the other variants are skipped: remove `#[serde(untagged)]`"
            }
        };
        wrong(errors, schema.original.ident.span(), message.to_owned());
    }
}
