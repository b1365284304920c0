//! The options of requests that delete objects.
//!
//! Source: `ValidateDeleteOptions` in `k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go`.

use crd_core::{Diagnostic, KubeVersion};
use crd_go::strings::quote;
use serde_json::{Map, Value};

use super::body::{TYPE_META, duplicates, is_readable, is_yaml, syntax_error, yaml};
use super::options::{dry_run, path, reject};
use super::query::Query;
use crate::json::{json_type, text};
use crate::status::{Failure, Resource};
use crate::store::Stored;

/// The treatment of the objects that a deleted object owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    Orphan,
    Background,
    Foreground,
}

/// The options of a request that deletes an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeleteOptions {
    pub(crate) is_dry_run: bool,
    pub(crate) propagation: Option<Propagation>,
    /// The grace period of a pod, in seconds.
    pub(crate) grace: Option<i64>,
    uid: Option<String>,
    revision: Option<String>,
}

impl DeleteOptions {
    /// Reads the options from the body, or from the query if there is no body.
    pub(crate) fn read(query: &Query, content_type: &str, body: &[u8]) -> Result<Self, Failure> {
        let grace;
        let (propagation, orphans, dry_runs, preconditions) = if body.is_empty() {
            grace = query.number("gracePeriodSeconds")?;
            let dry_runs = query.all("dryRun").map(str::to_owned).collect();
            let propagation = query.first("propagationPolicy").map(str::to_owned);
            (propagation, query.flag("orphanDependents"), dry_runs, Value::Null)
        } else {
            is_readable(content_type)?;
            let options = decode(body, is_yaml(content_type))?;
            grace = options.get("gracePeriodSeconds").and_then(Value::as_i64);
            let dry_runs = options.get("dryRun").and_then(Value::as_array).into_iter().flatten();
            let dry_runs = dry_runs.filter_map(Value::as_str).map(str::to_owned).collect();
            let propagation = options.get("propagationPolicy").and_then(Value::as_str).map(str::to_owned);
            let orphans = options.get("orphanDependents").and_then(Value::as_bool);
            (propagation, orphans, dry_runs, options.get("preconditions").cloned().unwrap_or_default())
        };
        let dry_runs: Vec<String> = dry_runs;
        let mut causes = Vec::new();
        let both = "orphanDependents and deletionPropagation cannot be both set";
        if let Some(propagation) = propagation.as_deref().filter(|_| orphans.is_some()) {
            causes.push(Diagnostic::invalid(path("propagationPolicy"), propagation, both));
        }
        let named = propagation.as_deref().map(|name| match name {
            "Orphan" => Some(Propagation::Orphan),
            "Background" => Some(Propagation::Background),
            "Foreground" => Some(Propagation::Foreground),
            other => {
                let supported = ["Foreground", "Background", "Orphan", "nil"];
                causes.push(Diagnostic::not_supported(path("propagationPolicy"), other, &supported));
                None
            }
        });
        let is_dry_run = dry_run(&dry_runs, &mut causes);
        reject("DeleteOptions", &causes)?;
        let old = orphans.map(|orphans| if orphans { Propagation::Orphan } else { Propagation::Background });
        let precondition = |name: &str| Some(preconditions.get(name)?.as_str()?.to_owned());
        Ok(Self {
            is_dry_run,
            propagation: named.flatten().or(old),
            grace,
            uid: precondition("uid"),
            revision: precondition("resourceVersion"),
        })
    }

    /// Returns the options that controllers use, which leave dependents to the garbage collector.
    pub(crate) fn background() -> Self {
        Self { propagation: Some(Propagation::Background), ..Self::default() }
    }

    /// Checks the preconditions of a deletion.
    pub(crate) fn check(&self, old: &Stored, group: &str, kind: &str) -> Result<(), Failure> {
        // The API server has the kind instead of the resource here.
        let resource = Resource { group: group.to_owned(), plural: kind.to_owned() };
        let refuse = |detail: String| Err(Failure::conflict(&resource, old.key.name(), &detail));
        let (uid, revision) = (old.uid(), old.revision.to_string());
        if let Some(expected) = self.uid.as_deref().filter(|expected| *expected != uid) {
            return refuse(format!(
                "the UID in the precondition ({expected}) does not match the UID in record ({uid}). The object might have \
                 been deleted and then recreated"
            ));
        }
        if let Some(expected) = self.revision.as_deref().filter(|expected| *expected != revision) {
            return refuse(format!(
                "the ResourceVersion in the precondition ({expected}) does not match the ResourceVersion in record \
                 ({revision}). The object might have been modified"
            ));
        }
        Ok(())
    }

    /// Checks the preconditions for deleting a CRD by its name.
    ///
    /// Source: `Delete` in `pkg/registry/customresourcedefinition/etcd.go` of apiextensions-apiserver.
    pub(crate) fn check_definition(
        &self,
        old: &Stored,
        resource: &Resource,
        release: KubeVersion,
    ) -> Result<(), Failure> {
        let failed =
            if release >= KubeVersion::new(37) { "precondition failed" } else { "Precondition failed" };
        let (uid, revision) = (old.uid().to_owned(), old.revision.to_string());
        for (field, expected, found) in
            [("UID", &self.uid, uid), ("ResourceVersion", &self.revision, revision)]
        {
            if let Some(expected) = expected.as_ref().filter(|expected| **expected != found) {
                let detail =
                    format!("{failed}: {field} in precondition: {expected}, {field} in object meta: {found}");
                return Err(Failure::conflict(resource, old.key.name(), &detail));
            }
        }
        Ok(())
    }
}

fn decode(body: &[u8], is_yaml: bool) -> Result<Value, Failure> {
    let options: Value = if is_yaml {
        let (options, _) = yaml::parse(body).map_err(Failure::bad_request)?;
        if options.is_null() { Value::Object(Map::new()) } else { options }
    } else {
        let (options, _) = duplicates::parse(body).map_err(|error| {
            let error = syntax_error(body, &error);
            Failure::bad_request(format!("couldn't get version/kind; json parse error: {error}"))
        })?;
        options
    };
    if !options.is_object() {
        return Err(Failure::bad_request(format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go value of type {TYPE_META}",
            json_type(&options)
        )));
    }
    if let Some(grace) = options.get("gracePeriodSeconds").filter(|grace| !grace.is_null() && !grace.is_i64())
    {
        return Err(Failure::bad_request(format!(
            "json: cannot unmarshal {} into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
            json_type(grace)
        )));
    }
    let kind = text(&options, &["kind"]);
    if !kind.is_empty() && kind != "DeleteOptions" {
        let version = text(&options, &["apiVersion"]);
        let (kind, version) =
            (quote(kind), quote(if version.is_empty() { "meta.k8s.io/v1" } else { version }));
        let message = format!(
            "no kind {kind} is registered for version {version} in scheme \"pkg/runtime/scheme.go:111\""
        );
        return Err(Failure::bad_request(message));
    }
    Ok(options)
}
