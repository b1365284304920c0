//! The data about a kind from which its file is generated.

use crd_core::CustomResourceDefinition;
use crd_core::crd::Version;

use crate::ir::Struct;
use crate::ir::traits::Traits;

/// The data about a kind, in one version of its CRD, from which its file is generated.
pub(crate) struct Resource<'a> {
    pub(crate) group: &'a str,
    pub(crate) version: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) plural: &'a str,
    pub(crate) is_namespaced: bool,
    pub(crate) is_deprecated: Option<&'a str>,
    /// An object in YAML, for the documentation of the kind.
    pub(crate) sample: Option<&'a str>,
    /// The operations that the kind's client supports, if a client is generated.
    pub(crate) abilities: Option<Abilities<'a>>,
    /// The name of the kind's module, if objects are validated. The constant with the CRD is named after the module.
    pub(crate) validated: Option<&'a str>,
    /// The apply configuration of whole objects, if it is generated.
    pub(crate) apply: Option<ApplyRoot>,
    /// The traits that the root type derives.
    pub(crate) traits: Traits,
    /// The CRD. For the form `derive`, attributes are generated from it.
    pub(crate) definition: OwnedDefinition<'a>,
}

/// The apply configuration of whole objects.
pub(crate) struct ApplyRoot {
    pub(crate) root: Struct,
    pub(crate) traits: Traits,
}

/// The operations that a kind's client supports, according to the CRD.
pub(crate) struct Abilities<'a> {
    /// The name of the kind's module. The constant with the CRD is named after the module.
    pub(crate) module: &'a str,
    pub(crate) has_status: bool,
    pub(crate) has_scale: bool,
    /// The paths of the selectable fields, such as `.spec.color`.
    pub(crate) selectable: Vec<&'a str>,
}

/// A CRD and one of its versions.
#[derive(Clone, Copy)]
pub(crate) struct OwnedDefinition<'a> {
    pub(crate) crd: &'a CustomResourceDefinition,
    pub(crate) version: &'a Version,
}
