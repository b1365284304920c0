//! Handles requests to the scale subresource.
//!
//! Source: `ScaleREST` in `pkg/registry/customresource/etcd.go` of apiextensions-apiserver.

use crd_core::FieldPath;
use crd_core::admit::FieldValidation;
use crd_core::crd::ScaleSubresource;
use crd_go::strings::quote;
use serde_json::{Map, Value, json};

use super::columns::TableColumns;
use super::managers::ManagerChange;
use super::read::transformed;
use super::update::{self, read_patch};
use super::write;
use crate::apply::{self, Entry, SCALE, ScaleTypes, Writer, decode};
use crate::call::{Call, not_supported};
use crate::definition;
use crate::json::{json_type, print_ordered, text};
use crate::patch::{self, Patch};
use crate::request::body::{self, MissingType, Object, Source};
use crate::request::options::{WriteOptions, Writing};
use crate::request_info::{Change, RequestInfo, from_storage};
use crate::response::ResponseResult;
use crate::status::Failure;

/// A placeholder for missing replicas: the smallest number, which no client sends.
const NO_REPLICAS: i64 = i32::MIN as i64;

pub(super) fn respond(
    call: &mut Call<'_>,
    place: &RequestInfo,
    paths: &ScaleSubresource,
    verb: &str,
) -> ResponseResult {
    let form = call.accept().form()?;
    let scale = match verb {
        "get" => {
            let old = update::current(call, place)?;
            shown(place, &from_storage(&old.value, place, &place.name)?, paths, None)?
        }
        "update" | "patch" => update::in_turn(call, |call| try_write(call, place, paths, verb))?,
        verb => return Err(not_supported(&call.resource(), verb)),
    };
    transformed(call, &TableColumns::Scale, 200, scale, form)
}

/// Writes the current object's replicas, and returns the `Scale`. Returns `None` if another request has changed the object in the meantime.
fn try_write(
    call: &mut Call<'_>,
    place: &RequestInfo,
    paths: &ScaleSubresource,
    verb: &str,
) -> Result<Option<Value>, Failure> {
    // The type and, since 1.37, the syntax of a patch are looked at before the object.
    let patch = if verb == "patch" { Some(read_patch(call, place, Change::Status)?) } else { None };
    let old = update::current(call, place)?;
    let mut object = from_storage(&old.value, place, &place.name)?;
    let entries = decode(object.pointer("/metadata/managedFields"));
    let mut writing =
        ScaleWrite { place, paths, entries: &entries, now: &call.server.now(), object: &object };
    let (sent, owners, options) = if let Some((patch, options)) = patch {
        let (sent, owners) = writing.patched(&patch, &options)?;
        update::check_repeated_keys(call, &options)?;
        let problems = problems(&sent, &[]).map_err(|error| unreadable(&sent, &error))?;
        let problems = options.patch_problems.iter().cloned().chain(problems).collect();
        report(call, problems, &options).map_err(|error| unreadable(&sent, &error))?;
        (sent, owners, options)
    } else {
        let options = WriteOptions::read(&call.query, call.user_agent(), Writing::Update)?;
        body::is_readable(call.content_type())?;
        let sent = body::object(&call.body, call.content_type(), "Scale", MissingType::OfPath)?;
        let problems = problems(&sent.value, &sent.duplicates).map_err(|_| not_registered())?;
        report(call, problems, &options).map_err(|_| not_registered())?;
        let sent = sent.value;
        write::check_namespace(&sent, place)?;
        let owners = writing.updated(&sent, &options)?;
        (sent, owners, options)
    };
    write::check_name(&sent, &place.name)?;
    let replicas = sent.pointer("/spec/replicas").cloned().unwrap_or_else(|| 0.into());
    if replicas == NO_REPLICAS {
        let path = quote(&paths.spec_replicas_path);
        return Err(Failure::bad_request(format!("the spec replicas field {path} cannot be empty")));
    }
    set(&mut object, &paths.spec_replicas_path, replicas);
    let revision = text(&sent, &["metadata", "resourceVersion"]);
    if !revision.is_empty() {
        object["metadata"]["resourceVersion"] = revision.into();
    }
    // A patch keeps the revision of the present object.
    let is_conditional = !revision.is_empty() && revision != old.stored.revision.to_string();
    // The object was read from the store, and gets no defaults after that.
    let sent = Object::from_value(object, Source::Unchanged);
    let owners = ManagerChange::Applied(owners);
    let written = update::replace(call, place, Change::Object, &options, sent, &old, owners);
    let written = update::unless_raced(written, is_conditional)?;
    written.map(|written| shown(place, &written.value, paths, None)).transpose()
}

/// A write to an object's scale subresource.
struct ScaleWrite<'a> {
    place: &'a RequestInfo,
    paths: &'a ScaleSubresource,
    /// The object's field managers.
    entries: &'a [Entry],
    now: &'a str,
    object: &'a Value,
}

/// Returns the error for an unreadable patched `Scale`.
fn unreadable(scale: &Value, error: &str) -> Failure {
    let mut scale = scale.clone();
    scale.sort_all_objects();
    let text = print_ordered(&scale);
    patch::unreadable(&String::from_utf8_lossy(text.trim_ascii_end()), error)
}

impl ScaleWrite<'_> {
    /// Returns the current `Scale`.
    fn present(&self) -> Result<Value, Failure> {
        shown(self.place, self.object, self.paths, Some(NO_REPLICAS))
    }

    fn writer<'w>(&'w self, options: &'w WriteOptions) -> Writer<'w> {
        Writer {
            types: &ScaleTypes,
            manager: &options.manager,
            api_version: SCALE,
            subresource: "scale",
            now: self.now,
        }
    }

    /// Returns the path to the replicas in an entry's version.
    fn path(&self, api_version: &str) -> Option<Vec<String>> {
        let definition = &self.place.definition;
        let name = definition.version_of(api_version)?;
        let version = definition.crd.version(name)?;
        let scale = definition::scale(version);
        Some(
            scale
                .map(|scale| steps(&scale.spec_replicas_path).map(str::to_owned).collect())
                .unwrap_or_default(),
        )
    }

    /// Returns the object's field managers after the field managers of its `Scale` have changed.
    fn object_entries(&self, of_scale: Vec<Entry>) -> Vec<Entry> {
        let version = self.place.definition.api_version(&self.place.version);
        apply::object_entries(self.entries, of_scale, &|version| self.path(version), &version)
    }

    /// Returns the object's field managers after an update of its `Scale`.
    fn updated(&mut self, sent: &Value, options: &WriteOptions) -> Result<Vec<Entry>, Failure> {
        let entries = apply::scale_entries(self.entries, &|version| self.path(version));
        if entries.is_empty() {
            // Nobody owns the replicas, and so nobody begins to.
            return Ok(self.object_entries(entries));
        }
        let present = self.present()?;
        let sent = typed(sent);
        let entries = self.writer(options).update(&present, &sent, entries).unwrap_or_default();
        Ok(self.object_entries(entries))
    }

    /// Returns the patched `Scale`, and the object's field managers after the patch.
    fn patched(&mut self, patch: &Patch, options: &WriteOptions) -> Result<(Value, Vec<Entry>), Failure> {
        let present = self.present()?;
        let Patch::Apply(applied) = patch else {
            let patched = patch.apply(present, None)?;
            problems(&patched, &[]).map_err(|error| unreadable(&patched, &error))?;
            let owners = self.updated(&patched, options)?;
            return Ok((patched, owners));
        };
        let (api_version, kind) = (text(applied, &["apiVersion"]), text(applied, &["kind"]));
        if (api_version, kind) != (SCALE, "Scale") {
            return Err(update::other_type(api_version, kind));
        }
        let entries = apply::scale_entries(self.entries, &|version| self.path(version));
        let is_custom = self.place.definition.built_in().is_none();
        let failed = |operation: &str, object: &str| {
            // The converter of custom resources does not know the version of `Scale`. That of built-in kinds does.
            Failure::internal(format!(
                "{operation} object ({object}) to proper version: request to convert CR to an invalid group/version: {SCALE}"
            ))
        };
        if is_custom && entries.is_empty() {
            let operation = "failed to create manager for existing fields: failed to convert live";
            return Err(failed(operation, "/; autoscaling/v1, Kind=Scale"));
        }
        let empty = json!({"apiVersion": present["apiVersion"], "kind": present["kind"]});
        let merged = self.writer(options).apply(&present, applied, entries, Some(&empty), options.force)?;
        if is_custom && merged.is_changed {
            return Err(failed("failed to convert new", &apply::described(applied)));
        }
        let owners = self.object_entries(merged.entries);
        Ok((merged.object, owners))
    }
}

/// Returns the messages about repeated and unknown fields in a `Scale`.
///
/// # Errors
/// The body is not a `Scale`. The message is the same as in the API server's decoder.
fn problems(sent: &Value, duplicates: &[FieldPath]) -> Result<Vec<String>, String> {
    let (version, kind) = (text(sent, &["apiVersion"]), text(sent, &["kind"]));
    let version = if version.is_empty() { SCALE } else { version };
    let kind = if kind.is_empty() { "Scale" } else { kind };
    if (version, kind) != (SCALE, "Scale") {
        return Err(format!(
            "no kind {} is registered for version {} in scheme \"pkg/runtime/scheme.go:111\"",
            quote(kind),
            quote(version)
        ));
    }
    for (place, struct_) in [("spec", "ScaleSpec"), ("status", "ScaleStatus")] {
        let found = sent.get(place).unwrap_or(&Value::Null);
        if !found.is_object() && !found.is_null() {
            let found = json_type(found);
            return Err(format!(
                "json: cannot unmarshal {found} into Go struct field Scale.{place} of type v1.{struct_}"
            ));
        }
        let replicas = found.get("replicas").unwrap_or(&Value::Null);
        if !replicas.is_null() && replicas.as_i64().and_then(|number| i32::try_from(number).ok()).is_none() {
            let found = match replicas {
                Value::Number(number) => format!("number {number}"),
                other => json_type(other).to_owned(),
            };
            return Err(format!(
                "json: cannot unmarshal {found} into Go struct field {struct_}.{place}.replicas of type int32"
            ));
        }
    }
    let known: [(&str, &[&str]); 3] = [
        ("", &["apiVersion", "kind", "metadata", "spec", "status"]),
        ("spec", &["replicas"]),
        ("status", &["replicas", "selector"]),
    ];
    let unknown = known.into_iter().flat_map(|(place, known)| {
        let fields = if place.is_empty() { Some(sent) } else { sent.get(place) };
        let fields = fields.and_then(Value::as_object).into_iter().flatten();
        let prefix = if place.is_empty() { String::new() } else { format!("{place}.") };
        fields
            .filter(|(name, _)| !known.contains(&name.as_str()))
            .map(move |(name, _)| format!("unknown field {}", quote(&format!("{prefix}{name}"))))
    });
    let repeated = duplicates.iter().map(|path| format!("duplicate field {}", quote(&path.to_string())));
    Ok(repeated.chain(unknown).collect())
}

/// Returns the error for a sent `Scale` that cannot be decoded. As in the API server, the decoder's message is lost.
fn not_registered() -> Failure {
    let message = "no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:111\"";
    Failure::bad_request(message)
}

/// Adds warnings about these problems. With strict field validation, returns a decoding error instead.
fn report(call: &mut Call<'_>, problems: Vec<String>, options: &WriteOptions) -> Result<(), String> {
    match options.field_validation {
        FieldValidation::Strict if !problems.is_empty() => {
            return Err(format!("strict decoding error: {}", problems.join(", ")));
        }
        FieldValidation::Warn => call.warnings.extend(problems),
        _ => {}
    }
    Ok(())
}

/// Returns a sent `Scale` as serialized by Go.
fn typed(sent: &Value) -> Value {
    let number = |path: &str| sent.pointer(path).cloned().unwrap_or_else(|| 0.into());
    let replicas = number("/spec/replicas");
    let spec = if replicas == 0 { json!({}) } else { json!({"replicas": replicas}) };
    let metadata = sent.get("metadata").cloned().unwrap_or_default();
    let mut typed = json!({
        "apiVersion": SCALE, "kind": "Scale", "metadata": metadata, "spec": spec,
        "status": {"replicas": number("/status/replicas")},
    });
    if let Some(selector) = sent.pointer("/status/selector").filter(|selector| **selector != "") {
        typed["status"]["selector"] = selector.clone();
    }
    typed
}

/// Returns an object's `Scale` for the response. For built-in kinds, `status.selector` is the selector in the object's `spec` as a string.
fn shown(
    place: &RequestInfo,
    object: &Value,
    paths: &ScaleSubresource,
    without: Option<i64>,
) -> Result<Value, Failure> {
    let mut scale = scale(object, paths, without)?;
    if place.definition.built_in().is_some() {
        let selector = object.pointer("/spec/selector").map(selector_text).unwrap_or_default();
        if !selector.is_empty() {
            scale["status"]["selector"] = selector.into();
        }
    }
    Ok(scale)
}

/// Returns an object's `Scale`. If the object has no replicas, the `Scale` contains the number in `without`. If `without` is `None`,
/// returns an error.
fn scale(object: &Value, paths: &ScaleSubresource, without: Option<i64>) -> Result<Value, Failure> {
    let replicas = match (value_at(object, &paths.spec_replicas_path), without) {
        (Some(replicas), _) => replicas.clone(),
        (None, Some(replicas)) => replicas.into(),
        (None, None) => {
            let message =
                format!("the spec replicas field {} does not exist", quote(&paths.spec_replicas_path));
            return Err(Failure::internal_error(&message));
        }
    };
    let names = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];
    let metadata: Map<String, Value> = names
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), object.get("metadata")?.get(name)?.clone())))
        .collect();
    let present = value_at(object, &paths.status_replicas_path).cloned().unwrap_or_else(|| 0.into());
    let mut status = json!({"replicas": present});
    let selector = paths.label_selector_path.as_deref().and_then(|path| value_at(object, path));
    if let Some(selector) = selector.filter(|selector| **selector != "") {
        status["selector"] = selector.clone();
    }
    let spec = match replicas.as_i64() {
        Some(0) => json!({}),
        _ => json!({"replicas": replicas}),
    };
    Ok(json!({
        "kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": spec, "status": status,
    }))
}

/// Returns a label selector in the notation of `FormatLabelSelector` of Kubernetes.
fn selector_text(selector: &Value) -> String {
    let labels = selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten();
    let equal =
        labels.filter_map(|(name, value)| Some((name.clone(), format!("{name}={}", value.as_str()?))));
    let expressions = selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten();
    let other = expressions.filter_map(|expression| {
        let name = text(expression, &["key"]).to_owned();
        let values = expression.get("values").and_then(Value::as_array).into_iter().flatten();
        let mut values: Vec<&str> = values.filter_map(Value::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        let term = match text(expression, &["operator"]) {
            "In" => format!("{name} in ({values})"),
            "NotIn" => format!("{name} notin ({values})"),
            "Exists" => name.clone(),
            "DoesNotExist" => format!("!{name}"),
            _ => return None,
        };
        Some((name, term))
    });
    let mut terms: Vec<(String, String)> = equal.chain(other).collect();
    terms.sort();
    let terms: Vec<String> = terms.into_iter().map(|(_, term)| term).collect();
    terms.join(",")
}

fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.trim_start_matches('.').split('.')
}

fn value_at<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    steps(path).try_fold(object, |value, name| value.get(name))
}

fn set(object: &mut Value, path: &str, value: Value) {
    let mut place = object;
    for name in steps(path) {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        let Value::Object(fields) = place else { return };
        place = fields.entry(name.to_owned()).or_insert(Value::Null);
    }
    *place = value;
}
