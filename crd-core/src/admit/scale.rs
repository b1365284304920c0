//! Checks the values that the scale subresource uses: replicas are whole numbers, and the selector is a string.
//!
//! Source: `ValidateScaleSpec` and `ValidateScaleStatus` in `pkg/registry/customresource/validator.go`.

use crd_go::json::{Num, show, type_of};
use serde_json::Value;

use crate::crd::ScaleSubresource;
use crate::defaults::default_of;
use crate::{Causes, Diagnostic, FieldPath, Keyword, Shown, Structural};

/// Checks the desired number of replicas.
pub(super) fn spec(object: &Value, scale: &ScaleSubresource, out: &mut Causes) {
    replicas(object, &scale.spec_replicas_path, out);
}

/// Checks the actual number of replicas and the selector.
pub(super) fn status(object: &Value, scale: &ScaleSubresource, out: &mut Causes) {
    replicas(object, &scale.status_replicas_path, out);
    let Some(path) = &scale.label_selector_path else { return };
    let failed = match nested(object, path) {
        Ok(None | Some(Value::String(_))) => return,
        Ok(Some(other)) => is_of_type(path, other, "string"),
        Err(error) => error,
    };
    out.push(wrong(path, "", &failed));
}

fn replicas(object: &Value, path: &str, out: &mut Causes) {
    let mut invalid = |number: i64, detail: &str| {
        out.push(wrong(path, number, detail));
    };
    let value = match nested(object, path) {
        Ok(None) => return,
        Ok(Some(value)) => value,
        Err(error) => return invalid(0, &error),
    };
    let number = match value {
        Value::Number(number) => Num::from(number),
        _ => return invalid(0, &is_of_type(path, value, "int64")),
    };
    match number {
        // Even a whole float is rejected here, though its schema takes it for an integer.
        Num::Float(_) => invalid(0, &is_of_type(path, value, "int64")),
        Num::Int(number @ ..0) => invalid(number, "should be a non-negative integer"),
        Num::Int(number) if number > i64::from(i32::MAX) => {
            invalid(number, &format!("should be less than or equal to {}", i32::MAX));
        }
        Num::Int(_) => {}
    }
}

/// Returns the cause for a wrong value at a path. The API server prints the path exactly as in the CRD.
fn wrong(path: &str, value: impl Into<Shown>, detail: &str) -> Diagnostic {
    let names = path.strip_prefix('.').unwrap_or(path).split('.');
    let place = names.fold(FieldPath::root(), |place, name| place.child(name));
    Diagnostic::invalid(FieldPath::new(path), value, detail).with_place(place).with_keyword(Keyword::Scale)
}

/// Returns the value at a path with dots between the steps.
fn nested<'a>(object: &'a Value, path: &str) -> Result<Option<&'a Value>, String> {
    let path = path.strip_prefix('.').unwrap_or(path);
    let mut value = object;
    let mut length = 0;
    for name in path.split('.') {
        length += name.len();
        value = match value {
            Value::Null => return Ok(None),
            Value::Object(fields) => match fields.get(name) {
                Some(value) => value,
                None => return Ok(None),
            },
            other => return Err(is_of_type(&path[..length], other, "map[string]interface{}")),
        };
        length += 1;
    }
    Ok(Some(value))
}

/// Returns `true` if a path of the scale subresource leads to or through a property with a default. `late` is a property whose default is
/// filled in after all checks.
pub(super) fn sees_defaults(scale: &ScaleSubresource, schema: &Structural, late: Option<&str>) -> bool {
    let selector = scale.label_selector_path.as_ref();
    let paths = [Some(&scale.spec_replicas_path), Some(&scale.status_replicas_path), selector];
    paths.into_iter().flatten().any(|path| {
        let mut names = path.strip_prefix('.').unwrap_or(path).split('.').peekable();
        if late.is_some() && names.peek().copied() == late {
            return false;
        }
        let mut schema = Some(schema);
        names.any(|name| {
            schema = schema.and_then(|schema| schema.field(name));
            schema.is_some_and(|schema| default_of(schema).is_some())
        })
    })
}

fn is_of_type(path: &str, value: &Value, expected: &str) -> String {
    let path = path.strip_prefix('.').unwrap_or(path);
    format!(".{path} accessor error: {} is of the type {}, expected {expected}", show(value), type_of(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn replicas_are_small_integers() {
        for (value, found) in [
            (json!({}), None),
            (json!({"spec": null}), None),
            (json!({"spec": {"n": 3}}), None),
            (json!({"spec": {"n": -1}}), Some("-1: should be a non-negative integer")),
            (
                json!({"spec": {"n": 2_147_483_648_i64}}),
                Some("2147483648: should be less than or equal to 2147483647"),
            ),
            (
                json!({"spec": {"n": 1.0}}),
                Some("0: .spec.n accessor error: 1 is of the type float64, expected int64"),
            ),
            (
                json!({"spec": {"n": null}}),
                Some("0: .spec.n accessor error: <nil> is of the type <nil>, expected int64"),
            ),
            (
                json!({"spec": "x"}),
                Some("0: .spec.n accessor error: x is of the type string, expected map[string]interface{}"),
            ),
        ] {
            let mut out = Causes::default();
            replicas(&value, ".spec.n", &mut out);
            let found: Vec<String> =
                found.iter().map(|text| format!(".spec.n: Invalid value: {text}")).collect();
            assert_eq!(out.iter().map(ToString::to_string).collect::<Vec<_>>(), found, "{value}");
        }
    }
}
