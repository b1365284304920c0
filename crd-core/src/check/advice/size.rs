//! Finds CRDs that are too large for client-side apply.

use std::fmt;

use super::kinds::{CrdAdvice, TOO_LARGE_FOR_APPLY};
use crate::crd::weight::{weigh, weigh_escaped};
use crate::crd::{Items, JsonSchemaProps};
use crate::{CustomResourceDefinition, FieldPath};

/// The limit for all annotations of an object. `kubectl apply` stores the whole object in an annotation.
pub(in crate::check) const ANNOTATION_BYTES: usize = 256 * 1024;
/// Maximum size of a request that etcd stores, in bytes.
pub(in crate::check) const STORED_BYTES: usize = 3 << 19;
/// Maximum number of large parts that a message names.
const NAMED: usize = 5;

/// Checks that a CRD fits into the annotation in which client-side apply stores it.
pub(super) fn size(crd: &CustomResourceDefinition, out: &mut Vec<CrdAdvice>) {
    let bytes = weigh_escaped(crd);
    if bytes <= ANNOTATION_BYTES {
        return;
    }
    let path = FieldPath::new("spec").child("versions");
    let is_single = crd.spec.versions.len() == 1;
    let weights = crd.spec.versions.iter().enumerate().filter_map(|(i, version)| {
        let schema = version.open_api_v3_schema()?;
        let weight = if is_single { bytes } else { weigh(schema) };
        Some((weight, path.index(i).child("schema").child("openAPIV3Schema"), schema))
    });
    let Some((_, field, schema)) = weights.max_by_key(|(weight, ..)| *weight) else { return };
    let (around, parts) = heaviest(schema);
    let name = |part: &HeavyPart<'_>| {
        let steps: Vec<String> = around.iter().chain([&part.step]).map(SizeStep::to_string).collect();
        format!("`{}` ({} KiB)", steps.join("."), part.bytes.div_ceil(1024))
    };
    let named: Vec<String> = parts.iter().map(name).collect();
    let mut message =
        format!("the CRD has {bytes} bytes as JSON, and `kubectl apply` allows at most {ANNOTATION_BYTES}");
    if !named.is_empty() {
        message += &format!("; the largest parts are {}", named.join(", "));
    }
    let help = if bytes > STORED_BYTES {
        "shorten descriptions and schemas of Pod templates: etcd accepts no request of more than 1.5 MiB, so `--server-side` does not help"
    } else {
        "apply it with `--server-side`, or shorten descriptions and schemas of Pod templates"
    };
    out.push(CrdAdvice { name: TOO_LARGE_FOR_APPLY, field, message, remedy: Some(help.into()) });
}

struct HeavyPart<'a> {
    bytes: usize,
    step: SizeStep<'a>,
    schema: &'a JsonSchemaProps,
}

/// The step from a schema to a child.
#[derive(Clone, Copy)]
enum SizeStep<'a> {
    Property(&'a str),
    Keyword(&'static str),
}

impl fmt::Display for SizeStep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Property(name) => write!(f, "properties[{name}]"),
            Self::Keyword(keyword) => f.write_str(keyword),
        }
    }
}

/// Finds the innermost schema that accounts for nearly all of the size. Returns the path to the schema, and the largest parts of the
/// schema.
fn heaviest(schema: &JsonSchemaProps) -> (Vec<SizeStep<'_>>, Vec<HeavyPart<'_>>) {
    let mut around = Vec::new();
    let mut parts = children(schema);
    // As long as one part has more than nine tenths of all, its own parts say more.
    while let Some(first) = parts.first()
        && first.bytes * 10 > 9 * parts.iter().map(|part| part.bytes).sum::<usize>()
    {
        let inner = children(first.schema);
        if inner.is_empty() {
            break;
        }
        around.push(first.step);
        parts = inner;
    }
    let total: usize = parts.iter().map(|part| part.bytes).sum();
    parts.retain(|part| part.bytes * 20 >= total);
    parts.truncate(NAMED);
    (around, parts)
}

/// Returns the children of a schema, the largest first.
fn children(schema: &JsonSchemaProps) -> Vec<HeavyPart<'_>> {
    fn part<'a>(step: SizeStep<'a>, schema: &'a JsonSchemaProps) -> HeavyPart<'a> {
        HeavyPart { bytes: weigh(schema), step, schema }
    }
    let properties = schema.properties.iter().flat_map(|properties| properties.iter());
    let mut parts: Vec<_> =
        properties.map(|(name, property)| part(SizeStep::Property(name), property)).collect();
    if let Some(values) = schema.map_values() {
        parts.push(part(SizeStep::Keyword("additionalProperties"), values));
    }
    if let Some(Items::Schema(items)) = &schema.items {
        parts.push(part(SizeStep::Keyword("items"), items));
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
    parts
}
