//! Compares the CRDs in a cluster with the program's CRDs, and creates or upgrades them. Needs the feature `install`.

use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::pin;

use crd_core::CustomResourceDefinition;
pub use crd_diff::{Compatibility, Finding};
use crd_diff::{DiffOptions, compatibility};
use http::{Method, Request, Response};
use http_body::Body;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The API server's path for CRDs.
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// The annotation that [`install`] adds to a CRD: the checksum of the program's CRD, and the generation in the cluster.
/// While both values match, no comparison is needed.
const INSTALLED: &str = "crdkit/installed";
/// Maximum number of attempts to write a CRD while other clients change it.
const TRIES: usize = 5;
/// Maximum number of seconds to wait until the API server serves a CRD.
const PATIENCE: usize = 30;

/// The way in which [`install`] handles a CRD that is absent, or older than the program's CRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Nothing is written. An absent or older CRD is an error.
    Verify,
    /// An absent CRD is created. An older CRD is an error.
    IfAbsent,
    /// An absent CRD is created, and an older CRD is upgraded.
    Upgrade,
    /// The program's CRD always replaces the CRD in the cluster, even a newer CRD, and even if stored objects then
    /// become invalid or lose fields. Only the API server can reject the CRD.
    Force,
}

impl Policy {
    /// Returns the `ClusterRole` rules that [`install`] needs for a CRD, as YAML.
    ///
    /// ```
    /// use crdkit::install::Policy;
    ///
    /// let rules = Policy::Verify.rules("shirts.stable.example.com");
    /// assert!(rules.contains("verbs: [get, list, watch]"));
    /// assert!(!rules.contains("create"));
    /// ```
    #[must_use]
    pub fn rules(self, name: &str) -> String {
        let verbs = match self {
            Self::Upgrade | Self::Force => "get, list, watch, update",
            Self::Verify | Self::IfAbsent => "get, list, watch",
        };
        let mut rules = format!(
            "- apiGroups: [apiextensions.k8s.io]\n  resources: [customresourcedefinitions]\n  resourceNames: [{name}]\n  \
             verbs: [{verbs}]\n"
        );
        if self != Self::Verify {
            // The name of an object that is created is not known to the authorizer.
            rules += "- apiGroups: [apiextensions.k8s.io]\n  resources: [customresourcedefinitions]\n  verbs: [create]\n";
        }
        rules
    }

    /// Returns `true` if [`install`] replaces the CRD in the cluster under this policy.
    fn replaces(self, found: &Compatibility) -> bool {
        match self {
            Self::Verify | Self::IfAbsent => false,
            Self::Upgrade => matches!(found, Compatibility::LiveOlder(_)),
            Self::Force => *found != Compatibility::Same,
        }
    }
}

/// The result of a successful [`install`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Installed {
    /// The CRD in the cluster is equal to the program's CRD, or newer.
    Unchanged(Compatibility),
    /// The CRD did not exist, and was created.
    Created,
    /// The CRD was older and was upgraded. These are the differences.
    Upgraded(Vec<Finding>),
}

/// The reason why [`install`] failed. The program should not start.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NotInstalled {
    /// The CRD is absent, and the policy does not create it.
    Absent(String),
    /// The CRD is incompatible. The policy does not allow an upgrade, or an upgrade would do harm.
    Unfit(Compatibility),
    /// The API server rejected a request, with this `Status`.
    Rejected(Value),
    /// A request failed, or the response is not a CRD.
    Failed(String),
    /// The API server still does not serve the CRD after 30 seconds.
    NotServed(String),
}

impl fmt::Display for NotInstalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(name) => write!(f, "the CRD `{name}` is not in the cluster"),
            Self::Unfit(compatibility) => compatibility.fmt(f),
            Self::Rejected(status) => match status["message"].as_str() {
                Some(message) => write!(f, "the API server rejected the request: {message}"),
                None => write!(f, "the API server rejected the request: {status}"),
            },
            Self::Failed(reason) => f.write_str(reason),
            Self::NotServed(name) => {
                write!(f, "the API server does not serve `{name}` after {PATIENCE} seconds")
            }
        }
    }
}

impl std::error::Error for NotInstalled {}

/// Ensures that a cluster has the program's CRD, and waits until objects of its kind can be created.
///
/// A CRD that is newer than the program's CRD is not changed, and no CRD is ever deleted. An upgrade that the API server would reject, or
/// that would harm stored objects, is an error. The policy [`Policy::Force`] overrides these protections.
///
/// When `install` writes a CRD, it adds the annotation `crdkit/installed` with the CRD's checksum and generation. If both
/// values are unchanged at the next start, `install` skips the comparison.
///
/// `send` sends a request to the API server. With a client of any version of kube, it is
/// `async |request| client.send(request).await`. `definition` is the result of
/// [`CustomResource::crd`](crate::CustomResource::crd) or [`merge_crds`](crate::merge_crds), or another library's CRD type.
///
/// ```
/// use crdkit::install::{Installed, Policy, install};
/// use crdkit::testing::ApiServer;
/// use crdkit::{CrdSchema, CustomResource};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "stable.example.com", version = "v1", kind = "Shirt", namespaced)]
/// struct ShirtSpec {
///     size: u8,
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let server = ApiServer::new();
/// // In an operator, it is `kube::Client::try_default().await?`.
/// let client = kube::Client::new(server.service(), "default");
/// let crd = Shirt::crd()?;
/// let send = async |request| client.send(request).await;
/// let error = install(send, &crd.to_value(), Policy::Verify).await.unwrap_err();
/// assert_eq!(error.to_string(), "the CRD `shirts.stable.example.com` is not in the cluster");
///
/// assert_eq!(install(send, &crd.to_value(), Policy::Upgrade).await?, Installed::Created);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// - The CRD is absent or incompatible, and the policy does not allow changing this.
/// - An upgrade would be rejected, or would harm stored objects.
/// - The API server rejects a request, or does not respond.
pub async fn install<B, R, E>(
    send: impl AsyncFn(Request<B>) -> Result<Response<R>, E>,
    definition: &impl Serialize,
    policy: Policy,
) -> Result<Installed, NotInstalled>
where
    B: From<Vec<u8>>,
    R: Body,
    R::Error: fmt::Display,
    E: fmt::Display,
{
    let not_one = |error: String| NotInstalled::Failed(format!("the CRD is not valid: {error}"));
    let value = serde_json::to_value(definition).map_err(|error| not_one(error.to_string()))?;
    let definition =
        &CustomResourceDefinition::from_value(value).map_err(|error| not_one(error.to_string()))?;
    let cluster = Cluster { send, name: &definition.metadata.name, bodies: PhantomData };
    for _ in 0..TRIES {
        let Some(live) = cluster.get().await? else {
            if policy == Policy::Verify {
                return Err(NotInstalled::Absent(cluster.name.to_owned()));
            }
            match cluster.send(Method::POST, DEFINITIONS, Some(&marked(definition, 1))).await? {
                // Somebody else has created it.
                (409, _) => continue,
                (201, created) => {
                    cluster.wait(definition, &created).await?;
                    return Ok(Installed::Created);
                }
                (_, status) => return Err(NotInstalled::Rejected(status)),
            }
        };
        let generation = live["metadata"]["generation"].as_u64().unwrap_or_default();
        if live["metadata"]["annotations"][INSTALLED] == mark(definition, generation) {
            cluster.wait(definition, &live).await?;
            return Ok(Installed::Unchanged(Compatibility::Same));
        }
        let found = CustomResourceDefinition::from_value(live.clone())
            .map_err(|error| NotInstalled::Failed(format!("the response is not a CRD: {error}")))?;
        let fit = compatibility(definition, &found, &DiffOptions::default());
        if !policy.replaces(&fit) {
            if !fit.is_usable() {
                return Err(NotInstalled::Unfit(fit));
            }
            cluster.wait(definition, &live).await?;
            return Ok(Installed::Unchanged(fit));
        }
        let path = format!("{DEFINITIONS}/{}", cluster.name);
        match cluster.send(Method::PUT, &path, Some(&upgraded(definition, &live))).await? {
            (409, _) => {}
            (200, stored) => {
                cluster.wait(definition, &stored).await?;
                return Ok(Installed::Upgraded(fit.findings().to_vec()));
            }
            (_, status) => return Err(NotInstalled::Rejected(status)),
        }
    }
    Err(NotInstalled::Failed(format!("the CRD `{}` keeps changing", cluster.name)))
}

/// Returns the value of the annotation, for the given generation in the cluster.
fn mark(definition: &CustomResourceDefinition, generation: u64) -> String {
    // The order is that of names, whether serde_json of the program keeps another one or not.
    let mut value = definition.to_value();
    value.sort_all_objects();
    let digest = Sha256::digest(value.to_string());
    let checksum: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{checksum}-{generation}")
}

/// Returns the CRD with the annotation.
fn marked(definition: &CustomResourceDefinition, generation: u64) -> Value {
    let mut value = definition.to_value();
    value["metadata"]["annotations"][INSTALLED] = mark(definition, generation).into();
    value
}

/// Returns the program's CRD with the fields that other clients have set on the CRD in the cluster.
fn upgraded(definition: &CustomResourceDefinition, live: &Value) -> Value {
    // The API server counts each change of the spec.
    let generation = live["metadata"]["generation"].as_u64().unwrap_or_default() + 1;
    let mut new = marked(definition, generation);
    let mut metadata = live["metadata"].clone();
    for field in ["labels", "annotations"] {
        if let Some(Value::Object(own)) = new["metadata"].get(field).cloned() {
            let mut all = metadata[field].as_object().cloned().unwrap_or_default();
            all.extend(own);
            metadata[field] = all.into();
        }
    }
    new["metadata"] = metadata;
    // A webhook has a certificate that others put in.
    if new["spec"]
        .get("conversion")
        .is_none_or(|own| own["strategy"] == live["spec"]["conversion"]["strategy"])
        && let Some(conversion) = live["spec"].get("conversion")
    {
        new["spec"]["conversion"] = conversion.clone();
    }
    new
}

/// Sends requests about one CRD to the API server.
struct Cluster<'n, F, B, R, E> {
    send: F,
    name: &'n str,
    /// The types of request bodies, response bodies and errors.
    bodies: PhantomData<fn(B) -> (R, E)>,
}

impl<F, B, R, E> Cluster<'_, F, B, R, E>
where
    F: AsyncFn(Request<B>) -> Result<Response<R>, E>,
    B: From<Vec<u8>>,
    R: Body,
    R::Error: fmt::Display,
    E: fmt::Display,
{
    async fn get(&self) -> Result<Option<Value>, NotInstalled> {
        let path = format!("{DEFINITIONS}/{}", self.name);
        match self.send(Method::GET, &path, None).await? {
            (200, live) => Ok(Some(live)),
            (404, _) => Ok(None),
            (_, status) => Err(NotInstalled::Rejected(status)),
        }
    }

    /// Waits until the CRD is established and discovery lists the resource.
    async fn wait(&self, definition: &CustomResourceDefinition, stored: &Value) -> Result<(), NotInstalled> {
        let mut now = stored.clone();
        for _ in 0..PATIENCE {
            if is_established(&now) && self.is_discovered(definition).await? {
                return Ok(());
            }
            // The API server ends this watch after a second, which is a pause that needs no timer.
            let revision = now["metadata"]["resourceVersion"].as_str().unwrap_or_default();
            let path = format!(
                "{DEFINITIONS}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3D{}&resourceVersion={revision}",
                self.name
            );
            self.send(Method::GET, &path, None).await?;
            now = self.get().await?.unwrap_or_default();
        }
        Err(NotInstalled::NotServed(self.name.to_owned()))
    }

    async fn is_discovered(&self, definition: &CustomResourceDefinition) -> Result<bool, NotInstalled> {
        let spec = &definition.spec;
        for version in spec.versions.iter().filter(|version| version.served) {
            let path = format!("/apis/{}/{}", spec.group, version.name);
            let (status, found) = self.send(Method::GET, &path, None).await?;
            let mut resources = found["resources"].as_array().into_iter().flatten();
            if status != 200 || !resources.any(|resource| resource["name"] == *spec.names.plural) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Sends a request. Returns the response's status and its body as JSON, or `null` if the body is not JSON.
    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(u16, Value), NotInstalled> {
        let failed = |reason: String| NotInstalled::Failed(format!("{method} {path}: {reason}"));
        let mut request = Request::builder().method(&method).uri(path);
        if body.is_some() {
            request = request.header(http::header::CONTENT_TYPE, "application/json");
        }
        let bytes = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
        let request = request.body(B::from(bytes)).map_err(|error| failed(error.to_string()))?;
        let response = (self.send)(request).await.map_err(|error| failed(error.to_string()))?;
        let status = response.status().as_u16();
        let mut body = pin!(response.into_body());
        let mut bytes = Vec::new();
        while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
            let frame = frame.map_err(|error| failed(error.to_string()))?;
            if let Ok(mut data) = frame.into_data() {
                use bytes::Buf as _;
                bytes.extend_from_slice(&data.copy_to_bytes(data.remaining()));
            }
        }
        Ok((status, serde_json::from_slice(&bytes).unwrap_or_default()))
    }
}

/// Returns `true` if the API server serves a CRD's objects. The first condition of a type counts (`IsCRDConditionTrue` in `helpers.go`).
fn is_established(definition: &Value) -> bool {
    let mut conditions = definition["status"]["conditions"].as_array().into_iter().flatten();
    conditions
        .find(|condition| condition["type"] == "Established")
        .is_some_and(|condition| condition["status"] == "True")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_condition_decides() {
        let established = |status: &[&str]| {
            let conditions = status.iter().map(|status| json!({"type": "Established", "status": status}));
            is_established(&json!({"status": {"conditions": conditions.collect::<Vec<_>>()}}))
        };
        assert!(established(&["True"]) && established(&["True", "False"]));
        assert!(!established(&[]) && !established(&["False", "True"]));
        assert!(!is_established(&json!({})));
    }
}
