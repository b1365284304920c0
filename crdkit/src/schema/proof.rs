//! Checks that a schema is structural. It must convert to `JSONSchemaProps` without losing a keyword, and then to `Structural`.

use crd_core::Structural;
use crd_core::crd::{CustomResourceDefinition, JsonSchemaProps, Validation, Version};
use serde_json::Value;

use super::walk::SchemaLocation;
use crate::Error;

pub(super) fn prove(schema: &Value, root: &SchemaLocation) -> Result<JsonSchemaProps, Error> {
    let props = JsonSchemaProps::from_value(schema.clone()).map_err(|error| {
        let field = error.path().to_string();
        root.error(format!("`{field}` of its schema: {error}"), "see the type's `JsonSchema` and `extend`")
            .caused_by(error)
    })?;
    if let Some((unknown, help)) = unknown_keyword(&props) {
        let help = help.unwrap_or_else(|| "remove it, or put `#[crd(schemaless)]` on the field".to_owned());
        return Err(root.error(format!("`{unknown}` is not a keyword of a CRD's schema"), help));
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

/// Returns the first keyword that the API does not have, and the keyword that was probably meant. The conversion to `JSONSchemaProps`
/// does not report such keywords.
fn unknown_keyword(props: &JsonSchemaProps) -> Option<(String, Option<String>)> {
    let mut validation = Validation::default();
    validation.open_api_v3_schema = Some(Box::new(props.clone()));
    let mut version = Version::default();
    version.schema = Some(validation);
    let mut crd = CustomResourceDefinition::default();
    crd.spec.versions.push(version);
    let unknown = crd.unknown_fields().first()?.to_string();
    let prefix = "spec.versions[0].schema.openAPIV3Schema.";
    #[cfg(feature = "check")]
    let help = crd_core::check::advise(&crd)
        .into_iter()
        .find(|advice| advice.field.to_string() == unknown)
        .and_then(|advice| advice.help().map(str::to_owned));
    #[cfg(not(feature = "check"))]
    let help = None;
    Some((unknown.strip_prefix(prefix).unwrap_or(&unknown).to_owned(), help))
}
