//! The scale subresource.
//!
//! Source: `ScaleREST` in `pkg/registry/customresource/etcd.go` of apiextensions-apiserver.

use crd_core::crd::ScaleSubresource;
use serde_json::{Map, Value, json};

use super::Place;
use super::owners::Owners;
use super::update::{self, read_patch};
use super::write::{self, Change};
use crate::answer::Answer;
use crate::json::{print_ordered, text};
use crate::request::body::{self, Object};
use crate::request::options::{WriteOptions, Writing};
use crate::server::{Answered, Call, not_supported};
use crate::status::Failure;

pub(super) fn answer(call: &mut Call<'_>, place: &Place, paths: &ScaleSubresource, verb: &str) -> Answered {
    let old = update::current(call, place)?;
    let object = write::from_storage(&old.value, place, &place.name)?;
    let (sent, options) = match verb {
        "get" => return Ok(Answer::Json(200, print_ordered(&scale(&object, paths, true)?))),
        "update" => {
            body::is_readable(call.content_type())?;
            let options = WriteOptions::read(&call.query, call.user_agent(), Writing::Update)?;
            (body::object(call.body, call.content_type(), "Scale")?.value, options)
        }
        "patch" => {
            let (patch, options) = read_patch(call)?;
            (patch.apply(scale(&object, paths, false)?, None)?, options)
        }
        verb => return Err(not_supported(&call.resource(), verb)),
    };
    update::check_name(&sent, &place.name)?;
    let mut object = object;
    let replicas = sent.pointer("/spec/replicas").cloned().unwrap_or_else(|| 0.into());
    set(&mut object, &paths.spec_replicas_path, replicas);
    let revision = text(&sent, &["metadata", "resourceVersion"]);
    if !revision.is_empty() {
        object["metadata"]["resourceVersion"] = revision.into();
    }
    let owners = Owners::Update { subresource: "scale" };
    let sent = Object { value: object, duplicates: Vec::new() };
    match update::replace(call, place, Change::Object, &options, sent, &old, owners)? {
        Ok(value) => Ok(Answer::Json(200, print_ordered(&scale(&value, paths, true)?))),
        Err(_) => Err(Failure::modified(&place.definition.resource, &place.name)),
    }
}

/// The `Scale` of an object.
fn scale(object: &Value, paths: &ScaleSubresource, needs_replicas: bool) -> Result<Value, Failure> {
    let replicas = match at(object, &paths.spec_replicas_path) {
        Some(replicas) => replicas.clone(),
        None if !needs_replicas => 0.into(),
        None => {
            let message = format!(
                "the spec replicas field {} does not exist",
                crd_go::strings::quote(&paths.spec_replicas_path)
            );
            return Err(Failure::internal_error(&message));
        }
    };
    let names = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];
    let metadata: Map<String, Value> = names
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), object.get("metadata")?.get(name)?.clone())))
        .collect();
    let present = at(object, &paths.status_replicas_path).cloned().unwrap_or_else(|| 0.into());
    let mut status = json!({"replicas": present});
    let selector = paths.label_selector_path.as_deref().and_then(|path| at(object, path));
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

fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.trim_start_matches('.').split('.')
}

fn at<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
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
