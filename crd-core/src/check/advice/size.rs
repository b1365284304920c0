//! Finds CRDs that are too large for client-side apply.

use std::fmt;

use super::kinds::{CrdAdvice, TOO_LARGE_FOR_APPLY};
use crate::check::weight::{weigh, weigh_escaped};
use crate::crd::size::Size;
use crate::tree::Tree;
use crate::{CustomResourceDefinition, FieldPath};

/// The limit for all annotations of an object. `kubectl apply` stores the whole object in an annotation.
pub(in crate::check) const ANNOTATION_BYTES: usize = 256 * 1024;
/// Maximum size of a request that etcd stores, in bytes.
pub(in crate::check) const STORED_BYTES: usize = 3 << 19;
/// Maximum number of large parts that a message names.
const NAMED: usize = 5;

/// Checks that a CRD fits into the annotation in which client-side apply stores it.
pub(super) fn size(crd: &CustomResourceDefinition, out: &mut Vec<CrdAdvice>) {
    if crd.size_at_most() <= ANNOTATION_BYTES {
        return;
    }
    let tree = Tree::from(crd);
    let bytes = weigh_escaped(&tree);
    if bytes <= ANNOTATION_BYTES {
        return;
    }
    let versions = child(&tree, "spec").and_then(|spec| child(spec, "versions"));
    let Some(Tree::List(versions)) = versions else { return };
    let path = FieldPath::new("spec").child("versions");
    let weights = versions.iter().enumerate().filter_map(|(i, version)| {
        let schema = child(child(version, "schema")?, "openAPIV3Schema")?;
        Some((weigh(schema), path.index(i).child("schema").child("openAPIV3Schema"), schema))
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
    schema: &'a Tree<'a>,
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

/// Returns the value of a key of an object.
fn child<'t, 'a>(tree: &'t Tree<'a>, key: &str) -> Option<&'t Tree<'a>> {
    let Tree::Object(fields) = tree else { return None };
    fields.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// Finds the innermost schema that accounts for nearly all of the size. Returns the path to the schema, and the largest parts of the
/// schema.
fn heaviest<'t>(schema: &'t Tree<'_>) -> (Vec<SizeStep<'t>>, Vec<HeavyPart<'t>>) {
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
fn children<'t>(schema: &'t Tree<'_>) -> Vec<HeavyPart<'t>> {
    let part = |step, schema| HeavyPart { bytes: weigh(schema), step, schema };
    let mut parts = Vec::new();
    if let Some(Tree::Object(properties)) = child(schema, "properties") {
        parts.extend(properties.iter().map(|(name, property)| part(SizeStep::Property(name), property)));
    }
    for keyword in ["additionalProperties", "items"] {
        if let Some(schema @ Tree::Object(_)) = child(schema, keyword) {
            parts.push(part(SizeStep::Keyword(keyword), schema));
        }
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
    parts
}
