//! What was chosen, or the documented default.

use super::{
    Attribute, BytesType, Config, DateTimeType, Defaults, Derive, Form, K8sOpenapi, Layout, MapType,
    NameOverride, NumberType, Refused, TypeOverride, Versions,
};
use crate::KeptNames;

impl Config {
    pub(crate) fn chosen_kept_names(&self) -> &KeptNames {
        &self.kept_names
    }

    pub(crate) fn chosen_form(&self) -> Form {
        self.form.unwrap_or_default()
    }

    pub(crate) fn chosen_versions(&self) -> Versions {
        // A definition has all of its versions, those too that are not served.
        let default = || match self.chosen_form() {
            Form::Types => Versions::default(),
            Form::Derive => Versions::All,
        };
        self.versions.clone().unwrap_or_else(default)
    }

    pub(crate) fn chosen_layout(&self) -> Layout {
        self.layout.unwrap_or_default()
    }

    pub(crate) fn chosen_docs(&self) -> bool {
        self.docs.unwrap_or(true)
    }

    pub(crate) fn chosen_map_type(&self) -> MapType {
        self.map_type.unwrap_or_default()
    }

    pub(crate) fn chosen_date_time(&self) -> DateTimeType {
        self.date_time.unwrap_or_default()
    }

    /// Whether the default was not left to count.
    pub(crate) fn is_date_time_chosen(&self) -> bool {
        self.date_time.is_some()
    }

    pub(crate) fn chosen_bytes(&self) -> BytesType {
        self.bytes.unwrap_or_default()
    }

    pub(crate) fn chosen_numbers(&self) -> NumberType {
        self.numbers.unwrap_or_default()
    }

    pub(crate) fn chosen_defaults(&self) -> Defaults {
        self.defaults.unwrap_or_default()
    }

    pub(crate) fn chosen_constructors(&self) -> bool {
        self.constructors.unwrap_or_default()
    }

    pub(crate) fn chosen_setters(&self) -> bool {
        self.setters.unwrap_or_default()
    }

    pub(crate) fn chosen_open_enums(&self) -> bool {
        self.open_enums.unwrap_or_default()
    }

    pub(crate) fn chosen_unions(&self) -> bool {
        self.unions.unwrap_or_default()
    }

    pub(crate) fn chosen_explicit_null(&self) -> bool {
        self.explicit_null.unwrap_or_default()
    }

    pub(crate) fn chosen_k8s_openapi(&self) -> K8sOpenapi {
        self.k8s_openapi.unwrap_or_default()
    }

    pub(crate) fn chosen_kube(&self) -> bool {
        self.kube.unwrap_or_default() || self.chosen_client()
    }

    pub(crate) fn chosen_apply(&self) -> bool {
        self.apply.unwrap_or_default()
    }

    pub(crate) fn chosen_client(&self) -> bool {
        self.client.unwrap_or_default()
    }

    pub(crate) fn chosen_validate(&self) -> bool {
        self.validate.unwrap_or_default()
    }

    pub(crate) fn chosen_refused(&self) -> Refused {
        self.refused.unwrap_or_default()
    }

    pub(crate) fn chosen_derives(&self) -> &[Derive] {
        &self.derive
    }

    pub(crate) fn chosen_no_derives(&self) -> &[Derive] {
        &self.no_derive
    }

    pub(crate) fn chosen_attributes(&self) -> &[Attribute] {
        &self.attribute
    }

    pub(crate) fn chosen_type_overrides(&self) -> &[TypeOverride] {
        &self.type_override
    }

    pub(crate) fn chosen_name_overrides(&self) -> &[NameOverride] {
        &self.name_override
    }
}
