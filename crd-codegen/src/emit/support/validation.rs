/// Validation with crdkit, with the API server's responses.
pub(crate) mod validation {
    pub(crate) use crdkit::validation::{Rejection, Validator};
    use serde::Serialize;

    /// Returns the validator of a CRD that was checked when this code was generated.
    pub(crate) fn validator(definition: &str) -> Validator {
        crdkit::validation::validator_from_json(definition).expect("crd-codegen embeds what crdkit can read")
    }

    pub(crate) fn create(validator: &Validator, object: &impl Serialize) -> Result<(), Rejection> {
        validator.create(value(object)).result.map(drop)
    }

    pub(crate) fn update(
        validator: &Validator,
        object: &impl Serialize,
        old: &impl Serialize,
    ) -> Result<(), Rejection> {
        validator.update(value(object), value(old)).result.map(drop)
    }

    fn value(object: &impl Serialize) -> serde_json::Value {
        // Generated types can be written; what cannot is refused as no object.
        serde_json::to_value(object).unwrap_or_default()
    }
}
