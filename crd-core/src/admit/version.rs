//! Versions of a definition, compiled once for checking objects.

use std::sync::Arc;

use crd_go::KubeVersion;

use super::default::Defaults;
use super::lists;
use super::stored_schema::through_storage;
use crate::crd::{self, ScaleSubresource, Spec, compare_versions};
use crate::embedded;
use crate::rules::RuleTree;
use crate::schema::NotStructural;
use crate::values::Patterns;
use crate::{CustomResourceDefinition, Structural};

/// A compiled version.
#[derive(Debug)]
pub(super) struct CompiledVersion {
    /// The release of the server.
    pub(super) kube_version: KubeVersion,
    pub(super) name: String,
    pub(super) is_served: bool,
    pub(super) deprecation: Option<String>,
    pub(super) schema: Structural,
    pub(super) defaults: Defaults,
    pub(super) rules: Option<RuleTree>,
    /// Shared by all versions of the definition.
    pub(super) patterns: Arc<Patterns>,
    pub(super) has_status: bool,
    pub(super) scale: Option<ScaleSubresource>,
    /// `true` if objects can contain embedded resources.
    pub(super) has_resources: bool,
    /// `true` if objects can contain lists whose items have to be different.
    pub(super) has_unique_lists: bool,
}

impl CompiledVersion {
    pub(super) fn new(
        crd: &CustomResourceDefinition,
        version: &crd::Version,
        patterns: &Arc<Patterns>,
        kube_version: KubeVersion,
    ) -> Result<Self, NotStructural> {
        let mut schema = match version.open_api_v3_schema() {
            Some(schema) => Structural::from_json_schema(schema)?,
            None => Structural::default(),
        };
        through_storage(&mut schema);
        let subresources = version.subresources.as_ref();
        Ok(Self {
            kube_version,
            name: version.name.clone(),
            is_served: version.served,
            deprecation: (version.deprecated == Some(true)).then(|| deprecation(&crd.spec, version)),
            rules: RuleTree::at(&schema, true, kube_version),
            patterns: Arc::clone(patterns),
            has_status: subresources.is_some_and(|subresources| subresources.status.is_some()),
            scale: subresources.and_then(|subresources| subresources.scale.clone()),
            has_resources: embedded::has_resources(&schema),
            has_unique_lists: lists::has_unique_lists(&schema),
            defaults: Defaults::new(&schema),
            schema,
        })
    }
}

/// The default warning of a deprecated version, which names the most stable newer version.
///
/// Source: `defaultDeprecationWarning` in `customresource_handler.go`.
fn deprecation(spec: &Spec, version: &crd::Version) -> String {
    if let Some(warning) = &version.deprecation_warning {
        return warning.clone();
    }
    let (group, kind) = (&spec.group, &spec.names.kind);
    let better = spec.versions.iter().filter(|other| {
        other.served && other.deprecated != Some(true) && compare_versions(&version.name, &other.name).is_lt()
    });
    let best = better.max_by(|a, b| compare_versions(&a.name, &b.name));
    let instead = best.map(|best| format!("; use {group}/{} {kind}", best.name)).unwrap_or_default();
    format!("{group}/{} {kind} is deprecated{instead}", version.name)
}
