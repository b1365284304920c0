//! The form of a CRD that the API server checks: defaults are filled in, and parts that all versions share are moved to the top of `spec`.
//!
//! Source: `apis/apiextensions/v1/{defaults,conversion}.go`. Because shared parts move, causes in a CRD with a single version have the path
//! `spec.validation...`; [`written_path`](super::written_path) finds the path in the original CRD.

use crd_go::KubeVersion;
use crd_go::strings::to_lower;

use super::{Before, SchemaChecks, identical};
use crate::FieldPath;
use crate::crd::{
    CustomResourceDefinition, Names, PrinterColumn, SelectableField, Spec, Subresources, Validation,
};

/// A CRD in the form that the API server checks.
pub(crate) struct Effective<'a> {
    pub(crate) spec: &'a Spec,
    /// The Kubernetes version of the API server.
    pub(crate) kube_version: KubeVersion,
    /// `spec.names` with its defaults.
    pub(super) names: Names,
    pub(super) shared: Shared,
    /// `true` if `spec.versions` is present. The API server prints an absent list as `null`.
    pub(super) has_versions: bool,
    /// The stored CRD that the new CRD replaces, if there is one.
    pub(crate) before: Option<Before<'a>>,
    /// The checks of schemas; if `None`, schemas are not checked.
    pub(super) schemas: Option<&'a dyn SchemaChecks>,
}

/// The parts that all versions share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shared {
    pub(super) schema: bool,
    pub(super) subresources: bool,
    pub(super) columns: bool,
    pub(super) selectable: bool,
}

/// The parts of one version, or the parts that all versions share.
#[derive(Clone, Copy, Default)]
pub(crate) struct Parts<'a> {
    pub(crate) schema: Option<&'a Validation>,
    pub(crate) subresources: Option<&'a Subresources>,
    pub(crate) columns: &'a [PrinterColumn],
    pub(crate) selectable: &'a [SelectableField],
}

impl<'a> Effective<'a> {
    pub(crate) fn new(
        crd: &'a CustomResourceDefinition,
        kube_version: KubeVersion,
        has_versions: bool,
        schemas: Option<&'a dyn SchemaChecks>,
    ) -> Self {
        Self {
            spec: &crd.spec,
            kube_version,
            names: default_names(&crd.spec.names),
            shared: shared(crd),
            has_versions,
            before: None,
            schemas,
        }
    }

    /// Sets the stored CRD that the new CRD replaces.
    pub(crate) fn replacing(mut self, before: Option<Before<'a>>) -> Self {
        self.before = before;
        self
    }

    /// Returns the parts that all versions share.
    pub(crate) fn top(&self) -> Parts<'a> {
        self.spec.versions.first().map(|_| self.parts(0, true)).unwrap_or_default()
    }

    /// Returns the parts that only the version at `index` has.
    pub(super) fn version(&self, index: usize) -> Parts<'a> {
        self.parts(index, false)
    }

    fn parts(&self, index: usize, at_top: bool) -> Parts<'a> {
        let version = &self.spec.versions[index];
        let columns = version.additional_printer_columns.as_deref().unwrap_or_default();
        let selectable = version.selectable_fields.as_deref().unwrap_or_default();
        Parts {
            schema: version.schema.as_ref().filter(|_| self.shared.schema == at_top),
            subresources: version.subresources.as_ref().filter(|_| self.shared.subresources == at_top),
            columns: if self.shared.columns == at_top { columns } else { &[] },
            selectable: if self.shared.selectable == at_top { selectable } else { &[] },
        }
    }

    /// Returns the path of the versions.
    pub(super) fn versions_path() -> FieldPath {
        FieldPath::new("spec").child("versions")
    }
}

fn default_names(names: &Names) -> Names {
    let mut names = names.clone();
    if names.singular.is_empty() {
        names.singular = to_lower(&names.kind);
    }
    if names.list_kind.is_empty() && !names.kind.is_empty() {
        names.list_kind = names.list_kind().into_owned();
    }
    names
}

/// Finds the parts that are equal in all versions of `crd`.
pub(super) fn shared(crd: &CustomResourceDefinition) -> Shared {
    let Some((first, rest)) = crd.spec.versions.split_first() else { return Shared::default() };
    Shared {
        schema: rest.iter().all(|v| identical::validations(v.schema.as_ref(), first.schema.as_ref())),
        subresources: rest
            .iter()
            .all(|v| identical::subresources(v.subresources.as_ref(), first.subresources.as_ref())),
        columns: rest.iter().all(|v| {
            let columns = first.additional_printer_columns.as_deref();
            identical::columns(v.additional_printer_columns.as_deref(), columns)
        }),
        selectable: rest.iter().all(|v| {
            identical::selectable(v.selectable_fields.as_deref(), first.selectable_fields.as_deref())
        }),
    }
}
