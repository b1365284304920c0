//! Converts the paths of causes to paths in the original CRD.

use crate::field::{Diagnostic, FieldPath, Keyword, Segment};

/// Returns the path in the original CRD for a cause at `field`.
///
/// The API server checks an internal form: parts that all versions share are at the top of `spec`, the webhook's fields are in `conversion`
/// itself, and several steps are printed as one step. For parts that all versions share, the result is the path in the first version.
///
/// ```
/// use crd_go::field::FieldPath;
/// use crd_go::outline::written_path;
///
/// let field = FieldPath::new("spec").child("validation").child("openAPIV3Schema").child("type");
/// assert_eq!(written_path(&field).to_string(), "spec.versions[0].schema.openAPIV3Schema.type");
/// ```
#[must_use]
pub fn written_path(field: &FieldPath) -> FieldPath {
    let steps = steps(field);
    let names: Vec<&str> = steps.iter().map(name).take(3).collect();
    let first = || FieldPath::new("spec").child("versions").index(0);
    let (start, skipped) = match names.as_slice() {
        ["spec", "validation", ..] => (first().child("schema"), 2),
        ["spec", top @ ("subresources" | "additionalPrinterColumns" | "selectableFields"), ..] => {
            (first().child(*top), 2)
        }
        ["spec", "schema", ..] => (first(), 1),
        ["spec", "version"] => (first().child("name"), 2),
        ["spec", "conversion", "webhookClientConfig", ..] => {
            (FieldPath::new("spec").child("conversion").child("webhook").child("clientConfig"), 3)
        }
        ["spec", "conversion", "conversionReviewVersions", ..] => {
            (FieldPath::new("spec").child("conversion").child("webhook").child("conversionReviewVersions"), 3)
        }
        ["status", "storedVersions", ..] => (FieldPath::new("spec").child("versions"), 2),
        _ => (FieldPath::root(), 0),
    };
    let mut path = start;
    for step in &steps[skipped.min(steps.len())..] {
        path = match step {
            // The API server prints the name of the field in Go.
            Segment::Child(name) if &**name == "JSONPath" => path.child("jsonPath"),
            Segment::Child(name) => path.child(name.clone()),
            Segment::Index(index) => path.index(*index),
            Segment::Key(key) => path.key(key.clone()),
        };
    }
    path
}

/// Converts the paths of a cause and of its remedy's edits to paths in the original CRD. Also sets the cause's keyword.
pub fn locate(cause: &mut Diagnostic) {
    cause.place = written_path(&cause.place);
    cause.keyword = cause.keyword.or_else(|| keyword(&cause.place));
    for edit in cause.remedy.iter_mut().flat_map(|remedy| &mut remedy.edits) {
        *edit.at_mut() = written_path(edit.at());
    }
}

/// Returns the schema keyword at the end of a path, or the keyword that contains the end of the path.
fn keyword(place: &FieldPath) -> Option<Keyword> {
    let segments = place.segments();
    let schema = segments.iter().position(|step| name(step) == "openAPIV3Schema")?;
    let keywords = segments[schema + 1..].iter().map(|step| Keyword::from_name(name(step)));
    let mut last = None;
    for keyword in keywords.flatten() {
        last = Some(keyword);
        if !keyword.holds_schemas() {
            break;
        }
    }
    last
}

fn name(step: &Segment) -> &str {
    match step {
        Segment::Child(name) => name,
        Segment::Index(_) | Segment::Key(_) => "",
    }
}

/// Returns the steps, with combined steps split: `scale.specReplicasPath`.
fn steps(field: &FieldPath) -> Vec<Segment> {
    let mut steps = Vec::new();
    for segment in field.segments() {
        match segment {
            Segment::Child(name) if is_compound(name) => {
                steps.extend(name.split('.').map(|name| Segment::Child(name.into())));
            }
            other => steps.push(other.clone()),
        }
    }
    steps
}

fn is_compound(name: &str) -> bool {
    ["scale.", "openAPIV3Schema.", "schema.openAPIV3Schema"].iter().any(|prefix| name.starts_with(prefix))
}
