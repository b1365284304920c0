//! The warnings of a verdict, and the schemas for which they are given.

use crate::crd::JsonSchemaProps;
use crate::outline::Effective;
use crate::{CustomResourceDefinition, FieldPath, KubeVersion};

use super::{formats, sets};

/// A warning about schemas.
pub(super) struct Warned {
    pub(super) text: String,
    version: KubeVersion,
    cause: Cause,
}

/// The reason for a warning.
enum Cause {
    /// A format that the API server does not know.
    Format(String),
    /// A set of items of this type.
    Set(&'static str),
}

impl Warned {
    /// The warnings about a definition, in the order of the API server.
    pub(super) fn all(effective: &Effective<'_>) -> Vec<Self> {
        let version = effective.kube_version;
        let of_formats = formats::warnings(effective).into_iter();
        let of_formats =
            of_formats.map(|(text, format)| Self { text, version, cause: Cause::Format(format) });
        let of_sets = sets::warnings(effective);
        let of_sets = of_sets.map(|(text, type_)| Self { text, version, cause: Cause::Set(type_) });
        of_formats.chain(of_sets).collect()
    }

    /// Returns the path of the first schema for which the warning is given.
    pub(super) fn field(&self, crd: &CustomResourceDefinition) -> FieldPath {
        let is_warned = |schema: &JsonSchemaProps| match &self.cause {
            Cause::Format(format) => formats::unknown(schema, self.version) == Some(format),
            Cause::Set(type_) => sets::item_type(schema) == Some(type_),
        };
        let versions = FieldPath::new("spec").child("versions");
        let mut schemas = crd.spec.versions.iter().enumerate().filter_map(|(i, version)| {
            Some((versions.index(i).child("schema").child("openAPIV3Schema"), version.open_api_v3_schema()?))
        });
        let found = schemas.find(|(_, schema)| schema.any(&is_warned));
        let Some((mut path, mut schema)) = found else { return FieldPath::root() };
        while let Some((child, below)) = schema.spine().find(|(_, below)| below.any(&is_warned)) {
            (path, schema) = (child.below(&path), below);
        }
        path
    }
}
