//! A Kubernetes API server for custom resources, in process.
//!
//! [`Server`] keeps objects in memory and answers requests as kube-apiserver 1.36 does, or as 1.37 ([`Config::kube_version`]). Every write passes the admission of
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
//! | `get`, `list`, `watch` | selectors of labels and fields, pages, revisions, bookmarks, initial events, tables, metadata alone |
//! | `create`, `update`, `patch` | JSON patches, merge patches and server-side apply; managed fields, dry runs, field validation, warnings |
//! | `delete`, `deletecollection` | preconditions, finalizers, propagation |
//! | subresources | `status` and `scale` |
//! | discovery | `/api`, `/apis`, groups and their resources, `/openapi/v3`, `/version` |
//!
//! Definitions are objects, too: creating one checks it, establishes it at once and serves it.
//!
//! With [`Config::built_in_kinds`], the server has namespaces, config maps, secrets, pods, deployments, leases and other kinds of
//! Kubernetes itself, too. Tests can let requests fail ([`Server::inject`]), move the clock ([`Server::advance`]), break off
//! watches ([`Server::break_watches`]), collect dependents of objects that are gone ([`Server::collect_garbage`]) and read which
//! requests were made ([`Server::take_requests`]).
//!
//! With the feature `listen`, `Server::listen` answers on a TCP port, for kubectl and clients in other languages. `crdkit serve`
//! is the same as a command.
//!
//! # Not yet
//!
//! - An update through `scale` stores the defaults of the whole object; the API server stores them with the next other write.
//! - A definition whose names are in use is not accepted later, when the other one is gone.
//! - Validation, defaults, printer columns and controllers of built-in kinds; RBAC, nodes' and pods' special subresources.
//! - Forms of `meta.k8s.io/v1beta1`; errors of `Scale` bodies in the patches of a scale.
//! - Conversion by webhooks, `/openapi/v2`, the parameters and answers of operations in `/openapi/v3`, aggregated discovery.
//! - Warnings about duplicate fields of applied objects.
//! - Bodies in protobuf, which `kubectl create deployment` and its like send, and in YAML that is not JSON; answers in both.
#![forbid(unsafe_code)]

mod answer;
mod apply;
mod body;
mod config;
mod definition;
mod discovery;
mod garbage;
mod json;
#[cfg(feature = "listen")]
mod listen;
mod namespaces;
mod openapi;
mod patch;
mod request;
mod selector;
mod server;
mod service;
mod status;
mod store;
mod testing;
mod timer;
mod verbs;

pub use body::Body;
pub use config::Config;
pub use crd_core::KubeVersion;
#[cfg(feature = "listen")]
pub use listen::Listening;
pub use server::{Refused, Server};
pub use testing::{AnsweredRequest, Fault};

/// A release whose texts about names and options are those of the releases that sessions were recorded from.
const KUBE_VERSION: KubeVersion = KubeVersion::new(36);
