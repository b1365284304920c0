//! The paths and texts of generated modules, and the CRDs from which they are generated.

use std::collections::{BTreeSet, HashSet};

use crd_core::CustomResourceDefinition;

use crate::Origin;
use crate::emit::{Dependency, Piece};

/// The modules for the versions of a CRD.
#[derive(Clone, Debug, Default)]
pub(super) struct ModulePlaces {
    /// For each selected version, its index in the CRD and its path of modules.
    pub(super) versions: Vec<(usize, ModulePath)>,
    /// The index of an earlier CRD with the same group, version and kind, if there is one.
    pub(super) repeats: Option<Origin>,
    /// `true` if the earlier CRD is equal to this CRD.
    pub(super) is_copy: bool,
}

/// The nested modules that contain a kind: the names for the group, the version and the kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ModulePath {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

/// A generated module of types.
#[derive(Debug)]
pub(super) struct ModuleText {
    pub(super) path: ModulePath,
    /// The root type, if this is a kind's module.
    pub(super) root_type: Option<String>,
    pub(super) type_names: HashSet<String>,
    pub(super) pieces: BTreeSet<Piece>,
    pub(super) dependencies: BTreeSet<Dependency>,
    pub(super) text: String,
    /// The recursion limit that a crate with these types needs, if the default is too low.
    pub(super) recursion_limit: Option<usize>,
    /// The CRD's version, if this is a kind's module. It is needed for the module `definitions`.
    pub(super) of: Option<VersionOf>,
}

/// A version in a CRD.
#[derive(Debug)]
pub(super) struct VersionOf {
    /// The index of the CRD among the inputs.
    pub(super) definition: usize,
    /// The name of the CRD.
    pub(super) name: String,
    /// The index of the version in the CRD.
    pub(super) at: usize,
    /// The name of the storage version.
    pub(super) storage: Option<String>,
    pub(super) is_storage: bool,
}

impl VersionOf {
    pub(super) fn new(definition: usize, crd: &CustomResourceDefinition, at: usize) -> Self {
        let spec = &crd.spec;
        Self {
            definition,
            name: format!("{}.{}", spec.names.plural, spec.group),
            at,
            storage: spec.storage_version().map(|version| version.name.clone()),
            is_storage: spec.versions[at].storage,
        }
    }
}
