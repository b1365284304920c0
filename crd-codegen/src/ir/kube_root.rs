//! Chooses how kube's derive generates the root type.

use super::name::fields;
use super::{Model, TypeId};

/// Describes how the root type is generated for the form `kube`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KubeRoot {
    /// The type of `spec` has kube's derive, which generates the root type.
    Spec(TypeId),
    /// A type with all properties except `status` has kube's derive and the attribute `no_spec`.
    Fields,
    /// The root type is generated without kube's derive, which would lose properties.
    Own,
}

impl KubeRoot {
    /// Chooses a way in which the root type keeps all properties.
    pub(crate) fn choose(model: &Model) -> Self {
        // kube's type has a place for properties of the schema only.
        if model.root.keeps_rest {
            return Self::Own;
        }
        let is_status = |property: &str| property == "status";
        let own: Vec<_> = model.root.fields.iter().filter(|field| !is_status(&field.property)).collect();
        match &*own {
            [] => Self::Own,
            [spec] if &*spec.property == "spec" => Self::Spec(spec.type_),
            _ => {
                let properties: Vec<&str> = own.iter().map(|field| &*field.property).collect();
                // The derive rejects fields of these names.
                let is_rejected = |name: &str| matches!(name, "api_version" | "kind" | "metadata" | "status");
                let names = fields(&properties);
                if names.fields.iter().any(|field| is_rejected(&field.name)) {
                    Self::Own
                } else {
                    Self::Fields
                }
            }
        }
    }
}
