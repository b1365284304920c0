//! Custom resources: the known kinds, and the schema at a path in an object.

mod complete;
mod findings;
mod hover;

use std::borrow::Borrow;
use std::collections::HashMap;

use crd_core::admit::{ServerOptions, Validator};
use crd_core::schema::AdditionalProperties;
use crd_core::{CustomResourceDefinition, Structural};
use serde_json::Value;

use crate::cursor::CursorStep;
use crate::properties::structural;
pub(crate) use findings::ResourceFinding;

/// Kinds that CRDs define, for checking objects.
#[derive(Debug, Default)]
pub struct KnownKinds {
    by_name: HashMap<(String, String), KnownKind>,
}

/// A kind.
#[derive(Debug)]
pub(crate) struct KnownKind {
    crd: CustomResourceDefinition,
    pub(crate) validator: Validator,
    /// The index and the schema of each version, by the version's name.
    schemas: HashMap<String, (usize, Structural)>,
    pub(crate) place: Option<KindPlace>,
}

/// The file with a CRD, and the CRD's index in this file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KindPlace {
    pub(crate) file: String,
    pub(crate) number: usize,
}

/// The `apiVersion` and the kind of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    group: String,
    version: String,
    kind: String,
}

impl KnownKinds {
    /// Compiles CRDs. If several CRDs define the same kind, the first CRD is used. CRDs that cannot be compiled are ignored.
    #[must_use]
    pub fn new(
        crds: impl IntoIterator<Item = impl Borrow<CustomResourceDefinition>>,
        options: ServerOptions,
    ) -> Self {
        let mut kinds = Self::default();
        crds.into_iter().for_each(|crd| kinds.add(crd.borrow(), None, options));
        kinds
    }

    /// Compiles CRDs like [`KnownKinds::new`]. Each CRD comes with a file name and an index in this file, to find the definition of a
    /// field.
    #[must_use]
    pub fn in_files(
        crds: impl IntoIterator<Item = (impl Borrow<CustomResourceDefinition>, String, usize)>,
        options: ServerOptions,
    ) -> Self {
        let mut kinds = Self::default();
        for (crd, file, number) in crds {
            kinds.add(crd.borrow(), Some(KindPlace { file, number }), options);
        }
        kinds
    }

    fn add(&mut self, crd: &CustomResourceDefinition, place: Option<KindPlace>, options: ServerOptions) {
        let name = (crd.spec.group.clone(), crd.spec.names.kind.clone());
        if self.by_name.contains_key(&name) {
            return;
        }
        let Ok(validator) = Validator::with_options(crd, options) else { return };
        let schema = |(i, version): (usize, &crd_core::crd::Version)| {
            Some((version.name.clone(), (i, structural(crd, i)?)))
        };
        let schemas = crd.spec.versions.iter().enumerate().filter_map(schema).collect();
        self.by_name.insert(name, KnownKind { crd: crd.clone(), validator, schemas, place });
    }

    /// Returns the number of kinds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Returns `true` if no kind is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    pub(crate) fn kind(&self, head: &Head) -> Option<&KnownKind> {
        self.by_name.get(&(head.group.clone(), head.kind.clone()))
    }

    /// Returns an object's schema, if the kind is known.
    pub(crate) fn of_object(&self, object: &Value) -> Option<&Structural> {
        let text = |key: &str| object[key].as_str().unwrap_or_default();
        let head = Head::new(text("apiVersion"), text("kind"))?;
        self.kind(&head)?.schemas.get(&head.version).map(|(_, schema)| schema)
    }

    /// Returns the kind and the schema for the `apiVersion` and `kind` in a document. The rest of the document need not be parseable.
    pub(crate) fn of_document(&self, document: &str) -> Option<(&KnownKind, &Structural)> {
        self.version_of_document(document).map(|(kind, _, schema)| (kind, schema))
    }

    /// Returns the same as [`KnownKinds::of_document`], with the index of the version.
    pub(crate) fn version_of_document(&self, document: &str) -> Option<(&KnownKind, usize, &Structural)> {
        if self.is_empty() {
            return None;
        }
        let head = Head::in_document(document)?;
        let kind = self.kind(&head)?;
        let (version, schema) = kind.schemas.get(&head.version)?;
        Some((kind, *version, schema))
    }
}

impl Head {
    /// Returns the head for an `apiVersion` and a kind. Returns `None` for a kind without a group, because CRDs do not define such kinds.
    pub(crate) fn new(api_version: &str, kind: &str) -> Option<Self> {
        let (group, version) = api_version.split_once('/')?;
        Some(Self { group: group.to_owned(), version: version.to_owned(), kind: kind.to_owned() })
    }

    /// Reads the `apiVersion` and the kind from their lines, because the rest of the document need not be parseable.
    fn in_document(document: &str) -> Option<Self> {
        let value = |key: &str| {
            let rest = document.lines().find_map(|line| line.strip_prefix(key))?;
            Some(rest.split(" #").next()?.trim().trim_matches(['"', '\'']))
        };
        Self::new(value("apiVersion:")?, value("kind:")?)
    }
}

/// Returns the schema at a path in an object, and the parent schema.
pub(crate) fn schema_at<'s>(
    root: &'s Structural,
    path: &[CursorStep],
) -> Option<(&'s Structural, Option<&'s Structural>)> {
    let (mut node, mut parent) = (root, None);
    for step in path {
        parent = Some(node);
        node = match step {
            CursorStep::Item(_) => node.items.as_deref()?,
            CursorStep::Key(name) => match (node.properties.get(name), &node.additional_properties) {
                (Some(property), _) => property,
                (None, Some(AdditionalProperties::Schema(values))) => values,
                _ => return None,
            },
        };
    }
    Some((node, parent))
}
