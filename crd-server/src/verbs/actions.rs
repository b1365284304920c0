//! Handles reviews of access and tokens, and subresources that perform an action: evictions, bindings and tokens.
//!
//! The server has no authorization, so responses are the same as for an administrator.
//!
//! Source: `pkg/registry/{authentication,authorization}`, and `eviction.go`, `storage.go` and `token.go` in
//! `pkg/registry/core/{pod,serviceaccount}/storage` of Kubernetes.

use crd_go::base64::{decode_raw_url, encode_raw_url};
use crd_go::time::Timestamp;
use serde_json::{Map, Value, json};

use super::update::{self, in_turn, unless_raced};
use super::{delete, namespaces, read, strategy, write};
use crate::call::Call;
use crate::definition::{Action, print_built_in};
use crate::json::{metadata_mut, text};
use crate::request::body::{self, MissingType, Object, Source};
use crate::request::options::{WriteOptions, Writing};
use crate::request_info::{Change, RequestInfo};
use crate::response::{ResponseResult, ServerResponse};
use crate::status::Failure;
use crate::verbs::managers::ManagerChange;

/// The user of all requests.
const USER: &str = "kubernetes-admin";
const GROUPS: [&str; 2] = ["system:masters", "system:authenticated"];
const AUDIENCE: &str = "https://kubernetes.default.svc.cluster.local";
/// The default lifetime of a token in seconds.
const VALID_SECONDS: i64 = 3_600;

/// Returns the response to a review: the sent object with a status.
pub(super) fn review(call: &mut Call<'_>, place: &RequestInfo) -> ResponseResult {
    let form = call.accept().form()?;
    body::is_readable(call.content_type())?;
    WriteOptions::read(&call.query, call.user_agent(), Writing::Create)?;
    let mut review = strategy::read(call, place)?.value;
    let user = json!({"username": USER, "groups": GROUPS});
    let status = match place.definition.kind() {
        "TokenReview" => {
            let audiences = review.pointer("/spec/audiences").cloned().unwrap_or_else(|| json!([AUDIENCE]));
            let user = owner(text(&review, &["spec", "token"])).unwrap_or(user);
            json!({"authenticated": true, "user": user, "audiences": audiences})
        }
        "SelfSubjectReview" => json!({"userInfo": user}),
        "SelfSubjectRulesReview" => json!({
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}], "incomplete": false,
        }),
        _ => json!({"allowed": true}),
    };
    if let Value::Object(fields) = &mut review {
        fields.insert("status".to_owned(), status);
        fields.entry("metadata").or_insert_with(|| Map::new().into());
    }
    read::in_form(call, place, 201, review, form)
}

/// Returns the service account for which this server created a token. All other tokens belong to the administrator.
fn owner(token: &str) -> Option<Value> {
    let claims = decode_raw_url(token.split('.').nth(1)?).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    let account = claims.get("kubernetes.io")?;
    let namespace = text(account, &["namespace"]);
    let groups =
        ["system:serviceaccounts", &format!("system:serviceaccounts:{namespace}"), "system:authenticated"];
    Some(json!({"username": claims["sub"], "uid": account["serviceaccount"]["uid"], "groups": groups}))
}

/// Handles a request to a subresource that performs an action on an object.
pub(super) fn act(call: &mut Call<'_>, place: &RequestInfo, action: &Action) -> ResponseResult {
    call.accept().form()?;
    body::is_readable(call.content_type())?;
    let options = WriteOptions::read(&call.query, call.user_agent(), Writing::Create)?;
    let sent = body::object(&call.body, call.content_type(), &action.kind, MissingType::OfPath)?.value;
    check_type(&sent, action)?;
    write::check_namespace(&sent, place)?;
    if !text(&sent, &["metadata", "name"]).is_empty() {
        write::check_name(&sent, &place.name)?;
    }
    match action.name.as_str() {
        "eviction" => evict(call, place, &sent, &options),
        "binding" => bind(call, place, &sent, &options),
        _ => token(call, place, action, sent),
    }
}

fn check_type(sent: &Value, action: &Action) -> Result<(), Failure> {
    let (api_version, kind) = (text(sent, &["apiVersion"]), text(sent, &["kind"]));
    let is_kind = kind.is_empty() || kind == action.kind;
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    if is_kind && (api_version.is_empty() || group == action.group) {
        return Ok(());
    }
    let message =
        format!("the object is not a {} of {}: {kind} of {api_version}", action.kind, action.api_version());
    Err(Failure::bad_request(message))
}

/// Returns the response to an action without a result.
fn success() -> ResponseResult {
    let status =
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    Ok(ServerResponse::ordered(201, &status))
}

/// Deletes an evicted pod. Disruption budgets are ignored, because no controller counts pods.
fn evict(call: &mut Call<'_>, place: &RequestInfo, sent: &Value, options: &WriteOptions) -> ResponseResult {
    let mut of_deletion = sent.get("deleteOptions").cloned().unwrap_or_else(|| json!({}));
    if let (true, Value::Object(fields)) = (options.is_dry_run, &mut of_deletion) {
        fields.insert("dryRun".to_owned(), json!(["All"]));
    }
    delete::evict(call, place, &of_deletion)?;
    success()
}

/// Sets a pod's node, as the scheduler does.
fn bind(call: &mut Call<'_>, place: &RequestInfo, sent: &Value, options: &WriteOptions) -> ResponseResult {
    let node = text(sent, &["target", "name"]).to_owned();
    if node.is_empty() {
        let message = "Binding \"\" is invalid: target.name: Required value";
        return Err(Failure::new(422, "Invalid", message));
    }
    in_turn(call, |call| {
        let old = update::current(call, place)?;
        let mut pod = old.value.clone();
        let assigned = text(&pod, &["spec", "nodeName"]);
        if !assigned.is_empty() {
            let detail = format!("pod {} is already assigned to node \"{assigned}\"", place.name);
            return Err(Failure::conflict(&place.definition.resource, &place.name, &detail));
        }
        pod["spec"]["nodeName"] = node.as_str().into();
        let annotations = sent.pointer("/metadata/annotations").and_then(Value::as_object).cloned();
        if let (Some(annotations), Some(metadata)) = (annotations, metadata_mut(&mut pod)) {
            let own = metadata.entry("annotations").or_insert_with(|| json!({}));
            own.as_object_mut().into_iter().for_each(|own| own.extend(annotations.clone()));
        }
        let object = Object::from_value(pod, Source::Unchanged);
        let owners = ManagerChange::Update { subresource: "binding" };
        let written = update::replace(call, place, Change::Object, options, object, &old, owners);
        Ok(unless_raced(written, false)?.map(drop))
    })?;
    success()
}

/// Returns a token for a service account. The token is not signed, because nothing checks it.
fn token(call: &mut Call<'_>, place: &RequestInfo, action: &Action, mut sent: Value) -> ResponseResult {
    namespaces::check(call.server, place, &place.name)?;
    let account = update::current(call, place)?.value;
    let seconds = sent.pointer("/spec/expirationSeconds").and_then(Value::as_i64).unwrap_or(VALID_SECONDS);
    let audiences = sent.pointer("/spec/audiences").and_then(Value::as_array).filter(|list| !list.is_empty());
    let audiences = audiences.map_or_else(|| json!([AUDIENCE]), |list| list.clone().into());
    let ends = call.server.now_after(seconds);
    let seconds_of = |time: &str| Timestamp::parse(time).map_or(0, |time| time.seconds);
    let claims = json!({
        "aud": audiences, "exp": seconds_of(&ends), "iat": seconds_of(&call.server.now()), "iss": AUDIENCE,
        "sub": format!("system:serviceaccount:{}:{}", place.namespace, place.name),
        "kubernetes.io": {
            "namespace": place.namespace,
            "serviceaccount": {"name": place.name, "uid": account["metadata"]["uid"]},
        },
    });
    let encoded = |part: &Value| encode_raw_url(part.to_string().as_bytes());
    let token = format!("{}.{}.", encoded(&json!({"alg": "none", "typ": "JWT"})), encoded(&claims));
    if let Value::Object(fields) = &mut sent {
        fields.insert("apiVersion".to_owned(), action.api_version().into());
        fields.insert("kind".to_owned(), action.kind.as_str().into());
        fields.entry("metadata").or_insert_with(|| json!({}));
        let spec = fields.entry("spec").or_insert_with(|| json!({}));
        if !spec.is_object() {
            *spec = json!({});
        }
        spec["audiences"] = audiences;
        spec["expirationSeconds"] = seconds.into();
        fields.insert("status".to_owned(), json!({"token": token, "expirationTimestamp": ends}));
    }
    Ok(ServerResponse::Json(201, print_built_in(sent)))
}
