//! The proof that a schema is structural: it becomes `JSONSchemaProps` without a keyword lost, and then `Structural`.

use crd_core::Structural;
use crd_core::crd::{CustomResourceDefinition, JsonSchemaProps, Validation, Version};
use serde_json::Value;

use super::walk::Place;
use crate::Error;

pub(super) fn prove(schema: &Value, root: &Place) -> Result<JsonSchemaProps, Error> {
    let props = JsonSchemaProps::from_value(schema.clone()).map_err(|error| {
        let field = error.path().to_string();
        root.error(format!("`{field}` of its schema: {error}"), "see the type's `JsonSchema` and `extend`")
            .caused_by(error)
    })?;
    if let Some(unknown) = unknown_keyword(&props) {
        return Err(root.error(
            format!("`{unknown}` is no keyword of a CRD's schema"),
            "remove it, or put `#[crd(schemaless)]` on the field",
        ));
    }
    Structural::from_json_schema(&props).map_err(|error| {
        root.error(
            format!("`{}` of its schema: {error}", error.path()),
            "put `#[crd(schemaless)]` on the field",
        )
        .caused_by(error)
    })?;
    Ok(props)
}

/// The first keyword that the API does not have. Only the whole definition can be asked.
fn unknown_keyword(props: &JsonSchemaProps) -> Option<String> {
    let mut validation = Validation::default();
    validation.open_api_v3_schema = Some(Box::new(props.clone()));
    let mut version = Version::default();
    version.schema = Some(validation);
    let mut crd = CustomResourceDefinition::default();
    crd.spec.versions.push(version);
    let unknown = crd.unknown_fields().first()?.to_string();
    let prefix = "spec.versions[0].schema.openAPIV3Schema.";
    Some(unknown.strip_prefix(prefix).unwrap_or(&unknown).to_owned())
}
