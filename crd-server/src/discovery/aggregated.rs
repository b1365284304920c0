//! Discovery of all groups at once, with an entity tag.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/discovery/aggregated`.

use std::sync::Arc;

use crd_core::crd::Version;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH, VARY};
use serde_json::{Value, json};
use sha2::{Digest, Sha512};

use super::groups::{self, Group, OF_DEFINITIONS, OF_SUBRESOURCES};
use crate::body::Body;
use crate::call::Call;
use crate::definition::{self, Definition};
use crate::json::print_ordered;
use crate::response::{encoded, response};
use crate::shared::Shared;

/// Returns the response to `/api` or `/apis`, if the client requests aggregated discovery.
pub(super) fn respond(call: &Call<'_>, is_core: bool) -> Option<http::Response<Body>> {
    let (encoding, version) = call.accept().discovery(call.server.config.kube_version)?;
    let groups = match is_core {
        true => vec![Group { name: String::new(), versions: vec!["v1".to_owned()] }],
        false => groups::groups(call.server),
    };
    let items: Vec<Value> = groups.iter().map(|group| described(call.server, group)).collect();
    let tag = tag(&json!({"metadata": {}, "items": items}));
    let list = json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": format!("apidiscovery.k8s.io/{version}"),
        "metadata": {}, "items": items,
    });
    let is_known = call.header(IF_NONE_MATCH) == tag;
    let mut response = if is_known {
        let mut response = response(304, "", Body::whole(bytes::Bytes::new()));
        response.headers_mut().remove(CONTENT_TYPE);
        response
    } else {
        let (media_type, bytes) = encoded(print_ordered(&list), encoding);
        let mut response = response(200, media_type, Body::whole(bytes));
        let media_type = format!("{media_type};g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList");
        if let Ok(media_type) = HeaderValue::from_str(&media_type) {
            response.headers_mut().insert(CONTENT_TYPE, media_type);
        }
        response
    };
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("Accept"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    Some(response)
}

/// Returns a list's entity tag. The hash does not include the kind, so all versions and encodings have the same tag.
pub(super) fn tag(list: &Value) -> String {
    let hash = Sha512::digest(print_ordered(list).trim_ascii_end());
    let digits: String = hash.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("\"{digits}\"")
}

fn described(server: &Shared, group: &Group) -> Value {
    let versions = group.versions.iter().map(|version| {
        let resources = resources(server, &group.name, version);
        json!({"version": version, "resources": resources, "freshness": "Current"})
    });
    let versions: Vec<Value> = versions.collect();
    let metadata = if group.name.is_empty() { json!({}) } else { json!({"name": group.name}) };
    json!({"metadata": metadata, "versions": versions})
}

fn resources(server: &Shared, group: &str, version: &str) -> Vec<Value> {
    if group == definition::GROUP {
        return vec![resource_of_crds()];
    }
    let served = server.served_definitions();
    let mut served: Vec<_> = served
        .iter()
        .filter(|served| served.resource.group == group)
        .filter_map(|served| Some((served, served.served(version)?)))
        .collect();
    served.sort_by(|(a, _), (b, _)| a.resource.plural.cmp(&b.resource.plural));
    served.into_iter().map(|(served, version)| resource(served, version)).collect()
}

/// Returns the discovery entry for CRDs. The kind has no group here.
fn resource_of_crds() -> Value {
    let kind = json!({"group": "", "version": "", "kind": "CustomResourceDefinition"});
    json!({
        "resource": definition::PLURAL, "responseKind": kind, "scope": "Cluster",
        "singularResource": "customresourcedefinition", "verbs": OF_DEFINITIONS,
        "shortNames": ["crd", "crds"], "categories": ["api-extensions"],
        "subresources": [{"subresource": "status", "responseKind": kind, "verbs": OF_SUBRESOURCES}],
    })
}

fn resource(served: &Arc<Definition>, version: &Version) -> Value {
    let names = &served.crd.spec.names;
    let kind = json!({"group": served.resource.group, "version": version.name, "kind": names.kind});
    let mut resource = json!({
        "resource": names.plural, "responseKind": kind,
        "scope": if served.is_namespaced() { "Namespaced" } else { "Cluster" },
        "singularResource": names.singular, "verbs": groups::verbs(served),
    });
    groups::set_names(served, &mut resource);
    let scale = json!({"group": "autoscaling", "version": "v1", "kind": "Scale"});
    let row = served.built_in();
    let parts = row.into_iter().flat_map(|row| &row.parts).map(|name| (name.as_str(), kind.clone(), true));
    let others = [
        ("status", kind.clone(), version.has_status()),
        ("scale", scale, definition::scale(version).is_some()),
    ];
    let mut subresources: Vec<Value> = parts
        .chain(others)
        .filter(|(.., is_present)| *is_present)
        .map(|(name, kind, _)| json!({"subresource": name, "responseKind": kind, "verbs": OF_SUBRESOURCES}))
        .collect();
    subresources.extend(row.into_iter().flat_map(|row| &row.actions).map(|action| {
        let kind = json!({"group": action.group, "version": action.version, "kind": action.kind});
        json!({"subresource": action.name, "responseKind": kind, "verbs": ["create"]})
    }));
    if !subresources.is_empty() {
        resource["subresources"] = subresources.into();
    }
    resource
}
