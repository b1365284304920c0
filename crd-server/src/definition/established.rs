//! A definition as the API server stores it: with its defaults, established, and with accepted names.

use serde_json::{Map, Value, json};

/// Fills in what the API server and its controllers set in a definition that was created or changed.
///
/// Source: `pkg/apis/apiextensions/v1/defaults.go`, `pkg/controller/{status,establish}` of apiextensions-apiserver.
pub(crate) fn complete(definition: &mut Value, old: Option<&Value>, now: &str) {
    let Some(spec) = definition.get_mut("spec").and_then(Value::as_object_mut) else { return };
    set_defaults(spec);
    let names = spec.get("names").cloned().unwrap_or_default();
    let stored = stored_versions(spec, old);
    let conditions = conditions(spec, old, now);
    let Some(fields) = definition.as_object_mut() else { return };
    let accepted = old.and_then(|old| old.pointer("/status/acceptedNames")).cloned().unwrap_or(names);
    let status = json!({"conditions": conditions, "acceptedNames": accepted, "storedVersions": stored});
    fields.insert("status".to_owned(), status);
}

fn set_defaults(spec: &mut Map<String, Value>) {
    spec.entry("conversion").or_insert_with(|| json!({"strategy": "None"}));
    let Some(names) = spec.get_mut("names").and_then(Value::as_object_mut) else { return };
    let kind = names.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    let is_absent = |names: &Map<String, Value>, name: &str| names.get(name).is_none_or(|value| value == "");
    if is_absent(names, "singular") {
        names.insert("singular".to_owned(), crd_go::strings::to_lower(&kind).into());
    }
    if is_absent(names, "listKind") {
        names.insert("listKind".to_owned(), format!("{kind}List").into());
    }
}

/// The versions in which objects were ever stored: those of the old definition, and the present one.
fn stored_versions(spec: &Map<String, Value>, old: Option<&Value>) -> Vec<Value> {
    let versions = spec.get("versions").and_then(Value::as_array).into_iter().flatten();
    let mut storage = versions.filter(|version| version.get("storage") == Some(&Value::Bool(true)));
    let present = storage.next().and_then(|version| version.get("name")).cloned();
    let old = old.and_then(|old| old.pointer("/status/storedVersions")?.as_array()).cloned();
    let mut stored = old.unwrap_or_default();
    stored.extend(present.filter(|present| !stored.contains(present)).into_iter().collect::<Vec<_>>());
    stored
}

fn conditions(spec: &Map<String, Value>, old: Option<&Value>, now: &str) -> Value {
    if let Some(conditions) = old.and_then(|old| old.pointer("/status/conditions")) {
        return conditions.clone();
    }
    let group = spec.get("group").and_then(Value::as_str).unwrap_or_default();
    let mut conditions = Vec::new();
    let mut add = |type_: &str, reason: &str, message: &str| {
        conditions.push(json!({
            "type": type_, "status": "True", "lastTransitionTime": now, "reason": reason, "message": message,
        }));
    };
    let is_protected = group == "k8s.io" || group == "kubernetes.io";
    if is_protected || group.ends_with(".k8s.io") || group.ends_with(".kubernetes.io") {
        add("KubernetesAPIApprovalPolicyConformant", "ApprovedAnnotation", "approved");
    }
    add("NamesAccepted", "NoConflicts", "no conflicts found");
    add("Established", "InitialNamesAccepted", "the initial names have been accepted");
    conditions.into()
}

/// Adds the condition of a definition that is being deleted.
pub(crate) fn terminate(definition: &mut Value, now: &str) {
    let conditions = definition.pointer_mut("/status/conditions").and_then(Value::as_array_mut);
    if let Some(conditions) = conditions {
        conditions.push(json!({
            "type": "Terminating", "status": "True", "lastTransitionTime": now, "reason": "InstanceDeletionPending",
            "message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_completed() {
        let mut definition = json!({"spec": {
            "group": "e.io",
            "names": {"plural": "hats", "kind": "Hat"},
            "versions": [{"name": "v1", "storage": true}],
        }});
        complete(&mut definition, None, "now");
        assert_eq!(definition["spec"]["names"]["listKind"], "HatList");
        assert_eq!(definition["status"]["acceptedNames"]["singular"], "hat");
        assert_eq!(definition["status"]["storedVersions"], json!(["v1"]));
        let old = definition.clone();
        definition["spec"]["versions"][0]["name"] = json!("v2");
        complete(&mut definition, Some(&old), "later");
        assert_eq!(definition["status"]["storedVersions"], json!(["v1", "v2"]));
        assert_eq!(definition["status"]["conditions"][0]["lastTransitionTime"], "now");
    }
}
