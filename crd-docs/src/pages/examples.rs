//! Example objects in descriptions.

use crd_core::CustomResourceDefinition;
use crd_core::crd::{JsonSchemaProps, Version};
use crd_core::schema::Structural;

use super::{description, field, kind, size};

/// Maximum number of examples in a CRD, because each must be validated.
const MOST_EXAMPLES: usize = 100;

/// A code block from a description. It has a line `kind: KIND`, with the CRD's kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageExample {
    /// The version whose schema contains the description.
    pub version: String,
    /// The path to the field, such as `spec.ports[].protocol`. It is empty for the object itself.
    pub field: String,
    /// The code.
    pub text: String,
}

/// Returns the code blocks with a line `kind: KIND` from the descriptions in served versions, without duplicates. A block may be anything,
/// not only an object. At most 100 blocks are returned, and none for a CRD whose [`page`](crate::pages::page) would be too large.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_docs::pages::examples;
///
/// let description = "Sizes of shirts:\n\n```yaml\nkind: Shirt\nspec: {size: 5}\n```";
/// let crd = CustomResourceDefinition::from_value(serde_json::json!({"spec": {
///     "group": "stable.example.com",
///     "names": {"plural": "shirts", "kind": "Shirt"},
///     "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": {
///         "type": "object",
///         "properties": {"spec": {"type": "object", "description": description}},
///     }}}],
/// }}))?;
/// let found = &examples(&crd)[0];
/// assert_eq!((found.version.as_str(), found.field.as_str()), ("v1", "spec"));
/// assert_eq!(found.text, "kind: Shirt\nspec: {size: 5}");
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn examples(crd: &CustomResourceDefinition) -> Vec<PageExample> {
    let kind = &crd.spec.names.kind;
    let mut out: Vec<PageExample> = Vec::new();
    // The versions with their fields take longer than to look for a word.
    let mut schemas = crd.spec.versions.iter().filter_map(Version::open_api_v3_schema);
    if !schemas.any(|schema| schema.any(&names_a_kind)) || size::check(crd).is_err() {
        return out;
    }
    for page in kind::versions(crd) {
        let Some(schema) = &page.schema else { continue };
        let mut visit = |schema: &Structural, path: &str| {
            for text in blocks(schema, kind) {
                if out.len() < MOST_EXAMPLES && out.iter().all(|known| known.text != text) {
                    out.push(PageExample {
                        version: page.version.name.clone(),
                        field: path.to_owned(),
                        text,
                    });
                }
            }
        };
        visit(schema, "");
        field::each(schema, "", &mut visit);
    }
    out
}

fn names_a_kind(schema: &JsonSchemaProps) -> bool {
    schema.description.as_deref().is_some_and(|text| text.contains("kind:"))
}

/// Returns the code blocks with a line `kind: KIND` from a schema's own description.
fn blocks(schema: &Structural, kind: &str) -> Vec<String> {
    let description = schema.generic.description.as_deref().unwrap_or_default();
    let names_kind = |text: &String| {
        let kinds = text.lines().filter_map(|line| line.strip_prefix("kind:"));
        kinds.map(|written| written.trim().trim_matches(['"', '\''])).any(|written| written == kind)
    };
    // To read Markdown takes longer than to look for a word.
    if !description.contains("kind:") {
        return Vec::new();
    }
    description::code_blocks(description).into_iter().filter(names_kind).collect()
}
