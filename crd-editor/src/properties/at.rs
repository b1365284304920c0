//! Finds the property that a name in a CRD refers to.

use std::ops::Range;

use crd_core::cel::{Environment, FieldUse, Rules, SchemaTypes};
use crd_core::crd::Child;
use crd_core::{CustomResourceDefinition, KubeVersion, Structural};

use super::json_path::parts;
use super::{Property, SchemaStep, follow, steps, steps_of_parts, structural};
use crate::cursor::{Cursor, CursorPart, CursorStep};
use crate::keywords::{PlaceKind, Values};
use crate::scalar::ReadScalar;

/// A property, and the byte range of a name that refers to the property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedProperty {
    pub(crate) property: Property,
    pub(crate) bytes: Range<usize>,
}

/// The cursor at a name, and the schema in which the name is looked up.
struct Lookup<'a> {
    text: &'a str,
    at: usize,
    cursor: &'a Cursor,
    version: usize,
    root: Structural,
}

impl NamedProperty {
    /// Returns the property at a cursor in a CRD. The cursor can be at the property's schema, or at a name in `required`,
    /// `x-kubernetes-list-map-keys`, a path or an expression.
    pub(crate) fn find(
        crd: &CustomResourceDefinition,
        release: KubeVersion,
        text: &str,
        cursor: &Cursor,
        at: usize,
    ) -> Option<Self> {
        let [CursorStep::Key(spec), CursorStep::Key(versions), CursorStep::Item(version), below @ ..] =
            cursor.path.as_slice()
        else {
            return None;
        };
        if spec != "spec" || versions != "versions" {
            return None;
        }
        let lookup = Lookup { text, at, cursor, version: *version, root: structural(crd, *version)? };
        let (above, rest) = match below {
            [CursorStep::Key(schema), CursorStep::Key(root), path @ ..]
                if schema == "schema" && root == "openAPIV3Schema" =>
            {
                steps(path)
            }
            _ => (Vec::new(), below),
        };
        let found = match (PlaceKind::at(&cursor.path)?, rest) {
            (PlaceKind::Values(Values::Cel), [_, _, CursorStep::Key(_)]) => lookup.in_rule(&above, release),
            (PlaceKind::Values(Values::Path), _) => lookup.in_path(&above),
            (_, [CursorStep::Key(keyword), more @ ..]) => lookup.by_keyword(above, keyword, more),
            _ => None,
        }?;
        let owner = follow(&lookup.root, &found.property.above)?;
        owner.properties.get(&found.property.name).is_some().then_some(found)
    }
}

impl Lookup<'_> {
    fn named(&self, above: Vec<SchemaStep>, name: String, bytes: Range<usize>) -> NamedProperty {
        NamedProperty { property: Property { version: self.version, above, name }, bytes }
    }

    fn scalar(&self) -> Option<ReadScalar> {
        ReadScalar::read(self.text, self.cursor.bytes.clone())
    }

    fn by_keyword(
        &self,
        mut above: Vec<SchemaStep>,
        keyword: &str,
        more: &[CursorStep],
    ) -> Option<NamedProperty> {
        match (keyword, more, &self.cursor.part) {
            ("properties", [], CursorPart::Key) | ("required", [CursorStep::Item(_)], _) => {}
            ("x-kubernetes-list-map-keys", [CursorStep::Item(_)], _) => above.push(SchemaStep::Items),
            _ => return None,
        }
        let read = self.scalar()?;
        let bytes = read.bytes(0..read.value.len());
        Some(self.named(above, read.value, bytes))
    }

    fn in_path(&self, from: &[SchemaStep]) -> Option<NamedProperty> {
        let read = self.scalar()?;
        let at = read.at(self.at);
        let parts = parts(&read.value)?;
        let number = parts.iter().position(|part| (part.bytes.start..=part.bytes.end).contains(&at))?;
        let mut above = steps_of_parts(&self.root, from, &parts[..=number])?;
        match above.pop()? {
            SchemaStep::Property(name) => {
                Some(self.named(above, name, read.bytes(parts[number].bytes.clone())))
            }
            _ => None,
        }
    }

    fn in_rule(&self, above: &[SchemaStep], release: KubeVersion) -> Option<NamedProperty> {
        let read = self.scalar()?;
        let at = read.at(self.at);
        let node = follow(&self.root, above)?;
        let types = SchemaTypes::for_version(&self.root, true, release);
        let rules = Rules::new(&types, Environment::for_server(release));
        // What `oldSelf` is makes no difference to the fields.
        let uses = [false, true].into_iter().find_map(|old| rules.field_uses(node, &read.value, old).ok())?;
        let found = uses.into_iter().find(|used| (used.bytes.start..=used.bytes.end).contains(&at))?;
        let mut steps = above.to_vec();
        owner(node, &mut steps, &found, &types)
            .then(|| self.named(steps, found.name.clone(), read.bytes(found.bytes.clone())))
    }
}

/// Appends the steps to the schema that declares a field.
fn owner(node: &Structural, steps: &mut Vec<SchemaStep>, used: &FieldUse, types: &SchemaTypes<'_>) -> bool {
    if used.is_of(node, types) {
        return true;
    }
    node.children().any(|(child, below)| {
        steps.push(match child {
            Child::Property(name) => SchemaStep::Property(name.to_owned()),
            Child::Values => SchemaStep::Values,
            _ => SchemaStep::Items,
        });
        owner(below, steps, used, types) || {
            steps.pop();
            false
        }
    })
}
