//! Findings that the types accept with `#[crd(allow(...))]`: comments in YAML, and no advice.

use crd_core::crd::{Items, JsonSchemaProps, JsonSchemaPropsOrBool};
use crd_core::{CustomResourceDefinition, FieldPath};

/// Accepted findings, with the paths of their values in objects: `.spec.ports[]`. The path of the whole object is empty.
pub(crate) type AllowedAt = (String, AllowMark);

/// A rule of `crdkit lint`, and the reason why its findings are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AllowMark {
    pub(crate) rule: String,
    pub(crate) reason: String,
}

/// The accepted findings of the types of one version.
#[derive(Clone, Debug)]
pub(crate) struct Allowed {
    pub(crate) version: String,
    /// The path of the type that the resource is derived from: `.spec`, or an empty string.
    pub(crate) root: &'static str,
    pub(crate) marks: Vec<AllowedAt>,
}

impl Allowed {
    /// Returns `true` if a finding at a field is about the whole CRD.
    pub(crate) fn is_root(&self, field: &str) -> bool {
        field.is_empty() || field == self.root
    }

    /// Adds the findings with their places in a CRD.
    pub(crate) fn walk<'m>(
        &'m self,
        crd: &CustomResourceDefinition,
        found: &mut Vec<(FieldPath, &'m AllowMark)>,
    ) {
        for (i, version) in crd.spec.versions.iter().enumerate() {
            if version.name == self.version
                && let Some(schema) = version.open_api_v3_schema()
            {
                let path = FieldPath::new("spec").child("versions").index(i);
                self.node(schema, &path.child("schema").child("openAPIV3Schema"), "", found);
            }
        }
    }

    /// Adds the findings in a schema at `path` of the CRD, whose values are at `field` of the object.
    fn node<'m>(
        &'m self,
        schema: &JsonSchemaProps,
        path: &FieldPath,
        field: &str,
        found: &mut Vec<(FieldPath, &'m AllowMark)>,
    ) {
        // Loops: iterators add functions to each program with a CRD.
        for (at, mark) in &self.marks {
            if at == field && !self.is_root(at) {
                found.push((path.clone(), mark));
            }
        }
        if let Some(properties) = &schema.properties {
            for (name, property) in properties.iter() {
                let field = format!("{field}.{}", name.replace('.', "\\."));
                self.node(property, &path.child("properties").key(name), &field, found);
            }
        }
        if let Some(Items::Schema(items)) = &schema.items {
            self.node(items, &path.child("items"), &format!("{field}[]"), found);
        }
        if let Some(JsonSchemaPropsOrBool::Schema(values)) = &schema.additional_properties {
            self.node(values, &path.child("additionalProperties"), &format!("{field}[*]"), found);
        }
    }
}
