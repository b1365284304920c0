//! Answers to objects, predicted or from an API server, as texts that are equal if the answers are equal.

use std::fmt::Write;

use crd_core::admit::Admission;
use serde_json::Value;

/// Returns the answer that [`Validator`](crd_core::admit::Validator) predicts: verdict, reason, message, the stored `object`, causes and warnings.
#[must_use]
pub fn describe_admission(admission: &Admission, object: impl Fn(&Value) -> Value) -> String {
    let stored = admission.result.as_ref().ok().map(object);
    let (reason, message) = match &admission.result {
        Ok(_) => (None, None),
        Err(refusal) => (Some(refusal.reason.as_str()), Some(refusal.to_string())),
    };
    let causes = admission.causes().iter();
    let causes = causes.map(|cause| format!("{} {}: {}", cause.reason, cause.field, cause.message)).collect();
    as_text(
        stored.as_ref(),
        reason,
        message.as_deref(),
        causes,
        admission.warnings.iter().map(ToString::to_string).collect(),
    )
}

/// Returns the answer of an API server: an object, of which `object` is compared, or a `Status`. Its warnings are in the headers.
#[must_use]
pub fn describe_server(answer: &Value, warnings: Vec<String>, object: impl Fn(&Value) -> Value) -> String {
    if answer["kind"] != "Status" {
        return as_text(Some(&object(answer)), None, None, Vec::new(), warnings);
    }
    let causes = answer["details"]["causes"].as_array().into_iter().flatten().map(cause_as_text).collect();
    as_text(None, answer["reason"].as_str(), answer["message"].as_str(), causes, warnings)
}

/// Returns a cause of a `Status`.
#[must_use]
pub fn cause_as_text(cause: &Value) -> String {
    let text = |key: &str| cause[key].as_str().unwrap_or_default();
    format!("{} {}: {}", text("reason"), text("field"), text("message"))
}

/// Returns the parts of an answer, with sorted causes and warnings, because the server visits properties in random order. The message of
/// a rejection with causes repeats them in that order.
#[must_use]
pub fn as_text(
    object: Option<&Value>,
    reason: Option<&str>,
    message: Option<&str>,
    mut causes: Vec<String>,
    mut warnings: Vec<String>,
) -> String {
    causes.sort();
    warnings.sort();
    let message = message.filter(|_| causes.is_empty());
    let mut out = format!("{} {}", reason.unwrap_or("accepted"), message.unwrap_or_default());
    if let Some(object) = object {
        write(&mut out, object);
    }
    format!("{out} {causes:?} {warnings:?}")
}

/// JSON with sorted keys, in which whole floats are integers, as in Go.
fn write(out: &mut String, value: &Value) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| key.as_str());
            out.push('{');
            for (key, value) in fields {
                let _ = write!(out, "{key:?}:");
                write(out, value);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write(out, item);
                out.push(',');
            }
            out.push(']');
        }
        Value::Number(number) if number.is_f64() || number.as_i64().is_none() => {
            let _ = write!(out, "{}", number.as_f64().unwrap_or_default());
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}
