//! Definitions that client-side apply cannot carry.

use super::{Advice, TOO_LARGE_FOR_APPLY};
use crate::OrderedMap;
use crate::crd::{AdditionalProperties, Items, JsonSchemaProps};
use crate::{CustomResourceDefinition, FieldPath};

/// What all annotations of an object may have; `kubectl apply` puts the whole object into one.
const ANNOTATION_BYTES: usize = 256 * 1024;
/// How many heavy parts are named.
const NAMED: usize = 5;

/// Weighs a definition in the form in which client-side apply puts it into an annotation.
pub(super) fn size(crd: &CustomResourceDefinition, out: &mut Vec<Advice>) {
    let bytes = weigh(&crd.to_value());
    if bytes <= ANNOTATION_BYTES {
        return;
    }
    let versions = FieldPath::new("spec").child("versions");
    let weights = crd.spec.versions.iter().enumerate().filter_map(|(i, version)| {
        let schema = version.open_api_v3_schema()?;
        Some((weigh(&schema.to_value()), versions.index(i).child("schema").child("openAPIV3Schema"), schema))
    });
    let Some((_, field, schema)) = weights.max_by_key(|(weight, ..)| *weight) else { return };
    let name = |part: Part<'_>| format!("`{}` ({} KiB)", part.steps.join("."), part.bytes.div_ceil(1024));
    let named: Vec<String> = heaviest(schema).into_iter().map(name).collect();
    let message = format!(
        "the definition has {bytes} bytes as JSON, and `kubectl apply` carries {ANNOTATION_BYTES} at most; the heaviest \
         parts are {}",
        named.join(", ")
    );
    let help = "apply it with `--server-side`, or shorten descriptions and what is copied from Pod templates";
    out.push(Advice { name: TOO_LARGE_FOR_APPLY, field, message, help: Some(help.to_owned()) });
}

/// How many bytes a value has as JSON without blanks.
pub(in crate::check) fn weigh(value: &serde_json::Value) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.len())
}

struct Part<'a> {
    bytes: usize,
    steps: Vec<String>,
    schema: &'a JsonSchemaProps,
}

/// The parts that weigh most, below the one in which nearly all of the weight is.
fn heaviest(schema: &JsonSchemaProps) -> Vec<Part<'_>> {
    let mut parts = children(&Part { bytes: 0, steps: Vec::new(), schema });
    // As long as one part has more than nine tenths of all, its own parts say more.
    while let Some(first) = parts.first()
        && first.bytes * 10 > 9 * parts.iter().map(|part| part.bytes).sum::<usize>()
    {
        let inner = children(first);
        if inner.is_empty() {
            break;
        }
        parts = inner;
    }
    let total: usize = parts.iter().map(|part| part.bytes).sum();
    parts.retain(|part| part.bytes * 20 >= total);
    parts.truncate(NAMED);
    parts
}

/// The parts directly in one, the heaviest first.
fn children<'a>(part: &Part<'a>) -> Vec<Part<'a>> {
    let schema = part.schema;
    let child = |step: String, schema: &'a JsonSchemaProps| Part {
        bytes: weigh(&schema.to_value()),
        steps: part.steps.iter().cloned().chain([step]).collect(),
        schema,
    };
    let properties = schema.properties.iter().flat_map(OrderedMap::iter);
    let mut parts: Vec<Part<'a>> =
        properties.map(|(name, property)| child(format!("properties[{name}]"), property)).collect();
    if let Some(AdditionalProperties::Schema(schema)) = &schema.additional_properties {
        parts.push(child("additionalProperties".to_owned(), schema));
    }
    if let Some(Items::Schema(items)) = &schema.items {
        parts.push(child("items".to_owned(), items));
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
    parts
}
