//! The properties in a schema, and the names that refer to them.

mod at;
mod json_path;
mod uses;

use crd_core::schema::AdditionalProperties;
use crd_core::{CustomResourceDefinition, FieldPath, Structural};

use crate::cursor::CursorStep;
pub(crate) use at::NamedProperty;
use json_path::{PathPart, PathStep};
pub(crate) use uses::{PropertyUse, UseChange, uses};

/// A step from a schema to a child schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SchemaStep {
    Property(String),
    Items,
    Values,
}

/// A property in a version's schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Property {
    /// The index of the version.
    pub(crate) version: usize,
    /// The path from the root to the object with the property.
    pub(crate) above: Vec<SchemaStep>,
    pub(crate) name: String,
}

impl Property {
    /// Returns the path to the property in the CRD.
    pub(crate) fn field(&self) -> FieldPath {
        let schema = schema_field(self.version);
        let owner = self.above.iter().fold(schema, |at, step| match step {
            SchemaStep::Property(name) => at.child("properties").key(name.as_str()),
            SchemaStep::Items => at.child("items"),
            SchemaStep::Values => at.child("additionalProperties"),
        });
        owner.child("properties").key(self.name.as_str())
    }
}

/// Returns the path to a version's schema in the CRD.
pub(crate) fn schema_field(version: usize) -> FieldPath {
    FieldPath::new("spec").child("versions").index(version).child("schema").child("openAPIV3Schema")
}

/// Returns a version's schema.
pub(crate) fn structural(crd: &CustomResourceDefinition, version: usize) -> Option<Structural> {
    let schema = crd.spec.versions.get(version)?.schema.as_ref()?.open_api_v3_schema.as_deref()?;
    Structural::from_json_schema(schema).ok()
}

/// Returns the node at a path.
pub(crate) fn follow<'s>(root: &'s Structural, steps: &[SchemaStep]) -> Option<&'s Structural> {
    steps.iter().try_fold(root, |node, step| match step {
        SchemaStep::Property(name) => node.properties.get(name),
        SchemaStep::Items => node.items.as_deref(),
        SchemaStep::Values => node.map_values(),
    })
}

/// Converts a path in a schema to steps, up to the first keyword that does not lead to a child schema. Returns the steps and the rest of
/// the path. There are no steps for `allOf`, `anyOf`, `oneOf` and `not`, because the schemas under them describe the same value.
fn steps(mut path: &[CursorStep]) -> (Vec<SchemaStep>, &[CursorStep]) {
    let mut steps = Vec::new();
    while let [CursorStep::Key(keyword), rest @ ..] = path {
        path = match (keyword.as_str(), rest) {
            ("properties", [CursorStep::Key(name), rest @ ..]) => {
                steps.push(SchemaStep::Property(name.clone()));
                rest
            }
            ("items", rest) => {
                steps.push(SchemaStep::Items);
                rest
            }
            ("additionalProperties", rest) => {
                steps.push(SchemaStep::Values);
                rest
            }
            ("allOf" | "anyOf" | "oneOf", [CursorStep::Item(_), rest @ ..]) | ("not", rest) => rest,
            _ => break,
        };
    }
    (steps, path)
}

/// Converts a path in an object to steps through the schema.
pub(crate) fn steps_of_object(root: &Structural, path: &[CursorStep]) -> Option<Vec<SchemaStep>> {
    let mut node = root;
    let mut steps = Vec::new();
    for step in path {
        let (step, below) = match step {
            CursorStep::Item(_) => (SchemaStep::Items, node.items.as_deref()?),
            CursorStep::Key(name) => match (node.properties.get(name), &node.additional_properties) {
                (Some(property), _) => (SchemaStep::Property(name.clone()), property),
                (None, Some(AdditionalProperties::Schema(values))) => (SchemaStep::Values, &**values),
                _ => return None,
            },
        };
        steps.push(step);
        node = below;
    }
    Some(steps)
}

/// Converts a JSON path to steps. The path begins at the node at `from`. Returns the steps from the root to the end of the path.
fn steps_of_parts(root: &Structural, from: &[SchemaStep], parts: &[PathPart]) -> Option<Vec<SchemaStep>> {
    let mut steps = from.to_vec();
    let mut node = follow(root, from)?;
    for part in parts {
        let step = match &part.step {
            PathStep::Name(name) if node.properties.get(name).is_some() => SchemaStep::Property(name.clone()),
            PathStep::Each if node.items.is_some() => SchemaStep::Items,
            _ => SchemaStep::Values,
        };
        node = follow(node, std::slice::from_ref(&step))?;
        steps.push(step);
    }
    Some(steps)
}
