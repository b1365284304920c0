//! Parses and checks the options of delete requests.
//!
//! Source: `ValidateDeleteOptions` in `k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go`, and `DeleteOptions` in
//! `k8s.io/apimachinery/pkg/apis/meta/v1/types.go`.

use crd_core::{Diagnostic, KubeVersion};
use serde_json::{Map, Value};

use super::body::{TYPE_META, duplicates, is_readable, is_yaml, syntax_error, type_meta, unregistered, yaml};
use super::options::{dry_run, path, reject};
use super::query::Query;
use crate::json::json_type;
use crate::status::{Failure, Resource};
use crate::store::Stored;

/// Specifies what happens to the objects that a deleted object owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    Orphan,
    Background,
    Foreground,
}

/// The options of a delete request.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeleteOptions {
    pub(crate) is_dry_run: bool,
    pub(crate) propagation: Option<Propagation>,
    /// The grace period for a pod, in seconds.
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
            let dry_runs = dry_runs.map(|value| value.as_str().unwrap_or_default().to_owned()).collect();
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

    /// Returns the options that controllers use. Dependents are left to the garbage collector.
    pub(crate) fn background() -> Self {
        Self { propagation: Some(Propagation::Background), ..Self::default() }
    }

    /// Checks the preconditions for a deletion.
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

/// Reads a body. An empty body is equivalent to `null`.
fn decode(body: &[u8], is_yaml: bool) -> Result<Value, Failure> {
    let no_object =
        |error: String| Failure::bad_request(format!("couldn't get version/kind; json parse error: {error}"));
    let options: Value = if is_yaml {
        yaml::parse(body).map_err(Failure::bad_request)?.0
    } else {
        duplicates::parse(body).map_err(|error| no_object(syntax_error(body, &error)))?.0
    };
    let fields = match options {
        Value::Object(mut fields) => {
            if is_yaml {
                // The API server reads the JSON of the YAML, whose fields are sorted.
                fields.sort_keys();
            }
            fields
        }
        Value::Null => Map::new(),
        other => {
            let found = json_type(&other);
            return Err(no_object(format!(
                "json: cannot unmarshal {found} into Go value of type {TYPE_META}"
            )));
        }
    };
    check_kind(type_meta(&fields).map_err(no_object)?, body)?;
    match mistyped(&fields) {
        Some((found, place, go_type)) => Err(Failure::bad_request(format!(
            "json: cannot unmarshal {found} into Go struct field {place} of type {go_type}"
        ))),
        None => Ok(Value::Object(fields)),
    }
}

/// Checks `apiVersion` and `kind` in the options. Every version of every group is allowed.
///
/// Source: `Decode` in `pkg/runtime/serializer/json/json.go` of `k8s.io/apimachinery`.
fn check_kind((api_version, kind): (&str, &str), body: &[u8]) -> Result<(), Failure> {
    let reject = |message: String| Err(Failure::bad_request(message));
    let (group, version) = match api_version.split_once('/') {
        Some((_, version)) if version.contains('/') => {
            return reject(format!("unexpected GroupVersion string: {api_version}"));
        }
        Some(parts) => parts,
        None => ("", api_version),
    };
    let (group, version) = match (group, version) {
        ("" | "meta.k8s.io", "") => ("meta.k8s.io", "v1"),
        (_, "") => {
            let body = String::from_utf8_lossy(body);
            return reject(format!("Object 'apiVersion' is missing in '{body}'"));
        }
        named => named,
    };
    match kind {
        "" | "DeleteOptions" => Ok(()),
        "Status" => reject("converting (v1.Status) to (v1.DeleteOptions): unknown conversion".to_owned()),
        kind => reject(unregistered(kind, group, version)),
    }
}

/// A value's JSON type, and the name and Go type of the field.
type Mistyped = (String, &'static str, &'static str);

/// Returns the first option whose value does not match the Go type.
fn mistyped(options: &Map<String, Value>) -> Option<Mistyped> {
    options.iter().find_map(|(name, value)| match name.as_str() {
        "gracePeriodSeconds" => integer(value, "DeleteOptions.gracePeriodSeconds"),
        "propagationPolicy" => {
            unless(value.is_string(), value, "DeleteOptions.propagationPolicy", "v1.DeletionPropagation")
        }
        "orphanDependents" => unless(value.is_boolean(), value, "DeleteOptions.orphanDependents", "bool"),
        "ignoreStoreReadErrorWithClusterBreakingPotential" => {
            let place = "DeleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential";
            unless(value.is_boolean(), value, place, "bool")
        }
        "dryRun" => match value.as_array() {
            None => unless(false, value, "DeleteOptions.dryRun", "[]string"),
            Some(items) => {
                items.iter().find_map(|item| unless(item.is_string(), item, "DeleteOptions.dryRun", "string"))
            }
        },
        "preconditions" => match value.as_object() {
            None => unless(false, value, "DeleteOptions.preconditions", "v1.Preconditions"),
            Some(fields) => fields.iter().find_map(|(name, value)| match name.as_str() {
                "uid" => unless(value.is_string(), value, "Preconditions.preconditions.uid", "types.UID"),
                "resourceVersion" => {
                    unless(value.is_string(), value, "Preconditions.preconditions.resourceVersion", "string")
                }
                _ => None,
            }),
        },
        _ => None,
    })
}

/// Returns the error for a value that does not match the Go type. Every type accepts `null`.
fn unless(is_typed: bool, value: &Value, place: &'static str, go_type: &'static str) -> Option<Mistyped> {
    (!is_typed && !value.is_null()).then(|| (json_type(value).to_owned(), place, go_type))
}

fn integer(value: &Value, place: &'static str) -> Option<Mistyped> {
    match value {
        // Go names the number that does not fit.
        Value::Number(number) if !number.is_i64() => Some((format!("number {number}"), place, "int64")),
        value => unless(value.is_i64(), value, place, "int64"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(body: &str, content_type: &str) -> String {
        let read = DeleteOptions::read(&Query::default(), content_type, body.as_bytes());
        read.map_or_else(
            |failure| failure.to_value()["message"].as_str().unwrap().to_owned(),
            |_| String::new(),
        )
    }

    /// Checks messages that kube-apiserver 1.36 and 1.37 return.
    #[test]
    fn options_are_read_as_their_go_type() {
        let meta = "couldn't get version/kind; json parse error: ";
        for (body, expected) in [
            (r#"{"kind": {}}"#, format!("{meta}json: cannot unmarshal object into Go struct field .kind of type string")),
            (
                r#"{"APIVersion": 1, "kind": 1}"#,
                format!("{meta}json: cannot unmarshal number into Go struct field .apiVersion of type string"),
            ),
            (
                r#"{"dryRun": "All", "gracePeriodSeconds": "x"}"#,
                "json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string".to_owned(),
            ),
            (
                r#"{"preconditions": {"uid": 1}}"#,
                "json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID".to_owned(),
            ),
            (
                r#"{"gracePeriodSeconds": 1.5}"#,
                "json: cannot unmarshal number 1.5 into Go struct field DeleteOptions.gracePeriodSeconds of type int64".to_owned(),
            ),
            (r#"{"apiVersion": "a/b/c"}"#, "unexpected GroupVersion string: a/b/c".to_owned()),
            (r#"{"apiVersion": "x/"}"#, r#"Object 'apiVersion' is missing in '{"apiVersion": "x/"}'"#.to_owned()),
            (r#"{"kind": "Status"}"#, "converting (v1.Status) to (v1.DeleteOptions): unknown conversion".to_owned()),
            (
                r#"{"Kind": "Pod", "apiVersion": "apps/__internal", "dryRun": 1}"#,
                "no kind \"Pod\" is registered for the internal version of group \"apps\" in scheme \"pkg/runtime/scheme.go:111\""
                    .to_owned(),
            ),
            ("{}x", format!("{meta}invalid character 'x' after top-level value")),
        ] {
            assert_eq!(error(body, "application/json"), expected, "{body}");
        }
        for body in [
            "null",
            r#"{"kind": "DeleteOptions", "apiVersion": "any/v1", "dryRun": null, "preconditions": {"uid": null}}"#,
            r#"{"apiVersion": "/", "other": 1, "DRYRUN": 1}"#,
        ] {
            assert_eq!(error(body, "application/json"), "", "{body}");
        }
        let first = "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64";
        assert_eq!(error("propagationPolicy: 1\ngracePeriodSeconds: x\n", "application/yaml"), first);
        assert_eq!(error("\u{feff}{}", "application/yaml"), "");
    }
}
