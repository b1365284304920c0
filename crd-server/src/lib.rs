//! A Kubernetes API server for custom resources, in process.
//!
//! [`Server`] keeps objects in memory and answers requests as kube-apiserver 1.36 does. Every write passes the admission of
//! `crd-core`: pruning, defaults, validation and CEL rules. It is a [`tower`](https://docs.rs/tower) service of [`http`]
//! requests, so `kube::Client::new(server, "default")` is a client of it, and it answers without a network or an async runtime:
//!
//! ```
//! use crd_server::Server;
//! use serde_json::json;
//!
//! let server = Server::new();
//! server.create(&json!({
//!     "apiVersion": "apiextensions.k8s.io/v1",
//!     "kind": "CustomResourceDefinition",
//!     "metadata": {"name": "crontabs.stable.example.com"},
//!     "spec": {
//!         "group": "stable.example.com",
//!         "names": {"plural": "crontabs", "kind": "CronTab"},
//!         "scope": "Namespaced",
//!         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
//!             "type": "object",
//!             "properties": {"spec": {
//!                 "type": "object",
//!                 "properties": {"replicas": {"type": "integer", "default": 1}},
//!             }},
//!         }}}],
//!     },
//! }))?;
//! let stored = server.create(&json!({
//!     "apiVersion": "stable.example.com/v1",
//!     "kind": "CronTab",
//!     "metadata": {"name": "nightly", "namespace": "default"},
//!     "spec": {},
//! }))?;
//! assert_eq!(stored["spec"]["replicas"], 1);
//!
//! let path = "/apis/stable.example.com/v1/namespaces/default/crontabs/nightly";
//! let response = server.handle(http::Request::get(path).body(Vec::new()).unwrap());
//! assert_eq!(response.status(), 200);
//! # Ok::<(), crd_server::Refused>(())
//! ```
//!
//! | request | |
//! |---|---|
//! | `get`, `list`, `watch` | selectors of labels and fields, pages, revisions, bookmarks, initial events |
//! | `create`, `update`, `patch` | JSON patches, merge patches and server-side apply; managed fields, dry runs, field validation, warnings |
//! | `delete`, `deletecollection` | preconditions, finalizers, propagation |
//! | subresources | `status` and `scale` |
//! | discovery | `/api`, `/apis`, groups and their resources, `/version` |
//!
//! Definitions are objects, too: creating one checks it, establishes it at once and serves it.
//!
//! With the feature `listen`, `Server::listen` answers on a TCP port, for clients in other languages. `crdkit serve` is the
//! same as a command. Most commands of kubectl need what is missing below: OpenAPI, YAML, and namespaces as objects.
//!
//! # Not yet
//!
//! - Managed fields across versions: all are compared in the version of the request. Nor are there the limit of ten managers, the
//!   migration of `kubectl apply`, the controller's entry for changed names of definitions, and the adjustment of owners to a changed schema.
//! - An update through `scale` stores the defaults of the whole object; the API server stores them with the next other write.
//! - Names of two definitions may be in conflict.
//! - Other kinds than custom resources and their definitions: every namespace exists, but is not an object.
//! - Conversion by webhooks, `/openapi`, aggregated discovery, bodies in YAML that are not JSON, answers in YAML or protobuf.
//! - Tables of watches, and garbage collection of dependents.
#![forbid(unsafe_code)]

use crd_core::KubeVersion;

mod answer;
mod apply;
mod body;
mod config;
mod definition;
mod discovery;
mod json;
#[cfg(feature = "listen")]
mod listen;
mod patch;
mod request;
mod selector;
mod server;
mod service;
mod status;
mod store;
mod timer;
mod verbs;

pub use body::Body;
pub use config::Config;
#[cfg(feature = "listen")]
pub use listen::Listening;
pub use server::{Refused, Server};

/// The release as which the server answers, the one of the recorded sessions.
const KUBE_VERSION: KubeVersion = KubeVersion::new(36);
