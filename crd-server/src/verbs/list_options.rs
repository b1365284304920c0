//! Reads and checks the options of lists and watches.
//!
//! Source: `ValidateListOptions` in `k8s.io/apimachinery/pkg/apis/meta/internalversion/validation/validation.go`.

use crd_core::Diagnostic;
use crd_go::strings::quote;
use serde_json::Value;

use crate::definition::{Definition, Origin};
use crate::request::options::{path, reject};
use crate::request::query::Query;
use crate::request_info::RequestInfo;
use crate::selector::{FieldSelector, LabelSelector};
use crate::status::Failure;
use crate::store::{Key, Stored};

/// The conditions that select the objects for a list or a watch.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    labels: LabelSelector,
    fields: FieldSelector,
}

/// The options in a request for a list or a watch.
#[derive(Debug)]
pub(super) struct ListOptions {
    /// The requested revision; 0 means any.
    pub(super) revision: Option<u64>,
    /// `true` if exactly this revision is requested.
    pub(super) is_exact: bool,
    pub(super) limit: usize,
    pub(super) timeout: Option<u64>,
    pub(super) initial_events: Option<bool>,
    pub(super) bookmarks: bool,
}

impl Selection {
    /// Reads the selectors in a request.
    pub(super) fn read(query: &Query, definition: &Definition, version: &str) -> Result<Self, Failure> {
        let labels = LabelSelector::parse(query.text("labelSelector")).map_err(Failure::bad_request)?;
        let fields = FieldSelector::parse(query.text("fieldSelector")).map_err(Failure::bad_request)?;
        let version = definition.served(version);
        let selectable = version.and_then(|version| version.selectable_fields.as_deref()).unwrap_or_default();
        let is_computed = definition.built_in().is_some_and(|row| row.is_computed);
        let has_namespace =
            definition.is_namespaced() || definition.origin == Origin::Definitions || is_computed;
        for field in fields.fields() {
            let is_selectable = field == "metadata.name"
                || (field == "metadata.namespace" && has_namespace)
                || selectable.iter().any(|known| known.json_path.trim_start_matches('.') == field);
            if !is_selectable {
                return Err(Failure::bad_request(definition.unselectable(field)));
            }
        }
        let fields = match definition.built_in() {
            Some(row) => fields.at(|field| row.selected(field)),
            None => fields,
        };
        Ok(Self { labels, fields })
    }

    /// Limits the selection to objects with this name. An empty name changes nothing.
    pub(super) fn named(self, name: &str) -> Self {
        if name.is_empty() {
            self
        } else {
            Self { fields: self.fields.and_equal("metadata.name", name), ..self }
        }
    }

    /// Returns `true` if all objects are selected.
    pub(super) fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Returns the object's key if only a single object can be selected.
    pub(super) fn key(&self, place: &RequestInfo) -> Option<Key> {
        let is_whole = place.namespace.is_empty() && place.definition.is_namespaced();
        let name = self.fields.name().filter(|_| !is_whole)?;
        Some(Key::new(&place.namespace, name))
    }

    /// Returns `true` if an object is selected. The object need not be stored.
    pub(super) fn includes(&self, object: &Value) -> bool {
        self.labels.matches(object) && self.fields.matches(object)
    }

    /// Returns `true` if a stored object is selected.
    pub(super) fn matches(&self, stored: &Stored, place: &RequestInfo) -> Result<bool, Failure> {
        if !self.fields.matches_key(stored.key.namespace(), stored.key.name()) {
            return Ok(false);
        }
        // Only a webhook can change labels of an object that is read.
        if self.fields.is_of_key() && (self.labels.is_empty() || !place.is_converted()) {
            return Ok(self.labels.is_empty() || self.labels.matches(&stored.labels()));
        }
        let object = if place.is_converted() { place.read(stored)? } else { stored.value() };
        Ok(self.labels.matches(&object) && self.fields.matches(&object))
    }
}

impl ListOptions {
    pub(super) fn read(query: &Query, is_watch: bool) -> Result<Self, Failure> {
        let (limit, timeout) = (query.number("limit")?, query.number("timeoutSeconds")?);
        let asked = query.text("resourceVersion");
        let revision_match = query.text("resourceVersionMatch");
        let initial_events = query.flag("sendInitialEvents");
        let mut causes = Vec::new();
        if is_watch {
            check_watch(revision_match, initial_events, query, &mut causes);
        } else {
            check_list(revision_match, initial_events, asked, query, &mut causes);
        }
        reject("ListOptions", &causes)?;
        let revision = match asked {
            "" => None,
            text => Some(text.parse::<u64>().map_err(|_| {
                let text = quote(text);
                let error =
                    format!("resourceVersion: Invalid value: {text}: strconv.ParseUint: parsing {text}: invalid syntax");
                if is_watch {
                    Failure::internal(error)
                } else {
                    Failure::bad_request(format!("invalid resource version: {error}"))
                }
            })?),
        };
        let limit = usize::try_from(limit.unwrap_or_default()).unwrap_or_default();
        // A list with a limit is of exactly the revision, where the request does not say otherwise.
        let is_legacy =
            revision_match.is_empty() && limit > 0 && revision.is_some_and(|revision| revision > 0);
        Ok(Self {
            revision,
            is_exact: revision_match == "Exact" || is_legacy,
            limit,
            timeout: timeout.and_then(|timeout| u64::try_from(timeout).ok()),
            initial_events,
            bookmarks: query.flag("allowWatchBookmarks") == Some(true),
        })
    }
}

fn check_list(
    revision_match: &str,
    initial_events: Option<bool>,
    revision: &str,
    query: &Query,
    causes: &mut Vec<Diagnostic>,
) {
    let mut forbidden = |field: &str, detail: &str| causes.push(Diagnostic::forbidden(path(field), detail));
    if !revision_match.is_empty() {
        if revision.is_empty() {
            forbidden(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden unless resourceVersion is provided",
            );
        }
        if !query.text("continue").is_empty() {
            forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
        }
        if !matches!(revision_match, "Exact" | "NotOlderThan") {
            let supported = ["Exact", "NotOlderThan", ""];
            causes.push(Diagnostic::not_supported(path("resourceVersionMatch"), revision_match, &supported));
        } else if revision_match == "Exact" && revision == "0" {
            let detail = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
            forbidden("resourceVersionMatch", detail);
        }
    }
    if initial_events.is_some() {
        let detail = "sendInitialEvents is forbidden for list";
        causes.push(Diagnostic::forbidden(path("sendInitialEvents"), detail));
    }
}

fn check_watch(
    revision_match: &str,
    initial_events: Option<bool>,
    query: &Query,
    causes: &mut Vec<Diagnostic>,
) {
    let field = || path("resourceVersionMatch");
    if initial_events.is_some() && revision_match != "NotOlderThan" {
        let detail = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
        causes.push(Diagnostic::forbidden(field(), detail));
    }
    if !revision_match.is_empty() {
        if initial_events.is_none() {
            let detail = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
            causes.push(Diagnostic::forbidden(field(), detail));
        }
        if revision_match != "NotOlderThan" {
            causes.push(Diagnostic::not_supported(field(), revision_match, &["NotOlderThan"]));
        }
    }
    if !query.text("continue").is_empty() {
        let detail = "resourceVersionMatch is forbidden when continue is provided";
        causes.push(Diagnostic::forbidden(field(), detail));
    }
}
