//! Paths that lead to no objects: discovery, the version of the server, its health.

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_core::crd::Version;
use crd_core::crd::compare_versions;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::definition::{self, Definition, has_status};
use crate::openapi;
use crate::request::route::Route;
use crate::server::Server;

const VERBS: [&str; 8] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/// Answers a request that is not about objects.
pub(crate) fn answer(server: &Server, route: &Route) -> Answer {
    match route {
        Route::Version => {
            let release = server.inner.config.kube_version;
            Answer::ordered(
                200,
                &json!({
                    "major": "1", "minor": release.minor().to_string(), "gitVersion": format!("v{release}.0"), "gitCommit": "",
                    "gitTreeState": "", "buildDate": "1970-01-01T00:00:00Z", "goVersion": "", "compiler": "",
                    "platform": "",
                }),
            )
        }
        Route::Health => Answer::Text(200, "ok"),
        Route::CoreVersions => {
            let addresses = json!([{"clientCIDR": "0.0.0.0/0", "serverAddress": ""}]);
            let versions =
                json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": addresses});
            Answer::ordered(200, &versions)
        }
        Route::Groups => {
            let groups: Vec<Value> = groups(server).values().cloned().collect();
            Answer::ordered(200, &json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}))
        }
        Route::Group(name) => match groups(server).remove(name) {
            Some(mut group) => {
                let head = json!({"kind": "APIGroup", "apiVersion": "v1"});
                if let (Value::Object(fields), Value::Object(head)) = (&mut group, head) {
                    fields.extend(head);
                }
                Answer::ordered(200, &group)
            }
            None => Answer::unknown_path(),
        },
        Route::Resources(group, version) => match resources(server, group, version) {
            Some(resources) => Answer::ordered(200, &resources),
            None => Answer::unknown_path(),
        },
        Route::Schemas => Answer::ordered(200, &openapi::index(server)),
        Route::Schema(name) => match openapi::document(server, name) {
            Some(document) => Answer::ordered(200, &document),
            None => Answer::unknown_path(),
        },
        Route::Objects(_) | Route::Unknown => Answer::unknown_path(),
    }
}

/// All groups by name, without their kind.
fn groups(server: &Server) -> BTreeMap<String, Value> {
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    versions.insert(definition::GROUP.to_owned(), vec!["v1".to_owned()]);
    for served in server.served_definitions().iter().filter(|served| !served.resource.group.is_empty()) {
        let names = versions.entry(served.resource.group.clone()).or_default();
        for version in served.crd.spec.versions.iter().filter(|version| version.served) {
            if !names.contains(&version.name) {
                names.push(version.name.clone());
            }
        }
    }
    let group = |(name, mut versions): (String, Vec<String>)| {
        versions.sort_by(|a, b| compare_versions(b, a));
        let version =
            |version: &String| json!({"groupVersion": format!("{name}/{version}"), "version": version});
        let preferred = versions.first().map(version);
        let versions: Vec<Value> = versions.iter().map(version).collect();
        versions.first()?;
        let group = json!({"name": name, "versions": versions, "preferredVersion": preferred});
        Some((name, group))
    };
    versions.into_iter().filter_map(group).collect()
}

fn resources(server: &Server, group: &str, version: &str) -> Option<Value> {
    let group_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    let mut resources = Vec::new();
    let mut is_served = group.is_empty() && version == "v1";
    if group == definition::GROUP && version == "v1" {
        is_served = true;
        resources.push(json!({
            "name": definition::PLURAL, "singularName": "customresourcedefinition", "namespaced": false,
            "kind": "CustomResourceDefinition",
            "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
            "shortNames": ["crd", "crds"],
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
        "kind": names.kind, "verbs": VERBS,
    });
    for (field, list) in [("shortNames", &names.short_names), ("categories", &names.categories)] {
        if let Some(list) = list.as_ref().filter(|list| !list.is_empty()) {
            resource[field] = list.clone().into();
        }
    }
    resources.push(resource);
    if has_status(version) {
        resources.push(json!({
            "name": format!("{}/status", names.plural), "singularName": "", "namespaced": served.is_namespaced(),
            "kind": names.kind, "verbs": ["get", "patch", "update"],
        }));
    }
    if definition::scale(version).is_some() {
        resources.push(json!({
            "name": format!("{}/scale", names.plural), "singularName": "", "namespaced": served.is_namespaced(),
            "group": "autoscaling", "version": "v1", "kind": "Scale", "verbs": ["get", "patch", "update"],
        }));
    }
}
