//! Compiles validators from CRDs, and from the definitions of built-in kinds.

use super::kind::{InvalidDefinition, Kind};
use super::names::NameSyntax;
use super::validator::Validator;
use crate::CustomResourceDefinition;
use crate::options::ServerOptions;

impl Validator {
    /// Compiles a CRD.
    ///
    /// # Errors
    /// - A schema is not structural.
    /// - No version is marked as stored.
    pub fn new(crd: &CustomResourceDefinition) -> Result<Self, InvalidDefinition> {
        Self::with_options(crd, ServerOptions::default())
    }

    /// Compiles a CRD for the API server of a chosen Kubernetes version.
    ///
    /// # Errors
    /// - A schema is not structural.
    /// - No version is marked as stored.
    pub fn with_options(
        crd: &CustomResourceDefinition,
        options: ServerOptions,
    ) -> Result<Self, InvalidDefinition> {
        Ok(Self::of(Kind::new(crd, NameSyntax::Subdomain, options)?, options.work))
    }

    /// Compiles the definition of a built-in kind whose objects can have any path segment as their name, such as the role `system:node`.
    ///
    /// # Errors
    /// - A schema is not structural.
    /// - No version is marked as stored.
    pub fn with_path_names(
        crd: &CustomResourceDefinition,
        options: ServerOptions,
    ) -> Result<Self, InvalidDefinition> {
        Ok(Self::of(Kind::new(crd, NameSyntax::PathSegment, options)?, options.work))
    }
}
