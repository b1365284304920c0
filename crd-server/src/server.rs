//! The server: from a request to the verb that answers it.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, Method};
use serde_json::{Value, json};

use crate::answer::{Answer, refused, refused_in};
use crate::body::Body;
use crate::config::Config;
use crate::conversion::Converters;
use crate::definition::{self, Definition, Origin};
use crate::depth;
use crate::request::accept::{Accept, Encoding};
use crate::request::body::{MOST_BYTES, too_large};
use crate::request::query::Query;
use crate::request::route::{Route, Target};
use crate::status::{Failure, Resource};
use crate::store::Store;
use crate::testing::Controls;
use crate::{discovery, namespaces, verbs};

/// An API server for custom resources, with its objects in memory.
///
/// A clone serves the same objects. See the [documentation of the crate](crate) for an example.
#[derive(Clone)]
pub struct Server {
    pub(crate) inner: Arc<Inner>,
}

/// The state that clones of a server share.
pub(crate) struct Inner {
    pub(crate) config: Config,
    pub(crate) store: Store,
    pub(crate) controls: Controls,
    pub(crate) converters: Converters,
    pub(crate) served: RwLock<HashMap<Resource, Arc<Definition>>>,
    /// `true` from the first request on that needed a large stack.
    pub(crate) is_deep: AtomicBool,
}

/// A request as the verbs see it.
pub(crate) struct Call<'a> {
    pub(crate) server: &'a Server,
    pub(crate) target: Target,
    pub(crate) query: Query,
    headers: &'a HeaderMap,
    pub(crate) body: &'a [u8],
    pub(crate) warnings: Vec<String>,
}

/// An object that the server refused, as its `Status`.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused(Value);

impl Refused {
    /// The `Status` with which the server answered.
    #[must_use]
    pub fn status(&self) -> &Value {
        &self.0
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::json::text(&self.0, &["message"]))
    }
}

impl std::error::Error for Refused {}

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
    /// A server without definitions.
    #[must_use]
    pub fn new() -> Self {
        Self::with(&Config::default())
    }

    /// A server with a clock and sources of names of its own.
    #[must_use]
    pub fn with(config: &Config) -> Self {
        let store = Store::new(config.kept_events);
        let server = Self {
            inner: Arc::new(Inner {
                config: config.clone(),
                store,
                controls: Controls::default(),
                converters: Converters::default(),
                served: RwLock::default(),
                is_deep: AtomicBool::new(false),
            }),
        };
        // Definitions are read as custom resources of a definition of their own.
        if let Some(definition) =
            Definition::of(&definition::of_definitions(), Origin::Definitions, config.kube_version)
        {
            server.serve(definition);
        }
        if config.has_built_in_kinds {
            definition::built_in::all(config.kube_version).for_each(|definition| server.serve(definition));
            for namespace in namespaces::INITIAL {
                namespaces::create(&server, namespace);
            }
        }
        server
    }

    /// Creates an object and returns it as it is stored. The resource is found by `apiVersion` and `kind`.
    ///
    /// # Errors
    /// - The server does not serve the kind.
    /// - The server refuses the object.
    pub fn create(&self, object: &Value) -> Result<Value, Refused> {
        let request = http::Request::post(self.path_of(object))
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, "crd-server");
        self.send(request, object)
    }

    /// Creates an object as it was read from a cluster or a file, with its status and, where it is missing, its namespace.
    ///
    /// Fields that a server sets in metadata, such as `uid` and `resourceVersion`, are set anew.
    ///
    /// # Errors
    /// - The server does not serve the kind.
    /// - The server refuses the object or its status.
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
    /// # Ok::<(), crd_server::Refused>(())
    /// ```
    pub fn seed(&self, object: &Value) -> Result<Value, Refused> {
        let namespace = crate::json::text(object, &["metadata", "namespace"]);
        if self.inner.config.has_built_in_kinds && !namespace.is_empty() {
            namespaces::create(self, namespace);
        }
        let mut new = object.clone();
        if let Some(metadata) = crate::json::metadata_mut(&mut new) {
            for field in
                ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"]
            {
                metadata.shift_remove(field);
            }
        }
        let created = self.create(&new)?;
        let Some(status) = object.get("status").filter(|status| created.get("status") != Some(status)) else {
            return Ok(created);
        };
        let path =
            format!("{}/{}", self.path_of(&created), crate::json::text(&created, &["metadata", "name"]));
        let patch = http::Request::patch(format!("{path}/status"));
        let patch = patch.header(CONTENT_TYPE, "application/merge-patch+json");
        match self.send(patch.header(USER_AGENT, "crd-server"), &json!({"status": status})) {
            // Without the subresource, the status was part of the object, or the definition does not have it.
            Err(refused) if refused.0["code"] == 404 => Ok(created),
            answer => answer,
        }
    }

    /// Sends a request of this process, and returns the object of the answer.
    fn send(&self, request: http::request::Builder, body: &Value) -> Result<Value, Refused> {
        let request = request.body(body.to_string());
        let request = request.map_err(|error| Refused(Failure::bad_request(error.to_string()).to_value()))?;
        let response = self.handle(request);
        let is_accepted = response.status().is_success();
        let answer = response.into_body().read_now();
        let answer = serde_json::from_slice(&answer).unwrap_or_else(|_| {
            let message = "the server could not find the requested resource";
            Failure::new(404, "NotFound", message).to_value()
        });
        if is_accepted { Ok(answer) } else { Err(Refused(answer)) }
    }

    /// Answers a request. The body of the answer to a watch gives events until the watch ends.
    pub fn handle(&self, request: http::Request<impl AsRef<[u8]>>) -> http::Response<Body> {
        let (head, body) = request.into_parts();
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
        let response = match self.inner.controls.fault(&head.method, path) {
            Some(failure) => refused(&failure, &[]),
            None => self.answer_on_stack(&head, body.as_ref()),
        };
        self.inner.controls.record(&head.method, path, response.status().as_u16());
        response
    }

    fn answer_on_stack(&self, head: &http::request::Parts, body: &[u8]) -> http::Response<Body> {
        if !self.is_deep() {
            if let Some(answer) = depth::on_small_stack(|| self.answer(head, body)) {
                return answer;
            }
            self.inner.is_deep.store(true, Ordering::SeqCst);
        }
        depth::on_large_stack(|| self.answer(head, body)).unwrap_or_else(|error| {
            refused(&Failure::internal(format!("no stack for a deep object: {error}")), &[])
        })
    }

    /// Returns `true` if objects may be too deep for the stack of any thread.
    pub(crate) fn is_deep(&self) -> bool {
        self.inner.is_deep.load(Ordering::SeqCst)
    }

    fn answer(&self, head: &http::request::Parts, body: &[u8]) -> http::Response<Body> {
        if body.len() > MOST_BYTES {
            return refused(&too_large(), &[]);
        }
        let query = Query::parse(head.uri.query().unwrap_or_default());
        let (target, route) = match Route::of(head.uri.path()) {
            Route::Objects(target) => (target, None),
            route => (Target::default(), Some(route)),
        };
        let mut call =
            Call { server: self, target, query, headers: &head.headers, body, warnings: Vec::new() };
        if let Some(route) = route {
            return discovery::answer(&call, &route, &head.method);
        }
        match verbs::answer(&mut call, &head.method) {
            Ok(answer) => {
                let encoding = call.accept().of_objects().unwrap_or(Encoding::Json);
                answer.into_response(encoding, &call.warnings)
            }
            Err(failure) => call.refused(&failure),
        }
    }

    /// The time of the server's clock, as metadata has it: in whole seconds.
    pub(crate) fn now(&self) -> String {
        self.now_after(0)
    }

    /// The time in some seconds.
    pub(crate) fn now_after(&self, seconds: i64) -> String {
        let later = Duration::from_secs(u64::try_from(seconds).unwrap_or_default());
        self.inner.config.time(self.inner.controls.ahead().saturating_add(later))
    }

    /// The path under which an object is created.
    fn path_of(&self, object: &Value) -> String {
        let text = |path: &[&str]| crate::json::text(object, path);
        let (group, version) = text(&["apiVersion"]).split_once('/').unwrap_or(("", text(&["apiVersion"])));
        if group == definition::GROUP {
            return format!("/apis/{group}/{version}/{}", definition::PLURAL);
        }
        let served = self.served_definitions();
        let found =
            served.iter().find(|served| served.resource.group == group && served.kind() == text(&["kind"]));
        let Some(found) = found else { return format!("/apis/{group}/{version}") };
        let namespace = match text(&["metadata", "namespace"]) {
            "" => "default",
            namespace => namespace,
        };
        found.path(version, namespace, "")
    }

    /// The definition of a resource.
    pub(crate) fn definition(&self, resource: &Resource) -> Option<Arc<Definition>> {
        let served = self.inner.served.read().unwrap_or_else(PoisonError::into_inner);
        served.get(resource).cloned()
    }

    /// All definitions but that of definitions: built-in kinds, then those that were created, in the order in which they
    /// were created.
    pub(crate) fn served_definitions(&self) -> Vec<Arc<Definition>> {
        let served = self.inner.served.read().unwrap_or_else(PoisonError::into_inner);
        let mut served: Vec<_> =
            served.values().filter(|served| served.origin != Origin::Definitions).cloned().collect();
        served.sort_by(|a, b| {
            let order = |definition: &Definition| definition.crd.metadata.creation_timestamp.clone();
            order(a).cmp(&order(b)).then_with(|| a.epoch.cmp(&b.epoch))
        });
        served
    }

    /// All definitions, that of definitions among them.
    pub(crate) fn published(&self) -> Vec<Arc<Definition>> {
        let mut all = self.served_definitions();
        all.extend(self.definition(&definition::resource()));
        all
    }

    /// Begins to serve a definition, or to serve it in another way.
    pub(crate) fn serve(&self, mut definition: Definition) {
        definition.converters = self.inner.converters.clone();
        self.inner.store.add_resource(&definition.resource);
        let mut served = self.inner.served.write().unwrap_or_else(PoisonError::into_inner);
        served.insert(definition.resource.clone(), Arc::new(definition));
    }

    /// Stops serving a resource.
    pub(crate) fn stop(&self, resource: &Resource) {
        self.inner.served.write().unwrap_or_else(PoisonError::into_inner).remove(resource);
        self.inner.store.remove_resource(resource);
    }
}

impl Call<'_> {
    pub(crate) fn header(&self, name: http::HeaderName) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The answer to the refused request. Where the client accepts no form of it, it is pretty JSON.
    pub(crate) fn refused(&self, failure: &Failure) -> http::Response<Body> {
        refused_in(failure, self.accept().plain().unwrap_or(Encoding::PrettyJson), &self.warnings)
    }

    pub(crate) fn user_agent(&self) -> &str {
        self.header(USER_AGENT)
    }

    pub(crate) fn content_type(&self) -> &str {
        self.header(CONTENT_TYPE)
    }

    pub(crate) fn accept(&self) -> Accept<'_> {
        Accept::new(self.header(ACCEPT), &self.query, self.user_agent())
    }

    pub(crate) fn resource(&self) -> Resource {
        Resource { group: self.target.group.clone(), plural: self.target.plural.clone() }
    }
}

/// The verb of a request, as the API server names it.
pub(crate) fn verb(call: &Call<'_>, method: &Method) -> Option<&'static str> {
    let has_name = !call.target.name.is_empty();
    Some(match method.as_str() {
        "POST" => "create",
        "GET" | "HEAD" if call.target.is_watch => "watch",
        "GET" | "HEAD" if has_name => "get",
        "GET" | "HEAD" if call.query.flag("watch") == Some(true) => "watch",
        "GET" | "HEAD" => "list",
        "PUT" => "update",
        "PATCH" => "patch",
        "DELETE" if has_name => "delete",
        "DELETE" => "deletecollection",
        _ => return None,
    })
}

/// The answer to a verb that a resource does not have.
pub(crate) fn not_supported(resource: &Resource, verb: &str) -> Failure {
    let message = format!("{verb} is not supported on resources of kind \"{resource}\"");
    Failure::new(405, "MethodNotAllowed", message).about("", &resource.group, &resource.plural)
}

/// An answer that may be a refusal.
pub(crate) type Answered = Result<Answer, Failure>;
