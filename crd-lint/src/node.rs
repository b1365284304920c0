//! Walks over the schemas of a CRD, with their context.

use std::cell::OnceCell;

use crd_core::crd::{Child, JsonSchemaProps, Version};
use crd_core::lazy_path::LazyPath;
use crd_core::{CustomResourceDefinition, FieldPath};

use crate::core_types::is_core;

/// A schema in a CRD, with its path, its version and its parents.
pub(crate) struct Node<'n> {
    pub(crate) schema: &'n JsonSchemaProps,
    pub(crate) place: &'n LazyPath<'n>,
    pub(crate) version: &'n Version,
    /// The property or keyword of `parent` that contains this schema; `None` at the root.
    pub(crate) child: Option<Child<'n>>,
    pub(crate) parent: Option<&'n Node<'n>>,
    /// `true` for a schema inside a Kubernetes type, such as a Pod template, which the author of a CRD cannot change.
    pub(crate) is_core: bool,
    /// The fields that are required in this schema, or that users choose between.
    pub(crate) fields: Fields<'n>,
    is_in_status: bool,
    /// The path in an object, computed for the first message about this schema.
    field: OnceCell<String>,
}

/// The fields that are required in a schema, or that users choose between. They are collected once for each schema.
pub(crate) struct Fields<'n> {
    required: Names<'n>,
    /// The fields that branches of `oneOf` and `anyOf` require.
    chosen: Names<'n>,
    /// `true` if all properties are objects, and at least one of them declares fields.
    are_objects: bool,
    /// `true` if at least one property is an object that declares fields, or all properties are objects.
    have_objects: bool,
}

impl<'n> Fields<'n> {
    fn new(schema: &'n JsonSchemaProps) -> Self {
        let branches = [&schema.one_of, &schema.any_of].into_iter().flatten().flatten();
        let fields = || schema.properties.iter().flat_map(|all| all.values());
        let are_objects = fields().all(|field| field.type_.as_deref() == Some("object"));
        let have_fields = fields().any(|field| field.properties.is_some());
        Self {
            required: required(schema),
            chosen: Names::new(branches.flat_map(|branch| branch.required.iter().flatten())),
            are_objects: are_objects && have_fields,
            have_objects: are_objects || have_fields,
        }
    }

    /// Returns `true` if a field is required.
    pub(crate) fn require(&self, name: &str) -> bool {
        self.required.contains(name)
    }

    /// Returns `true` if a branch of `oneOf` or `anyOf` requires the field.
    pub(crate) fn choose(&self, name: &str) -> bool {
        self.chosen.contains(name)
    }

    /// Returns `true` if all fields are optional and some of them are objects, so users may be meant to choose one.
    pub(crate) fn are_choices(&self) -> bool {
        self.have_objects && self.required.is_empty()
    }

    /// Returns `true` if all fields are optional objects, so users may be meant to choose one.
    pub(crate) fn are_optional_objects(&self) -> bool {
        self.are_objects && self.required.is_empty()
    }
}

/// A set of names. Most sets are empty or small.
#[derive(Default)]
pub(crate) struct Names<'n>(Vec<&'n str>);

impl<'n> Names<'n> {
    fn new(names: impl Iterator<Item = &'n String>) -> Self {
        let mut names: Vec<&str> = names.map(String::as_str).collect();
        names.sort_unstable();
        Self(names)
    }

    /// Returns `true` if the set contains a name.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.binary_search(&name).is_ok()
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns the names of the fields that a schema requires.
pub(crate) fn required(schema: &JsonSchemaProps) -> Names<'_> {
    Names::new(schema.required.iter().flatten())
}

impl<'n> Node<'n> {
    /// Calls `visit` for each schema in each version, parents first.
    pub(crate) fn each(crd: &'n CustomResourceDefinition, visit: &mut dyn FnMut(&Node<'_>)) {
        for (i, version) in crd.spec.versions.iter().enumerate() {
            let Some(schema) = version.open_api_v3_schema() else { continue };
            let base =
                FieldPath::new("spec").child("versions").index(i).child("schema").child("openAPIV3Schema");
            let place = LazyPath::new(&base);
            let root = Node {
                schema,
                place: &place,
                version,
                child: None,
                parent: None,
                is_core: false,
                fields: Fields::new(schema),
                is_in_status: false,
                field: OnceCell::new(),
            };
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
                fields: Fields::new(schema),
                is_in_status: self.is_in_status
                    || self.parent.is_none() && child == Child::Property("status"),
                field: OnceCell::new(),
            };
            below.visit(visit);
        }
    }

    /// Returns `true` for the schema of a whole object or of an embedded object.
    pub(crate) fn is_resource(&self) -> bool {
        self.parent.is_none() || self.schema.x_embedded_resource == Some(true)
    }

    /// Returns the path of the schema in the CRD.
    pub(crate) fn path(&self) -> FieldPath {
        self.place.path()
    }

    /// Returns the name of the field; `None` for list items and map values.
    pub(crate) fn name(&self) -> Option<&'n str> {
        match self.child {
            Some(Child::Property(name)) => Some(name),
            _ => None,
        }
    }

    /// Returns the path in an object, such as `spec.ports[].name`. Long paths are shortened.
    pub(crate) fn field(&self) -> &str {
        self.field.get_or_init(|| short(&self.long_field()))
    }

    /// Returns the path in an object, without the part that [`short`] would cut off.
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

    /// Returns the field names on the path from the root of an object. List items and map values are `None`.
    pub(crate) fn steps(&self) -> Vec<Option<String>> {
        let mut steps = self.parent.map(Node::steps).unwrap_or_default();
        if self.child.is_some() {
            steps.push(self.name().map(str::to_owned));
        }
        steps
    }

    /// Returns `true` if the field is not required and has no default.
    pub(crate) fn is_optional(&self) -> bool {
        let (Some(name), Some(parent)) = (self.name(), self.parent) else { return false };
        !parent.fields.require(name) && self.schema.default.is_none()
    }

    /// Returns `true` if the schema is the status or inside the status.
    pub(crate) fn is_in_status(&self) -> bool {
        self.is_in_status
    }

    /// Returns `true` if the schema has this type.
    pub(crate) fn is_type(&self, name: &str) -> bool {
        self.schema.type_.as_deref() == Some(name)
    }
}

/// Maximum number of characters that a message contains from one string in a CRD.
const SHOWN: usize = 200;

/// Shortens a string from a CRD for a message.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
