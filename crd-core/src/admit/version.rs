//! Versions of a CRD, compiled once for checking objects.

use std::sync::Arc;

use crd_go::KubeVersion;
use serde_json::Value;

use super::screen::{Screen, Screened};
use super::stored_schema::{prune_defaults, through_storage};
use super::{lists, scale};
use crate::crd::{self, ScaleSubresource, Spec, compare_versions};
use crate::defaults::{Defaults, Room};
use crate::embedded;
use crate::rules::{MetadataUse, RuleTree};
use crate::schema::NotStructural;
use crate::values::Patterns;
use crate::{CustomResourceDefinition, Structural};

/// A version of a CRD, compiled for the validation of objects.
#[derive(Debug)]
pub(super) struct CompiledVersion {
    /// The Kubernetes version of the API server.
    pub(super) kube_version: KubeVersion,
    pub(super) name: String,
    /// `group/version`, the `apiVersion` of objects.
    pub(super) api_version: String,
    pub(super) is_served: bool,
    pub(super) deprecation: Option<String>,
    pub(super) schema: Structural,
    /// `None` if there is no quick check for the schema.
    screen: Option<Screen>,
    pub(super) defaults: Defaults,
    /// The result of [`Defaults::most_at_a_value`].
    pub(super) most_defaults: Option<usize>,
    /// `true` if the default of the status does not exceed the size limit.
    pub(super) status_fits: bool,
    pub(super) rules: Option<RuleTree>,
    /// The parts of an object's metadata that the validation reads. `Whole` if there is no quick check for objects.
    pub(super) metadata_use: MetadataUse,
    /// The compiled patterns, which all versions of the CRD share.
    pub(super) patterns: Arc<Patterns>,
    pub(super) has_status: bool,
    pub(super) scale: Option<ScaleSubresource>,
    /// `true` if a path of the scale subresource leads to or through a property with a default.
    pub(super) scale_sees_defaults: bool,
    /// `true` if objects keep unknown fields everywhere: `spec.preserveUnknownFields`, which CRDs that were stored in `v1beta1` can still
    /// have (`crdConversionRESTOptionsGetter` in `customresource_handler.go`).
    pub(super) keeps_unknown: bool,
    /// `true` if objects can contain embedded resources.
    pub(super) has_resources: bool,
    /// `true` if objects can contain lists whose items must be unique.
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
        prune_defaults(&mut schema, true);
        let has_status = version.has_status();
        let defaults = Defaults::new(&schema);
        let screen = Screen::new(&schema, has_status, kube_version);
        // The default of the status is filled in after all checks.
        let late = has_status.then_some("status");
        let mut rules = RuleTree::for_version(&schema, true, kube_version);
        if let Some(rules) = &mut rules {
            rules.prepare_unfilled(&schema, &defaults, late);
        }
        let scale = version.subresources.as_ref().and_then(|subresources| subresources.scale.clone());
        let most_defaults = defaults.most_at_a_value();
        Ok(Self {
            kube_version,
            name: version.name.clone(),
            api_version: api_version(&crd.spec.group, &version.name),
            is_served: version.served,
            deprecation: (version.deprecated == Some(true)).then(|| deprecation(&crd.spec, version)),
            metadata_use: metadata_use(screen.as_ref(), rules.as_ref(), scale.as_ref()),
            rules,
            patterns: Arc::clone(patterns),
            has_status,
            scale_sees_defaults: scale
                .as_ref()
                .is_some_and(|scale| scale::sees_defaults(scale, &schema, late)),
            scale,
            keeps_unknown: crd.spec.preserve_unknown_fields == Some(true),
            has_resources: embedded::has_resources(&schema),
            has_unique_lists: lists::has_unique_lists(&schema),
            screen,
            status_fits: !defaults.has("status") || most_defaults.is_some_and(|most| most <= Room::BYTES),
            most_defaults,
            defaults,
            schema,
        })
    }

    /// Returns `true` if the quick check shows that the schema accepts a decoded object of this kind. `screened` is the result for the
    /// object as it was sent.
    pub(super) fn fits(&self, screened: Screened, value: &Value) -> bool {
        match screened {
            Screened::Fits { .. } => true,
            Screened::Invalid { .. } => false,
            // By now the defaults are filled in, except in an object that server-side apply did not change, and unknown fields are removed.
            Screened::LacksDefaults | Screened::Undecided => {
                self.screened(value) == Screened::Fits { lacks_defaults: false }
            }
        }
    }

    /// Runs the quick check of an object.
    pub(super) fn screened(&self, object: &Value) -> Screened {
        let screen = self.screen.as_ref();
        screen.map_or(Screened::Undecided, |screen| screen.object(&self.schema, object, &self.patterns))
    }
}

/// Returns the parts of an object's metadata that the validation reads.
fn metadata_use(
    screen: Option<&Screen>,
    rules: Option<&RuleTree>,
    scale: Option<&ScaleSubresource>,
) -> MetadataUse {
    let paths = scale.map(|scale| {
        let selector = scale.label_selector_path.as_ref();
        [Some(&scale.spec_replicas_path), Some(&scale.status_replicas_path), selector]
    });
    let is_of_metadata = |path: &String| path.strip_prefix('.').unwrap_or(path).starts_with("metadata");
    if screen.is_none() || paths.into_iter().flatten().flatten().any(is_of_metadata) {
        return MetadataUse::Whole;
    }
    rules.map_or(MetadataUse::None, RuleTree::metadata_use)
}

/// Returns the `apiVersion` of objects: the group and the version, or the version alone for built-in kinds of the core
/// group, which has no name.
fn api_version(group: &str, version: &str) -> String {
    match group {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    }
}

/// Returns the default warning for a deprecated version. The warning mentions the most stable newer version.
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
