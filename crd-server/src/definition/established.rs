//! Prepares CRDs as the API server stores them: adds defaults, accepts names, and establishes the CRDs.

use std::collections::HashSet;

use crd_go::strings::quote;
use serde_json::{Map, Value, json};

use super::crd_type;
use crate::json::text as text_at;

const INITIAL_NAMES_ACCEPTED: &str = "the initial names have been accepted";

/// The accepted names of all CRDs in a group.
#[derive(Debug, Default)]
pub(crate) struct NamesInUse {
    resources: HashSet<String>,
    kinds: HashSet<String>,
}

impl NamesInUse {
    /// Returns the CRDs' accepted names.
    pub(crate) fn from_definitions<'a, I: IntoIterator<Item = &'a Value>>(definitions: I) -> Self {
        let mut in_use = Self::default();
        for accepted in
            definitions.into_iter().filter_map(|definition| definition.pointer("/status/acceptedNames"))
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

/// Returns `true` if a CRD's objects are served.
pub(crate) fn is_established(definition: &Value) -> bool {
    is_true(definition, "Established")
}

/// Returns `true` if a condition of a CRD is true.
pub(crate) fn is_true(definition: &Value, type_: &str) -> bool {
    let conditions = definition.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
    let mut of_type = conditions.filter(|condition| text_at(condition, &["type"]) == type_);
    of_type.next().is_some_and(|condition| text_at(condition, &["status"]) == "True")
}

/// Fills in the fields that the API server sets in a created or changed CRD. The CRD's names are accepted later.
pub(crate) fn complete(definition: &mut Value, old: Option<&Value>) {
    set_defaults(definition);
    let Some(spec) = definition.get("spec").and_then(Value::as_object) else { return };
    let stored = stored_versions(spec, old);
    let Some(fields) = definition.as_object_mut() else { return };
    let status = old.and_then(|old| old.get("status")).cloned();
    let mut status =
        status.unwrap_or_else(|| json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}}));
    status["storedVersions"] = stored.into();
    fields.insert("status".to_owned(), status);
}

/// Accepts those names of a CRD that are not in use. Begins to install the CRD if all names are accepted. `in_use` includes the CRD's own
/// accepted names.
///
/// Source: `calculateNamesAndConditions` in `pkg/controller/status/naming_controller.go`.
pub(crate) fn accept_names(definition: &mut Value, now: &str, in_use: &NamesInUse) {
    let Some(Value::Object(wanted)) = definition.pointer("/spec/names").cloned() else { return };
    let Some(Value::Object(mut names)) = definition.pointer("/status/acceptedNames").cloned() else { return };
    if wanted == names {
        return;
    }
    let own: Vec<Value> = names.get("shortNames").and_then(Value::as_array).cloned().unwrap_or_default();
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
                let new = list.iter().filter(|name| !own.contains(name)).filter_map(Value::as_str);
                new.filter(|name| taken.contains(*name)).collect()
            }
            None if name != accepted && taken.contains(&name) => vec![name.as_str()],
            None => Vec::new(),
        };
        if used.is_empty() {
            crate::json::set(&mut names, field, wanted.get(field).cloned());
            continue;
        }
        conflict = Some((reason, are_in_use(&used)));
    }
    crate::json::set(&mut names, "categories", wanted.get("categories").cloned());
    let has_no_conflict = conflict.is_none();
    let group = text_at(definition, &["spec", "group"]).to_owned();
    let Some(status) = definition.get_mut("status") else { return };
    if status["conditions"].is_null() {
        status["conditions"] = approval(&group, now).into();
    }
    status["acceptedNames"] = crd_type::printed_names(names.into());
    let (reason, message) = conflict.unwrap_or(("NoConflicts", "no conflicts found".to_owned()));
    set_condition(status, "NamesAccepted", has_no_conflict, reason, &message, now);
    let mut conditions = status["conditions"].as_array_mut().into_iter().flatten();
    let known = conditions.find(|condition| condition["type"] == "Established");
    let is_known = known.is_some();
    if let Some(condition) = known.filter(|condition| condition["lastTransitionTime"].is_null()) {
        condition["lastTransitionTime"] = now.into();
    }
    let is_established = is_established(definition);
    let Some(status) = definition.get_mut("status").filter(|_| !is_established) else { return };
    if has_no_conflict {
        set_condition(status, "Established", false, "Installing", INITIAL_NAMES_ACCEPTED, now);
    } else if !is_known {
        set_condition(status, "Established", false, "NotAccepted", "not all names are accepted", now);
    }
}

/// Returns the message for names that are in use. Each message appears only once, as in Kubernetes' aggregated errors.
fn are_in_use(names: &[&str]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for text in names.iter().map(|name| format!("{} is already in use", quote(name))) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    if texts.len() == 1 { texts.concat() } else { format!("[{}]", texts.join(", ")) }
}

/// Returns `true` if a CRD's names are accepted but its objects are not served yet.
pub(crate) fn is_installing(definition: &Value) -> bool {
    is_true(definition, "NamesAccepted") && !is_established(definition)
}

/// Establishes a CRD with accepted names.
///
/// Source: `pkg/controller/establish/establishing_controller.go`.
pub(crate) fn establish(definition: &mut Value, now: &str) {
    if is_installing(definition)
        && let Some(status) = definition.get_mut("status")
    {
        set_condition(status, "Established", true, "InitialNamesAccepted", INITIAL_NAMES_ACCEPTED, now);
    }
}

/// Sets a condition in a CRD's status. An unchanged condition keeps its time.
fn set_condition(status: &mut Value, type_: &str, is_true: bool, reason: &str, message: &str, now: &str) {
    let Some(conditions) = status.get_mut("conditions").and_then(Value::as_array_mut) else { return };
    let found = conditions.iter().position(|condition| condition["type"] == type_);
    let value = if is_true { "True" } else { "False" };
    let old = found.map(|at| &conditions[at]);
    let old = old.filter(|old| old["status"] == value && !old["lastTransitionTime"].is_null());
    let time = old.map_or_else(|| now.into(), |old| old["lastTransitionTime"].clone());
    let condition = json!({
        "type": type_, "status": value, "lastTransitionTime": time, "reason": reason, "message": message,
    });
    match found {
        Some(at) => conditions[at] = condition,
        None => conditions.push(condition),
    }
}

/// Fills in a CRD's defaults, and `status.storedVersions` if it is empty.
///
/// Source: `pkg/apis/apiextensions/v1/defaults.go` of apiextensions-apiserver.
pub(crate) fn set_defaults(definition: &mut Value) {
    let Some(spec) = definition.get_mut("spec").and_then(Value::as_object_mut) else { return };
    let stored = stored_versions(spec, None);
    spec.entry("conversion").or_insert_with(|| json!({"strategy": "None"}));
    let service =
        spec.get_mut("conversion").and_then(|value| value.pointer_mut("/webhook/clientConfig/service"));
    if let Some(Value::Object(service)) = service {
        service.entry("port").or_insert_with(|| 443.into());
    }
    set_names(spec);
    let status = definition.get_mut("status").and_then(|status| status.get_mut("storedVersions"));
    let is_empty = |versions: &&mut Value| versions.as_array().is_none_or(Vec::is_empty);
    if let Some(versions) = status.filter(is_empty).filter(|_| !stored.is_empty()) {
        *versions = stored.into();
    }
}

fn set_names(spec: &mut Map<String, Value>) {
    let Some(names) = spec.get_mut("names").and_then(Value::as_object_mut) else { return };
    let kind = names.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    let is_absent = |names: &Map<String, Value>, name: &str| names.get(name).is_none_or(|value| value == "");
    if is_absent(names, "singular") {
        names.insert("singular".to_owned(), crd_go::strings::to_lower(&kind).into());
    }
    if is_absent(names, "listKind") && !kind.is_empty() {
        names.insert("listKind".to_owned(), format!("{kind}List").into());
    }
}

/// Returns all versions in which objects were ever stored: the old CRD's stored versions and the current storage version.
fn stored_versions(spec: &Map<String, Value>, old: Option<&Value>) -> Vec<Value> {
    let versions = spec.get("versions").and_then(Value::as_array).into_iter().flatten();
    let mut storage = versions.filter(|version| version.get("storage") == Some(&Value::Bool(true)));
    let present = storage.next().and_then(|version| version.get("name")).cloned();
    let old = old.and_then(|old| old.pointer("/status/storedVersions")?.as_array()).cloned();
    let mut stored = old.unwrap_or_default();
    stored.extend(present.filter(|present| !stored.contains(present)).into_iter().collect::<Vec<_>>());
    stored
}

/// Returns the condition that the API server adds only to CRDs in groups that belong to Kubernetes.
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

/// A stage in the deletion of a CRD.
///
/// Source: `pkg/controller/finalizer/crd_finalizer.go` of apiextensions-apiserver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deletion {
    Pending,
    InProgress,
    Completed,
    NeverEstablished,
}

/// Sets the condition of a CRD that is being deleted.
pub(crate) fn terminate(definition: &mut Value, step: Deletion, now: &str) {
    let (is_true, reason, message) = match step {
        Deletion::Pending => (
            true,
            "InstanceDeletionPending",
            "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
        ),
        Deletion::InProgress => {
            (true, "InstanceDeletionInProgress", "CustomResource deletion is in progress")
        }
        Deletion::Completed => (false, "InstanceDeletionCompleted", "removed all instances"),
        Deletion::NeverEstablished => (false, "NeverEstablished", "resource was never established"),
    };
    let Some(status) = definition.get_mut("status") else { return };
    if status["conditions"].is_null() {
        status["conditions"] = json!([]);
    }
    set_condition(status, "Terminating", is_true, reason, message, now);
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
        assert!(is_installing(&definition));
        establish(&mut definition, "now");
        assert!(is_established(&definition));
        assert_eq!(definition["spec"]["names"]["listKind"], "HatList");
        assert_eq!(definition["status"]["acceptedNames"]["singular"], "hat");
        assert_eq!(definition["status"]["storedVersions"], json!(["v1"]));
        let old = definition.clone();
        definition["spec"]["versions"][0]["name"] = json!("v2");
        complete(&mut definition, Some(&old));
        accept_names(&mut definition, "later", &NamesInUse::default());
        assert_eq!(definition["status"]["storedVersions"], json!(["v1", "v2"]));

        for (name, names) in [("categories", json!(["all"])), ("shortNames", json!(["ha"]))] {
            definition["spec"]["names"][name] = names;
            accept_names(&mut definition, "later", &NamesInUse::default());
        }
        let accepted = definition["status"]["acceptedNames"].as_object().unwrap();
        let order = ["plural", "singular", "shortNames", "kind", "listKind", "categories"];
        assert_eq!(accepted.keys().collect::<Vec<_>>(), order);
        assert_eq!(definition["status"]["conditions"][0]["lastTransitionTime"], "now");
    }
}
