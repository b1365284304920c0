//! Converts objects by webhooks, or by functions that replace webhooks.
//!
//! Source: `pkg/apiserver/conversion/webhook_converter.go` of apiextensions-apiserver.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use crd_core::{CustomResourceDefinition, Diagnostic, FieldPath, Shown};
use crd_go::json::type_of;
use crd_go::names::{label_key, label_value};
use serde_json::{Map, Value, json};

use crate::KUBE_VERSION;
use crate::json::{json_type, metadata, metadata_mut, text};

/// Maximum total size of all annotations, in bytes: `TotalAnnotationSizeLimitB` of `k8s.io/apimachinery/pkg/api/validation`.
const MOST_ANNOTATION_BYTES: usize = 256 * 1024;

/// The fields that every object has. An object with only these fields has no content to convert.
const TYPE_FIELDS: [&str; 2] = ["apiVersion", "kind"];

/// A function that replaces a webhook. The argument is a `ConversionReview` with a request, and the result is a `ConversionReview` with a
/// response.
type Converter = Arc<dyn Fn(&Value) -> Value + Send + Sync>;

/// The functions that replace webhooks, by CRD name. Clones share the functions.
#[derive(Clone, Default)]
pub(crate) struct Converters {
    functions: Arc<RwLock<HashMap<String, Converter>>>,
    /// The hosts besides this machine on which webhooks are called; `None` if no webhooks are called.
    #[cfg(feature = "webhooks")]
    hosts: Option<Arc<[String]>>,
}

impl fmt::Debug for Converters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Converters").finish_non_exhaustive()
    }
}

impl Converters {
    /// Sets the hosts besides this machine on which webhooks are called.
    #[cfg(feature = "webhooks")]
    pub(crate) fn calling(hosts: Option<Arc<[String]>>) -> Self {
        Self { hosts, ..Self::default() }
    }

    /// Sends a `ConversionReview` to a CRD's function or webhook.
    fn ask(&self, crd: &CustomResourceDefinition, review: &Value) -> Result<Value, String> {
        let name = &crd.metadata.name;
        let converter = self.functions.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        if let Some(converter) = converter {
            return Ok(converter(review));
        }
        #[cfg(feature = "webhooks")]
        if let Some(hosts) = &self.hosts
            && let Some(config) = crd
                .spec
                .conversion
                .as_ref()
                .and_then(|conversion| conversion.webhook.as_ref()?.client_config.as_ref())
        {
            return crate::webhook::ask(config, hosts, review);
        }
        Err(format!("no function converts `{name}`"))
    }

    /// Sets the function that replaces a CRD's webhook.
    pub(crate) fn set(&self, definition: &str, function: impl Fn(&Value) -> Value + Send + Sync + 'static) {
        let mut converters = self.functions.write().unwrap_or_else(PoisonError::into_inner);
        converters.insert(definition.to_owned(), Arc::new(function));
    }

    /// Converts an object to another version of its CRD.
    pub(crate) fn convert(
        &self,
        crd: &CustomResourceDefinition,
        object: &Value,
        api_version: &str,
    ) -> Result<Value, String> {
        if object
            .as_object()
            .is_some_and(|fields| fields.keys().all(|name| TYPE_FIELDS.contains(&name.as_str())))
        {
            // The API server asks no webhook about an object without content.
            return Ok(json!({"apiVersion": api_version, "kind": object["kind"]}));
        }
        let own = format!("{}, Kind={}", text(object, &["apiVersion"]), text(object, &["kind"]));
        let review_version = review_version(crd);
        let uid = crate::config::random_uid();
        let review = json!({
            "kind": "ConversionReview", "apiVersion": review_version,
            "request": {"uid": uid, "desiredAPIVersion": api_version, "objects": [object]},
        });
        let objects = self
            .ask(crd, &review)
            .and_then(|mut answer| converted_objects(&mut answer, &review_version, &uid))
            .map_err(|error| format!("conversion webhook for {own} failed: {error}"))?;
        let count = objects.len();
        let Ok([mut converted]) = <[Value; 1]>::try_from(objects) else {
            return Err(format!("conversion webhook for {own} returned {count} objects, expected 1"));
        };
        for (field, name, expected) in
            [("apiVersion", "groupVersion", api_version), ("kind", "kind", text(object, &["kind"]))]
        {
            let found = text(&converted, &[field]);
            if found != expected {
                return Err(format!(
                    "conversion webhook for {own} returned invalid object at index 0: invalid {name} (expected {expected}, received {found})"
                ));
            }
        }
        check_identity(object, &converted)
            .map_err(|error| format!("conversion webhook for {own} returned invalid object: {error}"))?;
        restore_metadata(object, &mut converted)
            .map_err(|error| format!("conversion webhook for {own} returned invalid metadata: {error}"))?;
        Ok(converted)
    }
}

/// Returns the version of `ConversionReview` for a webhook: the first version in the CRD that the API server supports.
fn review_version(crd: &CustomResourceDefinition) -> String {
    let webhook = crd.spec.conversion.as_ref().and_then(|conversion| conversion.webhook.as_ref());
    let versions =
        webhook.and_then(|webhook| webhook.conversion_review_versions.as_deref()).unwrap_or_default();
    let known = versions.iter().find(|version| matches!(version.as_str(), "v1" | "v1beta1"));
    format!("apiextensions.k8s.io/{}", known.map_or("v1", String::as_str))
}

/// Returns the objects in a webhook's response: `getConvertedObjectsFromResponse`.
fn converted_objects(answer: &mut Value, review_version: &str, uid: &str) -> Result<Vec<Value>, String> {
    let (version, kind) = (text(answer, &["apiVersion"]), text(answer, &["kind"]));
    let is_v1 = review_version == "apiextensions.k8s.io/v1";
    if is_v1 && (version.is_empty() || kind.is_empty()) {
        return Err(format!(
            "expected webhook response of {review_version}, Kind=ConversionReview, got {}, Kind={kind}",
            if version.is_empty() { "/" } else { version }
        ));
    }
    if is_v1 && version == "apiextensions.k8s.io/v1beta1" && kind == "ConversionReview" {
        let message = "converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion";
        return Err(message.to_owned());
    }
    if kind != "ConversionReview" {
        return Err(format!(
            "no kind \"{kind}\" is registered for version \"{version}\" in scheme \"pkg/runtime/scheme.go:111\""
        ));
    }
    if is_v1 && version != review_version {
        return Err(format!(
            "expected webhook response of {review_version}, Kind=ConversionReview, got {version}, Kind={kind}"
        ));
    }
    let Some(response) = answer.get_mut("response").filter(|response| !response.is_null()) else {
        return Err("no response provided".to_owned());
    };
    if !response.is_object() {
        let found = json_type(response);
        return Err(format!(
            "json: cannot unmarshal {found} into Go struct field ConversionReview.response of type v1.ConversionResponse"
        ));
    }
    let found = text(response, &["uid"]);
    if is_v1 && found != uid {
        return Err(format!("expected response.uid=\"{uid}\", got \"{found}\""));
    }
    let status = text(response, &["result", "status"]);
    if status != "Success" {
        return Err(match text(response, &["result", "message"]) {
            "" => format!("response.result.status was '{status}', not 'Success'"),
            message => message.to_owned(),
        });
    }
    match response.get_mut("convertedObjects").map(Value::take) {
        Some(Value::Array(objects)) => Ok(objects),
        _ => Ok(Vec::new()),
    }
}

/// Checks that a webhook has not changed an object's name, namespace or UID: `validateConvertedObject`.
fn check_identity(object: &Value, converted: &Value) -> Result<(), String> {
    for (field, name) in [("name", "name"), ("namespace", "namespace"), ("uid", "UID")] {
        let path = ["metadata", field];
        let (expected, found) = (text(object, &path), text(converted, &path));
        if expected != found {
            return Err(format!("must have the same {name}: {expected} != {found}"));
        }
    }
    Ok(())
}

/// Restores an object's metadata after conversion, except for labels and annotations: `restoreObjectMeta`.
fn restore_metadata(object: &Value, converted: &mut Value) -> Result<(), String> {
    let sent = converted.get_mut("metadata").ok_or("missing metadata in converted object")?.take();
    let Value::Object(mut sent) = sent else {
        return Err(format!("invalid metadata of type {} in converted object", type_of(&sent)));
    };
    let mut kept = metadata(object).cloned().unwrap_or_default();
    for field in ["labels", "annotations"] {
        match crd_go::json::remove(&mut sent, field).filter(|texts| !texts.is_null()) {
            None => {
                crd_go::json::remove(&mut kept, field);
            }
            Some(Value::Object(texts)) => {
                check_texts(field, &texts, kept.get(field))?;
                kept.insert(field.to_owned(), texts.into());
            }
            Some(other) => {
                return Err(format!(
                    "invalid metadata.{field} of type {} in converted object",
                    type_of(&other)
                ));
            }
        }
    }
    if let Some(metadata) = metadata_mut(converted) {
        *metadata = kept;
    }
    Ok(())
}

/// Checks the labels or annotations that a webhook has changed.
fn check_texts(field: &str, texts: &Map<String, Value>, old: Option<&Value>) -> Result<(), String> {
    for (key, value) in texts {
        if !value.is_string() {
            let found = type_of(value);
            return Err(format!(
                "metadata.{field}[{key}] must be a string, but is {found} in converted object"
            ));
        }
    }
    if old.and_then(Value::as_object) == Some(texts) {
        return Ok(());
    }
    let path = FieldPath::new("metadata");
    let texts = texts.iter().map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()));
    let errors = match field {
        "labels" => label_errors(texts, &path.child("labels")),
        // The path lacks a letter, as upstream's does.
        _ => annotation_errors(texts, &path.child("annotation")),
    };
    match errors.as_slice() {
        [] => Ok(()),
        [error] => Err(error.clone()),
        errors => Err(format!("[{}]", errors.join(", "))),
    }
}

/// Validates labels, and returns the errors: `ValidateLabels` of `k8s.io/apimachinery/pkg/apis/meta/v1/validation`.
fn label_errors<'t>(texts: impl Iterator<Item = (&'t str, &'t str)>, path: &FieldPath) -> Vec<String> {
    let invalid = |value: &str, message: &String| {
        Diagnostic::invalid(path.clone(), Shown::from(value), message.as_str()).to_string()
    };
    let mut errors = Vec::new();
    for (key, value) in texts {
        errors.extend(label_key(key, KUBE_VERSION).iter().map(|message| invalid(key, message)));
        errors.extend(label_value(value, KUBE_VERSION).iter().map(|message| invalid(value, message)));
    }
    errors
}

/// Validates annotations, and returns the errors: `ValidateAnnotations` of `k8s.io/apimachinery/pkg/api/validation`.
fn annotation_errors<'t>(texts: impl Iterator<Item = (&'t str, &'t str)>, path: &FieldPath) -> Vec<String> {
    let (mut errors, mut bytes) = (Vec::new(), 0);
    for (key, value) in texts {
        bytes += key.len() + value.len();
        let messages = label_key(&key.to_lowercase(), KUBE_VERSION);
        errors.extend(messages.iter().map(|message| {
            Diagnostic::invalid(path.clone(), Shown::from(key), message.as_str()).to_string()
        }));
    }
    if bytes > MOST_ANNOTATION_BYTES {
        errors.push(format!("{path}: Too long: may not be more than {MOST_ANNOTATION_BYTES} bytes"));
    }
    errors
}
