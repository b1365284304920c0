//! A Kubernetes API server for custom resources that runs inside your process.
//!
//! [`Server`] keeps objects in memory and handles requests like kube-apiserver 1.37, or like another version ([`Config::kube_version`]).
//! `crd-core` prunes, defaults and validates every written object, including CEL rules. The server is a [`tower`](https://docs.rs/tower)
//! service for [`http`] requests, so `kube::Client::new(server, "default")` returns a client. The server needs neither a network nor an
//! async runtime:
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
//! # Ok::<(), crd_server::Rejected>(())
//! ```
//!
//! | request | |
//! |---|---|
//! | `get`, `list`, `watch` | selectors of labels and fields, pages, revisions, bookmarks, initial events, tables, metadata alone;
//! responses in JSON, pretty JSON and YAML |
//! | `create`, `update`, `patch` | JSON patches, merge patches and server-side apply; bodies in JSON and YAML; managed fields, dry runs,
//! field validation, warnings |
//! | `delete`, `deletecollection` | preconditions, finalizers, propagation |
//! | subresources | `status` and `scale`; for pods also `ephemeralcontainers` |
//! | discovery | `/api`, `/apis`, groups and their resources, one by one and aggregated, with entity tags; `/openapi/v2` (JSON and protobuf), `/openapi/v3`, `/version` |
//!
//! CRDs are created like any other object. The server then checks and establishes them (at once, or after [`Config::establish_after`]), and
//! serves their objects.
//!
//! With [`Config::built_in_kinds`], the server also serves built-in kinds, such as namespaces, ConfigMaps, pods and leases. Tests can make
//! requests fail ([`Server::inject`]), move the clock ([`Server::advance`]), end watches ([`Server::break_watches`]), restore an earlier
//! state ([`Server::restore`]), convert objects between versions ([`Server::convert`]), collect garbage ([`Server::collect_garbage`]) and
//! read the handled requests ([`Server::take_requests`]).
//!
//! With the feature `protobuf`, built-in kinds and CRDs can also be read and sent in protobuf. Typed Go clients use protobuf by default.
//! The feature also adds the types of all fields in built-in kinds. Unknown fields are then reported, applied objects must have these
//! types, and fields have the order of the Go types.
//!
//! With the feature `listen`, `Server::listen` serves a TCP port, for kubectl and clients in other languages. The command `crdkit serve`
//! runs this server.
//!
//! # Not yet
//!
//! - Validation, printer columns and controllers of built-in kinds; fields that admission plugins and allocators add to them, such as
//!   service addresses; RBAC; special subresources of nodes and pods.
//! - The fields of built-in kinds in `/openapi/v2` and `/openapi/v3`, and the discovery paths in these documents.
//! - Protobuf for metadata-only responses about custom resources, which are sent as JSON.
//! - The API server's exact messages about unreadable YAML, and its quotes and line breaks in YAML responses.
#![forbid(unsafe_code)]

mod apply;
mod body;
mod call;
mod config;
mod controls;
mod conversion;
mod definition;
mod depth;
mod discovery;
mod garbage;
mod json;
#[cfg(feature = "listen")]
mod listen;
mod merged;
mod openapi;
mod patch;
#[cfg(feature = "protobuf")]
mod protobuf;
mod request;
mod request_info;
mod response;
mod selector;
mod server;
mod service;
mod shared;
mod snapshot;
mod status;
mod store;
mod testing;
mod timer;
mod verbs;
#[cfg(feature = "webhooks")]
mod webhook;

pub use body::Body;
pub use config::Config;
pub use controls::{Fault, ServedRequest};
pub use crd_core::KubeVersion;
#[cfg(feature = "listen")]
pub use listen::Listening;
pub use merged::{MergedCrd, NotMerged, UpdateMethod, merge_crd};
pub use server::{Rejected, Server};
pub use snapshot::Snapshot;

/// A version whose messages about names and options are the same as in the versions from which sessions were recorded.
const KUBE_VERSION: KubeVersion = KubeVersion::new(36);
