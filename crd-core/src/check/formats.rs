//! Warnings about formats that the API server does not know and therefore does not check.

use std::collections::HashSet;

use crd_go::strings::quote;

use crate::KubeVersion;
use crate::crd::JsonSchemaProps;
use crate::formats::Format;
use crate::outline::Effective;
use crate::schema::SchemaType;

/// Returns each format that is unknown for its type, with a warning about it. The same warning is returned only once.
pub(super) fn warnings(effective: &Effective<'_>) -> Vec<(String, String)> {
    let version = effective.kube_version;
    if !version.is_at_least(34) {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    let mut warnings = Vec::new();
    let mut schema = |schema: &JsonSchemaProps| {
        schema.each(&mut |schema| {
            if let Some(format) = unknown(schema, version).filter(|format| seen.insert((*format).to_owned()))
            {
                let text = format!("unrecognized format {}", quote(format));
                warnings.push((text, format.to_owned()));
            }
        });
    };
    let shared = effective.top().schema.and_then(|validation| validation.open_api_v3_schema.as_deref());
    if let Some(shared) = shared {
        schema(shared);
        return warnings;
    }
    for version in &effective.spec.versions {
        if let Some(written) = version.open_api_v3_schema() {
            schema(written);
        }
    }
    warnings
}

/// Returns the schema's format, if it is unknown for the schema's type.
pub(super) fn unknown(schema: &JsonSchemaProps, version: KubeVersion) -> Option<&str> {
    // Up to 1.35, only formats of strings are looked at.
    if !version.is_at_least(36) && schema.type_.as_deref() != Some("string") {
        return None;
    }
    let format = schema.format.as_deref().filter(|format| !format.is_empty())?;
    let type_ = schema.type_.as_deref().filter(|name| !name.is_empty()).map(SchemaType::from_name);
    (!Format::is_known_at(format, type_.as_ref(), version)).then_some(format)
}
