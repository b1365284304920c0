//! The kind of a CRD, compiled for checking objects of all versions.

use std::fmt;
use std::sync::Arc;

use crd_go::KubeVersion;

use super::names::NameSyntax;
use super::version::CompiledVersion;
use crate::CustomResourceDefinition;
use crate::crd::Scope;
use crate::dropped::without_disabled;
use crate::options::{FeatureGate, ServerOptions};
use crate::schema::NotStructural;
use crate::values::Patterns;

/// The kind of a CRD with its versions, compiled for the validation of objects.
#[derive(Debug)]
pub(super) struct Kind {
    /// The Kubernetes version of the API server.
    pub(super) kube_version: KubeVersion,
    /// `true` if updates ignore violations in values that do not change.
    pub(super) ratchets: bool,
    pub(super) group: String,
    pub(super) name: String,
    pub(super) plural: String,
    pub(super) is_namespaced: bool,
    pub(super) names: NameSyntax,
    /// The compiled patterns in the schemas of all versions.
    pub(super) patterns: Arc<Patterns>,
    versions: Vec<CompiledVersion>,
    storage: usize,
}

impl Kind {
    pub(super) fn new(
        crd: &CustomResourceDefinition,
        names: NameSyntax,
        options: ServerOptions,
    ) -> Result<Self, InvalidDefinition> {
        let crd = &*without_disabled(crd, None, options);
        let kube_version = options.kube_version;
        let spec = &crd.spec;
        let storage = spec.versions.iter().position(|version| version.storage);
        let storage = storage.ok_or(InvalidDefinition(Fault::NoStorageVersion))?;
        let patterns = Arc::default();
        let compile = |version: &crate::crd::Version| {
            let failed = |error| InvalidDefinition(Fault::NotStructural(version.name.clone(), error));
            CompiledVersion::new(crd, version, &patterns, kube_version).map_err(failed)
        };
        Ok(Self {
            kube_version,
            ratchets: options.is_enabled(FeatureGate::CrdValidationRatcheting),
            group: spec.group.clone(),
            name: spec.names.kind.clone(),
            plural: spec.names.plural.clone(),
            is_namespaced: spec.scope() != Some(Scope::Cluster),
            names,
            versions: spec.versions.iter().map(compile).collect::<Result<_, _>>()?,
            patterns,
            storage,
        })
    }

    /// Returns the version with that name.
    pub(super) fn version(&self, name: &str) -> Option<&CompiledVersion> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// Returns the version whose objects have that `apiVersion`.
    pub(super) fn version_of(&self, api_version: &str) -> Option<&CompiledVersion> {
        self.versions.iter().find(|version| version.api_version == api_version)
    }

    /// Returns the storage version.
    pub(super) fn storage(&self) -> &CompiledVersion {
        &self.versions[self.storage]
    }
}

/// The reason why a CRD cannot be used for checking objects. The API server does not accept such a
/// CRD.
#[derive(Debug)]
pub struct InvalidDefinition(Fault);

#[derive(Debug)]
enum Fault {
    NoStorageVersion,
    NotStructural(String, NotStructural),
}

impl fmt::Display for InvalidDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Fault::NoStorageVersion => f.write_str("no version is marked as storage version"),
            Fault::NotStructural(version, error) => write!(f, "the schema of version `{version}`: {error}"),
        }
    }
}

impl std::error::Error for InvalidDefinition {}
