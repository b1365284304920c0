//! Data about the generated modules, from which the other files of a package are generated.

use std::collections::BTreeSet;

use super::Definition;
use super::layout;
use super::modules::{ModulePath, ModuleText};
use crate::emit::Dependency;

/// Data about all generated modules.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackageParts {
    pub(crate) dependencies: BTreeSet<Dependency>,
    /// The kinds in the order of their modules.
    pub(crate) kinds: Vec<PackageKind>,
    /// The recursion limit that the crate needs; `None` if the default is enough.
    pub(crate) recursion_limit: Option<usize>,
}

/// A version of a kind.
#[derive(Clone, Debug)]
pub(crate) struct PackageKind {
    /// The nested modules that contain the kind.
    pub(crate) path: ModulePath,
    /// The name of the root type.
    pub(crate) root_type: String,
    pub(crate) group: String,
    pub(crate) version: String,
    /// The index of the kind's CRD among the inputs.
    pub(crate) definition: usize,
    /// The index of the version in the CRD.
    pub(crate) at: usize,
}

impl PackageParts {
    pub(super) fn new(modules: &[ModuleText], definitions: &[Definition]) -> Self {
        let kinds = modules.iter().filter_map(|module| {
            let of = module.of.as_ref()?;
            let spec = &definitions.get(of.definition)?.crd.spec;
            Some(PackageKind {
                path: module.path.clone(),
                root_type: module.root_type.clone()?,
                group: spec.group.clone(),
                version: spec.versions.get(of.at)?.name.clone(),
                definition: of.definition,
                at: of.at,
            })
        });
        let mut kinds: Vec<PackageKind> = kinds.collect();
        kinds.sort_by(|a, b| a.path.cmp(&b.path));
        Self {
            dependencies: layout::dependencies(modules),
            kinds,
            recursion_limit: modules.iter().filter_map(|module| module.recursion_limit).max(),
        }
    }
}
