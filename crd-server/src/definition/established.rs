//! A definition as the API server stores it: with its defaults, established, and with accepted names.

use std::collections::HashSet;

use crd_go::strings::quote;
use serde_json::{Map, Value, json};

use crate::json::text as text_at;

/// The names that other definitions of a group have.
#[derive(Debug, Default)]
pub(crate) struct NamesInUse {
    resources: HashSet<String>,
    kinds: HashSet<String>,
}

impl NamesInUse {
    /// The accepted names of definitions.
    pub(crate) fn from_definitions(definitions: &[Value]) -> Self {
        let mut in_use = Self::default();
        for accepted in
            definitions.iter().filter_map(|definition| definition.pointer("/status/acceptedNames"))
        {
            let name = |field: &str| text_at(accepted, &[field]).to_owned();
            let short_names = accepted.get("shortNames").and_then(Value::as_array).into_iter().flatten();
            in_use.resources.extend(short_names.filter_map(Value::as_str).map(str::to_owned));
            in_use.resources.extend([name("plural"), name("singular")]);
            in_use.kinds.extend([name("kind"), name("listKind")]);
        }
        in_use
    }
}

/// Returns `true` if the objects of a definition are served.
pub(crate) fn is_established(definition: &Value) -> bool {
    let conditions = definition.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
    let mut established = conditions.filter(|condition| text_at(condition, &["type"]) == "Established");
    established.any(|condition| text_at(condition, &["status"]) == "True")
}

/// Fills in what the API server sets in a definition that was created or changed, before its controllers accept its names.
///
/// Source: `pkg/apis/apiextensions/v1/defaults.go` of apiextensions-apiserver.
pub(crate) fn complete(definition: &mut Value, old: Option<&Value>) {
    let Some(spec) = definition.get_mut("spec").and_then(Value::as_object_mut) else { return };
    set_defaults(spec);
    let stored = stored_versions(spec, old);
    let Some(fields) = definition.as_object_mut() else { return };
    let status = old.and_then(|old| old.get("status")).cloned();
    let mut status =
        status.unwrap_or_else(|| json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}}));
    status["storedVersions"] = stored.into();
    fields.insert("status".to_owned(), status);
}

/// Accepts the names of a definition that no other one has, and establishes it if that are all.
///
/// Source: `calculateNamesAndConditions` in `pkg/controller/status/naming_controller.go`.
pub(crate) fn accept_names(definition: &mut Value, now: &str, in_use: &NamesInUse) {
    let Some(Value::Object(wanted)) = definition.pointer("/spec/names").cloned() else { return };
    let Some(Value::Object(mut names)) = definition.pointer("/status/acceptedNames").cloned() else { return };
    let mut conflict: Option<(&str, String)> = None;
    let text = |names: &Map<String, Value>, field: &str| {
        names.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    for (field, reason, taken) in [
        ("plural", "PluralConflict", &in_use.resources),
        ("singular", "SingularConflict", &in_use.resources),
        ("shortNames", "ShortNamesConflict", &in_use.resources),
        ("kind", "KindConflict", &in_use.kinds),
        ("listKind", "ListKindConflict", &in_use.kinds),
    ] {
        let (name, accepted) = (text(&wanted, field), text(&names, field));
        let used = match wanted.get(field).and_then(Value::as_array) {
            Some(list) => {
                list.iter().filter_map(Value::as_str).filter(|name| taken.contains(*name)).collect()
            }
            None if name != accepted && taken.contains(&name) => vec![name.as_str()],
            None => Vec::new(),
        };
        if used.is_empty() {
            crate::json::set(&mut names, field, wanted.get(field).cloned());
            continue;
        }
        let texts: Vec<String> =
            used.iter().map(|name| format!("{} is already in use", quote(name))).collect();
        let message = if texts.len() == 1 { texts.concat() } else { format!("[{}]", texts.join(", ")) };
        conflict = Some((reason, message));
    }
    crate::json::set(&mut names, "categories", wanted.get("categories").cloned());
    let has_no_conflict = conflict.is_none();
    let group = text_at(definition, &["spec", "group"]).to_owned();
    let Some(status) = definition.get_mut("status") else { return };
    if status["conditions"].is_null() {
        status["conditions"] = approval(&group, now).into();
    }
    status["acceptedNames"] = names.into();
    let (reason, message) = conflict.unwrap_or(("NoConflicts", "no conflicts found".to_owned()));
    set_condition(status, "NamesAccepted", has_no_conflict, reason, &message, now);
    let is_known = status["conditions"]
        .as_array()
        .is_some_and(|conditions| conditions.iter().any(|condition| condition["type"] == "Established"));
    if has_no_conflict {
        let message = "the initial names have been accepted";
        let is_true = |condition: &Value| condition["type"] == "Established" && condition["status"] == "True";
        if !status["conditions"].as_array().is_some_and(|conditions| conditions.iter().any(is_true)) {
            set_condition(status, "Established", true, "InitialNamesAccepted", message, now);
        }
    } else if !is_known {
        set_condition(status, "Established", false, "NotAccepted", "not all names are accepted", now);
    }
}

/// Sets a condition. The time of one that does not change stays.
fn set_condition(status: &mut Value, type_: &str, is_true: bool, reason: &str, message: &str, now: &str) {
    let Some(conditions) = status.get_mut("conditions").and_then(Value::as_array_mut) else { return };
    let found = conditions.iter().position(|condition| condition["type"] == type_);
    let value = if is_true { "True" } else { "False" };
    let old = found.map(|at| &conditions[at]).filter(|old| old["status"] == value);
    let time = old.map_or_else(|| now.into(), |old| old["lastTransitionTime"].clone());
    let condition = json!({
        "type": type_, "status": value, "lastTransitionTime": time, "reason": reason, "message": message,
    });
    match found {
        Some(at) => conditions[at] = condition,
        None => conditions.push(condition),
    }
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

/// The condition of definitions in groups that belong to Kubernetes.
fn approval(group: &str, now: &str) -> Vec<Value> {
    let is_protected = group == "k8s.io" || group == "kubernetes.io";
    if !is_protected && !group.ends_with(".k8s.io") && !group.ends_with(".kubernetes.io") {
        return Vec::new();
    }
    vec![json!({
        "type": "KubernetesAPIApprovalPolicyConformant", "status": "True", "lastTransitionTime": now,
        "reason": "ApprovedAnnotation", "message": "approved",
    })]
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
        complete(&mut definition, None);
        accept_names(&mut definition, "now", &NamesInUse::default());
        assert_eq!(definition["spec"]["names"]["listKind"], "HatList");
        assert_eq!(definition["status"]["acceptedNames"]["singular"], "hat");
        assert_eq!(definition["status"]["storedVersions"], json!(["v1"]));
        let old = definition.clone();
        definition["spec"]["versions"][0]["name"] = json!("v2");
        complete(&mut definition, Some(&old));
        accept_names(&mut definition, "later", &NamesInUse::default());
        assert_eq!(definition["status"]["storedVersions"], json!(["v1", "v2"]));
        assert_eq!(definition["status"]["conditions"][0]["lastTransitionTime"], "now");
    }
}
