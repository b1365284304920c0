//! The server, which dispatches each request to the function for the verb.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::header::{CONTENT_TYPE, USER_AGENT};
use serde_json::{Value, json};

use crate::body::Body;
use crate::call::Call;
use crate::config::Config;
use crate::definition::{self, Definition, Origin};
use crate::depth;
use crate::json::text;
use crate::request::accept::Encoding;
use crate::request::body::{MOST_BYTES, too_large};
use crate::request::query::Query;
use crate::request::route::{Route, Target};
use crate::response::rejected;
use crate::shared::Shared;
use crate::status::Failure;
use crate::{discovery, verbs};

/// The namespaces of a new server.
const INITIAL_NAMESPACES: [&str; 4] = ["default", "kube-system", "kube-public", "kube-node-lease"];

/// An API server for custom resources that keeps all objects in memory.
///
/// Clones share the objects. See the [documentation of the crate](crate) for an example.
#[derive(Clone)]
pub struct Server {
    pub(crate) inner: Arc<Shared>,
}

/// The error for an object that the server rejects.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejected(pub(crate) Value);

impl Rejected {
    /// Returns the `Status` in the server's response.
    #[must_use]
    pub fn status(&self) -> &Value {
        &self.0
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(text(&self.0, &["message"]))
    }
}

impl std::error::Error for Rejected {}

impl Default for Server {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("config", &self.inner.config).finish_non_exhaustive()
    }
}

impl Server {
    /// Creates a server without CRDs.
    #[must_use]
    pub fn new() -> Self {
        Self::with(&Config::default())
    }

    /// Creates a server with the given settings.
    #[must_use]
    pub fn with(config: &Config) -> Self {
        let server = Self { inner: Shared::new(config) };
        let shared = &server.inner;
        // Definitions are read as custom resources of a definition of their own.
        if let Some(definition) =
            Definition::from_stored(&definition::crd_of_crds(), Origin::Definitions, config.kube_version)
        {
            shared.serve(definition);
        }
        if config.has_built_in_kinds {
            Definition::built_in_kinds(config.kube_version).for_each(|definition| shared.serve(definition));
            for namespace in INITIAL_NAMESPACES {
                server.create_namespace(namespace);
            }
            server.create_initial_objects();
        }
        server
    }

    /// Creates an object and returns the stored object. `apiVersion` and `kind` identify the resource. A CRD is established at once.
    ///
    /// # Errors
    /// - The server does not serve the kind.
    /// - The server rejects the object.
    pub fn create(&self, object: &Value) -> Result<Value, Rejected> {
        let request = http::Request::post(self.path_of(object))
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, "crd-server");
        let created = self.send(request, object)?;
        if text(object, &["kind"]) == verbs::CRD_KIND {
            verbs::establish(&self.inner, &created);
        }
        Ok(created)
    }

    /// Creates an object with its status, for example an object from a cluster or a file. Also creates the object's namespace if it is
    /// missing.
    ///
    /// Metadata that servers set, such as `uid` and `resourceVersion`, gets new values.
    ///
    /// # Errors
    /// - The server does not serve the kind.
    /// - The server rejects the object or its status.
    ///
    /// ```
    /// use crd_server::{Config, Server};
    /// use serde_json::json;
    ///
    /// let mut config = Config::default();
    /// config.built_in_kinds();
    /// let server = Server::with(&config);
    /// let pod = server.seed(&json!({
    ///     "apiVersion": "v1", "kind": "Pod",
    ///     "metadata": {"name": "web-0", "namespace": "team", "resourceVersion": "17"},
    ///     "status": {"phase": "Running"},
    /// }))?;
    /// assert_eq!(pod["status"]["phase"], "Running");
    /// # Ok::<(), crd_server::Rejected>(())
    /// ```
    pub fn seed(&self, object: &Value) -> Result<Value, Rejected> {
        let namespace = text(object, &["metadata", "namespace"]);
        if self.inner.config.has_built_in_kinds && !namespace.is_empty() {
            self.create_namespace(namespace);
        }
        let mut new = object.clone();
        if let Some(metadata) = crate::json::metadata_mut(&mut new) {
            for field in
                ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"]
            {
                crd_go::json::remove(metadata, field);
            }
        }
        let created = self.create(&new)?;
        let Some(status) = object.get("status").filter(|status| created.get("status") != Some(status)) else {
            return Ok(created);
        };
        let path = format!("{}/{}", self.path_of(&created), text(&created, &["metadata", "name"]));
        let patch = http::Request::patch(format!("{path}/status"));
        let patch = patch.header(CONTENT_TYPE, "application/merge-patch+json");
        match self.send(patch.header(USER_AGENT, "crd-server"), &json!({"status": status})) {
            // Without the subresource, the status was part of the object, or the definition does not have it.
            Err(refused) if refused.0["code"] == 404 => Ok(created),
            answer => answer,
        }
    }

    /// Creates the Service and the `EndpointSlice` through which operators find the API server. Also creates the `ClusterRole` for
    /// administrators and its binding.
    ///
    /// Source: `pkg/controlplane/controller/kubernetesservice`, `pkg/controlplane/reconcilers` and
    /// `plugin/pkg/auth/authorizer/rbac/bootstrappolicy` of Kubernetes.
    fn create_initial_objects(&self) {
        let labels = json!({"component": "apiserver", "provider": "kubernetes"});
        let service = json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "kubernetes", "namespace": "default", "labels": labels},
            "spec": {
                "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
                "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
            },
        });
        let slice = json!({
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
            "metadata": {"name": "kubernetes", "namespace": "default", "labels": {"kubernetes.io/service-name": "kubernetes"}},
            "addressType": "IPv4", "endpoints": [{"addresses": ["127.0.0.1"], "conditions": {"ready": true}}],
            "ports": [{"name": "https", "port": 6443, "protocol": "TCP"}],
        });
        let metadata = json!({
            "name": "cluster-admin", "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
            "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
        });
        let group = "rbac.authorization.k8s.io";
        let role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": metadata,
            "rules": [
                {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
                {"nonResourceURLs": ["*"], "verbs": ["*"]},
            ],
        });
        let binding = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": metadata,
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"apiGroup": group, "kind": "Group", "name": "system:masters"}],
        });
        for object in [service, slice, role, binding] {
            // A new server has none, and all are valid.
            let _ = self.create(&object);
        }
    }

    fn create_namespace(&self, name: &str) {
        // A namespace that is there already is what is wanted.
        let _ = self.create(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
    }

    /// Handles a request from this process, and returns the object in the response.
    fn send(&self, request: http::request::Builder, body: &Value) -> Result<Value, Rejected> {
        let request = request.body(body.to_string());
        let request =
            request.map_err(|error| Rejected(Failure::bad_request(error.to_string()).to_value()))?;
        let response = self.handle(request);
        let is_accepted = response.status().is_success();
        let answer = response.into_body().read_now();
        let answer = serde_json::from_slice(&answer).unwrap_or_else(|_| {
            let message = "the server could not find the requested resource";
            Failure::new(404, "NotFound", message).to_value()
        });
        if is_accepted { Ok(answer) } else { Err(Rejected(answer)) }
    }

    /// Handles a request, and returns the response. The response body of a watch yields events until the watch ends.
    pub fn handle(&self, request: http::Request<impl AsRef<[u8]>>) -> http::Response<Body> {
        let (head, body) = request.into_parts();
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
        let response = match self.inner.controls.fault(&head.method, path) {
            Some(failure) => rejected(&failure, &[]),
            None => self.answer_on_stack(&head, body.as_ref()),
        };
        self.inner.controls.record(&head.method, path, response.status().as_u16());
        response
    }

    fn answer_on_stack(&self, head: &http::request::Parts, body: &[u8]) -> http::Response<Body> {
        if !self.inner.is_deep() {
            if let Some(answer) = depth::on_small_stack(|| self.answer(head, body)) {
                return answer;
            }
            self.inner.is_deep.store(true, Ordering::SeqCst);
        }
        depth::on_large_stack(|| self.answer(head, body)).unwrap_or_else(|error| {
            rejected(&Failure::internal(format!("no stack for a deep object: {error}")), &[])
        })
    }

    fn answer(&self, head: &http::request::Parts, body: &[u8]) -> http::Response<Body> {
        if body.len() > MOST_BYTES {
            return rejected(&too_large(), &[]);
        }
        let query = Query::parse(head.uri.query().unwrap_or_default());
        let (target, route) = match Route::parse(head.uri.path()) {
            Route::Objects(target) => (target, None),
            route => (Target::default(), Some(route)),
        };
        let mut call = Call {
            server: &self.inner,
            target,
            query,
            headers: &head.headers,
            body: body.into(),
            is_read: false,
            has_protobuf: false,
            warnings: Vec::new(),
        };
        if let Some(route) = route {
            return discovery::respond(&call, &route, &head.method);
        }
        match verbs::respond(&mut call, &head.method) {
            Ok(answer) => {
                let encoding = call.accept().for_objects().unwrap_or(Encoding::Json);
                answer.into_response(encoding, &call.warnings)
            }
            Err(failure) => call.rejected(&failure),
        }
    }

    /// Returns the path for creating an object.
    fn path_of(&self, object: &Value) -> String {
        let field = |name: &str| text(object, &[name]);
        let (group, version) = field("apiVersion").split_once('/').unwrap_or(("", field("apiVersion")));
        if group == definition::GROUP {
            return format!("/apis/{group}/{version}/{}", definition::PLURAL);
        }
        let served = self.inner.served_definitions();
        let found =
            served.iter().find(|served| served.resource.group == group && served.kind() == field("kind"));
        let Some(found) = found else { return format!("/apis/{group}/{version}") };
        let namespace = match text(object, &["metadata", "namespace"]) {
            "" => "default",
            namespace => namespace,
        };
        found.path(version, namespace, "")
    }
}
