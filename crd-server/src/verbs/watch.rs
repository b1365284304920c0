//! Handles watches, which send a resource's events as they happen.
//!
//! Source: `endpoints/handlers/watch.go` and `storage/cacher` of `k8s.io/apiserver`.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use std::{fmt, vec};

use bytes::Bytes;
use serde_json::{Value, json};

use super::columns::TableColumns;
use super::list_options::{ListOptions, Selection};
use super::metadata::metadata_only;
use super::table::{IncludedObject, TableForm};
use super::write;
use crate::body::Events;
use crate::call::Call;
use crate::depth;
use crate::json::{metadata_mut, print_ordered};
use crate::request::accept::{Encoding, Form};
use crate::request_info::RequestInfo;
use crate::response::{ResponseResult, ServerResponse};
use crate::shared::Shared;
use crate::status::Failure;
use crate::store::{Event, Key, NoEvents, Stored, WatchId};
use crate::timer::Alarm;

/// Maximum number of events that are serialized at a time. If a client reads slowly, further events stay in the log.
const MOST_EVENTS: usize = 100;

/// The time between bookmarks: `defaultBookmarkFrequency` in `pkg/storage/cacher/cacher.go` of apiserver.
const BOOKMARKS: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 60_000 });

/// Minimum duration of a watch without a timeout, in seconds: `minRequestTimeout`.
const LEAST_SECONDS: u64 = 1800;

/// A running watch.
pub(crate) struct Watch {
    id: WatchId,
    server: Arc<Shared>,
    place: RequestInfo,
    selection: Selection,
    form: Form,
    encoding: Encoding,
    /// Specifies which part of each object a table contains.
    included: IncludedObject,
    /// `true` if an earlier event already described the table's columns.
    has_columns: bool,
    /// The prefix of all keys in the watch's namespace. Keys in other namespaces do not begin with this prefix.
    prefix: String,
    has_bookmarks: bool,
    /// The last revision that was read.
    revision: u64,
    /// The initial objects that are not yet serialized.
    initial: vec::IntoIter<Arc<Stored>>,
    /// `true` if a bookmark follows the initial objects.
    ends_initial: bool,
    /// Events that have already been serialized.
    queue: VecDeque<Bytes>,
    alarm: Alarm,
    /// The time of the next bookmark.
    next_bookmark: Alarm,
    /// `true` after events were first read. Until then, a first revision that is too old is an error.
    has_begun: bool,
    is_over: bool,
    /// The number of times that a test had ended all watches when this watch began.
    breaks: u64,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("revision", &self.revision).finish_non_exhaustive()
    }
}

pub(super) fn watch(call: &mut Call<'_>, place: &RequestInfo) -> ResponseResult {
    let form = call.accept().watch_form()?;
    let included = match form {
        Form::Table(_) => IncludedObject::read(&call.query)?,
        _ => IncludedObject::Metadata,
    };
    let options = ListOptions::read(&call.query, true)?;
    let selection = Selection::read(&call.query, &place.definition, &place.version)?.named(&place.name);
    let seconds = options.timeout.filter(|seconds| *seconds > 0);
    let seconds = seconds.unwrap_or_else(|| fastrand::u64(LEAST_SECONDS..2 * LEAST_SECONDS));
    let mut watch = Watch {
        id: WatchId::new(),
        server: Arc::clone(call.server),
        place: RequestInfo {
            definition: Arc::clone(&place.definition),
            version: place.version.clone(),
            namespace: place.namespace.clone(),
            name: String::new(),
        },
        selection,
        form,
        encoding: call.accept().for_objects().unwrap_or(Encoding::Json),
        included,
        has_columns: false,
        // An object cannot be printed as a list, and the API server ends the watch.
        is_over: matches!(form, Form::MetadataList(_)),
        prefix: Key::prefix(&place.namespace),
        has_bookmarks: options.bookmarks,
        revision: 0,
        initial: Vec::new().into_iter(),
        ends_initial: false,
        has_begun: false,
        queue: VecDeque::new(),
        alarm: Alarm::due_at(Instant::now() + Duration::from_secs(seconds)),
        next_bookmark: Alarm::due_at(Instant::now() + BOOKMARKS),
        breaks: call.server.controls.breaks.load(Ordering::SeqCst),
    };
    watch.begin(&options)?;
    Ok(ServerResponse::Events(Box::new(watch)))
}

impl Events for Watch {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if let Some(bytes) = self.queue.pop_front() {
                return Poll::Ready(Some(self.encoded(bytes)));
            }
            if let Some(stored) = self.initial.next() {
                self.on_stack(|watch| watch.add_initial(&stored));
                continue;
            }
            if std::mem::take(&mut self.ends_initial) {
                self.bookmark(Some(json!({"k8s.io/initial-events-end": "true"})));
                continue;
            }
            if self.is_over {
                return Poll::Ready(None);
            }
            let waker = context.waker();
            if !self.on_stack(|watch| watch.add_events(waker)) && !self.is_over {
                if !self.alarm.is_over(context.waker()) {
                    if self.has_bookmarks && self.next_bookmark.is_over(context.waker()) {
                        self.next_bookmark = Alarm::due_at(Instant::now() + BOOKMARKS);
                        self.bookmark(None);
                        continue;
                    }
                    return Poll::Pending;
                }
                self.is_over = true;
                if self.has_bookmarks {
                    self.bookmark(None);
                }
            }
        }
    }
}

impl Watch {
    /// Sets the revision at which the watch begins, and serializes the initial objects.
    fn begin(&mut self, options: &ListOptions) -> Result<(), Failure> {
        let asked = options.revision.unwrap_or_default();
        if asked > 0 && options.initial_events != Some(true) {
            self.revision = asked;
            return Ok(());
        }
        let store = &self.server.store;
        let (revision, objects) = store.list(&self.place.definition.resource, &self.prefix);
        if asked > revision {
            return Err(Failure::too_large_revision(asked, revision));
        }
        self.revision = revision;
        if options.initial_events == Some(false) {
            return Ok(());
        }
        self.initial = objects.into_iter();
        self.ends_initial = options.initial_events == Some(true) && self.has_bookmarks;
        Ok(())
    }

    /// Calls a function on a stack that is large enough for the objects. If there is no memory for the stack, the watch ends.
    fn on_stack<T: Default + Send>(&mut self, work: impl FnOnce(&mut Self) -> T + Send) -> T {
        if !self.server.is_deep() {
            return work(self);
        }
        depth::on_large_stack(|| work(&mut *self)).unwrap_or_else(|_| {
            self.is_over = true;
            T::default()
        })
    }

    /// Adds the event for an initial object.
    fn add_initial(&mut self, stored: &Stored) {
        let object = match self.selection.matches(stored, &self.place) {
            Ok(false) => return,
            Ok(true) => self.object(stored),
            Err(failure) => Err(failure),
        };
        match object {
            Ok(object) => self.queue.push_back(event("ADDED", &object)),
            Err(failure) => self.fail(&failure),
        }
    }

    /// Adds the next events. Returns `false` if there are no events; the next event then wakes the task.
    fn add_events(&mut self, waker: &Waker) -> bool {
        let server = Arc::clone(&self.server);
        let (store, resource) = (&server.store, &self.place.definition.resource);
        let events = store.events(resource, self.revision, MOST_EVENTS, (self.id, waker));
        // A change after this is seen when it wakes the task.
        let is_changed =
            server.definition(resource).is_none_or(|served| served.epoch != self.place.definition.epoch);
        let are_some = events.as_ref().is_ok_and(|events| !events.is_empty());
        match events {
            Ok(events) => {
                self.has_begun = true;
                events.iter().for_each(|event| self.add(event));
            }
            // A change of the definition ends a running watch without an error, and so does a reader that is too slow: the next
            // watch is told.
            Err(NoEvents::Expired(_)) if is_changed || self.has_begun => self.is_over = true,
            Err(NoEvents::Expired(oldest)) => self.expire(oldest),
            Err(NoEvents::NoResource) => self.is_over = true,
        }
        self.is_over |= is_changed || self.breaks != server.controls.breaks.load(Ordering::SeqCst);
        are_some
    }

    /// Adds the event for a change, if the change concerns selected objects in the watch's namespace.
    fn add(&mut self, change: &Arc<Event>) {
        self.revision = change.revision;
        if !change.after.key.as_str().starts_with(&self.prefix) {
            return;
        }
        match self.printed(change) {
            Ok(printed) => self.queue.extend(printed),
            Err(failure) => self.fail(&failure),
        }
    }

    /// Returns the serialized event for a change, if the change concerns selected objects. An object that is no longer selected is reported
    /// as deleted.
    fn printed(&mut self, change: &Event) -> Result<Option<Bytes>, Failure> {
        let selected = |stored: &Stored| self.selection.matches(stored, &self.place);
        let before = match &change.before {
            Some(before) if selected(before)? => Some(before),
            _ => None,
        };
        let is_after = !change.is_removal && selected(&change.after)?;
        let event_type = match (before, is_after) {
            (None, false) => return Ok(None),
            (None, true) => "ADDED",
            (Some(_), true) => "MODIFIED",
            (Some(_), false) if change.is_removal => "DELETED",
            // The object is there, but not among those that are selected any more.
            (Some(before), false) => return Ok(Some(event("DELETED", &self.gone(before, change.revision)?))),
        };
        if self.form != Form::Object || self.place.is_converted() {
            return Ok(Some(event(event_type, &self.object(&change.after)?)));
        }
        let (epoch, version) = (self.place.definition.epoch, self.place.version.as_str());
        let print = || Ok(event(event_type, &self.place.view(&change.after)?));
        change.printed(epoch, version, event_type, print).map(Some)
    }

    /// Converts an object to the watch's response form.
    fn object(&mut self, stored: &Stored) -> Result<Bytes, Failure> {
        match self.form {
            Form::Object => self.place.view(stored),
            _ => {
                let object = self.place.read(stored)?;
                self.print(&object)
            }
        }
    }

    /// Serializes an object in the watch's response form.
    fn print(&mut self, object: &Value) -> Result<Bytes, Failure> {
        Ok(match self.form {
            Form::Object | Form::MetadataList(_) => self.place.definition.print(Cow::Borrowed(object)),
            Form::Metadata(version) => print_ordered(&metadata_only(object, version)),
            Form::Table(version) => {
                let list =
                    json!({"resourceVersion": crate::json::text(object, &["metadata", "resourceVersion"])});
                let has_columns = !std::mem::replace(&mut self.has_columns, true);
                let (columns, now) = (TableColumns::for_request(&self.place), self.server.now());
                let form =
                    TableForm { columns: &columns, version, included: self.included, now: &now, has_columns };
                print_ordered(&form.table(object, &list)?)
            }
        })
    }

    /// Returns the last state of an object that is no longer selected.
    fn gone(&mut self, before: &Stored, revision: u64) -> Result<Bytes, Failure> {
        let mut object = self.place.read(before)?;
        write::set_revision(&mut object, revision);
        self.print(&object)
    }

    fn bookmark(&mut self, annotations: Option<Value>) {
        let definition = &self.place.definition;
        let mut object =
            json!({"kind": definition.kind(), "apiVersion": definition.api_version(&self.place.version)});
        if let Some(metadata) = metadata_mut(&mut object) {
            metadata.insert("resourceVersion".to_owned(), self.revision.to_string().into());
            metadata.extend(annotations.map(|annotations| ("annotations".to_owned(), annotations)));
        }
        match self.print(&object) {
            Ok(printed) => self.queue.push_back(event("BOOKMARK", &printed)),
            Err(failure) => self.fail(&failure),
        }
    }

    /// Returns an event in the watch's encoding.
    fn encoded(&mut self, event: Bytes) -> Bytes {
        match self.encoding {
            #[cfg(feature = "protobuf")]
            Encoding::Protobuf => self.in_protobuf(&event),
            _ => event,
        }
    }

    #[cfg(feature = "protobuf")]
    fn in_protobuf(&mut self, event: &[u8]) -> Bytes {
        let read = |event: &[u8]| serde_json::from_slice::<Value>(event).ok();
        read(event).as_ref().and_then(crate::protobuf::write_event).unwrap_or_else(|| {
            self.queue.clear();
            self.fail(&Failure::internal("the object has no form in protobuf"));
            let failure = self.queue.pop_front().as_deref().and_then(read);
            failure.as_ref().and_then(crate::protobuf::write_event).unwrap_or_default()
        })
    }

    fn expire(&mut self, oldest: u64) {
        let message = format!("too old resource version: {} ({oldest})", self.revision);
        self.fail(&Failure::new(410, "Expired", message));
    }

    fn fail(&mut self, failure: &Failure) {
        self.queue.push_back(event("ERROR", &print_ordered(&failure.to_value())));
        self.initial = Vec::new().into_iter();
        self.ends_initial = false;
        self.is_over = true;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.server.store.forget(&self.place.definition.resource, self.id);
    }
}

fn event(type_: &str, object: &[u8]) -> Bytes {
    let mut text = format!("{{\"type\":\"{type_}\",\"object\":").into_bytes();
    text.extend_from_slice(object.trim_ascii_end());
    text.extend_from_slice(b"}\n");
    text.into()
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use http_body::Body as _;
    use serde_json::{Value, json};

    use super::*;
    use crate::{Config, Server};

    #[test]
    fn a_quiet_watch_has_bookmarks_from_time_to_time() {
        let mut config = Config::default();
        config.built_in_kinds();
        let server = Server::with(&config);
        let revision = server.inner.store.revision();
        let path =
            format!("/api/v1/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion={revision}");
        let response = server.handle(http::Request::get(path).body("").unwrap());
        let mut body = pin!(response.into_body());
        let mut seen: Vec<Value> = Vec::new();
        let start = Instant::now();
        while seen.len() < 3 && start.elapsed() < Duration::from_secs(30) {
            match body.as_mut().poll_frame(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(Some(Ok(frame))) => {
                    seen.push(serde_json::from_slice(&frame.into_data().unwrap()).unwrap());
                }
                Poll::Ready(_) => break,
                Poll::Pending => std::thread::sleep(BOOKMARKS / 4),
            }
        }
        assert!(start.elapsed() >= BOOKMARKS * 3);
        for event in seen {
            let metadata = json!({"resourceVersion": revision.to_string()});
            assert_eq!((&event["type"], &event["object"]["metadata"]), (&json!("BOOKMARK"), &metadata));
        }
    }
}
