//! Serializes the API server's verdict on an object as JSON.

use crd_core::Diagnostic;
use crd_core::admit::{Admission, Warning};
use serde_json::{Value, json};

/// Adds the API server's verdict to a line of JSON. The stored object is moved, because a copy of a large object would double the memory.
pub fn add_to(line: &mut Value, admission: Admission) {
    let Admission { result, warnings, .. } = admission;
    add(line, result.is_ok(), warnings.iter().map(Warning::as_str).collect());
    match result {
        Ok(object) => line["object"] = object,
        Err(refusal) => {
            line["errors"] = refusal.causes.iter().map(cause).collect();
            line["reason"] = refusal.reason.as_str().into();
            // With causes, the message would only repeat them.
            if refusal.causes.is_empty() {
                line["message"] = refusal.to_string().into();
            }
        }
    }
}

/// Adds the result for an object whose kind has no CRD.
pub fn add_unknown(line: &mut Value, kind: &str) {
    add(line, false, Vec::new());
    line["message"] = unknown(kind).into();
}

/// Returns the message for an object whose kind has no CRD.
#[must_use]
pub fn unknown(kind: &str) -> String {
    format!("no CRD defines {kind}")
}

/// Returns an object's version and kind: `apps/v1 Deployment`.
#[must_use]
pub fn kind(object: &Value) -> String {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    format!("{} {}", text("apiVersion"), text("kind")).trim().to_owned()
}

fn add(line: &mut Value, accepted: bool, warnings: Vec<&str>) {
    line["accepted"] = accepted.into();
    line["errors"] = json!([]);
    line["warnings"] = warnings.into();
    line["object"] = Value::Null;
}

fn cause(cause: &Diagnostic) -> Value {
    json!({"field": cause.field.to_string(), "reason": cause.reason.as_str(), "message": cause.message})
}
