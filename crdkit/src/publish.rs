//! Sample objects and JSON Schemas of types.

use crd_core::admit::ServerOptions;
use crd_core::{CustomResourceDefinition, KubeVersion};
use crd_docs::json_schema::SchemaOptions;
use crd_sample::Sampler;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Error;
use crate::verdict::as_stored;

/// Returns the smallest object of a version, read as a value of type `T`.
pub(crate) fn sample<T: DeserializeOwned>(
    crd: &CustomResourceDefinition,
    version: &str,
    kube_version: KubeVersion,
) -> Result<T, Error> {
    let failed = |message: String| Error::definition(crd.metadata.name.clone(), message, "");
    let sampler = Sampler::with_options(&as_stored(crd), version, ServerOptions::new(kube_version))
        .map_err(|error| failed(error.to_string()).caused_by(error))?;
    let object = sampler.minimal().map_err(|error| {
        failed(format!("no sample was found; the closest object is rejected: {}", error.rejection()))
            .caused_by(error)
    })?;
    serde_json::from_value(object)
        .map_err(|error| failed(format!("the type cannot hold a sample: {error}")).caused_by(error))
}

/// Returns the JSON Schema for objects of a version.
pub(crate) fn json_schema(crd: &CustomResourceDefinition, version: &str) -> Result<Value, Error> {
    let options = SchemaOptions::default().with_strict(true);
    crd_docs::json_schema::json_schema(crd, version, options)
        .map_err(|error| Error::definition(crd.metadata.name.clone(), error.to_string(), "").caused_by(error))
}
