//! Definitions that client-side apply cannot carry.

use serde_json::Value;

use super::{Advice, TOO_LARGE_FOR_APPLY};
use crate::{CustomResourceDefinition, FieldPath};

/// What all annotations of an object may have; `kubectl apply` puts the whole object into one.
const ANNOTATION_BYTES: usize = 256 * 1024;
/// How many heavy parts are named.
const NAMED: usize = 5;

/// Weighs a definition in the form in which client-side apply puts it into an annotation.
pub(super) fn size(crd: &CustomResourceDefinition, out: &mut Vec<Advice>) {
    let crd = crd.to_value();
    let bytes = weigh(&crd);
    if bytes <= ANNOTATION_BYTES {
        return;
    }
    let versions = FieldPath::new("spec").child("versions");
    let schemas = crd["spec"]["versions"].as_array().into_iter().flatten().enumerate();
    let weights = schemas.filter_map(|(i, version)| {
        let schema = version["schema"].get("openAPIV3Schema")?;
        Some((weigh(schema), versions.index(i).child("schema").child("openAPIV3Schema"), schema))
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
pub(in crate::check) fn weigh(value: &Value) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.len())
}

struct Part<'a> {
    bytes: usize,
    steps: Vec<String>,
    schema: &'a Value,
}

/// The parts that weigh most, below the one in which nearly all of the weight is.
fn heaviest(schema: &Value) -> Vec<Part<'_>> {
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
    let child = |step: String, schema: &'a Value| Part {
        bytes: weigh(schema),
        steps: part.steps.iter().cloned().chain([step]).collect(),
        schema,
    };
    let properties = part.schema["properties"].as_object().into_iter().flatten();
    let mut parts: Vec<Part<'a>> =
        properties.map(|(name, property)| child(format!("properties[{name}]"), property)).collect();
    for keyword in ["additionalProperties", "items"] {
        if let Some(schema) = part.schema.get(keyword).filter(|schema| schema.is_object()) {
            parts.push(child(keyword.to_owned(), schema));
        }
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
    parts
}
