//! Custom resources: the kinds that are known, and the schema at a place of an object.

mod complete;
mod findings;
mod hover;

use std::borrow::Borrow;
use std::collections::HashMap;

use crd_core::admit::{ServerOptions, Validator};
use crd_core::schema::AdditionalProperties;
use crd_core::{CustomResourceDefinition, Structural};

use crate::cursor::CursorStep;
pub(crate) use findings::ResourceFinding;

/// The kinds of some CRDs, by which objects are checked.
#[derive(Debug, Default)]
pub struct KnownKinds {
    by_name: HashMap<(String, String), KnownKind>,
}

/// A kind.
#[derive(Debug)]
pub(crate) struct KnownKind {
    pub(crate) validator: Validator,
    /// The schema of each version.
    schemas: HashMap<String, Structural>,
}

/// The `apiVersion` and the kind of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    group: String,
    version: String,
    kind: String,
}

impl KnownKinds {
    /// Compiles CRDs. Of several CRDs of one kind the first counts, and one that cannot be compiled is left out.
    #[must_use]
    pub fn new(
        crds: impl IntoIterator<Item = impl Borrow<CustomResourceDefinition>>,
        options: ServerOptions,
    ) -> Self {
        let mut kinds = Self::default();
        for crd in crds {
            let crd = crd.borrow();
            let name = (crd.spec.group.clone(), crd.spec.names.kind.clone());
            if kinds.by_name.contains_key(&name) {
                continue;
            }
            let Ok(validator) = Validator::with_options(crd, options) else { continue };
            let schema = |version: &crd_core::crd::Version| {
                let schema = version.schema.as_ref()?.open_api_v3_schema.as_deref()?;
                Some((version.name.clone(), Structural::from_json_schema(schema).ok()?))
            };
            let schemas = crd.spec.versions.iter().filter_map(schema).collect();
            kinds.by_name.insert(name, KnownKind { validator, schemas });
        }
        kinds
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

    /// Returns the kind of a document that may be impossible to read, and its schema in the document's version.
    pub(crate) fn of_document(&self, document: &str) -> Option<(&KnownKind, &Structural)> {
        if self.is_empty() {
            return None;
        }
        let head = Head::in_document(document)?;
        let kind = self.kind(&head)?;
        Some((kind, kind.schemas.get(&head.version)?))
    }
}

impl Head {
    /// Returns the head with an `apiVersion` and a kind; `None` for kinds without a group, which no CRD has.
    pub(crate) fn new(api_version: &str, kind: &str) -> Option<Self> {
        let (group, version) = api_version.split_once('/')?;
        Some(Self { group: group.to_owned(), version: version.to_owned(), kind: kind.to_owned() })
    }

    /// Reads the head from lines, because the rest may be impossible to read.
    fn in_document(document: &str) -> Option<Self> {
        let value = |key: &str| {
            let rest = document.lines().find_map(|line| line.strip_prefix(key))?;
            Some(rest.split(" #").next()?.trim().trim_matches(['"', '\'']))
        };
        Self::new(value("apiVersion:")?, value("kind:")?)
    }
}

/// Returns the schema at a path from the root of an object, with the schema around it.
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
