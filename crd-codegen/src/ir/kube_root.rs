//! The type of whole objects, if kube's derive can express it.

use super::name::fields;
use super::{Model, TypeId};

/// The way in which the type of whole objects is generated in the form `kube`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KubeRoot {
    /// kube's derive on the type of `spec` generates the type.
    Spec(TypeId),
    /// kube's derive generates the type from a type with all properties except `status`, with the attribute `no_spec`.
    Fields,
    /// The type is generated without kube's derive, because the derive would lose properties.
    Own,
}

impl KubeRoot {
    /// Returns how to generate the type of whole objects so that it keeps all properties.
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
