//! The schemas of the values in objects of a CRD, with their surroundings.

use crd_core::crd::{Child, JsonSchemaProps, Version};
use crd_core::lazy_path::LazyPath;
use crd_core::{CustomResourceDefinition, FieldPath};

use crate::core_types::is_core;

/// A schema of a value, and its place.
pub(crate) struct Node<'n> {
    pub(crate) schema: &'n JsonSchemaProps,
    pub(crate) place: &'n LazyPath<'n>,
    pub(crate) version: &'n Version,
    /// The step from the schema above, which is in `parent`; `None` at the root.
    pub(crate) child: Option<Child<'n>>,
    pub(crate) parent: Option<&'n Node<'n>>,
    /// `true` in a type of Kubernetes, such as a Pod template, which the author of a CRD cannot change.
    pub(crate) is_core: bool,
}

impl<'n> Node<'n> {
    /// Calls `visit` for each schema of a value in each version, outer ones first.
    pub(crate) fn each(crd: &'n CustomResourceDefinition, visit: &mut dyn FnMut(&Node<'_>)) {
        for (i, version) in crd.spec.versions.iter().enumerate() {
            let Some(schema) = version.open_api_v3_schema() else { continue };
            let base =
                FieldPath::new("spec").child("versions").index(i).child("schema").child("openAPIV3Schema");
            let place = LazyPath::new(&base);
            let root = Node { schema, place: &place, version, child: None, parent: None, is_core: false };
            root.visit(visit);
        }
    }

    fn visit(&self, visit: &mut dyn FnMut(&Node<'_>)) {
        visit(self);
        for (child, schema) in self.schema.spine() {
            // The API server has a schema of its own for the metadata of an object.
            if matches!(child, Child::Property("metadata" | "apiVersion" | "kind")) && self.is_resource() {
                continue;
            }
            let place = self.place.schema(child);
            let is_core = self.is_core || is_core(schema);
            let below = Node {
                schema,
                place: &place,
                version: self.version,
                child: Some(child),
                parent: Some(self),
                is_core,
            };
            below.visit(visit);
        }
    }

    /// Returns `true` for a whole object, and for an embedded one.
    pub(crate) fn is_resource(&self) -> bool {
        self.parent.is_none() || self.schema.x_embedded_resource == Some(true)
    }

    /// Returns the path of the schema in the CRD.
    pub(crate) fn path(&self) -> FieldPath {
        self.place.path()
    }

    /// Returns the name of the field; `None` for items and values of maps.
    pub(crate) fn name(&self) -> Option<&'n str> {
        match self.child {
            Some(Child::Property(name)) => Some(name),
            _ => None,
        }
    }

    /// Returns the place in an object, such as `spec.ports[].name`. Long paths are shortened.
    pub(crate) fn field(&self) -> String {
        short(&self.long_field())
    }

    /// Returns the place in an object, without the steps beyond what [`short`] shows.
    fn long_field(&self) -> String {
        let mut field = self.parent.map(Node::long_field).unwrap_or_default();
        match self.child {
            // A character takes four bytes at most.
            _ if field.len() > 4 * SHOWN => {}
            Some(Child::Property(name)) => {
                if !field.is_empty() {
                    field.push('.');
                }
                field.extend(name.chars().take(SHOWN + 1));
            }
            Some(Child::Items) => field.push_str("[]"),
            Some(_) => field.push_str("[*]"),
            None => {}
        }
        field
    }

    /// Returns the steps from the root of an object, where items and values of maps are `None`.
    pub(crate) fn steps(&self) -> Vec<Option<String>> {
        let mut steps = self.parent.map(Node::steps).unwrap_or_default();
        if self.child.is_some() {
            steps.push(self.name().map(str::to_owned));
        }
        steps
    }

    /// Returns `true` if objects may leave the field out: it is not required, and has no default.
    pub(crate) fn is_optional(&self) -> bool {
        let (Some(name), Some(parent)) = (self.name(), self.parent) else { return false };
        !requires(parent.schema, name) && self.schema.default.is_none()
    }

    /// Returns `true` in the status.
    pub(crate) fn is_in_status(&self) -> bool {
        match self.parent {
            Some(parent) if parent.parent.is_none() => self.name() == Some("status"),
            Some(parent) => parent.is_in_status(),
            None => false,
        }
    }

    /// Returns `true` if the schema has the type of that name.
    pub(crate) fn is_type(&self, name: &str) -> bool {
        self.schema.type_.as_deref() == Some(name)
    }
}

/// Returns `true` if a schema requires the field of that name.
pub(crate) fn requires(schema: &JsonSchemaProps, name: &str) -> bool {
    schema.required.iter().flatten().any(|required| required == name)
}

/// Maximum number of characters of a text of a CRD in a message.
const SHOWN: usize = 200;

/// Returns a text of a CRD for a message.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
