//! The warnings of a verdict, and the schemas that cause them.

use std::collections::HashMap;

use crate::crd::JsonSchemaProps;
use crate::lazy_path::LazyPath;
use crate::outline::Effective;
use crate::{CustomResourceDefinition, FieldPath, KubeVersion};

use super::{formats, sets};

/// A warning about schemas, with its reason.
pub(super) struct Warned {
    pub(super) text: String,
    cause: Cause,
}

/// The reason for a warning.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Cause {
    /// A format that the API server does not know.
    Format(String),
    /// A set whose items have this type.
    Set(String),
}

impl Warned {
    /// Returns the warnings about a CRD, in the order of the API server.
    pub(super) fn all(effective: &Effective<'_>) -> Vec<Self> {
        let of_formats = formats::warnings(effective).into_iter();
        let of_formats = of_formats.map(|(text, format)| Self { text, cause: Cause::Format(format) });
        let of_sets = sets::warnings(effective);
        let of_sets = of_sets.map(|(text, type_)| Self { text, cause: Cause::Set(type_.to_owned()) });
        of_formats.chain(of_sets).collect()
    }

    /// Returns, for each warning, the path of the first schema that causes the warning. If this schema is under `allOf` or a similar
    /// keyword, the path is the CRD's path.
    pub(super) fn fields(
        warned: &[Self],
        crd: &CustomResourceDefinition,
        version: KubeVersion,
    ) -> Vec<FieldPath> {
        if warned.is_empty() {
            return Vec::new();
        }
        let mut places = Places { version, paths: HashMap::new() };
        places.paths.extend(warned.iter().map(|warned| (warned.cause.clone(), None)));
        let versions = FieldPath::new("spec").child("versions");
        for (i, version) in crd.spec.versions.iter().enumerate() {
            let path = versions.index(i).child("schema").child("openAPIV3Schema");
            if let Some(schema) = version.open_api_v3_schema() {
                places.note(schema, &LazyPath::new(&path));
            }
        }
        warned
            .iter()
            .map(|warned| places.paths.get(&warned.cause).cloned().flatten().unwrap_or_default())
            .collect()
    }
}

/// For each cause, the path of the first schema that has it.
struct Places {
    version: KubeVersion,
    paths: HashMap<Cause, Option<FieldPath>>,
}

impl Places {
    fn note(&mut self, schema: &JsonSchemaProps, place: &LazyPath<'_>) {
        let format = formats::unknown(schema, self.version).map(|format| Cause::Format(format.to_owned()));
        let set = sets::item_type(schema).map(|type_| Cause::Set(type_.to_owned()));
        for cause in format.into_iter().chain(set) {
            if let Some(path @ None) = self.paths.get_mut(&cause) {
                *path = Some(place.path());
            }
        }
        for (child, below) in schema.spine() {
            self.note(below, &place.schema(child));
        }
    }
}
