//! Validates objects like the API server, at run time. Needs the feature `validate`.
//!
//! Types that are generated with the option `validate` use this module. You can also use it with a CRD in JSON.

pub use crd_core::Diagnostic;
pub use crd_core::admit::{Admission, Rejection, Validator};

use crate::{CustomResourceDefinition, Error};

/// Returns the validator for a CRD in JSON.
///
/// # Errors
/// - The string is not a CRD.
/// - A schema is not structural, or there is no storage version.
///
/// ```
/// use crdkit::validation;
/// use serde_json::json;
///
/// let validator = validation::validator_from_json(r#"{
///     "metadata": {"name": "shirts.stable.example.com"},
///     "spec": {
///         "group": "stable.example.com", "names": {"plural": "shirts", "kind": "Shirt"}, "scope": "Cluster",
///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
///             "type": "object", "properties": {"size": {"type": "integer", "maximum": 60}}
///         }}}]
///     }
/// }"#)?;
/// let shirt = |size| json!({
///     "apiVersion": "stable.example.com/v1", "kind": "Shirt", "metadata": {"name": "mine"}, "size": size,
/// });
/// assert!(validator.create(shirt(60)).is_accepted());
/// assert_eq!(
///     validator.create(shirt(61)).causes()[0].to_string(),
///     "size: Invalid value: 61: size in body should be less than or equal to 60",
/// );
/// assert!(validation::validator_from_json("{}").is_err());
/// # Ok::<(), crdkit::Error>(())
/// ```
pub fn validator_from_json(definition: &str) -> Result<Validator, Error> {
    let value = serde_json::from_str(definition).map_err(|error| wrong("", error))?;
    let crd = CustomResourceDefinition::from_value(value).map_err(|error| wrong("", error))?;
    Validator::new(&crd).map_err(|error| wrong(&crd.metadata.name, error))
}

fn wrong(name: &str, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::definition(name, error.to_string(), "").caused_by(error)
}
