//! The schema at a path in a CRD.

use crd_core::cel::{Environment, Rules, SchemaTypes, max_children};
use crd_core::crd::Version;
use crd_core::schema::AdditionalProperties;
use crd_core::{CustomResourceDefinition, Structural};

use crate::cursor::CursorStep;

/// A version's schema, and a path in this schema.
pub(crate) struct SchemaAt<'p> {
    pub(crate) root: Structural,
    /// The steps below `openAPIV3Schema`.
    steps: &'p [CursorStep],
}

/// A node in a schema.
pub(crate) struct NodeAt<'s> {
    pub(crate) node: &'s Structural,
    /// Maximum number of values of the node in one object, from the limits of enclosing lists and maps. `None` if a limit is missing.
    pub(crate) times: Option<u64>,
}

impl<'p> SchemaAt<'p> {
    /// Returns the version's schema for a path in a CRD, and the rest of the path.
    pub(crate) fn find(crd: &CustomResourceDefinition, path: &'p [CursorStep]) -> Option<Self> {
        let (version, rest) = version_at(crd, path)?;
        let schema = version.schema.as_ref()?.open_api_v3_schema.as_deref()?;
        let root = Structural::from_json_schema(schema).ok()?;
        let steps = match rest {
            [CursorStep::Key(schema), CursorStep::Key(root), steps @ ..]
                if schema == "schema" && root == "openAPIV3Schema" =>
            {
                steps
            }
            _ => &[],
        };
        Some(Self { root, steps })
    }

    /// Returns the steps below the root.
    pub(crate) fn steps(&self) -> &'p [CursorStep] {
        self.steps
    }

    /// Returns the node at a path from the root, if there is one.
    pub(crate) fn node(&self, steps: &[CursorStep]) -> Option<NodeAt<'_>> {
        let mut at = NodeAt { node: &self.root, times: Some(1) };
        let mut rest = steps;
        while let [CursorStep::Key(keyword), more @ ..] = rest {
            let children = max_children(at.node);
            let (node, more) = match (keyword.as_str(), more) {
                ("properties", [CursorStep::Key(name), more @ ..]) => (at.node.properties.get(name)?, more),
                ("items", more) => (at.node.items.as_deref()?, more),
                ("additionalProperties", more) => match at.node.additional_properties.as_ref()? {
                    AdditionalProperties::Schema(schema) => (&**schema, more),
                    AdditionalProperties::Allowed(_) => return None,
                },
                _ => return None,
            };
            at = NodeAt {
                node,
                times: at.times.zip(children).map(|(times, children)| times.saturating_mul(children)),
            };
            rest = more;
        }
        rest.is_empty().then_some(at)
    }

    /// Calls a function with a compiler for the schema's rules.
    pub(crate) fn with_rules<R>(
        &self,
        version: crd_core::KubeVersion,
        work: impl FnOnce(&Rules<'_, '_>) -> R,
    ) -> R {
        let types = SchemaTypes::for_version(&self.root, true, version);
        work(&Rules::new(&types, Environment::for_server(version)))
    }
}

/// Returns the version for a path in a CRD, and the rest of the path.
pub(crate) fn version_at<'c, 'p>(
    crd: &'c CustomResourceDefinition,
    path: &'p [CursorStep],
) -> Option<(&'c Version, &'p [CursorStep])> {
    match path {
        [CursorStep::Key(spec), CursorStep::Key(versions), CursorStep::Item(index), rest @ ..]
            if spec == "spec" && versions == "versions" =>
        {
            Some((crd.spec.versions.get(*index)?, rest))
        }
        _ => None,
    }
}
