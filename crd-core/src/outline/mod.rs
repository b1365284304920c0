//! The checks of a CRD outside its schemas: metadata, group, names, scope, versions, conversion, columns and paths. The strings in these
//! parts are checked by `crd_go::outline`, which the derives use, too.
//!
//! The API server checks some of these parts before the schemas, and the others after them. To keep the causes in the server's order, the
//! module `check` therefore passes the checks of schemas as `SchemaChecks`. Source: `apiextensions-apiserver`, `validation.go`; each module
//! gives its own source.

mod before;
mod conversion;
pub(crate) mod dump;
mod effective;
pub(crate) mod identical;
mod metadata;
mod parts;
mod schema_checks;
mod spec;
mod status;
mod versions;

pub(crate) use before::Before;
pub(crate) use effective::Effective;
pub(crate) use schema_checks::{Owner, SchemaChecks};

use crd_go::outline::locate;

use crate::object_meta::definition_meta_update;
use crate::{Causes, CustomResourceDefinition, Diagnostic};

/// Performs all checks of a CRD in the API server's order.
pub(crate) fn check(crd: &CustomResourceDefinition, effective: &Effective<'_>) -> Vec<Diagnostic> {
    let mut out = Causes::for_version(effective.kube_version);
    match effective.before {
        Some(before) => {
            definition_meta_update(&crd.metadata, &before.0.metadata, &mut out);
        }
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
    causes.iter_mut().for_each(locate);
    causes
}
