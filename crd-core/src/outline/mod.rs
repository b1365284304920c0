//! The checks of a definition outside of its schemas: metadata, group, names, scope, versions, conversion, columns and
//! paths.
//!
//! The API server checks schemas between these parts. A caller that checks schemas, too, passes its checks as
//! `SchemaChecks`, so that all causes are in the server's order. Source: `apiextensions-apiserver`, `validation.go`;
//! each module names its part.

mod before;
mod columns;
mod conversion;
pub(crate) mod dump;
mod effective;
pub(crate) mod identical;
mod json_path;
mod metadata;
mod names;
mod schema_checks;
mod spec;
mod status;
mod subresources;
mod versions;
mod written;

pub(crate) use before::Before;
pub use columns::{FORMATS as COLUMN_FORMATS, TYPES as COLUMN_TYPES};
pub(crate) use effective::Effective;
pub(crate) use schema_checks::{Owner, SchemaChecks};
pub use written::written_path;

use crd_go::KubeVersion;

use crate::causes::Causes;
use crate::{CustomResourceDefinition, Diagnostic};

/// Checks a definition except for its schemas and the fields in them: metadata, group, names, scope, versions,
/// conversion, columns and paths. These are the parts that a macro knows while it runs. It does not need the feature
/// `check`.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use serde_json::json;
///
/// let crd = CustomResourceDefinition::from_value(json!({
///     "metadata": {"name": "crontabs.stable.example.com"},
///     "spec": {
///         "group": "stable.example.com",
///         "names": {"plural": "crontabs", "kind": "CronTab", "shortNames": ["CT"]},
///         "scope": "Namespaced",
///         "versions": [{"name": "v1", "served": true, "storage": true}]
///     }
/// }))?;
/// let diagnostics = crd_core::outline::outline(&crd);
/// assert_eq!(diagnostics[0].field.to_string(), "spec.names.shortNames[0]");
/// assert_eq!(diagnostics[0].help(), Some("did you mean `ct`?"));
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn outline(crd: &CustomResourceDefinition) -> Vec<Diagnostic> {
    check(crd, &Effective::new(crd, KubeVersion::default(), true, None))
}

/// Checks everything in the API server's order.
pub(crate) fn check(crd: &CustomResourceDefinition, effective: &Effective<'_>) -> Vec<Diagnostic> {
    let mut out = Causes::for_version(effective.kube_version);
    match effective.before {
        Some(before) => metadata::metadata_update(crd, before, &mut out),
        None => metadata::metadata(crd, &mut out),
    }
    spec::spec(effective, &mut out);
    if let Some(before) = effective.before {
        spec::immutable(effective, before, &mut out);
    }
    status::stored_versions(effective, &mut out);
    metadata::approval(crd, effective.before, &mut out);
    spec::preserve_unknown_fields(effective, &mut out);
    let mut causes = out.into_vec();
    causes.iter_mut().for_each(written::locate);
    causes
}
