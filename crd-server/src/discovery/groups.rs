//! Discovery of one group, or of one version, at a time.
//!
//! Source: `pkg/apiserver/customresource_discovery_controller.go` of apiextensions-apiserver, `pkg/apiserver/handler_apis.go` of
//! kube-aggregator.

use std::collections::HashMap;
use std::sync::Arc;

use crd_core::crd::{Version, compare_versions};
use crd_go::base64;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::definition::{self, Definition};
use crate::shared::Shared;

/// The verbs of custom resources.
const VERBS: [&str; 8] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
/// The verbs of custom resources whose CRD is being deleted.
const LAST_VERBS: [&str; 5] = ["delete", "deletecollection", "get", "list", "watch"];
/// The verbs of subresources.
pub(super) const OF_SUBRESOURCES: [&str; 3] = ["get", "patch", "update"];
/// The verbs of CRDs.
pub(super) const OF_DEFINITIONS: [&str; 8] =
    ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// A group with its versions, in order of preference.
pub(super) struct Group {
    pub(super) name: String,
    pub(super) versions: Vec<String>,
}

/// Returns the server's groups without the core group, in the order in which clients search them.
pub(super) fn groups(server: &Shared) -> Vec<Group> {
    let mut versions: HashMap<String, Vec<String>> = HashMap::new();
    versions.insert(definition::GROUP.to_owned(), vec!["v1".to_owned()]);
    for served in server.served_definitions().iter().filter(|served| !served.resource.group.is_empty()) {
        for version in served.crd.spec.versions.iter().filter(|version| version.served) {
            let names = versions.entry(served.resource.group.clone()).or_default();
            if !names.contains(&version.name) {
                names.push(version.name.clone());
            }
        }
    }
    let mut groups: Vec<Group> = versions
        .into_iter()
        .map(|(name, mut versions)| {
            versions.sort_by(|a, b| compare_versions(b, a));
            Group { name, versions }
        })
        .collect();
    groups.sort_by(|a, b| priority(&b.name).cmp(&priority(&a.name)).then_with(|| a.name.cmp(&b.name)));
    groups
}

/// Returns a group's sort priority in discovery.
///
/// Source: `DefaultGenericAPIServicePriorities` in `pkg/controlplane/apiserver/aggregator.go` of Kubernetes.
fn priority(group: &str) -> u32 {
    match group {
        "apps" => 17_800,
        "events.k8s.io" => 17_750,
        "authentication.k8s.io" => 17_700,
        "authorization.k8s.io" => 17_600,
        "autoscaling" => 17_500,
        "batch" => 17_400,
        "certificates.k8s.io" => 17_300,
        "networking.k8s.io" => 17_200,
        "policy" => 17_100,
        "rbac.authorization.k8s.io" => 17_000,
        "storage.k8s.io" => 16_800,
        "admissionregistration.k8s.io" | "apiextensions.k8s.io" => 16_700,
        "scheduling.k8s.io" => 16_600,
        "coordination.k8s.io" => 16_500,
        "node.k8s.io" => 16_300,
        "discovery.k8s.io" => 16_200,
        "flowcontrol.apiserver.k8s.io" => 16_100,
        _ => 1_000,
    }
}

/// Returns the response to `/api`.
pub(super) fn core() -> Value {
    let addresses = json!([{"clientCIDR": "0.0.0.0/0", "serverAddress": ""}]);
    json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": addresses})
}

/// Returns the response to `/apis`.
pub(super) fn all(server: &Shared) -> Value {
    let groups: Vec<Value> = groups(server).iter().map(described).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// Returns the response to `/apis/GROUP`.
pub(super) fn one(server: &Shared, name: &str) -> Option<Value> {
    let group = groups(server).into_iter().find(|group| group.name == name)?;
    let mut value = json!({"kind": "APIGroup", "apiVersion": "v1"});
    if let (Value::Object(fields), Value::Object(described)) = (&mut value, described(&group)) {
        fields.extend(described);
    }
    Some(value)
}

fn described(group: &Group) -> Value {
    let version =
        |version: &String| json!({"groupVersion": format!("{}/{version}", group.name), "version": version});
    let versions: Vec<Value> = group.versions.iter().map(version).collect();
    let preferred = versions.first().cloned();
    json!({"name": group.name, "versions": versions, "preferredVersion": preferred})
}

/// Returns the response to `/apis/GROUP/VERSION`.
pub(super) fn resources(server: &Shared, group: &str, version: &str) -> Option<Value> {
    let group_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    let mut resources = Vec::new();
    let mut is_served = group.is_empty() && version == "v1";
    if group == definition::GROUP && version == "v1" {
        is_served = true;
        resources.push(json!({
            "name": definition::PLURAL, "singularName": "customresourcedefinition", "namespaced": false,
            "kind": "CustomResourceDefinition", "verbs": OF_DEFINITIONS,
            "shortNames": ["crd", "crds"], "categories": ["api-extensions"],
        }));
        resources.push(json!({
            "name": format!("{}/status", definition::PLURAL), "singularName": "", "namespaced": false,
            "kind": "CustomResourceDefinition", "verbs": OF_SUBRESOURCES,
        }));
    }
    for served in server.served_definitions().iter().filter(|served| served.resource.group == group) {
        if let Some(version) = served.served(version) {
            is_served = true;
            add(served, version, &mut resources);
        }
    }
    let list = json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": resources});
    is_served.then_some(list)
}

fn add(served: &Arc<Definition>, version: &Version, resources: &mut Vec<Value>) {
    let names = &served.crd.spec.names;
    let mut resource = json!({
        "name": names.plural, "singularName": names.singular, "namespaced": served.is_namespaced(),
        "kind": names.kind, "verbs": verbs(served),
    });
    set_names(served, &mut resource);
    if let Some(hash) = storage_version_hash(served).filter(|_| is_stored(served)) {
        resource["storageVersionHash"] = hash.into();
    }
    resources.push(resource);
    if version.has_status() {
        resources.push(json!({
            "name": format!("{}/status", names.plural), "singularName": "", "namespaced": served.is_namespaced(),
            "kind": names.kind, "verbs": OF_SUBRESOURCES,
        }));
    }
    if definition::scale(version).is_some() {
        resources.push(json!({
            "name": format!("{}/scale", names.plural), "singularName": "", "namespaced": served.is_namespaced(),
            "group": "autoscaling", "version": "v1", "kind": "Scale", "verbs": OF_SUBRESOURCES,
        }));
    }
    let Some(row) = served.built_in() else { return };
    for part in &row.parts {
        resources.push(json!({
            "name": format!("{}/{part}", names.plural), "singularName": "", "namespaced": served.is_namespaced(),
            "kind": names.kind, "verbs": OF_SUBRESOURCES,
        }));
    }
    for action in &row.actions {
        let mut resource = json!({
            "name": format!("{}/{}", names.plural, action.name), "singularName": "", "namespaced": served.is_namespaced(),
        });
        if action.api_version() != served.api_version(&version.name) {
            resource["group"] = action.group.as_str().into();
            resource["version"] = action.version.as_str().into();
        }
        resource["kind"] = action.kind.as_str().into();
        resource["verbs"] = json!(["create"]);
        resources.push(resource);
    }
}

/// Returns the supported verbs of a custom resource.
pub(super) fn verbs(served: &Definition) -> &'static [&'static str] {
    match served.is_shown_terminating {
        _ if served.built_in().is_some_and(|row| row.is_review) => &["create"],
        _ if !is_stored(served) => &["get", "list"],
        true => &LAST_VERBS,
        false => &VERBS,
    }
}

fn is_stored(served: &Definition) -> bool {
    !served.built_in().is_some_and(|row| row.is_review || row.is_computed)
}

/// Adds the resource's short names and categories, if there are any, to its discovery entry.
pub(super) fn set_names(served: &Definition, resource: &mut Value) {
    let names = &served.crd.spec.names;
    for (field, list) in [("shortNames", &names.short_names), ("categories", &names.categories)] {
        if let Some(list) = list.as_ref().filter(|list| !list.is_empty()) {
            resource[field] = list.clone().into();
        }
    }
}

/// Returns the hash of the storage version, if that version is served.
///
/// Source: `StorageVersionHash` in `k8s.io/apiserver/pkg/endpoints/discovery/storageversionhash.go`.
fn storage_version_hash(served: &Definition) -> Option<String> {
    let version = served.served(served.storage())?;
    Some(hash(&served.resource.group, &version.name, served.kind()))
}

fn hash(group: &str, version: &str, kind: &str) -> String {
    base64::encode_std(&Sha256::digest(format!("{group}/{version}/{kind}"))[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_server() {
        assert_eq!(hash("p.example.com", "v1", "Shirt"), "cuv1o6sPfaQ=");
    }
}
